/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns raw records into ticks, gaps, tallies and rows: see collector.h. */
#include "record/collector.h"

#include <errno.h>
#include <stdlib.h>

#include "record/edges.h"
#include "trace/resume.h"

/* A wake-up this late on the clock that includes suspended time means a suspend, not a late
 * thread. */
static const uint64_t SUSPENDED_NS = 50 * 1000 * 1000;

/* The first clock pair, and then one a minute, is written to the trace. */
static const uint64_t CLOCKS_EVERY_NS = 60ull * 1000 * 1000 * 1000;

/* The time of a row is known to this part of the time since the last one, or to a tick. */
enum { TIMED_PARTS = 64 };

static void keep_error(struct wtl_collector *collector, int rc)
{
    if (rc < 0 && collector->writer_error == 0)
        collector->writer_error = rc;
}

/* A file that is being resumed normally has the channel already. */
static int make_channel(struct wtl_trace_writer *writer, const struct wattle_channel *channel)
{
    int id =
        wtl_trace_writer_resumed(writer) ? wtl_trace_writer_find_channel(writer, channel) : -ENOENT;
    return id == -ENOENT ? wtl_trace_writer_channel(writer, channel) : id;
}

static int make_group(struct wtl_trace_writer *writer,
                      const uint32_t *channels,
                      size_t count,
                      unsigned flags)
{
    int id = wtl_trace_writer_resumed(writer)
                 ? wtl_trace_writer_find_group(writer, channels, count, flags)
                 : -ENOENT;
    return id == -ENOENT ? wtl_trace_writer_group(writer, channels, count, flags) : id;
}

/* Values continue from the last ones in the file. */
static void rejoin(struct wtl_collector_channel *ch, const struct wtl_resumed_channel *was)
{
    uint64_t modulus = ch->continuity.unwrap.modulus, raw = was->first_raw + was->value;
    ch->has_origin = was->raw_known;
    if (was->last_ns == 0)
        return;
    if (modulus)
        raw = (was->first_raw % modulus + was->value % modulus) % modulus;
    double counted_ns = (double)(was->changed_ns - was->first_ns);
    wtl_continuity_resume(
        &ch->continuity,
        &(struct wtl_continuity_rest){.rate = counted_ns > 0 ? (double)was->value / counted_ns : 0,
                                      .last_ns = was->last_ns,
                                      .changed_ns = was->changed_ns,
                                      .before_ns = was->before_ns,
                                      .ticks = was->value,
                                      .raw = raw,
                                      .raw_known = was->raw_known});
}

static void rejoin_all(struct wtl_collector *collector)
{
    const struct wtl_trace_resumed *resumed = wtl_trace_writer_resumed(collector->writer);
    if (!resumed)
        return;
    collector->started = resumed->started;
    for (size_t i = 0; i < collector->channel_count; i++) {
        if (collector->channels[i].id < resumed->count)
            rejoin(&collector->channels[i], &resumed->channels[collector->channels[i].id]);
    }
}

static int make_groups(struct wtl_collector *collector, const struct wattle_channel *channels)
{
    struct wtl_trace_writer *writer = collector->writer;
    for (size_t i = 0; i < collector->channel_count; i++) {
        int id = make_channel(writer, &channels[i]);
        if (id < 0)
            return id;
        collector->channels[i].id = collector->channels[i].continuity.id = (uint32_t)id;
    }
    for (size_t r = 0; r < collector->run_count; r++) {
        uint32_t ids[WTL_RUN_MAX];
        struct wtl_collector_batch *run = &collector->runs[r];
        for (size_t i = 0; i < run->n; i++)
            ids[i] = collector->channels[run->channel + i].id;
        int group = make_group(writer, ids, run->n, 0);
        if (group < 0)
            return group;
        run->group = (uint32_t)group;
    }
    for (size_t i = 0; i < collector->channel_count; i++) {
        uint32_t id = collector->channels[i].id;
        if (!wtl_edges_visible(&channels[i]) && !wtl_edges_awaited(&channels[i]))
            continue;
        int group = make_group(writer, &id, 1, WTL_GROUP_EDGE);
        if (group < 0)
            return group;
        collector->channels[i].edge_group = (uint32_t)group;
    }
    return 0;
}

static void report_gap(void *context, const struct wtl_gap *gap)
{
    struct wtl_collector_channel *ch = context;
    wtl_tally_gap(&ch->tally, gap);
    if (ch->collector->writer)
        keep_error(ch->collector, wtl_trace_writer_gap(ch->collector->writer, gap));
}

int wtl_collector_init(struct wtl_collector *collector,
                       const struct wattle_channel *channels,
                       size_t count,
                       const struct wtl_batch *const *runs,
                       size_t run_count,
                       struct wtl_trace_writer *writer)
{
    *collector =
        (struct wtl_collector){.channel_count = count, .run_count = run_count, .writer = writer};
    collector->channels = calloc(count + 1, sizeof *collector->channels);
    collector->runs = calloc(run_count + 1, sizeof *collector->runs);
    int rc = collector->channels && collector->runs ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct wtl_collector_channel *ch = &collector->channels[i];
        ch->collector = collector;
        ch->edge_group = UINT32_MAX;
        ch->id = (uint32_t)i;
        wtl_continuity_init(&ch->continuity, &channels[i], report_gap, ch);
        ch->continuity.id = ch->id;
        wtl_tally_init(&ch->tally, &channels[i]);
    }
    for (size_t r = 0; rc == 0 && r < run_count; r++)
        collector->runs[r] =
            (struct wtl_collector_batch){.channel = runs[r]->channel, .n = runs[r]->n};
    if (rc == 0 && writer)
        rc = make_groups(collector, channels);
    if (rc == 0 && writer)
        rejoin_all(collector);
    if (rc < 0)
        wtl_collector_fini(collector);
    return rc;
}

void wtl_collector_fini(struct wtl_collector *collector)
{
    free(collector->channels);
    free(collector->runs);
    *collector = (struct wtl_collector){0};
}

/* Take one good reading; true if there is a usable value. */
static bool accept(struct wtl_collector *collector,
                   struct wtl_collector_channel *ch,
                   uint64_t time_ns,
                   uint64_t raw,
                   uint64_t *ret_value)
{
    struct wtl_continuity *continuity = &ch->continuity;
    bool first = continuity->channel->kind == WATTLE_COUNTER && !continuity->unwrap.started;
    if (first && collector->writer && !ch->has_origin)
        keep_error(collector, wtl_trace_writer_origin(collector->writer, ch->id, raw));
    return wtl_continuity_read(continuity, time_ns, raw, ret_value);
}

/* Each border is written to the trace only once. */
static void write_border(struct wtl_collector *collector, bool begin, uint64_t time_ns)
{
    bool *done = begin ? &collector->started : &collector->ended;
    if (*done)
        return;
    *done = true;
    if (!collector->writer)
        return;
    /* Flush rows up to here first, since readers process the file in order. */
    keep_error(collector, wtl_trace_writer_flush(collector->writer));
    keep_error(collector, begin ? wtl_trace_writer_window_begin(collector->writer, time_ns)
                                : wtl_trace_writer_window_end(collector->writer, time_ns));
}

/* Pass a border to the channels of a run. */
static void pass_border(struct wtl_collector *collector,
                        const struct wtl_collector_batch *run,
                        bool begin,
                        uint64_t time_ns)
{
    for (size_t i = 0; i < run->n; i++) {
        struct wtl_tally *tally = &collector->channels[run->channel + i].tally;
        if (begin)
            wtl_tally_begin(tally, time_ns);
        else if (!tally->ended)
            wtl_tally_end(tally, time_ns);
    }
    write_border(collector, begin, time_ns);
}

/* Did the window end during a read that took longer than the counter's tick? Then it is unknown on
 * which side the values belong; more readings follow. */
static bool straddles(const struct wtl_continuity *of, const uint64_t *record, uint64_t end_ns)
{
    uint64_t half_ns = record[2] >> 32;
    return end_ns && of->channel->kind == WATTLE_COUNTER && 2 * half_ns > of->channel->refresh_ns &&
           record[1] <= end_ns && record[1] + half_ns > end_ns;
}

/*
 * A read that was interrupted has values of some time in it. In the window a row whose time is unknown by more than a tick,
 * and by more than a small part of the time since the last one, would show a power that was never drawn: the next row will do.
 */
static bool is_mistimed(const struct wtl_collector *collector,
                        const struct wtl_collector_batch *run,
                        const uint64_t *record)
{
    const struct wtl_collector_channel *ch = &collector->channels[run->channel];
    const struct wattle_channel *channel = ch->continuity.channel;
    uint64_t half_ns = record[2] >> 32, since_ns = record[1] - ch->continuity.last_ns;
    bool counts = channel->kind == WATTLE_COUNTER && channel->refresh_ns > 0;
    bool inside = ch->tally.started && !ch->tally.ended && ch->continuity.last_ns > 0;
    return counts && inside && (uint32_t)record[2] == 0 && half_ns > channel->refresh_ns &&
           half_ns * TIMED_PARTS > since_ns;
}

static void take_row(struct wtl_collector *collector, const uint64_t *record, size_t words)
{
    size_t number = (size_t)(record[0] >> 8);
    const struct wtl_collector_batch *run = &collector->runs[number];
    uint64_t time_ns = record[1], values[WTL_RUN_MAX] = {0};
    uint8_t missing[WTL_RUN_MAX] = {0};
    bool some_missing = false;
    if (words < 3 + run->n)
        return;
    uint64_t end_ns = atomic_load_explicit(&collector->end_ns, memory_order_relaxed);
    if (collector->looked && collector->writer)
        keep_error(collector, wtl_trace_writer_flush(collector->writer));
    collector->looked = false;
    if (straddles(&collector->channels[run->channel].continuity, record, end_ns))
        return;
    if (end_ns && time_ns > end_ns)
        pass_border(collector, run, false, end_ns); /* its record follows */
    if (is_mistimed(collector, run, record))
        return;
    for (size_t i = 0; i < run->n; i++) {
        struct wtl_collector_channel *ch = &collector->channels[run->channel + i];
        bool failed = record[2] >> i & 1;
        if (failed) {
            wtl_continuity_miss(&ch->continuity, time_ns, WTL_GAP_READ_FAILED, (int)record[3 + i]);
        }
        if (failed || !accept(collector, ch, time_ns, record[3 + i], &values[i])) {
            missing[i] = 1;
            some_missing = true;
        } else {
            wtl_tally_sample(&ch->tally, time_ns, values[i], false);
        }
    }
    if (collector->writer)
        keep_error(collector, wtl_trace_writer_row(collector->writer, run->group, time_ns, values,
                                                   some_missing ? missing : NULL));
}

/* Looks at counters that tick; rows of later times follow it in the trace. */
static void take_look(struct wtl_collector *collector, const uint64_t *record, size_t words)
{
    const struct wtl_collector_batch *run = &collector->runs[record[0] >> 8];
    uint64_t end_ns = atomic_load_explicit(&collector->end_ns, memory_order_relaxed), value;
    if (words < 3 + run->n || (end_ns && record[1] + (record[2] >> 32) > end_ns))
        return;
    for (size_t i = 0; i < run->n; i++) {
        struct wtl_collector_channel *ch = &collector->channels[run->channel + i];
        const struct wattle_channel *channel = ch->continuity.channel;
        bool ticks = wtl_edges_visible(channel) || wtl_edges_awaited(channel);
        if (!ticks || record[2] >> i & 1 ||
            !accept(collector, ch, record[1], record[3 + i], &value))
            continue;
        wtl_tally_sample(&ch->tally, record[1], value, true);
        if (collector->writer)
            keep_error(collector, wtl_trace_writer_row(collector->writer, ch->edge_group, record[1],
                                                       &value, NULL));
    }
    collector->looked = true;
}

static void take_edge(struct wtl_collector *collector, const uint64_t *record)
{
    struct wtl_collector_channel *ch = &collector->channels[record[0] >> 8];
    for (size_t i = 0; i < 2; i++) {
        uint64_t value;
        if (!accept(collector, ch, record[1 + i], record[3 + i], &value))
            return;
        wtl_tally_sample(&ch->tally, record[1 + i], value, true);
        if (collector->writer && ch->edge_group != UINT32_MAX)
            keep_error(collector, wtl_trace_writer_row(collector->writer, ch->edge_group,
                                                       record[1 + i], &value, NULL));
    }
}

static void take_clocks(struct wtl_collector *collector, const uint64_t *record)
{
    struct wtl_clock_pair now = {record[1], record[2], record[3]}, last = collector->clocks;
    int64_t slept = last.monotonic_ns ? (int64_t)(now.boottime_ns - now.monotonic_ns) -
                                            (int64_t)(last.boottime_ns - last.monotonic_ns)
                                      : 0;
    bool suspended = slept > (int64_t)SUSPENDED_NS;
    collector->clocks = now;
    if (suspended) {
        collector->suspended_ns += (uint64_t)slept;
        for (size_t i = 0; i < collector->channel_count; i++)
            wtl_continuity_sleep(&collector->channels[i].continuity, last.monotonic_ns,
                                 now.monotonic_ns);
    }
    bool due = collector->clocks_written_ns == 0 || suspended ||
               now.monotonic_ns - collector->clocks_written_ns >= CLOCKS_EVERY_NS;
    if (!collector->writer || !due)
        return;
    collector->clocks_written_ns = now.monotonic_ns;
    keep_error(collector, wtl_trace_writer_clocks(collector->writer, &now));
}

/* Open a gap on all channels of a lane, each from its last value; from_ns is used for a channel
 * without a value. */
static void miss_all(struct wtl_collector *collector,
                     const struct wtl_lane *lane,
                     uint64_t from_ns,
                     enum wtl_gap_reason reason,
                     int error)
{
    for (size_t r = 0; r < lane->run_count; r++) {
        for (size_t i = 0; i < lane->runs[r].n; i++) {
            struct wtl_continuity *continuity =
                &collector->channels[lane->runs[r].channel + i].continuity;
            wtl_continuity_miss(continuity, from_ns, reason, error);
        }
    }
}

static void take_loss(struct wtl_collector *collector, const struct wtl_lane *lane, uint64_t count)
{
    collector->lost += count;
    miss_all(collector, lane, 0, WTL_GAP_OVERRUN, 0);
}

static void take_record(struct wtl_collector *collector,
                        const struct wtl_lane *lane,
                        const uint64_t *record,
                        size_t words)
{
    switch ((enum wtl_record_kind)(record[0] & 0xff)) {
    case WTL_RECORD_ROW:
        take_row(collector, record, words);
        break;
    case WTL_RECORD_EDGE:
        take_edge(collector, record);
        break;
    case WTL_RECORD_LOOK:
        take_look(collector, record, words);
        break;
    case WTL_RECORD_CLOCKS:
        take_clocks(collector, record);
        break;
    case WTL_RECORD_BEGIN:
    case WTL_RECORD_END:
        /* Every lane reports the borders, for its own channels. */
        for (size_t r = 0; r < lane->run_count; r++)
            pass_border(collector, &collector->runs[lane->runs[r].number],
                        (record[0] & 0xff) == WTL_RECORD_BEGIN, record[1]);
        break;
    case WTL_RECORD_LOST:
        take_loss(collector, lane, record[1]);
        break;
    }
}

void wtl_collector_drain(struct wtl_collector *collector, struct wtl_lane *lane, uint64_t until_ns)
{
    for (;;) {
        if (lane->held_words == 0)
            lane->held_words = wtl_ring_pop(&lane->ring, lane->held, WTL_RECORD_WORDS);
        bool lost = (lane->held[0] & 0xff) == WTL_RECORD_LOST; /* the only record without a time */
        if (lane->held_words == 0 || (!lost && lane->held[1] > until_ns))
            return;
        take_record(collector, lane, lane->held, lane->held_words);
        lane->held_words = 0;
    }
}

void wtl_collector_end(struct wtl_collector *collector, uint64_t end_ns)
{
    atomic_store_explicit(&collector->end_ns, end_ns, memory_order_relaxed);
}

void wtl_collector_abandon(struct wtl_collector *collector,
                           const struct wtl_lane *lane,
                           uint64_t start_ns,
                           uint64_t end_ns)
{
    for (size_t r = 0; r < lane->run_count; r++) {
        const struct wtl_collector_batch *run = &collector->runs[lane->runs[r].number];
        if (!collector->channels[run->channel].tally.started)
            pass_border(collector, run, true, start_ns);
        pass_border(collector, run, false, end_ns);
    }
    miss_all(collector, lane, start_ns, WTL_GAP_READ_FAILED, ETIMEDOUT);
}

void wtl_collector_finish(struct wtl_collector *collector, uint64_t now_ns)
{
    for (size_t i = 0; i < collector->channel_count; i++)
        wtl_continuity_end(&collector->channels[i].continuity, now_ns);
    if (collector->writer)
        keep_error(collector, wtl_trace_writer_flush(collector->writer));
}
