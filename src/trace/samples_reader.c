/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration over samples: see reader.h. The index allows skipping parts of the file, the head of a block
 * and its group single blocks; only requested data is decoded. */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "trace/reader_state.h"

struct wtl_trace_samples {
    struct wtl_trace_reader *reader;
    struct wtl_walk walk;
    uint64_t begin_ns, end_ns;
    uint8_t *wanted; /* [wanted_count] by channel id; NULL = all */
    size_t wanted_count;
    bool no_edges;
    struct wtl_rows_memory memory;
    struct wtl_list columns; /* struct wtl_trace_column */
    size_t block;
};

int wtl_trace_samples_open(struct wtl_trace_reader *reader,
                           const struct wtl_trace_range *range,
                           struct wtl_trace_samples **ret_samples,
                           struct wattle_error *err)
{
    struct wtl_trace_samples *samples = calloc(1, sizeof *samples);
    if (!samples)
        return wtl_fail(err, -ENOMEM, "%s: out of memory", reader->path);
    samples->reader = reader;
    samples->begin_ns = range->begin_ns;
    samples->end_ns = range->end_ns;
    samples->no_edges = range->no_edges;
    if (range->channels) {
        for (size_t i = 0; i < range->channel_count; i++)
            if (range->channels[i] < WTL_TRACE_CHANNELS_MAX &&
                range->channels[i] >= samples->wanted_count)
                samples->wanted_count = (size_t)range->channels[i] + 1;
        samples->wanted = calloc(samples->wanted_count + 1, 1);
        if (!samples->wanted) {
            free(samples);
            return wtl_fail(err, -ENOMEM, "%s: out of memory", reader->path);
        }
        for (size_t i = 0; i < range->channel_count; i++)
            if (range->channels[i] < WTL_TRACE_CHANNELS_MAX)
                samples->wanted[range->channels[i]] = 1;
    }
    wtl_walk_init_like(&samples->walk, &reader->walk, 0, 0);
    *ret_samples = samples;
    return 0;
}

void wtl_trace_samples_close(struct wtl_trace_samples *samples)
{
    if (!samples)
        return;
    wtl_walk_fini(&samples->walk);
    wtl_rows_memory_fini(&samples->memory);
    free(samples->columns.items);
    free(samples->wanted);
    free(samples);
}

static bool is_wanted(const struct wtl_trace_samples *samples, uint32_t channel)
{
    return !samples->wanted || (channel < samples->wanted_count && samples->wanted[channel]);
}

static bool group_is_wanted(const struct wtl_trace_samples *samples, uint32_t id)
{
    const struct wtl_trace_group *group = wtl_tables_group(&samples->reader->tables, id);
    bool any = false;
    if (!group || (samples->no_edges && group->flags & WTL_GROUP_EDGE))
        return false;
    for (size_t i = 0; i < group->count && !any; i++)
        any = is_wanted(samples, group->channels[i]);
    return any;
}

/* The first row at or after time_ns. */
static size_t lower_bound(const struct wtl_rows *rows, uint64_t time_ns)
{
    size_t low = 0, high = rows->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->time_ns[middle] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Select rows in the range and requested columns: 1, 0 when nothing is left, -ENOMEM. */
static int make_chunk(struct wtl_trace_samples *samples,
                      const struct wtl_rows *rows,
                      struct wtl_trace_chunk *ret_chunk)
{
    size_t first = lower_bound(rows, samples->begin_ns);
    size_t end =
        samples->end_ns == UINT64_MAX ? rows->rows : lower_bound(rows, samples->end_ns + 1);
    if (first >= end)
        return 0;
    samples->columns.count = 0;
    for (size_t c = 0; c < rows->columns; c++) {
        if (!is_wanted(samples, rows->channels[c]))
            continue;
        struct wtl_trace_column *column =
            (struct wtl_trace_column *)wtl_list_add(&samples->columns, sizeof *column);
        if (!column)
            return -ENOMEM;
        size_t at = c * rows->stride;
        bool gaps = rows->missing && memchr(rows->missing + at + first, 1, end - first);
        *column = (struct wtl_trace_column){.channel = rows->channels[c],
                                            .values = rows->values + at + first,
                                            .missing = gaps ? rows->missing + at + first : NULL};
    }
    *ret_chunk =
        (struct wtl_trace_chunk){.group = rows->group,
                                 .flags = rows->flags,
                                 .rows = end - first,
                                 .time_ns = rows->time_ns + first,
                                 .columns = (const struct wtl_trace_column *)samples->columns.items,
                                 .column_count = samples->columns.count,
                                 .block = samples->block};
    return samples->columns.count > 0;
}

/* One block: 1 with a chunk, 0 without, or -errno. A damaged one gives no chunk. */
static int take_block(struct wtl_trace_samples *samples,
                      const struct wtl_walk_item *item,
                      struct wtl_trace_chunk *ret_chunk)
{
    struct wtl_trace_reader *reader = samples->reader;
    const uint8_t *payload;
    struct wtl_rows rows;
    uint32_t group;
    uint64_t ordinal;
    int code = wtl_walk_payload(&samples->walk, item, &payload);
    if (code < 0)
        return code == -EBADMSG ? wtl_trace_reader_lost(reader, item) : code;
    struct wtl_cursor cursor = wtl_cursor_init(payload, item->head.length);
    if (wtl_samples_peek(cursor, &group, &ordinal) < 0 || !group_is_wanted(samples, group))
        return 0;
    code = wtl_samples_decode(&reader->tables, cursor, item->head.first_ns, samples->wanted,
                              samples->wanted_count, reader->unpacker, &samples->memory, &rows);
    if (code < 0)
        return code == -EBADMSG ? wtl_trace_reader_lost(reader, item) : code;
    return make_chunk(samples, &rows, ret_chunk);
}

int wtl_trace_samples_next(struct wtl_trace_samples *samples,
                           struct wtl_trace_chunk *ret_chunk,
                           struct wattle_error *err)
{
    struct wtl_trace_reader *reader = samples->reader;
    struct wtl_walk *walk = &samples->walk;
    bool ranged = samples->begin_ns > 0 || samples->end_ns < UINT64_MAX;
    const struct wtl_index *index = ranged ? wtl_trace_reader_index(reader) : NULL;
    struct wtl_walk_item item;
    int code = 0;
    walk->end = wtl_trace_reader_limit(reader);
    while (code == 0) {
        if (index)
            walk->offset =
                wtl_index_skip(index, walk->offset, samples->begin_ns, samples->end_ns, walk->end);
        int found = wtl_walk_next(walk, &item);
        if (found == WTL_WALK_END)
            return 0;
        samples->block++;
        if (found < 0)
            code = found;
        else if (found == WTL_WALK_DAMAGED)
            code = wtl_trace_reader_lost(reader, &item);
        else if (found == WTL_WALK_BLOCK && item.head.type == WTL_BLOCK_SAMPLES &&
                 wtl_block_is_plain(&item.head) && item.head.last_ns >= samples->begin_ns &&
                 item.head.first_ns <= samples->end_ns)
            code = take_block(samples, &item, ret_chunk);
    }
    return code < 0 ? wtl_fail(err, code, "%s: %s", reader->path, wtl_strerror(code)) : code;
}
