/* SPDX-License-Identifier: BSD-3-Clause */
/* The document of a report: see report_document.h. What is in it is computed in analysis. */
#include "report/result/report_document.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/distribution.h"
#include "analysis/regions/bands.h"
#include "analysis/results.h"
#include "analysis/timeline.h"
#include "base/fail.h"
#include "base/whole.h"
#include "report/json_value.h"
#include "report/packed.h"
#include "report/result/json_result.h"
#include "report/result/regions.h"

/* Points over all channels (up to twice as many are shown, of 16 bytes each), and the bounds for one. */
enum { POWER_POINTS = 20000, POWER_MOST = 4000, ACTIVITY_POINTS = 12000, ACTIVITY_MOST = 1000 };
enum { POINTS_LEAST = 64 };
enum { BAND_ROWS = 64, BANDS = 8000, EVENTS = 2000, GAPS = 2000 };

struct document {
    struct wtl_trace_reader *reader;
    const struct wtl_result *result;
    wtl_report_step_fn *step;
    void *context;
    struct wattle_error *err;
    struct wtl_json json;
    struct wtl_trace_window window;
    uint64_t start_ns; /* the zero of all times */
    uint32_t *ids;     /* [result->channel_count] of the reader */
    int rc;            /* the first failure */
};

static void begin_step(const struct document *d, const char *step)
{
    if (d->step)
        d->step(d->context, step);
}

/* Seconds since the start. */
static double seconds(const struct document *d, uint64_t time_ns)
{
    return time_ns >= d->start_ns ? (double)(time_ns - d->start_ns) * 1e-9
                                  : -((double)(d->start_ns - time_ns) * 1e-9);
}

static json_t *pair_of(json_t *a, json_t *b)
{
    struct wtl_json pair = wtl_json_array();
    wtl_json_add(&pair, a);
    wtl_json_add(&pair, b);
    return wtl_json_done(&pair);
}

static const char *name_of(const struct document *d, uint32_t channel)
{
    const struct wtl_trace_channel *entry = wtl_trace_reader_channel(d->reader, channel);
    return entry ? entry->channel.name : "?";
}

/* ---- the run ---- */

static json_t *title_of(const struct wtl_result *r)
{
    char text[512];
    if (r->command)
        return wtl_json_text(r->command);
    (void)snprintf(text, sizeof text, "%s%s%s", r->target ? r->target : "a run",
                   r->host ? " on " : "", r->host ? r->host : "");
    return wtl_json_text(text);
}

static void set_run(struct document *d)
{
    struct wtl_region_row *rows = NULL;
    begin_step(d, "regions");
    int count = wtl_region_rows(d->reader, d->result, &rows, d->err);
    if (count < 0) {
        d->rc = count;
        return;
    }
    const struct wtl_region_table table = {.rows = rows, .count = (size_t)count};
    wtl_json_set(&d->json, "run", wtl_json_results_value(d->result, 1, &table, NULL));
    free(rows);
}

static void set_borders(struct document *d)
{
    uint64_t first_ns, last_ns;
    json_t *span =
        wtl_trace_reader_span(d->reader, &first_ns, &last_ns) < 0
            ? json_null()
            : pair_of(wtl_json_number(seconds(d, first_ns)), wtl_json_number(seconds(d, last_ns)));
    bool whole = d->window.started && d->window.ended;
    wtl_json_set(&d->json, "span_s", span);
    wtl_json_set(
        &d->json, "window_s",
        whole ? pair_of(json_real(0), wtl_json_number(seconds(d, d->window.end_monotonic_ns)))
              : json_null());
}

/* ---- series ---- */

static json_t *axis_of(const struct document *d, const struct wtl_axis *axis)
{
    struct wtl_json o = wtl_json_object();
    float *begin = malloc((axis->count + 1) * sizeof *begin);
    for (size_t i = 0; begin && i < axis->count; i++)
        begin[i] = (float)seconds(d, axis->begin_ns[i]);
    wtl_json_set(&o, "count", wtl_json_count(axis->count));
    wtl_json_set(&o, "begin", begin ? wtl_json_packed(begin, axis->count) : NULL);
    wtl_json_set(&o, "end_s",
                 wtl_json_number(axis->count ? seconds(d, axis->end_ns) : (double)NAN));
    free(begin);
    return wtl_json_done(&o);
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

static json_t *series_of(const struct document *d,
                         const struct wtl_timeline *timeline,
                         const struct wtl_series *series,
                         size_t first_axis,
                         bool power)
{
    size_t count = timeline->axes[series->axis].count;
    double stretch_s = series->stretch_ns ? (double)series->stretch_ns * 1e-9 : (double)NAN;
    const struct wattle_channel *channel =
        &wtl_trace_reader_channel(d->reader, series->channel)->channel;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "channel", wtl_json_text(channel->name));
    wtl_json_set(&o, "unit", json_string(unit_of(channel, power)));
    wtl_json_set(&o, "time", wtl_json_count(first_axis + series->axis));
    wtl_json_set(&o, "stretch_s", wtl_json_number(stretch_s));
    wtl_json_set(&o, "min", wtl_json_packed(series->min, count));
    wtl_json_set(&o, "mean", wtl_json_packed(series->mean, count));
    wtl_json_set(&o, "max", wtl_json_packed(series->max, count));
    return wtl_json_done(&o);
}

/* As many points for each channel as all may have. */
static size_t share_points(size_t all, size_t channels, size_t most)
{
    size_t points = channels ? all / channels : most;
    points = points < POINTS_LEAST ? POINTS_LEAST : points;
    return points < most ? points : most;
}

/* The series of channels from .. to of the result; their axes are added to `times`. */
static json_t *list_series(struct document *d, size_t from, size_t to, size_t points, json_t *times)
{
    bool power = from < d->result->energy_count;
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = d->ids + from, .channel_count = to - from};
    struct wtl_json list = wtl_json_array();
    struct wtl_timeline timeline = {.axis_count = 0};
    int rc = to > from ? wtl_timeline_read(d->reader, &range, points, &timeline, d->err) : 0;
    if (rc < 0)
        d->rc = rc;
    if (rc < 0 || to == from)
        return wtl_json_done(&list);
    size_t first_axis = json_array_size(times);
    for (size_t i = 0; i < timeline.axis_count; i++)
        list.failed |= json_array_append_new(times, axis_of(d, &timeline.axes[i]));
    for (size_t i = 0; i < timeline.series_count; i++)
        wtl_json_add(&list, series_of(d, &timeline, &timeline.series[i], first_axis, power));
    wtl_timeline_fini(&timeline);
    return wtl_json_done(&list);
}

static void set_series(struct document *d)
{
    size_t energy = d->result->energy_count, all = d->result->channel_count;
    struct wtl_json times = wtl_json_array();
    begin_step(d, "power over time");
    json_t *power =
        list_series(d, 0, energy, share_points(POWER_POINTS, energy, POWER_MOST), times.json);
    json_t *activity = NULL;
    if (d->rc == 0) {
        begin_step(d, "other channels over time");
        activity = list_series(
            d, energy, all, share_points(ACTIVITY_POINTS, all - energy, ACTIVITY_MOST), times.json);
    }
    wtl_json_set(&d->json, "times", wtl_json_done(&times));
    wtl_json_set(&d->json, "power", power);
    wtl_json_set(&d->json, "activity", activity);
}

/* ---- distributions ---- */

static json_t *distribution_of(const struct document *d, const struct wtl_distribution *one)
{
    static const char *const names[WTL_PERCENTILES] = {[WTL_P5] = "p5_w",
                                                       [WTL_P25] = "p25_w",
                                                       [WTL_P50] = "p50_w",
                                                       [WTL_P75] = "p75_w",
                                                       [WTL_P95] = "p95_w"};
    struct wtl_json o = wtl_json_object(), share = wtl_json_array();
    for (size_t i = 0; i < one->bins; i++)
        wtl_json_add(&share, wtl_json_number(one->share[i]));
    wtl_json_set(&o, "channel", wtl_json_text(name_of(d, one->channel)));
    wtl_json_set(&o, "stretch_s", wtl_json_number(one->stretch_s));
    wtl_json_set(&o, "low_w", wtl_json_number(one->low_w));
    wtl_json_set(&o, "step_w", wtl_json_number(one->step_w));
    wtl_json_set(&o, "share", wtl_json_done(&share));
    for (int i = 0; i < WTL_PERCENTILES; i++)
        wtl_json_set(&o, names[i], wtl_json_number(one->percentile_w[i]));
    return wtl_json_done(&o);
}

static void set_distributions(struct document *d)
{
    const struct wtl_trace_range range = {
        .begin_ns = d->window.started ? d->window.start_monotonic_ns : 0,
        .end_ns = d->window.ended ? d->window.end_monotonic_ns : UINT64_MAX,
        .channels = d->ids,
        .channel_count = d->result->energy_count};
    struct wtl_distribution *all = NULL;
    struct wtl_json list = wtl_json_array();
    begin_step(d, "distribution of power");
    int count = wtl_distributions_read(d->reader, &range, &all, d->err);
    if (count < 0)
        d->rc = count;
    for (int i = 0; i < count; i++)
        wtl_json_add(&list, distribution_of(d, &all[i]));
    wtl_distributions_free(all, count > 0 ? (size_t)count : 0);
    wtl_json_set(&d->json, "distributions", wtl_json_done(&list));
}

/* ---- bands and events ---- */

static json_t *rows_of(const struct wtl_bands *bands)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < bands->row_count; i++) {
        const struct wtl_band_row *row = &bands->rows[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "process", wtl_json_count(row->pid));
        wtl_json_set(&o, "thread", wtl_json_count(row->tid));
        wtl_json_set(&o, "rank", row->rank < 0 ? json_null() : json_integer(row->rank));
        wtl_json_set(&o, "depth", wtl_json_count(row->depth));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static json_t *bands_of(const struct document *d, const struct wtl_bands *bands)
{
    struct wtl_json o = wtl_json_object(), names = wtl_json_array(), row = wtl_json_array(),
                    name = wtl_json_array();
    float *borders = malloc((3 * bands->band_count + 1) * sizeof *borders);
    for (size_t i = 0; i < bands->name_count; i++)
        wtl_json_add(&names, wtl_json_text(bands->names[i]));
    for (size_t i = 0; borders && i < bands->band_count; i++) {
        wtl_json_add(&row, wtl_json_count(bands->bands[i].row));
        wtl_json_add(&name, json_integer(bands->bands[i].name));
        borders[i] = (float)seconds(d, bands->bands[i].begin_ns);
        borders[bands->band_count + i] = (float)seconds(d, bands->bands[i].end_ns);
        borders[2 * bands->band_count + i] = bands->bands[i].share;
    }
    wtl_json_set(&o, "names", wtl_json_done(&names));
    wtl_json_set(&o, "rows", rows_of(bands));
    wtl_json_set(&o, "row", wtl_json_done(&row));
    wtl_json_set(&o, "name", wtl_json_done(&name));
    wtl_json_set(&o, "begin", borders ? wtl_json_packed(borders, bands->band_count) : NULL);
    wtl_json_set(&o, "end",
                 borders ? wtl_json_packed(borders + bands->band_count, bands->band_count) : NULL);
    wtl_json_set(&o, "share",
                 borders ? wtl_json_packed(borders + 2 * bands->band_count, bands->band_count)
                         : NULL);
    wtl_json_set(&o, "merged_s", wtl_json_number((double)bands->merged_ns * 1e-9));
    wtl_json_set(&o, "left_out", wtl_json_count(bands->left_out));
    free(borders);
    return wtl_json_done(&o);
}

static json_t *events_of(const struct document *d, const struct wtl_bands *bands)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < bands->event_count; i++) {
        const struct wtl_band_event *event = &bands->events[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "time_s", wtl_json_number(seconds(d, event->time_ns)));
        wtl_json_set(&o, "type", wtl_json_count(event->type));
        wtl_json_set(&o, "value", json_integer((json_int_t)event->value));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static void set_marks(struct document *d)
{
    static const struct wtl_band_limits limits = {
        .rows = BAND_ROWS, .bands = BANDS, .events = EVENTS};
    struct wtl_bands bands;
    begin_step(d, "regions over time");
    int rc = wtl_bands_read(d->reader, &limits, &bands, d->err);
    if (rc < 0) {
        d->rc = rc;
        return;
    }
    wtl_json_set(&d->json, "bands", bands_of(d, &bands));
    wtl_json_set(&d->json, "events", events_of(d, &bands));
    wtl_json_set(&d->json, "events_left_out", wtl_json_count(bands.events_left_out));
    wtl_bands_fini(&bands);
}

/* ---- gaps ---- */

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

static json_t *gap_of(const struct document *d, const struct wtl_gap *gap)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "channel", wtl_json_text(name_of(d, gap->channel)));
    wtl_json_set(&o, "begin_s", wtl_json_number(seconds(d, gap->begin_ns)));
    wtl_json_set(&o, "end_s", wtl_json_number(seconds(d, gap->end_ns)));
    wtl_json_set(&o, "reason", json_string(wtl_gap_reason_name(gap->reason)));
    wtl_json_set(&o, "error", wtl_json_text(gap->error ? wtl_strerror(gap->error) : NULL));
    return wtl_json_done(&o);
}

static void set_gaps(struct document *d)
{
    const struct wtl_gap *gaps;
    struct wtl_json list = wtl_json_array();
    int found = wtl_trace_reader_gaps(d->reader, &gaps, d->err);
    size_t count = found > 0 ? (size_t)found : 0, shown = count < GAPS ? count : GAPS;
    struct wtl_gap *sorted = malloc((count + 1) * sizeof *sorted);
    if (found < 0)
        d->rc = found;
    if (!sorted) {
        d->json.failed = 1;
        count = shown = 0;
    }
    if (count)
        memcpy(sorted, gaps, count * sizeof *sorted);
    if (shown < count)
        wtl_sort(sorted, count, sizeof *sorted, compare_length);
    if (shown)
        wtl_sort(sorted, shown, sizeof *sorted, compare_begin);
    for (size_t i = 0; i < shown; i++)
        wtl_json_add(&list, gap_of(d, &sorted[i]));
    free(sorted);
    wtl_json_set(&d->json, "gaps", wtl_json_done(&list));
    wtl_json_set(&d->json, "gaps_left_out", wtl_json_count(count - shown));
}

static void set_provenance(struct document *d)
{
    struct wtl_json list = wtl_json_array();
    size_t count = wtl_trace_reader_meta_count(d->reader);
    for (size_t i = 0; i < count; i++) {
        const char *key, *value;
        if (wtl_trace_reader_meta_at(d->reader, i, &key, &value) == 0)
            wtl_json_add(&list, pair_of(wtl_json_text(key), wtl_json_text(value)));
    }
    wtl_json_set(&d->json, "provenance", wtl_json_done(&list));
}

/* ---- all ---- */

/* The zero of all times, and the ids of the result's channels. */
static int prepare(struct document *d)
{
    const struct wtl_gap *gaps;
    uint64_t first_ns, last_ns;
    d->ids = calloc(d->result->channel_count + 1, sizeof *d->ids);
    if (!d->ids)
        return -ENOMEM;
    for (size_t i = 0; i < d->result->channel_count; i++) {
        int id = wtl_trace_reader_find_channel(d->reader, d->result->channels[i].channel.name);
        d->ids[i] = id < 0 ? UINT32_MAX : (uint32_t)id;
    }
    wtl_trace_reader_window(d->reader, &d->window);
    int found = wtl_trace_reader_gaps(d->reader, &gaps, d->err);
    if (d->window.started)
        d->start_ns = d->window.start_monotonic_ns;
    else if (wtl_trace_reader_span(d->reader, &first_ns, &last_ns) == 0)
        d->start_ns = first_ns;
    else if (found > 0)
        d->start_ns = gaps[0].begin_ns;
    return found < 0 ? found : 0;
}

int wtl_report_document(struct wtl_trace_reader *reader,
                        const struct wtl_result *result,
                        wtl_report_step_fn *step,
                        void *context,
                        json_t **ret_document,
                        struct wattle_error *err)
{
    static void (*const parts[])(struct document *) = {
        set_run, set_borders, set_series, set_distributions, set_marks, set_gaps, set_provenance};
    struct document d = {.reader = reader,
                         .result = result,
                         .step = step,
                         .context = context,
                         .err = err,
                         .json = wtl_json_document("wattle.report/1")};
    wtl_json_set(&d.json, "title", title_of(result));
    d.rc = prepare(&d);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && d.rc == 0; i++)
        parts[i](&d);
    free(d.ids);
    d.json.failed |= d.rc < 0;
    json_t *document = wtl_json_done(&d.json);
    if (d.rc == -ENOMEM || (!document && d.rc == 0))
        return wtl_no_memory_for(err, "the report");
    if (d.rc < 0)
        return d.rc;
    *ret_document = document;
    return 0;
}
