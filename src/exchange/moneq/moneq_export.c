/* SPDX-License-Identifier: BSD-3-Clause */
/* Exports a trace as a MonEQ file: see moneq_export.h. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_export.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/parse.h"
#include "exchange/moneq/moneq_line.h"
#include "exchange/moneq/moneq_names.h"
#include "exchange/sample_merge.h"
#include "model/bound.h"
#include "model/meta_key.h"
#include "model/quality.h"
#include "model/reading.h"
#include "model/total.h"
#include "trace/reader.h"

/* ---- the tag of a sample ---- */

/*
 * Finds the tag that a sample belongs to. MonEQ's reducer supports one tag at a time: with regions
 * inside each other, or on several threads, a sample belongs to the one that began last and is
 * still open.
 */

struct moneq_open {
    uint32_t thread, tag;
    uint64_t line; /* lines written before it began */
};

struct moneq_inside {
    struct wtl_trace_reader *reader;
    struct wtl_trace_marks *marks;
    struct wtl_mark next; /* has_next */
    bool has_next;
    struct wtl_moneq_names *names; /* borrowed */
    struct moneq_open *open;       /* owned; sorted by begin */
    size_t count;
    uint32_t written; /* the tag whose START was written last without an END; 0 = none */
    bool again;       /* it has ended since */
    uint64_t lines;   /* written so far */
    uint32_t *empty;  /* owned; tags with visits since the last line, without duplicates */
    size_t empty_count;
    uint64_t between; /* visits without a line, dropped because another tag continues there */
    uint64_t within;  /* lines inside more than one name */
};

static int fetch(struct moneq_inside *inside, struct wattle_error *err)
{
    int rc = wtl_trace_marks_next(inside->marks, &inside->next, err);
    inside->has_next = rc > 0;
    return rc < 0 ? rc : 0;
}

/* 0 or -errno with a message; call close in either case. */
static int moneq_inside_open(struct moneq_inside *inside,
                             struct wtl_trace_reader *reader,
                             struct wtl_moneq_names *names,
                             struct wattle_error *err)
{
    *inside = (struct moneq_inside){.reader = reader, .names = names};
    int rc = wtl_trace_reader_tables(reader, err);
    rc = rc < 0 ? rc : wtl_trace_marks_open(reader, WTL_ALL_THREADS, &inside->marks, err);
    return rc < 0 ? rc : fetch(inside, err);
}

static int begin(struct moneq_inside *inside, struct wattle_error *err)
{
    const char *name = wtl_trace_reader_string(inside->reader, inside->next.name);
    int tag = name ? wtl_moneq_names_number(inside->names, name) : 0;
    if (tag < 0)
        return wtl_no_memory_for(err, "the regions");
    if (tag == 0) /* its name is lost to damage */
        return 0;
    if (wtl_grow(&inside->open, inside->count, sizeof *inside->open) < 0)
        return wtl_no_memory_for(err, "the regions");
    inside->open[inside->count++] = (struct moneq_open){
        .thread = inside->next.thread, .tag = (uint32_t)tag, .line = inside->lines};
    return 0;
}

static bool is_open(const struct moneq_inside *inside, uint32_t tag)
{
    for (size_t i = inside->count; i-- > 0;) {
        if (inside->open[i].tag == tag)
            return true;
    }
    return false;
}

/* A visit between two lines; of several, the file has one. */
static int keep_empty(struct moneq_inside *inside, uint32_t tag, struct wattle_error *err)
{
    for (size_t i = 0; i < inside->empty_count; i++) {
        if (inside->empty[i] == tag)
            return 0;
    }
    if (wtl_grow(&inside->empty, inside->empty_count, sizeof *inside->empty) < 0)
        return wtl_no_memory_for(err, "the regions");
    inside->empty[inside->empty_count++] = tag;
    return 0;
}

static int drop(struct moneq_inside *inside, size_t i, struct wattle_error *err)
{
    const struct moneq_open gone = inside->open[i];
    memmove(&inside->open[i], &inside->open[i + 1], (--inside->count - i) * sizeof *inside->open);
    if (gone.tag == inside->written && !is_open(inside, gone.tag))
        inside->again = true;
    return gone.line == inside->lines ? keep_empty(inside, gone.tag, err) : 0;
}

/* Ends without a begin do not affect any line. */
static int end(struct moneq_inside *inside, struct wattle_error *err)
{
    const char *name = wtl_trace_reader_string(inside->reader, inside->next.name);
    int tag = name ? wtl_moneq_names_number(inside->names, name) : 0;
    if (tag < 0)
        return wtl_no_memory_for(err, "the regions");
    for (size_t i = inside->count; i-- > 0;) {
        if (inside->open[i].thread == inside->next.thread && inside->open[i].tag == (uint32_t)tag) {
            return drop(inside, i, err);
        }
    }
    return 0;
}

static int apply_mark(struct moneq_inside *inside, struct wattle_error *err)
{
    if (inside->next.kind == WTL_MARK_BEGIN)
        return begin(inside, err);
    if (inside->next.kind == WTL_MARK_END)
        return end(inside, err);
    int rc = 0;
    bool gone = inside->next.kind == WTL_MARK_THREAD_END;
    for (size_t i = inside->count; rc == 0 && gone && i-- > 0;) {
        if (inside->open[i].thread == inside->next.thread)
            rc = drop(inside, i, err);
    }
    return rc;
}

static void print(FILE *out, const char *marker, const struct moneq_inside *inside, uint32_t tag)
{
    (void)fprintf(out, "%s%s\n", marker, wtl_moneq_names_tag(inside->names, tag));
}

/* The reducer creates an empty file for such a tag. */
static void print_empty(struct moneq_inside *inside, FILE *out)
{
    for (size_t i = 0; i < inside->empty_count; i++) {
        print(out, WTL_MONEQ_START, inside, inside->empty[i]);
        print(out, WTL_MONEQ_END, inside, inside->empty[i]);
    }
    inside->empty_count = 0;
}

/* A sample exactly at the border is inside. */
static bool is_before(const struct moneq_inside *inside, uint64_t time_ns)
{
    uint64_t limit_ns = time_ns + (inside->next.kind == WTL_MARK_BEGIN);
    return inside->has_next && inside->next.time_ns < limit_ns;
}

/* Call before a line of this time, later than the previous one: writes the markers that precede
 * it. */
static int moneq_inside_line(struct moneq_inside *inside,
                             uint64_t time_ns,
                             FILE *out,
                             struct wattle_error *err)
{
    int rc = 0;
    while (rc == 0 && is_before(inside, time_ns)) {
        rc = apply_mark(inside, err);
        rc = rc < 0 ? rc : fetch(inside, err);
    }
    uint32_t tag = inside->count ? inside->open[inside->count - 1].tag : 0;
    if (tag != inside->written || inside->again) {
        if (inside->written)
            print(out, WTL_MONEQ_END, inside, inside->written);
        print_empty(inside, out);
        if (tag)
            print(out, WTL_MONEQ_START, inside, tag);
    } else if (tag == 0) {
        print_empty(inside, out);
    }
    inside->between += inside->empty_count;
    inside->empty_count = 0;
    inside->written = tag;
    inside->again = false;
    inside->within += tag && inside->open[0].tag != tag;
    inside->lines++;
    return rc;
}

/* Call after the last line: writes the END of a tag that has ended. */
static int moneq_inside_end(struct moneq_inside *inside, FILE *out, struct wattle_error *err)
{
    int rc = 0;
    while (rc == 0 && inside->has_next) {
        rc = apply_mark(inside, err);
        rc = rc < 0 ? rc : fetch(inside, err);
    }
    if (inside->written && inside->again)
        print(out, WTL_MONEQ_END, inside, inside->written);
    if (!inside->written || inside->again)
        print_empty(inside, out);
    inside->between += inside->empty_count;
    return rc;
}

static void moneq_inside_close(struct moneq_inside *inside)
{
    wtl_trace_marks_close(inside->marks);
    free(inside->open);
    free(inside->empty);
    *inside = (struct moneq_inside){.count = 0};
}

/* ---- the export ---- */

/* State of a channel from line to line. */
struct lane {
    const struct wattle_channel *channel; /* NULL = not needed */
    unsigned powers;                      /* bit i: part of power i */
    bool any, absent;                     /* absent: a value was missing since the last line */
    bool is_cut;                          /* a counter: its last gap lasts to the end */
    uint64_t base, base_ns, last, last_ns;
    uint64_t changed_ns; /* counters: first time of the value `last` */
    double sum, watts;   /* gauges: of `count` rows; of the line before, NaN = unknown */
    uint64_t count;
};

struct writing {
    struct wtl_trace_reader *reader;
    const struct wtl_moneq_writing *options;
    FILE *out;
    struct wtl_moneq_written *written;
    struct wattle_channel *channels; /* copies, with the flags of the total */
    struct lane *lanes;              /* by channel */
    size_t count;
    uint32_t leader; /* a channel of the total, whose rows determine when lines are written */
    struct wtl_gap_walk gaps;
    struct moneq_inside inside;
    uint64_t known_ns; /* up to when the lines say the energy */
    uint64_t zero_ns, end_ns,
        last_line_ns; /* end_ns: of the window, inclusive; UINT64_MAX = unknown */
    bool to_the_end;  /* energy is counted, and how much up to the end */
};

/* ---- selection of channels ---- */

static bool is_of(const struct wattle_channel *channel, size_t power, bool estimated, bool cores)
{
    enum wattle_domain domain = channel->domain;
    if (strcmp(channel->sensor, "moneq") == 0)
        return strcmp(channel->label, wtl_moneq_powers[power].name) == 0;
    if (power == 0)
        return channel->flags & WATTLE_CHANNEL_IN_TOTAL;
    if (!(channel->flags & WATTLE_CHANNEL_PRIMARY) || !wtl_channel_is_energy(channel) ||
        (channel->quality == WATTLE_ESTIMATED) != estimated)
        return false;
    switch (power) {
    case 1:
        return domain == (cores ? WATTLE_DOMAIN_CORE : WATTLE_DOMAIN_PACKAGE);
    case 2:
        return domain == WATTLE_DOMAIN_DRAM;
    case 3:
        return domain == WATTLE_DOMAIN_NETWORK;
    case 6:
        return domain == WATTLE_DOMAIN_GPU;
    default:
        return false;
    }
}

static size_t choose_power(struct writing *w, size_t power, bool estimated, bool cores)
{
    size_t found = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (!w->channels[i].name[0] || !is_of(&w->channels[i], power, estimated, cores))
            continue;
        w->lanes[i].channel = &w->channels[i];
        w->lanes[i].powers |= 1u << power;
        w->lanes[i].watts = NAN;
        w->written->simulated |= wtl_channel_is_simulated(&w->channels[i]);
        wtl_channel_traits_add(&w->written->traits[power], &w->channels[i], found);
        if (power == 0 && found == 0)
            w->leader = (uint32_t)i;
        found++;
    }
    w->written->has[power] = found > 0;
    return found;
}

static int choose(struct writing *w, struct wattle_error *err)
{
    struct wtl_total total;
    w->count = wtl_trace_reader_channel_count(w->reader);
    w->channels = calloc(w->count + 1, sizeof *w->channels);
    w->lanes = calloc(w->count + 1, sizeof *w->lanes);
    if (!w->channels || !w->lanes)
        return wtl_no_memory_for(err, "channels");
    for (size_t i = 0; i < w->count; i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(w->reader, i);
        if (channel) /* else its description is lost to damage */
            w->channels[i] = channel->channel;
    }
    wtl_total_choose(w->channels, w->count, &total);
    bool estimated = total.quality == WATTLE_ESTIMATED;
    w->written->quality = total.quality;
    if (choose_power(w, 0, estimated, false) == 0)
        return wtl_fail(err, -ENODATA,
                        "no energy or power channels that can be summed, but MonEQ files require "
                        "the power of the node");
    for (size_t i = 1; i < WTL_MONEQ_POWERS; i++) {
        if (choose_power(w, i, estimated, false) == 0 && i == 1)
            (void)choose_power(w, i, estimated, true);
    }
    return 0;
}

/* Time 0: that of an imported recording, else the start of the window. Lines end with the
 * window. */
static void choose_times(struct writing *w)
{
    struct wtl_trace_window window;
    uint64_t first_ns = 0, last_ns = 0, realtime_ns = 0;
    const char *zero = wtl_trace_reader_meta(w->reader, WTL_META_IMPORT_FILE_1_ZERO_NS);
    wtl_trace_reader_window(w->reader, &window);
    (void)wtl_trace_reader_span(w->reader, &first_ns, &last_ns);
    w->zero_ns = window.started ? window.start_monotonic_ns : first_ns;
    w->end_ns = window.ended ? window.end_monotonic_ns : UINT64_MAX;
    if (zero && (wtl_parse_u64(zero, &first_ns) < 0 || first_ns > w->zero_ns))
        zero = NULL;
    if (zero)
        w->zero_ns = first_ns;
    w->known_ns = w->zero_ns;
    if (wtl_trace_reader_realtime(w->reader, w->zero_ns, &realtime_ns) == 0 &&
        realtime_ns < INT64_MAX / 4)
        w->written->start_realtime_ns = (int64_t)realtime_ns;
}

/* The value of a counter at the borders of the window, from its summary. False if unknown. */
static bool find_borders(struct writing *w, size_t id, struct wtl_summary *ret_summary)
{
    return w->lanes[id].channel && w->lanes[id].channel->kind == WATTLE_COUNTER &&
           wtl_trace_reader_summary(w->reader, id, ret_summary, NULL) == 0 &&
           !isnan(ret_summary->amount);
}

/* The first line includes the energy since the start of the window. */
static void begin_at_start(struct writing *w)
{
    struct wtl_trace_window window;
    struct wtl_summary summary;
    const struct lane *leader = &w->lanes[w->leader];
    enum wattle_kind kind = leader->channel ? leader->channel->kind : WATTLE_GAUGE;
    wtl_trace_reader_window(w->reader, &window);
    w->written->means = kind != WATTLE_GAUGE;
    for (size_t i = 0; window.started && i < w->count; i++) {
        struct lane *lane = &w->lanes[i];
        if (!find_borders(w, i, &summary))
            continue;
        lane->any = true;
        lane->base = lane->last = summary.first_value;
        lane->base_ns = lane->last_ns = lane->changed_ns = window.start_monotonic_ns;
    }
    w->to_the_end = leader->any && window.ended;
    if (leader->any || kind == WATTLE_WINDOW_AVERAGE)
        w->last_line_ns = w->zero_ns; /* no line has that time: there is nothing before it */
}

/* ---- values ---- */

static void take_value(struct lane *lane, uint64_t time_ns, uint64_t raw)
{
    if (!lane->any || raw != lane->last)
        lane->changed_ns = time_ns;
    lane->last = raw;
    lane->last_ns = time_ns;
    if (lane->channel->kind != WATTLE_COUNTER) {
        lane->sum += wtl_channel_value(lane->channel, raw);
        lane->count++;
    } else if (!lane->any) {
        lane->base = raw;
        lane->base_ns = time_ns;
    }
    lane->any = true;
    if (lane->channel->kind == WATTLE_COUNTER) /* it went on counting */
        lane->absent = false;
}

/* The time up to which a sample has counted; the value at the start is that of the start. */
static uint64_t counted_ns(const struct lane *lane, uint64_t time_ns)
{
    uint64_t lag_ns = wtl_channel_lag_ns(lane->channel);
    if (!lane->any || time_ns < lane->last_ns + lag_ns)
        return time_ns;
    return time_ns - lag_ns;
}

static void take_row(struct writing *w, const struct wtl_sample_row *row)
{
    for (size_t i = 0; i < row->column_count; i++) {
        const struct wtl_trace_column *column = &row->columns[i];
        struct lane *lane = &w->lanes[column->channel];
        if (!lane->channel)
            continue;
        if (column->missing && column->missing[row->row])
            lane->absent = true;
        else if (lane->channel->kind != WATTLE_WINDOW_AVERAGE || row->time_ns > w->zero_ns)
            take_value(lane, counted_ns(lane, row->time_ns), column->values[row->row]);
    }
}

/* Has a counter ticked since the last line? One that stands for longer than its refresh explains draws nothing. */
static bool has_ticked(const struct lane *lane)
{
    if (!lane->any || lane->last_ns <= lane->base_ns || (int64_t)(lane->last - lane->base) < 0)
        return false;
    return lane->last != lane->base || lane->channel->refresh_ns == 0 ||
           lane->last_ns - lane->base_ns > WTL_STAND_REFRESHES * lane->channel->refresh_ns;
}

/* Was the energy of some time since the last line lost? */
static bool has_lost(struct writing *w, uint32_t id)
{
    struct lane *lane = &w->lanes[id];
    bool counter = lane->channel->kind == WATTLE_COUNTER;
    if (lane->is_cut || (lane->absent && !counter))
        return true;
    return lane->any && w->last_line_ns < lane->last_ns &&
           wtl_gap_walk_loses(&w->gaps, id, lane->channel->kind,
                              counter ? lane->base_ns : w->last_line_ns, lane->last_ns);
}

/* Start the interval of the next line here. */
static void restart(struct lane *lane)
{
    lane->base = lane->last;
    lane->base_ns = lane->last_ns;
    lane->sum = 0;
    lane->count = 0;
    lane->absent = false;
}

/* The power of a channel for a line. */
static double line_up(struct writing *w, uint32_t id)
{
    struct lane *lane = &w->lanes[id];
    bool counter = lane->channel->kind == WATTLE_COUNTER;
    bool fresh = counter ? has_ticked(lane) : lane->count > 0, lost = has_lost(w, id);
    if (lost)
        lane->watts = NAN;
    else if (fresh && counter)
        lane->watts = (double)(int64_t)(lane->last - lane->base) * lane->channel->scale /
                      (double)(lane->last_ns - lane->base_ns) * 1e9;
    else if (fresh)
        lane->watts = lane->sum / (double)lane->count;
    if (fresh || lost)
        restart(lane);
    return lane->watts;
}

/* Nothing is known from the last line up to here. */
static int put_gap(struct writing *w, uint64_t time_ns, struct wattle_error *err)
{
    struct wtl_moneq_written *written = w->written;
    struct wtl_moneq_gap *last = written->gap_count ? &written->gaps[written->gap_count - 1] : NULL;
    int64_t begin_ns = (int64_t)(w->known_ns - w->zero_ns),
            end_ns = (int64_t)(time_ns - w->zero_ns);
    if (last && last->begin_ns == begin_ns) {
        last->end_ns = end_ns;
        return 0;
    }
    if (wtl_grow(&written->gaps, written->gap_count, sizeof *written->gaps) < 0)
        return wtl_no_memory_for(err, "the export");
    assert(written->gaps);
    written->gaps[written->gap_count++] = (struct wtl_moneq_gap){begin_ns, end_ns};
    return 0;
}

static void print_line(struct writing *w, uint64_t time_ns, const double watts[WTL_MONEQ_POWERS])
{
    const struct wtl_moneq_place *place = &w->options->place;
    uint64_t elapsed_us = (time_ns - w->zero_ns + 500) / 1000;
    time_t epoch =
        (time_t)((w->written->start_realtime_ns + (int64_t)elapsed_us * 1000) / 1000000000);
    struct tm local = {.tm_mday = 1, .tm_year = 70};
    char date[32];
    (void)localtime_r(&epoch, &local);
    (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
    /* Blue Gene's time base ticks at 1.6 GHz. */
    (void)fprintf(w->out, "%s,%lld,%" PRIu64 ",%" PRIu64 ".%06" PRIu64 "%u,%u,%u,%u", date,
                  (long long)epoch, time_ns / 5 * 8, elapsed_us / 1000000, elapsed_us % 1000000,
                  place->row, place->column, place->midplane, place->board);
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
        if (isnan(watts[i]))
            (void)fputs(",nan", w->out); /* never "-nan" */
        else
            (void)fprintf(w->out, ",%.4f", watts[i]);
    }
    (void)fputc('\n', w->out);
    w->written->lines++;
}

static int put_line(struct writing *w, uint64_t time_ns, struct wattle_error *err)
{
    double watts[WTL_MONEQ_POWERS];
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++)
        watts[i] = w->written->has[i] ? 0 : NAN;
    for (uint32_t id = 0; id < w->count; id++) {
        double power = w->lanes[id].channel ? line_up(w, id) : 0;
        for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
            if (w->lanes[id].powers >> i & 1)
                watts[i] += power;
        }
    }
    bool first = w->last_line_ns == 0;
    w->last_line_ns = time_ns;
    if (isnan(watts[0])) {
        w->written->unknown_lines += !first; /* counters have no power in their first row */
        for (uint32_t id = 0; id < w->count; id++) {
            if (w->lanes[id].channel) /* what others counted is of that time, too */
                restart(&w->lanes[id]);
        }
        return first ? 0 : put_gap(w, time_ns, err);
    }
    w->known_ns = time_ns;
    int rc = moneq_inside_line(&w->inside, time_ns, w->out, err);
    if (rc == 0)
        print_line(w, time_ns, watts);
    return rc;
}

/* Must a line wait for a channel? For a counter in the total that stands still although it cannot, since what it counts next then
 * belongs to all that time; for the tick of a slow one; for the next reading of one that could not be read; and for the first of a
 * gauge. */
static bool is_awaited(struct writing *w, uint32_t id)
{
    const struct lane *lane = &w->lanes[id];
    if (!lane->channel)
        return false;
    if (lane->channel->kind != WATTLE_COUNTER)
        return !lane->any && !lane->absent;
    if (lane->powers & 1 && wtl_stands_still(lane->channel, lane->last_ns - lane->changed_ns))
        return true;
    if (!lane->any || has_lost(w, id))
        return false;
    return lane->absent || !has_ticked(lane);
}

static bool waits(struct writing *w)
{
    bool waits = false;
    for (uint32_t id = 0; id < w->count && !waits; id++)
        waits = is_awaited(w, id);
    return waits;
}

/* Can there be a line at this time? Not so close to the end that the rest would be a power over
 * almost no time. */
static bool is_line(struct writing *w, uint64_t time_ns)
{
    uint64_t since_ns = time_ns - w->last_line_ns;
    if ((w->last_line_ns != 0 && (time_ns <= w->last_line_ns || since_ns < w->options->step_ns)) ||
        waits(w))
        return false;
    return !w->to_the_end || time_ns >= w->end_ns || w->end_ns - time_ns >= since_ns / 4;
}

/* Write what was counted between the last line and the end of the window. */
static int put_end(struct writing *w, struct wattle_error *err)
{
    struct wtl_summary summary;
    if (!w->to_the_end || w->end_ns <= w->last_line_ns)
        return 0;
    for (size_t i = 0; i < w->count; i++) {
        struct lane *lane = &w->lanes[i];
        if (!find_borders(w, i, &summary))
            continue;
        /* One that was not read again before the end may have counted anything since. */
        lane->is_cut = wtl_gap_walk_between(&w->gaps, (uint32_t)i, lane->last_ns, w->end_ns);
        take_value(lane, w->end_ns, summary.last_value);
    }
    return put_line(w, w->end_ns, err);
}

static int put_lines(struct writing *w, struct wattle_error *err)
{
    const struct wtl_trace_range range = {.begin_ns = w->zero_ns, .end_ns = w->end_ns};
    struct wtl_sample_merge samples;
    struct wtl_sample_row row;
    int rc = wtl_sample_merge_open(&samples, w->reader, &range, err);
    while (rc >= 0 && !ferror(w->out) && (rc = wtl_sample_merge_next(&samples, &row, err)) > 0) {
        bool leads = false;
        take_row(w, &row);
        for (size_t i = 0; i < row.column_count && !leads; i++)
            leads = row.columns[i].channel == w->leader;
        if (leads && is_line(w, row.time_ns))
            rc = put_line(w, row.time_ns, err);
    }
    wtl_sample_merge_close(&samples);
    rc = rc < 0 ? rc : put_end(w, err);
    return rc < 0 ? rc : moneq_inside_end(&w->inside, w->out, err);
}

int wtl_moneq_write(struct wtl_trace_reader *reader,
                    const struct wtl_moneq_writing *options,
                    FILE *out,
                    struct wtl_moneq_written *ret_written,
                    struct wattle_error *err)
{
    struct writing w = {.reader = reader, .options = options, .out = out, .written = ret_written};
    *ret_written = (struct wtl_moneq_written){.lines = 0};
    int rc = choose(&w, err);
    if (rc == 0) {
        choose_times(&w);
        begin_at_start(&w);
        rc = wtl_gap_walk_open(&w.gaps, reader, err);
        rc = rc < 0 ? rc : moneq_inside_open(&w.inside, reader, options->names, err);
        rc = rc < 0 ? rc : put_lines(&w, err);
    }
    ret_written->between = w.inside.between;
    ret_written->within = w.inside.within;
    moneq_inside_close(&w.inside);
    wtl_gap_walk_close(&w.gaps);
    free(w.channels);
    free(w.lanes);
    return rc == -ENOMEM ? wtl_no_memory_for(err, "the export") : rc;
}
