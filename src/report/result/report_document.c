/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of a report: see report_document.h. Its contents are computed in analysis. */
#include "report/result/report_document.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_result.h"
#include "analysis/power/distribution.h"
#include "analysis/power/paces.h"
#include "analysis/power/timeline.h"
#include "analysis/regions/bands.h"
#include "analysis/regions/region_rows.h"
#include "base/fail.h"
#include "base/whole.h"
#include "report/phases/phases_report.h"
#include "report/result/json_result.h"
#include "report/result/report_phases.h"
#include "report/result/run_nouns.h"
#include "report/tasks/lanes_document.h"

/* Points over all channels (up to twice as many are shown, of 16 bytes each), and the bounds for one. */
enum { POWER_POINTS = 20000, POWER_MOST = 4000, ACTIVITY_POINTS = 12000, ACTIVITY_MOST = 1000 };
enum { POINTS_LEAST = 64 };
enum { BAND_ROWS = 64, BANDS = 8000, EVENTS = 2000, GAPS = 2000 };

struct document {
    struct wtl_trace_reader *reader;
    struct wtl_result *result;
    wtl_report_step_fn *step;
    void *context;
    struct wattle_error *err;
    struct wtl_trace_window window;
    uint64_t start_ns; /* the zero of all times */
    uint32_t *ids;     /* [result->channel_count] of the reader */

    const char *title;
    bool redacted; /* redact.h makes it true */
    char target[512];
    json_t *run;
    double borders[4];               /* first and last sample, 0 and the end of the window */
    const double *span_s, *window_s; /* [two]; NULL = unknown */
    size_t two;
    struct wtl_timeline power, activity;
    struct wtl_quantum *quanta; /* by id: of the gauges of power */
    struct wtl_distribution *distributions;
    size_t distribution_count;
    struct wtl_bands bands;
    struct wtl_report_phases phases;
    struct wtl_report_lanes lanes, *keep;
    struct wtl_gap *gaps;
    size_t gap_count, gaps_left_out;
};

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct document *document_at(const void *of)
{
    return of;
}

/* Seconds since the start. */
static double seconds(const struct document *d, uint64_t time_ns)
{
    return time_ns >= d->start_ns ? (double)(time_ns - d->start_ns) * 1e-9
                                  : -((double)(d->start_ns - time_ns) * 1e-9);
}

static const char *name_of(const struct document *d, uint32_t channel)
{
    const struct wtl_trace_channel *entry = wtl_trace_reader_channel(d->reader, channel);
    return entry ? entry->channel.name : "?";
}

/* ---- series ---- */

struct axis {
    const struct document *document;
    const struct wtl_axis *axis;
    size_t count;
    double end_s;
};

static bool next_begin(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct axis *axis = of;
    bool more = *cursor < axis->count;
    ret->number = more ? seconds(axis->document, axis->axis->begin_ns[(*cursor)++]) : 0;
    return more;
}

static const struct wtl_member of_axis[] = {
    {"count", WTL_SIZE_AT(struct axis, count), .meaning = "stretches"},
    {"begin", WTL_MEMBER_PACKED, .next = next_begin,
     .meaning = "starts of the stretches in seconds, ascending"},
    {"end_s", WTL_NUMBER_OR_NULL(struct axis, end_s), .meaning = "end of the last stretch"},
    {.key = NULL}};
static const struct wtl_noun axis_noun = {"time axis", of_axis};

enum { AXES = 3 }; /* of power, activity and metrics */

static bool next_axis(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct document *d = of;
    const struct wtl_timeline *const all[AXES] = {&d->power, &d->activity,
                                                  &d->phases.metrics.timeline};
    size_t i = (*cursor)++, k = 0;
    while (k < AXES && i >= all[k]->axis_count)
        i -= all[k++]->axis_count;
    if (k >= AXES)
        return false;
    const struct wtl_axis *at = &all[k]->axes[i];
    const struct axis axis = {d, at, at->count, at->count ? seconds(d, at->end_ns) : (double)NAN};
    wtl_value_copy(ret, &axis, sizeof axis);
    return true;
}

/* Counters of activity are shown by their rate. */
static const char *unit_of(const struct wattle_channel *channel, bool power)
{
    if (power)
        return "W";
    if (channel->kind != WATTLE_COUNTER)
        return wattle_quantity_unit(channel->quantity);
    switch (channel->quantity) {
    case WATTLE_CPU_TIME:
        return "CPUs";
    case WATTLE_BYTES:
        return "B/s";
    default:
        return "1/s";
    }
}

struct series {
    const char *channel, *unit;
    size_t time, count;
    double stretch_s, off_w;
    const float *min, *mean, *max;
};

static const struct wtl_member of_series[] = {
    {"channel", WTL_TEXT_AT(struct series, channel),
     .meaning = "channel name; see `run` for quality and other properties"},
    {"unit", WTL_TEXT_AT(struct series, unit),
     .meaning =
         "`W`; for activity as in `run.activity`, per second (`1/s`, `B/s`, CPUs) for a counter"},
    {"time", WTL_SIZE_AT(struct series, time), .meaning = "index in `times`"},
    {"stretch_s", WTL_NUMBER_OR_NULL(struct series, stretch_s),
     .meaning = "minimum length over which the values behind `min` and `max` are averaged; null: "
                "single samples"},
    {"off_w", WTL_NUMBER_OR_NULL(struct series, off_w), .unit = "W",
     .meaning = "gauges of power: half of the steps in which it shows its power, by which all of "
                "these values may be off in the same direction"},
    {"min", WTL_PACKED_AT(struct series, min, count), .meaning = "value for each stretch"},
    {"mean", WTL_PACKED_AT(struct series, mean, count),
     .meaning = "all three unknown if a gap covers the stretch; energy: without changes within a "
                "single counter update"},
    {"max", WTL_PACKED_AT(struct series, max, count),
     .meaning = "contains spikes even on a coarse axis"},
    {.key = NULL}};
static const struct wtl_noun series_noun = {"series", of_series};

static bool next_series(const struct document *d, bool power, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_timeline *timeline = power ? &d->power : &d->activity;
    if (*cursor >= timeline->series_count)
        return false;
    const struct wtl_series *at = &timeline->series[(*cursor)++];
    const struct wattle_channel *channel =
        &wtl_trace_reader_channel(d->reader, at->channel)->channel;
    bool has_steps = power && channel->kind != WATTLE_COUNTER;
    const struct series series = {
        .channel = channel->name,
        .off_w = has_steps ? wtl_quantum_half(&d->quanta[at->channel], channel) : (double)NAN,
        .unit = unit_of(channel, power),
        .time = at->axis + (power ? 0 : d->power.axis_count),
        .count = timeline->axes[at->axis].count,
        .stretch_s = at->stretch_ns ? (double)at->stretch_ns * 1e-9 : (double)NAN,
        .min = at->min,
        .mean = at->mean,
        .max = at->max};
    wtl_value_copy(ret, &series, sizeof series);
    return true;
}

static bool next_power(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_series(of, true, cursor, ret);
}

static bool next_activity(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_series(of, false, cursor, ret);
}

static bool next_metric(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct document *d = of;
    const struct wtl_timeline *timeline = &d->phases.metrics.timeline;
    if (*cursor >= timeline->series_count)
        return false;
    const struct wtl_series *at = &timeline->series[(*cursor)++];
    const struct wtl_counter_metric *metric = &d->phases.metrics.set.metrics[at->channel];
    const struct series series = {.channel = metric->name,
                                  .unit = metric->unit,
                                  .time = at->axis + d->power.axis_count + d->activity.axis_count,
                                  .count = timeline->axes[at->axis].count,
                                  .stretch_s = (double)at->stretch_ns * 1e-9,
                                  .off_w = (double)NAN,
                                  .min = at->min,
                                  .mean = at->mean,
                                  .max = at->max};
    wtl_value_copy(ret, &series, sizeof series);
    return true;
}

/* ---- distributions ---- */

struct share {
    const struct wtl_distribution *distribution;
    const char *channel;
};

static const struct wtl_member of_distribution[] = {
    {"stretch_s", WTL_NUMBER_AT(struct wtl_distribution, stretch_s),
     .meaning = "mean length of these stretches"},
    {"low_w", WTL_NUMBER_AT(struct wtl_distribution, low_w),
     .meaning = "bin i holds low + i x step up to low + (i + 1) x step"},
    {"step_w", WTL_NUMBER_AT(struct wtl_distribution, step_w), .meaning = "likewise"},
    {"share", WTL_NUMBERS_AT(struct wtl_distribution, share, bins),
     .meaning = "share of the known time in each bin; all sum to 1"},
    {"p5_w", WTL_NUMBER_AT(struct wtl_distribution, percentile_w[WTL_P5]), .meaning = "percentile"},
    {"p25_w", WTL_NUMBER_AT(struct wtl_distribution, percentile_w[WTL_P25]), .meaning = "likewise"},
    {"p50_w", WTL_NUMBER_AT(struct wtl_distribution, percentile_w[WTL_P50]), .meaning = "likewise"},
    {"p75_w", WTL_NUMBER_AT(struct wtl_distribution, percentile_w[WTL_P75]), .meaning = "likewise"},
    {"p95_w", WTL_NUMBER_AT(struct wtl_distribution, percentile_w[WTL_P95]), .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun distribution = {"bins", of_distribution};

static const struct wtl_member of_share[] = {
    {"channel", WTL_TEXT_AT(struct share, channel), .meaning = "its name"},
    {"", WTL_PART_OF(struct share, distribution, distribution)},
    {.key = NULL}};
static const struct wtl_noun share_noun = {"distribution", of_share};

static bool next_distribution(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct document *d = of;
    if (*cursor >= d->distribution_count)
        return false;
    const struct wtl_distribution *at = &d->distributions[(*cursor)++];
    const struct share share = {at, name_of(d, at->channel)};
    wtl_value_copy(ret, &share, sizeof share);
    return true;
}

/* ---- bands and events ---- */

static const struct wtl_member of_band_row[] = {
    {"process", WTL_UNSIGNED_AT(struct wtl_band_row, pid), .meaning = "its number"},
    {"thread", WTL_UNSIGNED_AT(struct wtl_band_row, tid), .meaning = "its number"},
    {"name", WTL_TEXT_OR_NULL(struct wtl_band_row, name),
     .meaning = "name of the thread, or command of its process"},
    {"rank", WTL_INT_OR_NULL(struct wtl_band_row, rank), .meaning = "of MPI"},
    {"depth", WTL_UNSIGNED_AT(struct wtl_band_row, depth), .meaning = "0 = outermost"},
    {.key = NULL}};
static const struct wtl_noun band_row = {"row of bands", of_band_row};

/* The band at the cursor; NULL: no more. */
static const struct wtl_band *next_band(const void *of, size_t *cursor)
{
    const struct wtl_bands *bands = &document_at(of)->bands;
    return *cursor < bands->band_count ? &bands->bands[(*cursor)++] : NULL;
}

#define NEXT_BAND(name, set)                                                \
    static bool name(const void *of, size_t *cursor, struct wtl_value *ret) \
    {                                                                       \
        const struct wtl_band *band = next_band(of, cursor);                \
        if (band)                                                           \
            set;                                                            \
        return band != NULL;                                                \
    }
NEXT_BAND(next_band_row, wtl_value_count(ret, band->row))
NEXT_BAND(next_band_name, wtl_value_integer(ret, band->name, true))
NEXT_BAND(next_band_begin, ret->number = seconds(of, band->begin_ns))
NEXT_BAND(next_band_end, ret->number = seconds(of, band->end_ns))
NEXT_BAND(next_band_share, ret->number = (double)band->share)

static const struct wtl_member of_bands[] = {
    {"names", WTL_TEXTS_AT(struct document, bands.names, bands.name_count),
     .meaning = "region names, as in `run.regions`"},
    {"rows", WTL_LIST_AT(struct document, bands.rows, bands.row_count, band_row),
     .meaning = "lines of bands, below"},
    {"row", WTL_MEMBER_INTEGERS, .next = next_band_row, .meaning = "line of each band"},
    {"name", WTL_MEMBER_INTEGERS, .next = next_band_name,
     .meaning = "name of each band; if joined, the one with the most time"},
    {"begin", WTL_MEMBER_PACKED, .next = next_band_begin,
     .meaning = "start of each band in seconds"},
    {"end", WTL_MEMBER_PACKED, .next = next_band_end, .meaning = "end of each band in seconds"},
    {"share", WTL_MEMBER_PACKED, .next = next_band_share,
     .meaning = "share of this name in the time of the joined regions; 1: no other"},
    {"merged_s", WTL_SECONDS_AT(struct document, bands.merged_ns),
     .meaning = "bands of one name closer together than this, and of several names within this "
                "time, were joined; 0: none"},
    {"left_out", WTL_SIZE_AT(struct document, bands.left_out),
     .meaning = "lines left out (at most 64 lines, 8000 bands)"},
    {.key = NULL}};
static const struct wtl_noun bands_noun = {"bands", of_bands};

struct event {
    double time_s;
    const struct wtl_band_event *event;
};

WTL_MEMBER_GET(event_value)
{
    wtl_value_integer(ret, (int64_t)((const struct wtl_band_event *)of)->value, true);
}

static const struct wtl_member of_event[] = {
    {"time_s", WTL_NUMBER_AT(struct event, time_s), .meaning = "when"},
    {"type", WTL_UNSIGNED_AT(struct wtl_band_event, type), WTL_VIA(struct event, event),
     .meaning = "type of the event"},
    {"value", WTL_MEMBER_INTEGER, .get = event_value, WTL_VIA(struct event, event),
     .meaning = "value of the event"},
    {"type_text", WTL_TEXT_OR_NULL(struct wtl_band_event, type_text), WTL_VIA(struct event, event),
     .meaning = "what the program calls the type"},
    {"value_text", WTL_TEXT_OR_NULL(struct wtl_band_event, value_text),
     WTL_VIA(struct event, event), .meaning = "what it calls the value"},
    {.key = NULL}};
static const struct wtl_noun event_noun = {"event", of_event};

static bool next_event(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct document *d = of;
    if (*cursor >= d->bands.event_count)
        return false;
    const struct wtl_band_event *at = &d->bands.events[(*cursor)++];
    const struct event event = {seconds(d, at->time_ns), at};
    wtl_value_copy(ret, &event, sizeof event);
    return true;
}

/* ---- gaps and metadata ---- */

struct gap {
    const char *channel, *reason, *error;
    double begin_s, end_s;
};

static const struct wtl_member of_gap[] = {
    {"channel", WTL_TEXT_AT(struct gap, channel), .meaning = "its name"},
    {"begin_s", WTL_NUMBER_AT(struct gap, begin_s), .meaning = "last good reading before the gap"},
    {"end_s", WTL_NUMBER_AT(struct gap, end_s), .meaning = "first good reading after the gap"},
    {"reason", WTL_TEXT_AT(struct gap, reason), .meaning = "as in `run`"},
    {"error", WTL_TEXT_OR_NULL(struct gap, error), .meaning = "error of a failed read"},
    {.key = NULL}};
static const struct wtl_noun gap_noun = {"gap", of_gap};

static bool next_gap(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct document *d = of;
    if (*cursor >= d->gap_count)
        return false;
    const struct wtl_gap *at = &d->gaps[(*cursor)++];
    const struct gap gap = {.channel = name_of(d, at->channel),
                            .reason = wtl_gap_reason_name(at->reason),
                            .error = at->error ? wtl_strerror(at->error) : NULL,
                            .begin_s = seconds(d, at->begin_ns),
                            .end_s = seconds(d, at->end_ns)};
    wtl_value_copy(ret, &gap, sizeof gap);
    return true;
}

static bool next_meta(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_trace_reader *reader = document_at(of)->reader;
    while (*cursor < wtl_trace_reader_meta_count(reader))
        if (wtl_trace_reader_meta_at(reader, (*cursor)++, &ret->key, &ret->text) == 0)
            return true;
    return false;
}

/* ---- the document ---- */

WTL_MEMBER_GET(run)
{
    ret->made = document_at(of)->run;
    ret->known = true;
}

WTL_MEMBER_GET(phases)
{
    const struct document *d = document_at(of);
    wtl_value_noun(ret, d->phases.study.count > 0 ? &d->phases.study : NULL);
}

WTL_MEMBER_GET(tasks)
{
    const struct document *d = document_at(of);
    wtl_value_noun(ret, d->lanes.lanes.lane_count > 0 ? &d->lanes : NULL);
}

static const struct wtl_member of_document[] = {
    {"title", WTL_TEXT_AT(struct document, title), .meaning = "command, or target and host"},
    {"redacted", WTL_BOOLEAN_AT(struct document, redacted),
     .meaning = "identifying data of people and machines was removed (`--redact`)"},
    {"run", WTL_MEMBER_OBJECT, .get = run, .of = &wtl_noun_run_document,
     .meaning = "`wattle.run/1` of the same trace, as printed by `wattle stats --regions --format "
                "json`, with `regions` (possibly empty)"},
    {"span_s", WTL_NUMBERS_AT(struct document, span_s, two), .nullable = true,
     .meaning = "times of the first and last sample; null without samples"},
    {"window_s", WTL_NUMBERS_AT(struct document, window_s, two), .nullable = true,
     .meaning = "0 and the length; null without a window (cut off, still being written)"},
    {"times", WTL_MEMBER_LIST, .next = next_axis, .of = &axis_noun,
     .meaning = "time axes shared by the series, below"},
    {"power", WTL_MEMBER_LIST, .next = next_power, .of = &series_noun,
     .meaning = "power over time, one series per channel of energy or power, in the order of "
                "`run.channels`; none for a channel whose values this version does not understand"},
    {"activity", WTL_MEMBER_LIST, .next = next_activity, .of = &series_noun,
     .meaning = "other channels over time: frequency, temperature, utilisation, counts, in the "
                "order of `run.activity`"},
    {"metrics", WTL_MEMBER_LIST, .next = next_metric, .of = &series_noun,
     .meaning = "metrics that the counter set derives, over time; `channel` is the name"},
    {"phases", WTL_MEMBER_OBJECT, .nullable = true, .get = phases, .of = &wtl_noun_phases,
     .meaning = "`wattle.phases/1` of the same trace, as printed by `wattle phases --format json`; "
                "null: no counters were recorded, or `phases_problem`"},
    {"phases_problem", WTL_TEXT_OR_NULL(struct document, phases.problem),
     .meaning = "why there are no phases although there are counters; null: there are, or no "
                "counters"},
    {"distributions", WTL_MEMBER_LIST, .next = next_distribution, .of = &share_noun,
     .meaning = "power distribution of each channel that has one, below"},
    {"bands", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &bands_noun,
     .meaning = "regions over time, below"},
    {"tasks", WTL_MEMBER_OBJECT, .nullable = true, .get = tasks, .of = &wtl_noun_lanes,
     .meaning = "what each thread did, below; null: neither tasks nor regions were recorded"},
    {"events", WTL_MEMBER_LIST, .next = next_event, .of = &event_noun,
     .meaning = "at most 2000, evenly thinned if more"},
    {"events_left_out", WTL_COUNT_AT(struct document, bands.events_left_out),
     .meaning = "number left out"},
    {"gaps", WTL_MEMBER_LIST, .next = next_gap, .of = &gap_noun,
     .meaning = "also before and after the window; at most 2000, the longest"},
    {"gaps_left_out", WTL_SIZE_AT(struct document, gaps_left_out), .meaning = "number left out"},
    {"provenance", WTL_MEMBER_PAIRS, .next = next_meta,
     .meaning = "keys and values of the metadata, in file order"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_report = {"report", of_document};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- what is in it ---- */

static void begin_step(const struct document *d, const char *step)
{
    if (d->step)
        d->step(d->context, step);
}

/* Last: what is damaged in the file is known once it was read. */
static int read_run(struct document *d)
{
    struct wtl_region_row *rows = NULL;
    begin_step(d, "regions");
    if (wtl_run_result_flag(d->reader, d->result) < 0)
        return -ENOMEM;
    int count = wtl_region_rows(d->reader, d->result, &rows, d->err);
    if (count < 0)
        return count;
    const struct wtl_region_table table = {.rows = rows, .count = (size_t)count};
    struct wtl_counter_table counters;
    int rc = wtl_counter_table_open(d->result, d->reader, true, &counters, d->err);
    if (rc == 0)
        d->run = wtl_json_results_value(d->result, 1, &table, NULL,
                                        counters.set.column_count > 0 ? &counters : NULL);
    wtl_counter_table_close(&counters);
    free(rows);
    return rc < 0 ? rc : d->run ? 0 : -ENOMEM;
}

/* The points for each channel: an equal part of what all may have. */
static size_t share_points(size_t all, size_t channels, size_t most)
{
    size_t points = channels ? all / channels : most;
    points = points < POINTS_LEAST ? POINTS_LEAST : points;
    return points < most ? points : most;
}

/* The series of channels from .. to of the result. */
static int read_series(const struct document *d,
                       size_t from,
                       size_t to,
                       size_t points,
                       struct wtl_timeline *ret_timeline)
{
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = d->ids + from, .channel_count = to - from};
    return to > from ? wtl_timeline_read(d->reader, &range, points, WTL_TIMELINE_BANDS,
                                         ret_timeline, d->err)
                     : 0;
}

/* The steps of the gauges among the powers. */
static int read_steps(struct document *d)
{
    size_t channels = wtl_trace_reader_channel_count(d->reader) + 1, gauges = 0;
    uint64_t *refresh_ns = calloc(channels, sizeof *refresh_ns);
    uint32_t *ids = calloc(d->power.series_count + 1, sizeof *ids);
    d->quanta = calloc(channels, sizeof *d->quanta);
    for (size_t i = 0; ids && i < d->power.series_count; i++) {
        uint32_t id = d->power.series[i].channel;
        if (wtl_trace_reader_channel(d->reader, id)->channel.kind != WATTLE_COUNTER)
            ids[gauges++] = id;
    }
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = ids, .channel_count = gauges};
    int rc = !refresh_ns || !ids || !d->quanta
                 ? wtl_no_memory(d->err)
                 : wtl_paces_read(d->reader, &range, refresh_ns, d->quanta, d->err);
    free(refresh_ns);
    free(ids);
    return rc;
}

static int read_power(struct document *d)
{
    size_t energy = d->result->energy_count;
    begin_step(d, "power over time");
    int rc = read_series(d, 0, energy, share_points(POWER_POINTS, energy, POWER_MOST), &d->power);
    return rc < 0 ? rc : read_steps(d);
}

static int read_activity(struct document *d)
{
    size_t energy = d->result->energy_count, all = d->result->channel_count;
    begin_step(d, "other channels over time");
    return read_series(d, energy, all, share_points(ACTIVITY_POINTS, all - energy, ACTIVITY_MOST),
                       &d->activity);
}

static int read_distributions(struct document *d)
{
    const struct wtl_trace_range range = {
        .begin_ns = d->window.started ? d->window.start_monotonic_ns : 0,
        .end_ns = d->window.ended ? d->window.end_monotonic_ns : UINT64_MAX,
        .channels = d->ids,
        .channel_count = d->result->energy_count};
    begin_step(d, "distribution of power");
    int count = wtl_distributions_read(d->reader, &range, &d->distributions, d->err);
    d->distribution_count = count > 0 ? (size_t)count : 0;
    return count < 0 ? count : 0;
}

static int read_marks(struct document *d)
{
    static const struct wtl_band_limits limits = {
        .rows = BAND_ROWS, .bands = BANDS, .events = EVENTS};
    begin_step(d, "regions over time");
    return wtl_bands_read(d->reader, &limits, &d->bands, d->err);
}

static int read_lanes(struct document *d)
{
    begin_step(d, "tasks");
    d->lanes.served = d->keep != NULL;
    return wtl_report_lanes_read(&d->lanes, d->reader, d->result, d->start_ns,
                                 d->keep ? 0 : WTL_REPORT_TILE_BYTES, d->err);
}

static int read_phases(struct document *d)
{
    begin_step(d, "phases");
    return wtl_report_phases_read(&d->phases, d->reader, ACTIVITY_MOST);
}

static int compare_length(const void *a, const void *b)
{
    const struct wtl_gap *x = (const struct wtl_gap *)a, *y = (const struct wtl_gap *)b;
    uint64_t of_x = x->end_ns - x->begin_ns, of_y = y->end_ns - y->begin_ns;
    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int compare_begin(const void *a, const void *b)
{
    const struct wtl_gap *x = (const struct wtl_gap *)a, *y = (const struct wtl_gap *)b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

static int read_gaps(struct document *d)
{
    const struct wtl_gap *gaps;
    int found = wtl_trace_reader_gaps(d->reader, &gaps, d->err);
    if (found < 0)
        return found;
    size_t count = (size_t)found;
    d->gap_count = count < GAPS ? count : GAPS;
    d->gaps_left_out = count - d->gap_count;
    d->gaps = malloc((count + 1) * sizeof *d->gaps);
    if (!d->gaps)
        return -ENOMEM;
    if (count)
        memcpy(d->gaps, gaps, count * sizeof *d->gaps);
    if (d->gaps_left_out)
        wtl_sort(d->gaps, count, sizeof *d->gaps, compare_length);
    if (count)
        wtl_sort(d->gaps, d->gap_count, sizeof *d->gaps, compare_begin);
    return 0;
}

/* The title, the zero of all times, the borders, and the ids of the result's channels. */
static int prepare(struct document *d)
{
    const struct wtl_result *r = d->result;
    const struct wtl_gap *gaps;
    uint64_t first_ns, last_ns;
    d->ids = calloc(r->channel_count + 1, sizeof *d->ids);
    if (!d->ids)
        return -ENOMEM;
    for (size_t i = 0; i < r->channel_count; i++) {
        int id = wtl_trace_reader_find_channel(d->reader, r->channels[i].channel.name);
        d->ids[i] = id < 0 ? UINT32_MAX : (uint32_t)id;
    }
    d->title = r->command ? r->command : d->target;
    (void)snprintf(d->target, sizeof d->target, "%s%s%s", r->target ? r->target : "a run",
                   r->host ? " on " : "", r->host ? r->host : "");
    wtl_trace_reader_window(d->reader, &d->window);
    int found = wtl_trace_reader_gaps(d->reader, &gaps, d->err);
    bool spans = wtl_trace_reader_span(d->reader, &first_ns, &last_ns) == 0;
    if (d->window.started)
        d->start_ns = d->window.start_monotonic_ns;
    else if (spans)
        d->start_ns = first_ns;
    else if (found > 0)
        d->start_ns = gaps[0].begin_ns;
    if (spans) {
        d->borders[0] = seconds(d, first_ns);
        d->borders[1] = seconds(d, last_ns);
        d->span_s = d->borders;
    }
    if (d->window.started && d->window.ended) {
        d->borders[3] = seconds(d, d->window.end_monotonic_ns);
        d->window_s = d->borders + 2;
    }
    return found < 0 ? found : 0;
}

static void fini(struct document *d)
{
    json_decref(d->run);
    wtl_timeline_fini(&d->power);
    free(d->quanta);
    wtl_timeline_fini(&d->activity);
    wtl_distributions_free(d->distributions, d->distribution_count);
    wtl_bands_fini(&d->bands);
    wtl_report_phases_fini(&d->phases);
    wtl_report_lanes_fini(&d->lanes);
    free(d->gaps);
    free(d->ids);
}

int wtl_report_document(struct wtl_trace_reader *reader,
                        struct wtl_result *result,
                        wtl_report_step_fn *step,
                        void *context,
                        struct wtl_report_lanes *keep,
                        json_t **ret_document,
                        struct wattle_error *err)
{
    static int (*const parts[])(struct document *) = {
        prepare,     read_power, read_activity, read_distributions, read_marks, read_lanes,
        read_phases, read_gaps,  read_run};
    struct document d = {.reader = reader,
                         .result = result,
                         .step = step,
                         .context = context,
                         .keep = keep,
                         .err = err,
                         .two = 2};
    int rc = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rc == 0; i++)
        rc = parts[i](&d);
    json_t *document = rc < 0 ? NULL : wtl_noun_document("wattle.report/1", &wtl_noun_report, &d);
    if (document && keep) {
        *keep = d.lanes;
        d.lanes = (struct wtl_report_lanes){0};
    }
    fini(&d);
    if (rc == -ENOMEM || (!document && rc == 0))
        return wtl_no_memory_for(err, "the report");
    if (rc == 0)
        *ret_document = document;
    return rc;
}
