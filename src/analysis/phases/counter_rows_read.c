/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter rows from a trace: each column is what its channel counted in a row, over the time for which that is known; the
 * energy is that of the channels of the total, from the same function (node_rows.h).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_result.h"
#include "analysis/phases/counter_rows.h"
#include "analysis/power/node_rows.h"
#include "base/fail.h"
#include "base/parse.h"
#include "base/text/figures.h"
#include "base/whole.h"
#include "model/counters/counter_set.h"
#include "model/meta_key.h"

/* A row of which a counter is known for a smaller part says nothing about the rest. */
#define KNOWN 0.5

/* The channels of a column; several are added. */
struct row_column {
    char name[WTL_ROW_NAME_MAX];
    uint32_t *ids;
    size_t count;
};

struct rows_reader {
    struct wtl_trace_reader *trace;
    struct wtl_result result;
    struct row_column column[WTL_ROW_COLUMNS];
    size_t columns, left_out;
    uint32_t *ids; /* room for all columns and the total */
    const struct wtl_gap *gaps;
    size_t gap_count;
};

/* ---- columns ---- */

static bool is_column(const struct wattle_channel *channel, const char *name)
{
    return strcmp(channel->sensor, WTL_COUNTER_SENSOR) == 0 && strcmp(channel->label, name) == 0;
}

/* The columns of the set that was recorded, also those without a channel: their ids are the columns of letters. */
static int columns_of_set(struct rows_reader *r, const char *columns, struct wattle_error *err)
{
    struct wtl_counter_set set;
    uint32_t *ids = r->ids;
    int rc = wtl_counter_set_from_texts(&set, "", columns, NULL, err);
    if (rc < 0)
        return rc;
    r->columns = set.column_count < WTL_ROW_COLUMNS ? set.column_count : WTL_ROW_COLUMNS;
    r->left_out = set.column_count - r->columns;
    for (size_t c = 0; c < r->columns; c++) {
        struct row_column *column = &r->column[c];
        (void)snprintf(column->name, sizeof column->name, "%s", set.columns[c].name);
        column->ids = ids;
        for (size_t i = 0; i < wtl_trace_reader_channel_count(r->trace); i++)
            if (is_column(&wtl_trace_reader_channel(r->trace, i)->channel, column->name))
                column->ids[column->count++] = (uint32_t)i;
        ids += column->count;
    }
    wtl_counter_set_fini(&set);
    return 0;
}

/* Of a trace of another program: everything that counts events or bytes. */
static void columns_of_channels(struct rows_reader *r)
{
    for (size_t i = 0; i < wtl_trace_reader_channel_count(r->trace); i++) {
        const struct wattle_channel *channel = &wtl_trace_reader_channel(r->trace, i)->channel;
        if (channel->kind != WATTLE_COUNTER ||
            (channel->quantity != WATTLE_EVENTS && channel->quantity != WATTLE_BYTES))
            continue;
        if (r->columns == WTL_ROW_COLUMNS) {
            r->left_out++;
            continue;
        }
        struct row_column *column = &r->column[r->columns];
        (void)snprintf(column->name, sizeof column->name, "%.*s", WTL_ROW_NAME_MAX - 1,
                       channel->label[0] ? channel->label : channel->name);
        column->ids = &r->ids[r->columns++];
        column->ids[0] = (uint32_t)i;
        column->count = 1;
    }
}

static int find_columns(struct rows_reader *r, struct wattle_error *err)
{
    const char *columns = wtl_trace_reader_meta(r->trace, WTL_META_COUNTERS_COLUMNS);
    size_t channels = wtl_trace_reader_channel_count(r->trace);
    /* A channel has one label, so that no column of a set needs more than are left. */
    r->ids = malloc((2 * channels + WTL_ROW_COLUMNS) * sizeof *r->ids);
    if (!r->ids)
        return wtl_no_memory(err);
    if (columns) {
        int rc = columns_of_set(r, columns, err);
        if (rc < 0)
            return rc;
    } else {
        columns_of_channels(r);
    }
    for (size_t c = 0; c < r->columns; c++)
        if (r->column[c].count > 0)
            return 0;
    return wtl_fail(err, -ENODATA,
                    "the trace has no counters; record them with \"wattle run --counters\"");
}

/* ---- the step ---- */

/* The usual distance of the samples of a counter, from the first ones; 0 = there are not two. */
static uint64_t usual_interval(struct wtl_trace_reader *trace, uint32_t id)
{
    enum { MOST = 1024 };
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &id, .channel_count = 1, .no_edges = true};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    uint64_t times[MOST], last_ns = 0;
    size_t count = 0;
    double seconds = 0;
    if (wtl_trace_samples_open(trace, &range, &samples, NULL) < 0)
        return 0;
    while (count < MOST && wtl_trace_samples_next(samples, &chunk, NULL) > 0)
        for (size_t i = 0; i < chunk.rows && count < MOST; i++) {
            if (last_ns && chunk.time_ns[i] > last_ns)
                times[count++] = chunk.time_ns[i] - last_ns;
            last_ns = chunk.time_ns[i];
        }
    wtl_trace_samples_close(samples);
    for (size_t i = 0; i < count; i++) { /* the median, in place */
        size_t at = i;
        uint64_t time = times[i];
        for (; at > 0 && times[at - 1] > time; at--)
            times[at] = times[at - 1];
        times[at] = time;
    }
    if (count == 0)
        return 0;
    /* 100.003 ms were meant to be 100 ms. */
    uint64_t median_ns = times[count / 2];
    seconds = (double)median_ns * 1e-9;
    double digit = pow(10, floor(log10(seconds)) - 1), round_s = round(seconds / digit) * digit;
    return fabs(round_s - seconds) < 0.01 * seconds ? wtl_whole_u64(round(round_s * 1e9))
                                                    : median_ns;
}

static uint64_t find_step(const struct rows_reader *r)
{
    const char *text = wtl_trace_reader_meta(r->trace, WTL_META_COUNTERS_INTERVAL_NS);
    uint64_t step_ns = 0;
    if (text && wtl_parse_u64(text, &step_ns) == 0 && step_ns > 0)
        return step_ns;
    for (size_t c = 0; c < r->columns && step_ns == 0; c++)
        if (r->column[c].count > 0)
            step_ns = usual_interval(r->trace, r->column[c].ids[0]);
    return step_ns;
}

/* ---- rows ---- */

static bool has_id(const struct row_column *column, uint32_t id)
{
    for (size_t i = 0; i < column->count; i++)
        if (column->ids[i] == id)
            return true;
    return false;
}

/* Why the column has no value between these times. */
static enum wtl_row_reason reason_of(const struct rows_reader *r,
                                     const struct row_column *column,
                                     uint64_t begin_ns,
                                     uint64_t end_ns)
{
    enum wtl_row_reason reason = WTL_ROW_NOT_SAMPLED;
    for (size_t i = 0; i < r->gap_count; i++) {
        const struct wtl_gap *gap = &r->gaps[i];
        if (gap->begin_ns >= end_ns || gap->end_ns <= begin_ns || !has_id(column, gap->channel))
            continue;
        if (gap->reason == WTL_GAP_RESET || gap->reason == WTL_GAP_LOST_WRAP)
            return WTL_ROW_RESTARTED;
        reason = WTL_ROW_GAP;
    }
    return reason;
}

static void miss(struct wtl_counter_rows *rows, size_t column, enum wtl_row_reason reason)
{
    rows->missing[reason]++;
    rows->missing_of[column]++;
}

static void fill_column(const struct rows_reader *r,
                        const struct wtl_node_rows *counted,
                        size_t column,
                        struct wtl_counter_rows *rows)
{
    for (size_t k = 0; k < rows->rows; k++) {
        uint64_t begin_ns = wtl_counter_rows_begin(rows, k), end_ns = wtl_counter_rows_end(rows, k);
        double rate = counted->amount[k] / counted->known_s[k];
        if (!(counted->known_s[k] >= KNOWN * (double)(end_ns - begin_ns) * 1e-9) || !isfinite(rate))
            miss(rows, column, reason_of(r, &r->column[column], begin_ns, end_ns));
        else if (rate < 0) /* of a trace that does not say that the counter began anew */
            miss(rows, column, WTL_ROW_RESTARTED);
        else
            rows->rate[k * rows->columns + column] = rate;
    }
}

static int read_column(struct rows_reader *r,
                       size_t column,
                       struct wtl_counter_rows *rows,
                       struct wattle_error *err)
{
    struct wtl_node_rows counted = {0};
    const struct row_column *from = &r->column[column];
    if (from->count == 0) {
        rows->missing[WTL_ROW_NOT_SAMPLED] += rows->rows;
        rows->missing_of[column] = rows->rows;
        return 0;
    }
    int rc = wtl_node_rows_read(r->trace, from->ids, from->count, rows->begin_ns, rows->end_ns,
                                rows->step_ns, &counted, err);
    if (rc == 0)
        fill_column(r, &counted, column, rows);
    wtl_node_rows_fini(&counted);
    return rc;
}

static int read_power(struct rows_reader *r,
                      struct wtl_counter_rows *rows,
                      struct wattle_error *err)
{
    struct wtl_node_rows power = {0};
    int rc = wtl_node_rows_of_total(r->trace, &r->result, rows->step_ns, &power, err);
    if (rc < 0)
        return rc;
    for (size_t k = 0; k < rows->rows && k < power.count; k++) {
        rows->known_s[k] = power.known_s[k];
        rows->energy_j[k] = power.known_s[k] > 0 ? power.amount[k] : 0;
        rows->power_w[k] = power.known_s[k] > 0 ? power.amount[k] / power.known_s[k] : NAN;
    }
    wtl_node_rows_fini(&power);
    return 0;
}

/* Rows without values, with names. */
static int make_rows(struct rows_reader *r,
                     uint64_t step_ns,
                     struct wtl_counter_rows *rows,
                     struct wattle_error *err)
{
    const struct wtl_result *result = &r->result;
    const char *set = wtl_trace_reader_meta(r->trace, WTL_META_COUNTERS_SET);
    uint64_t begin_ns = result->start_monotonic_ns, end_ns = result->end_monotonic_ns;
    if (end_ns <= begin_ns || (step_ns == 0 && (step_ns = find_step(r)) == 0))
        return wtl_fail(err, -ENODATA,
                        "the counters have no two samples in the run; record for longer, or at "
                        "shorter intervals");
    uint64_t count = (end_ns - begin_ns - 1) / step_ns + 1;
    if (count > WTL_NODE_ROWS_MAX)
        return wtl_fail(
            err, -ERANGE, "%.0f s in rows of %s s are %s rows, more than %zu; choose a longer step",
            (double)(end_ns - begin_ns) * 1e-9, WTL_IN_FIGURES((double)step_ns * 1e-9, 3),
            WTL_IN_FIGURES((double)count, 3), WTL_NODE_ROWS_MAX);
    if (wtl_counter_rows_init(rows, (size_t)count, r->columns, step_ns) < 0)
        return wtl_no_memory_for(err, "%zu rows of %zu counters", (size_t)count, r->columns);
    rows->begin_ns = begin_ns;
    rows->end_ns = end_ns;
    rows->left_out = r->left_out;
    rows->total = result->total;
    for (size_t c = 0; c < r->columns; c++)
        memcpy(rows->names[c], r->column[c].name, sizeof rows->names[c]);
    (void)snprintf(rows->host, sizeof rows->host, "%s", result->host ? result->host : "");
    (void)snprintf(rows->set, sizeof rows->set, "%s", set ? set : "");
    return 0;
}

int wtl_counter_rows_read(struct wtl_trace_reader *reader,
                          uint64_t step_ns,
                          struct wtl_counter_rows *ret_rows,
                          struct wattle_error *err)
{
    struct rows_reader r = {.trace = reader, .result = wtl_result_unknown()};
    struct wtl_counter_rows rows = {0};
    int rc = wtl_run_result_read(reader, "", &r.result, err);
    if (rc == 0)
        rc = find_columns(&r, err);
    if (rc == 0)
        rc = make_rows(&r, step_ns, &rows, err);
    if (rc == 0 && (rc = wtl_trace_reader_gaps(reader, &r.gaps, err)) >= 0) {
        r.gap_count = (size_t)rc;
        rc = 0;
    }
    for (size_t c = 0; c < r.columns && rc == 0; c++)
        rc = read_column(&r, c, &rows, err);
    if (rc == 0 && r.result.total.count > 0)
        rc = read_power(&r, &rows, err);
    wtl_result_fini(&r.result);
    free(r.ids);
    if (rc < 0)
        wtl_counter_rows_fini(&rows);
    else
        *ret_rows = rows;
    return rc;
}
