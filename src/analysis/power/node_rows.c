/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of a node in equal steps: see node_rows.h. One pass over the samples of each channel. */
#include "analysis/power/node_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/power/spans.h"
#include "base/fail.h"
#include "base/text/figures.h"
#include "model/reading.h"

/* One channel over the rows. */
struct lane {
    const struct wtl_node_rows *rows;
    struct wtl_spans spans;
    double *amount, *known_s; /* [count] */
};

uint64_t wtl_node_rows_end(const struct wtl_node_rows *rows, size_t k)
{
    uint64_t length_ns = rows->end_ns - rows->begin_ns;
    return k + 1 >= rows->count
               ? rows->end_ns
               : rows->begin_ns +
                     (length_ns < (k + 1) * rows->step_ns ? length_ns : (k + 1) * rows->step_ns);
}

/* Divide a span over the rows that it covers. */
static void spread(struct lane *lane, const struct wtl_rate_span *span)
{
    const struct wtl_node_rows *rows = lane->rows;
    uint64_t from_ns = span->begin_ns > rows->begin_ns ? span->begin_ns : rows->begin_ns;
    uint64_t to_ns = span->end_ns < rows->end_ns ? span->end_ns : rows->end_ns;
    if (from_ns >= to_ns || !isfinite(span->rate))
        return;
    for (size_t k = (size_t)((from_ns - rows->begin_ns) / rows->step_ns);
         k < rows->count && from_ns < to_ns; k++) {
        uint64_t row_end_ns = wtl_node_rows_end(rows, k);
        uint64_t until_ns = to_ns < row_end_ns ? to_ns : row_end_ns;
        double seconds = (double)(until_ns - from_ns) * 1e-9;
        lane->amount[k] += span->rate * seconds;
        lane->known_s[k] += seconds;
        from_ns = until_ns;
    }
}

static void add_sample(struct lane *lane, uint64_t time_ns, uint64_t value)
{
    struct wtl_rate_span span;
    if (wtl_spans_take(&lane->spans, time_ns, value, &span))
        spread(lane, &span);
}

/* Samples outside the window only serve a gauge, which has no value at the border itself. */
static void take_chunk(struct lane *lane, const struct wtl_trace_chunk *chunk, bool pinned)
{
    for (size_t i = 0; i < chunk->column_count; i++) {
        const struct wtl_trace_column *column = &chunk->columns[i];
        for (size_t r = 0; r < chunk->rows; r++) {
            uint64_t lag_ns = pinned ? wtl_channel_lag_ns(lane->spans.channel) : 0;
            uint64_t time_ns = chunk->time_ns[r] > lag_ns ? chunk->time_ns[r] - lag_ns : 0;
            if ((!column->missing || !column->missing[r]) &&
                (!pinned || (time_ns > lane->rows->begin_ns && time_ns < lane->rows->end_ns)))
                add_sample(lane, time_ns, column->values[r]);
        }
    }
}

/* The borders are known to whole ticks, but the amount between them more finely: of an energy in whole joules it matters. */
static void scale_to(struct lane *lane, const struct wtl_summary *summary)
{
    double sum = 0, length_s = (double)(lane->rows->end_ns - lane->rows->begin_ns) * 1e-9,
           known_s = 0;
    for (size_t k = 0; k < lane->rows->count; k++) {
        sum += lane->amount[k];
        known_s += lane->known_s[k];
    }
    if (!(sum > 0) || known_s < length_s * (1 - 1e-9) ||
        fabs(sum - summary->amount) > 2 * lane->spans.channel->scale)
        return;
    for (size_t k = 0; k < lane->rows->count; k++)
        lane->amount[k] *= summary->amount / sum;
}

static int read_lane(struct lane *lane,
                     struct wtl_trace_reader *reader,
                     uint32_t id,
                     struct wattle_error *err)
{
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &id, .channel_count = 1, .no_edges = true};
    struct wtl_trace_samples *samples = NULL;
    struct wtl_trace_chunk chunk;
    struct wtl_summary summary = {0};
    bool pinned = lane->spans.channel->kind == WATTLE_COUNTER &&
                  wtl_trace_reader_summary(reader, id, &summary, NULL) == 0 &&
                  !isnan(summary.amount);
    /* The values at the borders hold there only if there were samples beyond: a trace that was cut off has the last second of
     * some channels, but not of others. */
    bool from_begin = pinned && summary.first_ns <= lane->rows->begin_ns,
         to_end = pinned && summary.last_ns >= lane->rows->end_ns;
    int rc = wtl_trace_samples_open(reader, &range, &samples, err);
    if (rc == 0 && from_begin)
        add_sample(lane, lane->rows->begin_ns, summary.first_value);
    while (rc >= 0 && (rc = wtl_trace_samples_next(samples, &chunk, err)) > 0)
        take_chunk(lane, &chunk, pinned);
    if (rc == 0 && to_end)
        add_sample(lane, lane->rows->end_ns, summary.last_value);
    if (rc == 0 && pinned)
        scale_to(lane, &summary);
    wtl_trace_samples_close(samples);
    return rc;
}

/* Add a channel to the sum, over the time that both know. */
static void add_lane(struct wtl_node_rows *rows, const struct lane *lane, bool first)
{
    for (size_t k = 0; k < rows->count; k++) {
        double known_s = first ? lane->known_s[k] : fmin(rows->known_s[k], lane->known_s[k]);
        double sum = 0;
        if (known_s > 0)
            sum = (first ? 0 : rows->amount[k] * (known_s / rows->known_s[k])) +
                  lane->amount[k] * (known_s / lane->known_s[k]);
        rows->amount[k] = sum;
        rows->known_s[k] = known_s;
    }
}

static int add_channels(struct wtl_trace_reader *reader,
                        const uint32_t *ids,
                        size_t id_count,
                        const struct wtl_gap *gaps,
                        size_t gap_count,
                        struct wtl_node_rows *rows,
                        struct wattle_error *err)
{
    size_t bytes = (rows->count + 1) * sizeof(double);
    struct lane lane = {.amount = malloc(bytes), .known_s = malloc(bytes)};
    int rc = lane.amount && lane.known_s ? 0 : wtl_no_memory_for(err, "%zu rows", rows->count);
    for (size_t i = 0; lane.amount && lane.known_s && i < id_count && rc == 0; i++) {
        const struct wtl_trace_channel *channel = wtl_trace_reader_channel(reader, ids[i]);
        memset(lane.amount, 0, bytes);
        memset(lane.known_s, 0, bytes);
        lane.rows = rows;
        lane.spans = (struct wtl_spans){.channel = channel ? &channel->channel : NULL};
        wtl_spans_find_gaps(&lane.spans, gaps, gap_count, ids[i]);
        rc = channel ? read_lane(&lane, reader, ids[i], err) : 0;
        if (rc == 0)
            add_lane(rows, &lane, i == 0);
    }
    free(lane.amount);
    free(lane.known_s);
    return rc;
}

static int count_rows(struct wtl_node_rows *rows, struct wattle_error *err)
{
    uint64_t length_ns = rows->end_ns - rows->begin_ns;
    uint64_t count = length_ns / rows->step_ns + (length_ns % rows->step_ns > 0);
    if (count > WTL_NODE_ROWS_MAX)
        return wtl_fail(err, -ERANGE,
                        "%.0f s in steps of %s s are %s rows, more than %zu; choose a longer "
                        "step",
                        (double)length_ns * 1e-9, WTL_IN_FIGURES((double)rows->step_ns * 1e-9, 3),
                        WTL_IN_FIGURES((double)count, 3), WTL_NODE_ROWS_MAX);
    rows->count = (size_t)count;
    rows->amount = calloc(rows->count + 1, sizeof *rows->amount);
    rows->known_s = calloc(rows->count + 1, sizeof *rows->known_s);
    return rows->amount && rows->known_s ? 0 : wtl_no_memory_for(err, "%zu rows", rows->count);
}

int wtl_node_rows_read(struct wtl_trace_reader *reader,
                       const uint32_t *ids,
                       size_t id_count,
                       uint64_t begin_ns,
                       uint64_t end_ns,
                       uint64_t step_ns,
                       struct wtl_node_rows *ret_rows,
                       struct wattle_error *err)
{
    struct wtl_node_rows rows = {.begin_ns = begin_ns,
                                 .end_ns = end_ns > begin_ns ? end_ns : begin_ns,
                                 .step_ns = step_ns ? step_ns : 1};
    const struct wtl_gap *listed;
    struct wtl_gap *gaps = NULL;
    int rc = count_rows(&rows, err);
    int count = rc < 0 ? rc : wtl_trace_reader_gaps(reader, &listed, err);
    rc = count < 0 ? count : 0;
    if (count > 0 && !(gaps = malloc((size_t)count * sizeof *gaps)))
        rc = wtl_no_memory(err);
    if (gaps) {
        memcpy(gaps, listed, (size_t)count * sizeof *gaps);
        wtl_spans_sort_gaps(gaps, (size_t)count);
    }
    if (rc == 0)
        rc = add_channels(reader, ids, id_count, gaps, count > 0 ? (size_t)count : 0, &rows, err);
    free(gaps);
    if (rc < 0)
        wtl_node_rows_fini(&rows);
    *ret_rows = rows;
    return rc;
}

int wtl_node_rows_of_total(struct wtl_trace_reader *reader,
                           const struct wtl_result *result,
                           uint64_t step_ns,
                           struct wtl_node_rows *ret_rows,
                           struct wattle_error *err)
{
    uint32_t *ids = malloc((result->energy_count + 1) * sizeof *ids);
    size_t count = 0;
    if (!ids)
        return wtl_no_memory(err);
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wattle_channel *channel = &result->channels[i].channel;
        int id = channel->flags & WATTLE_CHANNEL_IN_TOTAL
                     ? wtl_trace_reader_find_channel(reader, channel->name)
                     : -1;
        if (id >= 0)
            ids[count++] = (uint32_t)id;
    }
    int rc = count == 0 ? wtl_fail(err, -ENODATA, "the trace has no energy or power")
                        : wtl_node_rows_read(reader, ids, count, result->start_monotonic_ns,
                                             result->end_monotonic_ns, step_ns, ret_rows, err);
    free(ids);
    return rc;
}

void wtl_node_rows_fini(struct wtl_node_rows *rows)
{
    free(rows->amount);
    free(rows->known_s);
    *rows = (struct wtl_node_rows){0};
}
