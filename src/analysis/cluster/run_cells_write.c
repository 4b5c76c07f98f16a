/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the cells of a node from its trace: see run_cells.h. One pass over the samples, and one over
 * the marks, which follows the samples of each channel by itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run_cells.h"
#include "analysis/cluster/run_result.h"
#include "analysis/power/spans.h"
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

static int write_bytes(struct stream *stream, const void *bytes, size_t n)
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
    int rc = write_bytes(&lane->stream, &power, sizeof power);
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

static int add_sample(struct lane *lane,
                      const struct steps *steps,
                      uint64_t time_ns,
                      uint64_t value)
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
                rc = add_sample(lane, &pass->steps, chunk->time_ns[r], column->values[r]);
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

/* ---- energy up to a time ---- */

/* A channel from the begin of the window on. */
struct meter {
    struct wtl_spans spans;
    uint32_t id;
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    const struct wtl_trace_column *column; /* of the chunk */
    size_t row;
    struct wtl_rate_span span;
    uint64_t at_ns, known_ns; /* known_ns: until there, without gaps */
    double sum_j;
};

static int open_meter(struct meter *meter,
                      struct wtl_trace_reader *reader,
                      const struct lane *lane,
                      uint64_t begin_ns,
                      struct wattle_error *err)
{
    *meter = (struct meter){.spans = {.channel = lane->spans.channel,
                                      .gaps = lane->spans.gaps,
                                      .gap_count = lane->spans.gap_count},
                            .id = lane->id,
                            .at_ns = begin_ns};
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = &meter->id, .channel_count = 1, .no_edges = true};
    return wtl_trace_samples_open(reader, &range, &meter->samples, err);
}

/* 1: the next span; 0: there is none. */
static int next_span(struct meter *meter, struct wattle_error *err)
{
    for (;;) {
        while (meter->column && meter->row < meter->chunk.rows) {
            size_t r = meter->row++;
            bool missing = meter->column->missing && meter->column->missing[r];
            if (!missing && wtl_spans_take(&meter->spans, meter->chunk.time_ns[r],
                                           meter->column->values[r], &meter->span))
                return 1;
        }
        int rc = wtl_trace_samples_next(meter->samples, &meter->chunk, err);
        if (rc <= 0)
            return rc;
        meter->row = 0;
        meter->column = NULL;
        for (size_t i = 0; i < meter->chunk.column_count; i++)
            if (meter->chunk.columns[i].channel == meter->id)
                meter->column = &meter->chunk.columns[i];
    }
}

static int advance_meter(struct meter *meter, uint64_t time_ns, struct wattle_error *err)
{
    int rc = 1;
    while (rc > 0 && meter->at_ns < time_ns) {
        const struct wtl_rate_span *span = &meter->span;
        uint64_t from_ns = span->begin_ns > meter->at_ns ? span->begin_ns : meter->at_ns;
        uint64_t to_ns = span->end_ns < time_ns ? span->end_ns : time_ns;
        if (to_ns > from_ns && !isnan(span->rate)) {
            meter->sum_j += span->rate * (double)(to_ns - from_ns) * 1e-9;
            meter->known_ns += to_ns - from_ns;
        }
        if (to_ns > meter->at_ns)
            meter->at_ns = to_ns;
        if (meter->at_ns < time_ns)
            rc = next_span(meter, err);
    }
    meter->at_ns = time_ns;
    return rc < 0 ? rc : 0;
}

/* ---- regions ---- */

/* A region in the present step, or what is outside of all. */
struct tag {
    bool on, listed;
    uint64_t since_ns, on_ns; /* within the step */
};

/* What a channel counted while a tag was on. */
struct tag_sum {
    double j;
    uint64_t known_ns;
};

struct tagging {
    const struct pass *pass;
    struct wattle_error *err;
    struct wtl_nesting *nesting;
    struct stream bits, parts;
    uint64_t step, last_step, begin_ns, end_ns; /* the present step and its limits */
    uint8_t *full;                              /* [tag_bytes]: tags that are on all the time */
    struct tag *tags;                           /* [tag_count + 1], the last one: outside */
    struct tag_sum *sums;                       /* [tag_count + 1][channels] */
    size_t *listed, listed_count;               /* tags that are, or were, on in the step */
    struct meter *meters;                       /* [channels] */
    uint32_t *tag_of; /* by index in the nesting: tag number + 1; 0 = not looked up yet */
    size_t known;
};

static int compare_tag(const void *key, const void *item)
{
    return strcmp((const char *)key, *(const char *const *)item);
}

static void begin_step(struct tagging *tagging)
{
    tagging->begin_ns = step_begin(&tagging->pass->steps, tagging->step);
    tagging->end_ns = step_begin(&tagging->pass->steps, tagging->step + 1);
}

static int advance_meters(struct tagging *tagging, uint64_t time_ns)
{
    int rc = 0;
    for (uint32_t c = 0; rc == 0 && c < tagging->pass->place->channels; c++)
        rc = advance_meter(&tagging->meters[c], time_ns, tagging->err);
    return rc;
}

/* The meters are at time_ns. */
static void switch_tag(struct tagging *tagging, size_t number, uint64_t time_ns, bool on)
{
    struct tag *tag = &tagging->tags[number];
    uint32_t channels = tagging->pass->place->channels;
    if (tag->on == on)
        return;
    for (uint32_t c = 0; c < channels; c++) {
        struct tag_sum *sum = &tagging->sums[number * channels + c];
        const struct meter *meter = &tagging->meters[c];
        sum->j += on ? -meter->sum_j : meter->sum_j;
        sum->known_ns += on ? -meter->known_ns : meter->known_ns;
    }
    tag->on_ns += on ? 0 : time_ns - tag->since_ns;
    tag->since_ns = time_ns;
    tag->on = on;
    if (!tag->listed)
        tagging->listed[tagging->listed_count++] = number;
    tag->listed = true;
}

static int put_part(struct tagging *tagging, size_t number)
{
    uint32_t channels = tagging->pass->place->channels;
    uint64_t on_ns = tagging->tags[number].on_ns;
    const struct wtl_run_piece_record record = {
        .step = tagging->step, .tag = number, .seconds = (double)on_ns * 1e-9};
    int rc = write_bytes(&tagging->parts, &record, sizeof record);
    for (uint32_t c = 0; rc == 0 && c < channels; c++) {
        const struct tag_sum *sum = &tagging->sums[number * channels + c];
        bool known = sum->known_ns > 0 && 2 * sum->known_ns >= on_ns;
        double power_w = known ? sum->j / ((double)sum->known_ns * 1e-9) : NAN;
        rc = write_bytes(&tagging->parts, &power_w, sizeof power_w);
    }
    tagging->pass->place->parts++;
    return rc;
}

/* The end of a tag's step: it is in the step's row, or has a part of it. */
static int end_tag(struct tagging *tagging, size_t number)
{
    struct tag *tag = &tagging->tags[number];
    size_t channels = tagging->pass->place->channels;
    bool all = tag->on_ns == tagging->end_ns - tagging->begin_ns;
    int rc = 0;
    if (tag->on_ns > 0 && !all)
        rc = put_part(tagging, number);
    else if (tag->on_ns > 0 && number < tagging->pass->cells->tag_count)
        tagging->full[number / 8] |= (uint8_t)(1u << number % 8);
    tag->on_ns = 0;
    memset(&tagging->sums[number * channels], 0, channels * sizeof *tagging->sums);
    return rc;
}

static int end_step(struct tagging *tagging)
{
    size_t bytes = tagging->pass->cells->tag_bytes, kept = 0;
    int rc = advance_meters(tagging, tagging->end_ns);
    memset(tagging->full, 0, bytes);
    for (size_t i = 0; rc == 0 && i < tagging->listed_count; i++) {
        size_t number = tagging->listed[i];
        bool was_on = tagging->tags[number].on;
        switch_tag(tagging, number, tagging->end_ns, false);
        rc = end_tag(tagging, number);
        tagging->tags[number].listed = was_on;
        if (was_on) {
            switch_tag(tagging, number, tagging->end_ns, true);
            tagging->listed[kept++] = number;
        }
    }
    tagging->listed_count = kept;
    tagging->step++;
    begin_step(tagging);
    return rc < 0 ? rc : write_bytes(&tagging->bits, tagging->full, bytes);
}

/* Write the steps that end by then. */
static int catch_up(struct tagging *tagging, uint64_t time_ns)
{
    int rc = 0;
    while (rc == 0 && tagging->step < tagging->last_step && tagging->end_ns <= time_ns)
        rc = end_step(tagging);
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
    const struct steps *steps = &tagging->pass->steps;
    size_t number = tagging->pass->cells->tag_count;
    if (set == WTL_SET_INNERMOST)
        return 0;
    time_ns = time_ns < steps->begin_ns ? steps->begin_ns : time_ns;
    time_ns = time_ns > steps->end_ns ? steps->end_ns : time_ns;
    int rc = catch_up(tagging, time_ns);
    if (rc == 0 && set == WTL_SET_OPEN)
        rc = look_up(tagging, index, &number);
    if (rc < 0 || number == SIZE_MAX)
        return rc;
    rc = advance_meters(tagging, time_ns);
    if (rc == 0)
        switch_tag(tagging, number, time_ns, set == WTL_SET_TAGGED ? !on : on);
    return rc;
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
    rc = rc < 0 ? rc : flush_stream(&tagging->bits);
    return rc < 0 ? rc : flush_stream(&tagging->parts);
}

static int open_tagging(struct tagging *tagging, int fd, uint64_t offset)
{
    const struct pass *pass = tagging->pass;
    size_t tags = pass->cells->tag_count + 1, bytes = pass->cells->tag_bytes;
    uint32_t channels = pass->place->channels;
    tagging->full = calloc(bytes + 1, 1);
    tagging->tags = calloc(tags, sizeof *tagging->tags);
    tagging->sums = calloc(tags * (channels + 1), sizeof *tagging->sums);
    tagging->listed = calloc(tags, sizeof *tagging->listed);
    tagging->meters = calloc(channels + 1, sizeof *tagging->meters);
    tagging->nesting = wtl_nesting_create(0, UINT64_MAX, on_set, tagging);
    int rc = open_stream(&tagging->bits, fd, offset, BUFFER * sizeof(double) + bytes);
    if (rc == 0)
        rc = open_stream(&tagging->parts, fd, offset + pass->place->count * bytes,
                         BUFFER * sizeof(double) + sizeof(struct wtl_run_piece_record));
    if (!tagging->full || !tagging->tags || !tagging->sums || !tagging->listed ||
        !tagging->meters || !tagging->nesting)
        rc = -ENOMEM;
    for (uint32_t c = 0; rc == 0 && c < channels; c++)
        rc = open_meter(&tagging->meters[c], pass->reader, &pass->lanes[c], pass->steps.begin_ns,
                        tagging->err);
    return rc;
}

static void close_tagging(struct tagging *tagging)
{
    for (uint32_t c = 0; tagging->meters && c < tagging->pass->place->channels; c++)
        wtl_trace_samples_close(tagging->meters[c].samples);
    wtl_nesting_destroy(tagging->nesting);
    free(tagging->bits.bytes);
    free(tagging->parts.bytes);
    free(tagging->full);
    free(tagging->tags);
    free(tagging->sums);
    free(tagging->listed);
    free(tagging->meters);
    free(tagging->tag_of);
}

static int read_marks(struct pass *pass, int fd, uint64_t offset, struct wattle_error *err)
{
    struct tagging tagging = {.pass = pass,
                              .err = err,
                              .step = pass->place->first,
                              .last_step = pass->place->first + pass->place->count};
    int rc = wtl_trace_reader_tables(pass->reader, err);
    if (rc < 0)
        return rc;
    begin_step(&tagging);
    rc = open_tagging(&tagging, fd, offset);
    if (rc == 0) {
        switch_tag(&tagging, pass->cells->tag_count, tagging.begin_ns, true);
        rc = feed_marks(&tagging, err);
    }
    close_tagging(&tagging);
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
        *offset = bits;
    if (rc == 0 && place->tagged)
        *offset +=
            place->count * pass->cells->tag_bytes +
            place->parts * (sizeof(struct wtl_run_piece_record) + place->channels * sizeof(double));
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
