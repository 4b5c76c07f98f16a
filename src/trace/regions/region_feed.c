/* SPDX-License-Identifier: BSD-3-Clause */
/* Feeding of region energies: see region_feed.h. Each channel's gaps and edges wait in queues, so that the
 * time to read a file is proportional to its length, whatever their number. */
#include "trace/regions/region_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading.h"

struct edge {
    uint64_t time_ns, value;
};

/* Is it one of energy and power, or of the sensor? */
static bool is_chosen(const struct wattle_channel *channel, const char *sensor)
{
    return sensor ? strcmp(channel->sensor, sensor) == 0 && wtl_channel_is_understood(channel)
                  : wtl_channel_is_energy(channel);
}

/* A channel whose energy is what it counts. Nothing is too large for it, so what its windows do not see has no bound: their age is all that
 * is said of them. */
static struct wattle_channel as_energy(const struct wattle_channel *channel)
{
    struct wattle_channel own = *channel;
    if (wtl_channel_is_energy(channel))
        return own;
    own.quantity = channel->kind == WATTLE_COUNTER ? WATTLE_ENERGY : WATTLE_POWER;
    own.domain = WATTLE_DOMAIN_OTHER;
    own.max_w = 1e30;
    own.refresh_ns += own.kind == WATTLE_COUNTER ? 0 : own.window_ns;
    own.window_ns = 0;
    return own;
}

/* Number the chosen channels; *ret_channels is freed by the caller. 0 or -ENOMEM. */
static int choose_channels(struct wtl_region_feed *feed,
                           const struct wtl_tables *tables,
                           const char *sensor,
                           struct wattle_channel **ret_channels)
{
    size_t count = tables->channels.count, n = 0;
    feed->numbers = malloc((count + 1) * sizeof *feed->numbers);
    if (!feed->numbers)
        return -ENOMEM;
    feed->table_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(tables, i);
        bool used = channel && is_chosen(&channel->channel, sensor);
        feed->numbers[i] = used ? (uint32_t)n : UINT32_MAX;
        n += used;
    }
    struct wattle_channel *channels = calloc(n + 1, sizeof *channels);
    feed->ids = malloc((n + 1) * sizeof *feed->ids);
    feed->waiting = calloc(n + 1, sizeof *feed->waiting);
    if (!channels || !feed->ids || !feed->waiting) {
        free(channels);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (feed->numbers[i] == UINT32_MAX)
            continue;
        feed->ids[feed->channel_count] = i;
        channels[feed->channel_count++] = as_energy(&wtl_tables_channel(tables, i)->channel);
    }
    *ret_channels = channels;
    return 0;
}

int wtl_region_feed_init(struct wtl_region_feed *feed,
                         const struct wtl_tables *tables,
                         uint64_t start_ns,
                         uint64_t end_ns)
{
    return wtl_region_feed_init_of(feed, tables, NULL, start_ns, end_ns);
}

int wtl_region_feed_init_of(struct wtl_region_feed *feed,
                            const struct wtl_tables *tables,
                            const char *sensor,
                            uint64_t start_ns,
                            uint64_t end_ns)
{
    struct wattle_channel *channels = NULL;
    *feed = (struct wtl_region_feed){0};
    int code = choose_channels(feed, tables, sensor, &channels);
    for (size_t i = 0; i < feed->channel_count; i++) {
        feed->waiting[i].gaps.size = sizeof(struct wtl_gap);
        feed->waiting[i].edges.size = sizeof(struct edge);
    }
    if (code == 0)
        code = wtl_region_energy_create(channels, feed->channel_count, start_ns, end_ns,
                                        &feed->energy, NULL);
    free(channels);
    if (code == 0 && tables->window.started && !tables->window.ended && end_ns != UINT64_MAX)
        wtl_region_energy_cut(feed->energy);
    if (code < 0)
        wtl_region_feed_fini(feed);
    return code;
}

void wtl_region_feed_fini(struct wtl_region_feed *feed)
{
    for (size_t i = 0; feed->waiting && i < feed->channel_count; i++) {
        free(feed->waiting[i].gaps.items);
        free(feed->waiting[i].edges.items);
    }
    free(feed->waiting);
    free(feed->numbers);
    free(feed->ids);
    wtl_region_energy_destroy(feed->energy);
    *feed = (struct wtl_region_feed){0};
}

/* A channel's number; UINT32_MAX if the trace does not define it, or if it is not energy or power. */
static uint32_t number_of(const struct wtl_region_feed *feed, uint32_t channel)
{
    return channel < feed->table_count ? feed->numbers[channel] : UINT32_MAX;
}

int wtl_region_feed_gap(struct wtl_region_feed *feed, const struct wtl_gap *gap)
{
    struct wtl_gap mine = *gap;
    mine.channel = number_of(feed, gap->channel);
    if (mine.channel == UINT32_MAX)
        return 0;
    struct wtl_region_wait *waiting = &feed->waiting[mine.channel];
    struct wtl_region_queue *gaps = &waiting->gaps;
    uint64_t last_ns = 0;
    if (gaps->count > 0)
        last_ns = ((const struct wtl_gap *)wtl_region_queue_at(gaps, gaps->count - 1))->end_ns;
    if (gap->end_ns < last_ns || gap->end_ns < waiting->last_ns)
        return -EBADMSG;
    return wtl_region_queue_push(gaps, &mine);
}

/* Add the gaps of a channel that end at or before its next sample. */
static int feed_gaps(struct wtl_region_feed *feed, uint32_t channel, uint64_t time_ns)
{
    struct wtl_region_queue *gaps = &feed->waiting[channel].gaps;
    int code = 0;
    while (gaps->count > 0 && code == 0) {
        const struct wtl_gap *gap = (const struct wtl_gap *)wtl_region_queue_at(gaps, 0);
        if (gap->end_ns > time_ns)
            break;
        code = wtl_region_energy_gap(feed->energy, gap);
        wtl_region_queue_pop(gaps);
    }
    return code;
}

/* Add the edges of a channel before a time; all if it is UINT64_MAX. */
static int feed_edges(struct wtl_region_feed *feed, uint32_t channel, uint64_t time_ns)
{
    struct wtl_region_queue *edges = &feed->waiting[channel].edges;
    int code = 0;
    while (edges->count > 0 && code == 0) {
        const struct edge *edge = (const struct edge *)wtl_region_queue_at(edges, 0);
        if (edge->time_ns >= time_ns && time_ns != UINT64_MAX)
            break;
        code = wtl_region_energy_sample(feed->energy, channel, edge->time_ns, edge->value, true);
        wtl_region_queue_pop(edges);
    }
    return code;
}

int wtl_region_feed_sample(struct wtl_region_feed *feed,
                           uint32_t id,
                           uint64_t time_ns,
                           uint64_t value,
                           bool edge)
{
    uint32_t channel = number_of(feed, id);
    if (channel == UINT32_MAX)
        return 0;
    if (edge) {
        struct edge kept = {time_ns, value};
        return wtl_region_queue_push(&feed->waiting[channel].edges, &kept);
    }
    int code = feed_edges(feed, channel, time_ns);
    feed->waiting[channel].last_ns = time_ns;
    if (code == 0)
        code = feed_gaps(feed, channel, time_ns);
    if (code == 0)
        code = wtl_region_energy_sample(feed->energy, channel, time_ns, value, false);
    return code;
}

static int take_results(const struct wtl_region_feed *feed,
                        wtl_region_name_fn *name_of,
                        const void *context,
                        struct wtl_footer_regions *table)
{
    for (size_t i = 0; i < wtl_region_energy_count(feed->energy); i++) {
        const struct wtl_region_result *result = wtl_region_energy_result(feed->energy, i);
        struct wtl_region_room room;
        const char *name = result->name ? name_of(context, result->name) : "";
        if (!name)
            name = "?"; /* its table was in a damaged block */
        struct wtl_region_summary *summary =
            wtl_region_table_add(table, name, strlen(name), feed->channel_count, &room);
        if (!summary)
            return -ENOMEM;
        summary->count = result->count;
        summary->thread_time_ns = result->thread_time_ns;
        summary->union_ns = result->union_ns;
        summary->exclusive_union_ns = result->exclusive_union_ns;
        summary->unbalanced = result->unbalanced;
        summary->crossing = result->crossing;
        for (size_t c = 0; c < feed->channel_count; c++) {
            room.channels[c] = feed->ids[c];
            room.inclusive[c] = result->inclusive[c];
            room.exclusive[c] = result->exclusive[c];
        }
    }
    return wtl_region_table_tell_apart(table);
}

int wtl_region_feed_finish(struct wtl_region_feed *feed,
                           wtl_region_name_fn *name_of,
                           const void *context,
                           struct wtl_footer_regions *table)
{
    int code = 0;
    for (uint32_t i = 0; i < feed->channel_count && code == 0; i++)
        code = feed_edges(feed, i, UINT64_MAX);
    for (uint32_t i = 0; i < feed->channel_count && code == 0; i++)
        code = feed_gaps(feed, i, UINT64_MAX); /* after the last sample */
    if (code == 0)
        code = wtl_region_energy_finish(feed->energy);
    return code < 0 ? code : take_results(feed, name_of, context, table);
}

void wtl_region_window(const struct wtl_trace_window *window,
                       uint64_t rows_first_ns,
                       uint64_t rows_last_ns,
                       const struct wtl_index *index,
                       uint64_t *ret_start_ns,
                       uint64_t *ret_end_ns)
{
    uint64_t start_ns = rows_first_ns, end_ns = rows_last_ns;
    for (uint32_t i = 0; rows_first_ns > rows_last_ns && index && i < index->count; i++) {
        if (index->entries[i].first_ns < start_ns)
            start_ns = index->entries[i].first_ns;
        if (index->entries[i].last_ns > end_ns)
            end_ns = index->entries[i].last_ns;
    }
    if (window->started)
        start_ns = window->start_monotonic_ns;
    if (window->ended)
        end_ns = window->end_monotonic_ns;
    *ret_start_ns = start_ns > 0 ? start_ns : 1;
    *ret_end_ns = end_ns > *ret_start_ns ? end_ns : *ret_start_ns;
}
