/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the cells of a node from its trace: see run_cells.h. One pass over the samples, one over
 * the marks. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run_cells.h"
#include "analysis/cluster/run_result.h"
#include "analysis/spans.h"
#include "base/fail.h"
#include "base/grow.h"
#include "trace/regions/nesting.h"

enum { BUFFER = 4096 }; /* cells buffered for writing */

/* Bytes to be written at one position of the file. */
struct stream {
    int fd;
    uint64_t offset;
    uint8_t *bytes;
    size_t used, size;
};

static int flush_stream(struct stream *stream)
{
    size_t done = 0;
    while (done < stream->used) {
        ssize_t put = pwrite(stream->fd, stream->bytes + done, stream->used - done,
                             (off_t)(stream->offset + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? -errno : -EIO;
        done += (size_t)put;
    }
    stream->offset += stream->used;
    stream->used = 0;
    return 0;
}

static int put(struct stream *stream, const void *bytes, size_t n)
{
    if (stream->used + n > stream->size) {
        int rc = flush_stream(stream);
        if (rc < 0)
            return rc;
    }
    memcpy(stream->bytes + stream->used, bytes, n);
    stream->used += n;
    return 0;
}

static int open_stream(struct stream *stream, int fd, uint64_t offset, size_t size)
{
    *stream = (struct stream){.fd = fd, .offset = offset, .size = size, .bytes = malloc(size)};
    return stream->bytes ? 0 : -ENOMEM;
}

/* ---- steps of the run in the node's time ---- */

struct steps {
    const struct wtl_run_grid *grid;
    const struct wtl_run_clock *clock;
    uint64_t begin_ns, end_ns; /* the window of the node, in its own time */
};

/* Begin of step k, clipped to the window. */
static uint64_t step_begin(const struct steps *steps, uint64_t k)
{
    int64_t reference = (int64_t)((uint64_t)steps->grid->begin_ns + k * steps->grid->step_ns);
    uint64_t ns = wtl_run_clock_node(steps->clock, reference);
    if (ns < steps->begin_ns)
        return steps->begin_ns;
    return ns > steps->end_ns ? steps->end_ns : ns;
}

/* ---- one channel ---- */

struct lane {
    struct wtl_spans spans;
    uint32_t id;
    struct stream stream;
    uint64_t step, last_step;  /* the current cell; one after the last */
    uint64_t begin_ns, end_ns; /* limits of the current cell */
    double sum_j;
    uint64_t covered_ns;
};

static void begin_cell(struct lane *lane, const struct steps *steps)
{
    lane->begin_ns = step_begin(steps, lane->step);
    lane->end_ns = step_begin(steps, lane->step + 1);
    lane->sum_j = 0;
    lane->covered_ns = 0;
}

static int end_cell(struct lane *lane, const struct steps *steps)
{
    uint64_t length_ns = lane->end_ns - lane->begin_ns;
    double power = NAN;
    if (lane->covered_ns > 0 && 2 * lane->covered_ns >= length_ns)
        power = lane->sum_j / ((double)lane->covered_ns * 1e-9);
    int rc = put(&lane->stream, &power, sizeof power);
    lane->step++;
    begin_cell(lane, steps);
    return rc;
}

/* Power from one time to another; NaN = unknown. */
static int spread(struct lane *lane,
                  const struct steps *steps,
                  uint64_t from_ns,
                  uint64_t to_ns,
                  double power_w)
{
    from_ns = from_ns < steps->begin_ns ? steps->begin_ns : from_ns;
    to_ns = to_ns > steps->end_ns ? steps->end_ns : to_ns;
    int rc = 0;
    while (rc == 0 && from_ns < to_ns && lane->step < lane->last_step) {
        if (from_ns >= lane->end_ns) {
            rc = end_cell(lane, steps);
            continue;
        }
        uint64_t until_ns = to_ns < lane->end_ns ? to_ns : lane->end_ns;
        if (!isnan(power_w)) {
            lane->sum_j += power_w * (double)(until_ns - from_ns) * 1e-9;
            lane->covered_ns += until_ns - from_ns;
        }
        from_ns = until_ns;
    }
    return rc;
}

static int take(struct lane *lane, const struct steps *steps, uint64_t time_ns, uint64_t value)
{
    struct wtl_rate_span span;
    if (!wtl_spans_take(&lane->spans, time_ns, value, &span) || time_ns <= steps->begin_ns ||
        span.begin_ns >= steps->end_ns)
        return 0;
    return spread(lane, steps, span.begin_ns, span.end_ns, span.rate);
}

static int end_lane(struct lane *lane, const struct steps *steps)
{
    int rc = 0;
    while (rc == 0 && lane->step < lane->last_step)
        rc = end_cell(lane, steps);
    return rc < 0 ? rc : flush_stream(&lane->stream);
}

/* ---- all channels ---- */

struct pass {
    const struct wtl_run_cells *cells;
    struct wtl_trace_reader *reader;
    struct wtl_run_cells_node *place;
    struct steps steps;
    struct wtl_result result; /* which channels are in the total */
    struct lane *lanes;
    uint32_t *ids;
    struct wtl_gap *gaps;
};

static size_t column_of(const struct wtl_run_totals *totals, const struct wattle_channel *channel)
{
    bool estimated = channel->quality == WATTLE_ESTIMATED;
    for (size_t i = 0; i < totals->domain_count; i++)
        if (totals->domains[i].domain == channel->domain &&
            totals->domains[i].estimated == estimated)
            return WTL_CELLS_DOMAINS + i;
    return 0;
}

static int choose(struct pass *pass)
{
    const struct wtl_result *result = &pass->result;
    struct wtl_run_cells_node *place = pass->place;
    pass->lanes = calloc(result->energy_count + 1, sizeof *pass->lanes);
    pass->ids = calloc(result->energy_count + 1, sizeof *pass->ids);
    place->columns = calloc(result->energy_count + 1, sizeof *place->columns);
    if (!pass->lanes || !pass->ids || !place->columns)
        return -ENOMEM;
    for (size_t i = 0; i < result->energy_count; i++) {
        const struct wattle_channel *channel = &result->channels[i].channel;
        int id = wtl_trace_reader_find_channel(pass->reader, channel->name);
        size_t column = column_of(pass->cells->totals, channel);
        if (!wtl_run_domain_counts(result, i) || id < 0 || !column)
            continue;
        bool in_total = (channel->flags & WATTLE_CHANNEL_IN_TOTAL) != 0;
        pass->lanes[place->channels] =
            (struct lane){.spans = {.channel = channel}, .id = (uint32_t)id};
        pass->ids[place->channels] = (uint32_t)id;
        place->columns[place->channels++] = (uint16_t)(2 * column + in_total);
    }
    return 0;
}

static int sort_gaps(struct pass *pass, struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    int count = wtl_trace_reader_gaps(pass->reader, &gaps, err);
    if (count <= 0)
        return count;
    pass->gaps = malloc((size_t)count * sizeof *pass->gaps);
    if (!pass->gaps)
        return -ENOMEM;
    memcpy(pass->gaps, gaps, (size_t)count * sizeof *pass->gaps);
    wtl_spans_sort_gaps(pass->gaps, (size_t)count);
    for (uint32_t c = 0; c < pass->place->channels; c++)
        wtl_spans_find_gaps(&pass->lanes[c].spans, pass->gaps, (size_t)count, pass->lanes[c].id);
    return 0;
}

static int open_lanes(struct pass *pass, int fd, uint64_t offset)
{
    const struct wtl_run_cells_node *place = pass->place;
    int rc = 0;
    for (uint32_t c = 0; rc == 0 && c < place->channels; c++) {
        struct lane *lane = &pass->lanes[c];
        rc = open_stream(&lane->stream, fd, offset + c * place->count * sizeof(double),
                         BUFFER * sizeof(double));
        lane->step = place->first;
        lane->last_step = place->first + place->count;
        begin_cell(lane, &pass->steps);
    }
    return rc;
}

static int take_chunk(struct pass *pass, const struct wtl_trace_chunk *chunk)
{
    int rc = 0;
    for (size_t i = 0; i < chunk->column_count; i++) {
        const struct wtl_trace_column *column = &chunk->columns[i];
        struct lane *lane = NULL;
        for (uint32_t c = 0; c < pass->place->channels && !lane; c++)
            lane = pass->lanes[c].id == column->channel ? &pass->lanes[c] : NULL;
        for (size_t r = 0; lane && rc == 0 && r < chunk->rows; r++)
            if (!column->missing || !column->missing[r])
                rc = take(lane, &pass->steps, chunk->time_ns[r], column->values[r]);
    }
    return rc;
}

static int read_samples(struct pass *pass, struct wattle_error *err)
{
    const struct wtl_trace_range range = {.end_ns = UINT64_MAX,
                                          .channels = pass->ids,
                                          .channel_count = pass->place->channels,
                                          .no_edges = true};
    struct wtl_trace_samples *samples = NULL;
    struct wtl_trace_chunk chunk;
    if (pass->place->channels == 0)
        return 0;
    int rc = wtl_trace_samples_open(pass->reader, &range, &samples, err);
    while (rc >= 0 && (rc = wtl_trace_samples_next(samples, &chunk, err)) > 0)
        rc = take_chunk(pass, &chunk);
    wtl_trace_samples_close(samples);
    for (uint32_t c = 0; rc == 0 && c < pass->place->channels; c++)
        rc = end_lane(&pass->lanes[c], &pass->steps);
    return rc;
}

/* ---- regions ---- */

struct tagging {
    const struct pass *pass;
    struct wtl_nesting *nesting;
    struct stream stream;
    uint64_t step, last_step;
    uint8_t *open;    /* [tag_bytes] */
    uint32_t *tag_of; /* by index in the nesting: tag number + 1; 0 = not looked up yet */
    size_t known;
};

static int compare_tag(const void *key, const void *item)
{
    return strcmp((const char *)key, *(const char *const *)item);
}

/* The middle of a step, in the node's time. */
static uint64_t middle_of(const struct steps *steps, uint64_t k)
{
    const struct wtl_run_grid *grid = steps->grid;
    uint64_t reference = (uint64_t)grid->begin_ns + k * grid->step_ns + grid->step_ns / 2;
    return wtl_run_clock_node(steps->clock, (int64_t)reference);
}

/* Steps whose middle is before time_ns get the current state. */
static int catch_up(struct tagging *tagging, uint64_t time_ns)
{
    int rc = 0;
    while (rc == 0 && tagging->step < tagging->last_step &&
           middle_of(&tagging->pass->steps, tagging->step) < time_ns) {
        rc = put(&tagging->stream, tagging->open, tagging->pass->cells->tag_bytes);
        tagging->step++;
    }
    return rc;
}

static int look_up(struct tagging *tagging, size_t index, size_t *ret_tag)
{
    const struct wtl_run_cells *cells = tagging->pass->cells;
    if (wtl_reserve_zeroed(&tagging->tag_of, &tagging->known, index + 1, sizeof *tagging->tag_of) <
        0)
        return -ENOMEM;
    if (!tagging->tag_of[index]) {
        const struct wtl_nesting_name *name = wtl_nesting_name(tagging->nesting, index);
        const char *text = name ? wtl_trace_reader_string(tagging->pass->reader, name->name) : NULL;
        const char **found = text ? bsearch(text, (const void *)cells->tags, cells->tag_count,
                                            sizeof *cells->tags, compare_tag)
                                  : NULL;
        tagging->tag_of[index] = found ? (uint32_t)(found - cells->tags) + 1 : UINT32_MAX;
    }
    *ret_tag = tagging->tag_of[index] == UINT32_MAX ? SIZE_MAX : tagging->tag_of[index] - 1;
    return 0;
}

static int on_set(void *context, enum wtl_nesting_set set, size_t index, uint64_t time_ns, bool on)
{
    struct tagging *tagging = (struct tagging *)context;
    size_t tag;
    if (set != WTL_SET_OPEN)
        return 0;
    int rc = catch_up(tagging, time_ns);
    rc = rc < 0 ? rc : look_up(tagging, index, &tag);
    if (rc < 0 || tag == SIZE_MAX)
        return rc;
    uint8_t bit = (uint8_t)(1u << tag % 8);
    if (on)
        tagging->open[tag / 8] |= bit;
    else
        tagging->open[tag / 8] &= (uint8_t)~bit;
    return 0;
}

static int feed_marks(struct tagging *tagging, struct wattle_error *err)
{
    struct wtl_trace_marks *marks = NULL;
    struct wtl_mark mark;
    int rc = wtl_trace_marks_open(tagging->pass->reader, WTL_ALL_THREADS, &marks, err);
    while (rc >= 0 && (rc = wtl_trace_marks_next(marks, &mark, err)) > 0)
        rc = mark.kind == WTL_MARK_EVENT ? 0 : wtl_nesting_mark(tagging->nesting, &mark);
    wtl_trace_marks_close(marks);
    rc = rc < 0 ? rc : catch_up(tagging, UINT64_MAX);
    return rc < 0 ? rc : flush_stream(&tagging->stream);
}

static int read_marks(struct pass *pass, int fd, uint64_t offset, struct wattle_error *err)
{
    const struct wtl_run_cells *cells = pass->cells;
    struct tagging tagging = {.pass = pass,
                              .step = pass->place->first,
                              .last_step = pass->place->first + pass->place->count};
    int rc = wtl_trace_reader_tables(pass->reader, err);
    if (rc < 0)
        return rc;
    tagging.open = calloc(cells->tag_bytes + 1, 1);
    tagging.nesting = wtl_nesting_create(0, UINT64_MAX, on_set, &tagging);
    rc = open_stream(&tagging.stream, fd, offset, BUFFER * sizeof(double) + cells->tag_bytes);
    if (!tagging.open || !tagging.nesting)
        rc = -ENOMEM;
    rc = rc < 0 ? rc : feed_marks(&tagging, err);
    wtl_nesting_destroy(tagging.nesting);
    free(tagging.stream.bytes);
    free(tagging.open);
    free(tagging.tag_of);
    return rc;
}

/* ---- a node ---- */

static int run_pass(struct pass *pass,
                    const struct wtl_run_node *node,
                    int fd,
                    uint64_t *offset,
                    struct wattle_error *err)
{
    struct wtl_run_cells_node *place = pass->place;
    int rc = wtl_run_result_read(pass->reader, node->path, &pass->result, err);
    rc = rc < 0 ? rc : choose(pass);
    rc = rc < 0 ? rc : sort_gaps(pass, err);
    rc = rc < 0 ? rc : open_lanes(pass, fd, *offset);
    rc = rc < 0 ? rc : read_samples(pass, err);
    uint64_t bits = *offset + place->channels * place->count * sizeof(double);
    place->tagged = pass->cells->tag_count > 0 && node->row->region_count > 0;
    if (rc == 0 && place->tagged)
        rc = read_marks(pass, fd, bits, err);
    place->offset = *offset;
    if (rc == 0)
        *offset = bits + (place->tagged ? place->count * pass->cells->tag_bytes : 0);
    return rc;
}

int wtl_run_cells_write(const struct wtl_run_cells *cells,
                        size_t i,
                        int fd,
                        uint64_t *offset,
                        struct wtl_run_cells_node *ret_place,
                        struct wattle_error *err)
{
    const struct wtl_run_node *node = wtl_run_node(cells->run, i);
    struct wattle_error why = {""};
    struct pass pass = {.cells = cells,
                        .place = ret_place,
                        .result = wtl_result_unknown(),
                        .steps = {.grid = &cells->grid,
                                  .clock = &node->clock,
                                  .begin_ns = node->row->begin_ns,
                                  .end_ns = node->row->end_ns}};
    *ret_place = (struct wtl_run_cells_node){0};
    wtl_run_grid_steps(&cells->grid, node, &ret_place->first, &ret_place->count);
    int rc = wtl_run_node_open(cells->run, i, &pass.reader, &why);
    rc = rc < 0 ? rc : run_pass(&pass, node, fd, offset, &why);
    for (uint32_t c = 0; pass.lanes && c < ret_place->channels; c++)
        free(pass.lanes[c].stream.bytes);
    free(pass.lanes);
    free(pass.ids);
    free(pass.gaps);
    wtl_result_fini(&pass.result);
    wtl_trace_reader_close(pass.reader);
    if (rc < 0) {
        wtl_run_cells_node_fini(ret_place);
        return wtl_fail(err, rc, "cannot read the samples of %s: %s", node->name,
                        why.text[0] ? why.text : wtl_strerror(rc));
    }
    return 0;
}
