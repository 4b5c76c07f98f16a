/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics over time: see metric_series.h. */
#include "analysis/phases/metric_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/meta_key.h"

/* Rows, and the column of them for each column of the set. */
struct source {
    const struct wtl_counter_rows *rows;
    const struct wtl_counter_set *set;
    int column[WTL_COUNTER_COLUMNS]; /* -1 = not recorded */
};

static void find_columns(struct source *source)
{
    for (size_t i = 0; i < source->set->column_count; i++) {
        source->column[i] = -1;
        for (size_t c = 0; c < source->rows->columns; c++)
            if (strcmp(source->set->columns[i].name, source->rows->names[c]) == 0)
                source->column[i] = (int)c;
    }
}

/* What was counted in rows first .. last-1; one unknown row leaves it unknown. */
static double value_of(const struct source *source, size_t metric, size_t first, size_t last)
{
    const struct wtl_counter_rows *rows = source->rows;
    double amounts[WTL_COUNTER_COLUMNS], energy_j = 0, known_s = 0;
    double time_s =
        1e-9 * (double)(wtl_counter_rows_end(rows, last - 1) - wtl_counter_rows_begin(rows, first));
    for (size_t i = 0; i < source->set->column_count; i++) {
        amounts[i] = source->column[i] < 0 ? (double)NAN : 0;
        for (size_t k = first; k < last && source->column[i] >= 0; k++)
            amounts[i] += rows->rate[k * rows->columns + (size_t)source->column[i]] * 1e-9 *
                          (double)(wtl_counter_rows_end(rows, k) - wtl_counter_rows_begin(rows, k));
    }
    for (size_t k = first; k < last; k++) {
        energy_j += rows->energy_j[k];
        known_s += rows->known_s[k];
    }
    return wtl_counter_metric_value(source->set, metric, amounts, time_s,
                                    known_s > 0.999 * time_s ? energy_j : (double)NAN);
}

static int make_axis(const struct wtl_counter_rows *rows, size_t per, struct wtl_timeline *timeline)
{
    struct wtl_axis *axis = timeline->axes = calloc(1, sizeof *axis);
    if (!axis)
        return -ENOMEM;
    timeline->axis_count = 1;
    axis->begin_ns = calloc(rows->rows / per + 1, sizeof *axis->begin_ns);
    if (!axis->begin_ns)
        return -ENOMEM;
    for (size_t k = 0; k < rows->rows; k += per)
        axis->begin_ns[axis->count++] = wtl_counter_rows_begin(rows, k);
    axis->end_ns = rows->rows > 0 ? wtl_counter_rows_end(rows, rows->rows - 1) : 0;
    return 0;
}

static int add_series(const struct source *source,
                      size_t metric,
                      size_t per,
                      struct wtl_timeline *timeline)
{
    size_t n = timeline->axes->count;
    struct wtl_series *series = &timeline->series[timeline->series_count];
    float *values = calloc(3 * n + 1, sizeof *values); /* one block, as in every timeline */
    if (!values)
        return -ENOMEM;
    *series = (struct wtl_series){
        .channel = (uint32_t)metric, .min = values, .mean = values + n, .max = values + 2 * n};
    timeline->series_count++;
    series->stretch_ns = source->rows->step_ns;
    for (size_t i = 0; i < n; i++) {
        size_t first = i * per, last = first + per;
        last = last < source->rows->rows ? last : source->rows->rows;
        float low = NAN, high = NAN;
        for (size_t k = first; k < last; k++) {
            float value = (float)value_of(source, metric, k, k + 1);
            low = fminf(low, value);
            high = fmaxf(high, value);
        }
        series->mean[i] = (float)value_of(source, metric, first, last);
        series->min[i] = isnan(series->mean[i]) ? NAN : low;
        series->max[i] = isnan(series->mean[i]) ? NAN : high;
    }
    return 0;
}

static int fill(const struct wtl_counter_rows *rows,
                size_t points,
                struct wtl_metric_series *series)
{
    struct source source = {.rows = rows, .set = &series->set};
    size_t per = rows->rows / (points > 0 ? points : 1) + 1;
    find_columns(&source);
    int rc = make_axis(rows, per, &series->timeline);
    series->timeline.series = calloc(series->set.metric_count + 1, sizeof *series->timeline.series);
    if (rc < 0 || !series->timeline.series)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < series->set.metric_count; i++)
        rc = add_series(&source, i, per, &series->timeline);
    return rc;
}

int wtl_metric_series_read(const struct wtl_trace_reader *reader,
                           const struct wtl_counter_rows *rows,
                           size_t points,
                           struct wtl_metric_series *ret_series,
                           struct wattle_error *err)
{
    const char *columns = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_COLUMNS);
    const char *metrics = wtl_trace_reader_meta(reader, WTL_META_COUNTERS_METRICS);
    *ret_series = (struct wtl_metric_series){.timeline = {.axes = NULL}};
    if (!columns || !metrics)
        return 0;
    int rc = wtl_counter_set_from_texts(&ret_series->set, rows->set[0] ? rows->set : "trace",
                                        columns, metrics, err);
    if (rc < 0)
        return rc;
    rc = fill(rows, points, ret_series);
    if (rc < 0) {
        wtl_metric_series_fini(ret_series);
        return wtl_no_memory_for(err, "the metrics over time");
    }
    return 0;
}

void wtl_metric_series_fini(struct wtl_metric_series *series)
{
    wtl_timeline_fini(&series->timeline);
    wtl_counter_set_fini(&series->set);
    series->set.metric_count = series->set.column_count = 0;
}
