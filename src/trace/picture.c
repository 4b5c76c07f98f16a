/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power of a channel for a plot: see wtl_trace_reader_power() in reader.h. With a footer, the pyramid's
 * blocks of one level are followed backwards by their links; without one, or when no level is fine enough,
 * stretches are computed from the samples by the same rule.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "trace/reader_state.h"

struct picture {
    struct wtl_trace_reader *reader;
    uint32_t channel;
    uint64_t begin_ns, end_ns;
    struct wtl_list points; /* struct wtl_power_point */
};

static int add_point(struct picture *picture,
                     uint64_t begin_ns,
                     uint64_t end_ns,
                     const float power_w[3])
{
    if (end_ns < picture->begin_ns || begin_ns > picture->end_ns)
        return 0;
    struct wtl_power_point *point =
        (struct wtl_power_point *)wtl_list_add(&picture->points, sizeof *point);
    if (!point)
        return -ENOMEM;
    *point = (struct wtl_power_point){.begin_ns = begin_ns,
                                      .end_ns = end_ns,
                                      .min_w = power_w[0],
                                      .max_w = power_w[1],
                                      .mean_w = power_w[2]};
    return 0;
}

/* One block of a level; its points are added in reverse. *ret_previous: the previous block. */
static int take_block(struct picture *picture,
                      const struct wtl_pyramid_level *level,
                      struct wtl_cursor cursor,
                      uint64_t *ret_previous)
{
    uint32_t group = wtl_cursor_u32(&cursor), number = wtl_cursor_u32(&cursor);
    (void)wtl_cursor_u64(&cursor); /* the stretch: as in the footer */
    uint64_t previous = wtl_cursor_u64(&cursor);
    uint32_t channels = wtl_cursor_u32(&cursor), rows = wtl_cursor_u32(&cursor), column = 0;
    bool found = false;
    if (cursor.failed || group != level->group || number != level->level)
        return -EBADMSG;
    for (uint32_t i = 0; i < channels && !cursor.failed; i++) {
        if (wtl_cursor_u32(&cursor) == picture->channel && !found) {
            found = true;
            column = i;
        }
    }
    size_t row = 16 + 12 * (size_t)channels;
    if (cursor.failed || !found || wtl_cursor_left(&cursor) / row < rows)
        return -EBADMSG;
    const uint8_t *base = cursor.at;
    for (uint32_t r = rows; r > 0; r--) {
        cursor.at = base + (r - 1) * row;
        uint64_t begin_ns = wtl_cursor_u64(&cursor), end_ns = wtl_cursor_u64(&cursor);
        cursor.at += 12 * (size_t)column;
        float power_w[3];
        for (int i = 0; i < 3; i++)
            power_w[i] = wtl_cursor_f32(&cursor);
        int code = add_point(picture, begin_ns, end_ns, power_w);
        if (code < 0)
            return code;
    }
    *ret_previous = previous;
    return 0;
}

static void reverse(struct picture *picture)
{
    struct wtl_power_point *points = (struct wtl_power_point *)picture->points.items;
    for (size_t i = 0, j = picture->points.count; i + 1 < j; i++) {
        struct wtl_power_point swap = points[--j];
        points[j] = points[i];
        points[i] = swap;
    }
}

/* All points of a level in the range. -EBADMSG when its chain is damaged. */
static int take_level(struct picture *picture, const struct wtl_pyramid_level *level)
{
    struct wtl_walk walk;
    uint64_t offset = level->offset;
    int code = 0;
    picture->points.count = 0;
    wtl_walk_init_like(&walk, &picture->reader->walk, 0, UINT64_MAX);
    while (offset != 0 && code == 0) {
        struct wtl_walk_item item;
        const uint8_t *payload;
        uint64_t previous = 0;
        code = wtl_walk_at(&walk, offset, &item, &payload);
        if (code == 0 && (item.head.type != WTL_BLOCK_PYRAMID || !wtl_block_is_plain(&item.head)))
            code = -EBADMSG;
        if (code == 0)
            code =
                take_block(picture, level, wtl_cursor_init(payload, item.head.length), &previous);
        if (code == 0 && previous >= offset)
            code = -EBADMSG; /* would loop forever */
        if (code == 0 && item.head.first_ns <= picture->begin_ns)
            break;
        offset = previous;
    }
    wtl_walk_fini(&walk);
    reverse(picture);
    return code;
}

struct stretch {
    const struct wattle_channel *channel;
    uint64_t stretch_ns, start_ns, start;
    double sum;
    unsigned count;
    bool begun;
};

static int add_sample(struct picture *picture, struct stretch *s, uint64_t time_ns, uint64_t value)
{
    bool counter = s->channel->kind == WATTLE_COUNTER;
    if (s->begun) {
        s->sum += (double)(int64_t)value * s->channel->scale;
        s->count++;
        uint64_t away_ns = time_ns - s->start_ns;
        if (away_ns == 0 || away_ns < s->stretch_ns)
            return 0;
        double power_w = counter ? (double)(int64_t)(value - s->start) * s->channel->scale /
                                       ((double)away_ns * 1e-9)
                                 : s->sum / s->count;
        float three_w[3] = {(float)power_w, (float)power_w, (float)power_w};
        int code = add_point(picture, s->start_ns, time_ns, three_w);
        if (code < 0)
            return code;
    }
    s->begun = true;
    s->start_ns = time_ns;
    s->start = value;
    s->sum = 0;
    s->count = 0;
    return 0;
}

/* From the samples: one point per stretch. */
static int take_samples(struct picture *picture, uint64_t stretch_ns, struct wattle_error *err)
{
    struct wtl_trace_range range = {.begin_ns = picture->begin_ns,
                                    .end_ns = picture->end_ns,
                                    .channels = &picture->channel,
                                    .channel_count = 1,
                                    .no_edges = true};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    const struct wtl_trace_channel *channel =
        wtl_tables_channel(&picture->reader->tables, picture->channel);
    struct stretch stretch = {.channel = &channel->channel, .stretch_ns = stretch_ns};
    picture->points.count = 0;
    int code = wtl_trace_samples_open(picture->reader, &range, &samples, err);
    if (code < 0)
        return code;
    while (code >= 0 && (code = wtl_trace_samples_next(samples, &chunk, err)) > 0) {
        const struct wtl_trace_column *column = &chunk.columns[0];
        for (size_t r = 0; r < chunk.rows && code >= 0; r++) {
            if (column->missing && column->missing[r])
                stretch.begun = false;
            else
                code = add_sample(picture, &stretch, chunk.time_ns[r], column->values[r]);
        }
    }
    wtl_trace_samples_close(samples);
    return code;
}

static bool level_has_channel(const struct picture *picture, const struct wtl_pyramid_level *level)
{
    const struct wtl_trace_group *group = wtl_tables_group(&picture->reader->tables, level->group);
    bool found = false;
    for (size_t i = 0; group && i < group->count; i++)
        found |= group->channels[i] == picture->channel;
    return found;
}

/* The coarsest level with at least that many points in the range; NULL = none. */
static const struct wtl_pyramid_level *choose_level(const struct picture *picture, size_t points)
{
    const struct wtl_list *list = &picture->reader->footer.levels;
    const struct wtl_pyramid_level *levels = (const struct wtl_pyramid_level *)list->items;
    const struct wtl_pyramid_level *best = NULL;
    uint64_t first_ns, last_ns;
    if (wtl_trace_reader_span(picture->reader, &first_ns, &last_ns) < 0)
        return NULL;
    uint64_t from = picture->begin_ns > first_ns ? picture->begin_ns : first_ns;
    uint64_t to = picture->end_ns < last_ns ? picture->end_ns : last_ns;
    double part = to > from ? (double)(to - from) / (double)(last_ns - first_ns) : 0;
    for (size_t i = 0; i < list->count; i++)
        if (level_has_channel(picture, &levels[i]) && levels[i].offset != 0 &&
            (double)levels[i].rows * part >= (double)points &&
            (!best || levels[i].rows < best->rows))
            best = &levels[i];
    return best;
}

static uint64_t stretch_of(const struct picture *picture)
{
    const struct wtl_tables *tables = &picture->reader->tables;
    for (size_t g = 0; g < tables->groups.count; g++) {
        const struct wtl_trace_group *group = wtl_tables_group(tables, g);
        for (size_t i = 0; group && !(group->flags & WTL_GROUP_EDGE) && i < group->count; i++)
            if (group->channels[i] == picture->channel)
                return wtl_pyramid_stretch_ns(tables, group->channels, group->count);
    }
    return 0;
}

size_t wtl_trace_reader_power_rows(struct wtl_trace_reader *reader,
                                   uint32_t channel,
                                   const struct wtl_trace_range *range,
                                   size_t points)
{
    struct picture picture = {
        .reader = reader, .channel = channel, .begin_ns = range->begin_ns, .end_ns = range->end_ns};
    const struct wtl_trace_channel *entry = wtl_tables_channel(&reader->tables, channel);
    const struct wtl_pyramid_level *level =
        entry && wtl_pyramid_takes(&entry->channel) ? choose_level(&picture, points) : NULL;
    return level ? (size_t)level->rows : 0;
}

int wtl_trace_reader_power(struct wtl_trace_reader *reader,
                           uint32_t channel,
                           const struct wtl_trace_range *range,
                           size_t points,
                           struct wtl_power_point **ret_points,
                           uint64_t *ret_stretch_ns,
                           struct wattle_error *err)
{
    const struct wtl_trace_channel *entry = wtl_tables_channel(&reader->tables, channel);
    if (!entry || !wtl_pyramid_takes(&entry->channel))
        return wtl_fail(err, -EINVAL, "%s: no power to draw for channel %u", reader->path,
                        (unsigned)channel);
    struct picture picture = {
        .reader = reader, .channel = channel, .begin_ns = range->begin_ns, .end_ns = range->end_ns};
    uint64_t stretch_ns = stretch_of(&picture);
    const struct wtl_pyramid_level *level = choose_level(&picture, points);
    int code = level ? take_level(&picture, level) : -EBADMSG;
    if (code == -EBADMSG)
        code = take_samples(&picture, stretch_ns, err);
    if (code < 0) {
        free(picture.points.items);
        return wtl_fail(err, code, "%s: %s", reader->path, wtl_strerror(code));
    }
    *ret_points = (struct wtl_power_point *)picture.points.items;
    if (ret_stretch_ns)
        *ret_stretch_ns = stretch_ns;
    return (int)picture.points.count;
}
