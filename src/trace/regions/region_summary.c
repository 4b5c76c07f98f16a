/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Region summaries of a file: its marks in time order, its samples and gaps in block order, added in
 * parallel. Used by repair and by the reader of a file without footer; also by a writer that could not keep
 * up with the marks of a run (region_live.h).
 */
#define _GNU_SOURCE
#include "trace/regions/region_summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/whole.h"
#include "model/reading.h"
#include "trace/reader_state.h"

struct pass {
    struct wtl_trace_reader *reader;
    struct wtl_region_feed *feed;
    uint32_t *ids; /* the channels of the feed */
    struct wtl_trace_samples *samples;
    struct wtl_trace_marks *marks;
    struct wtl_trace_chunk chunk;
    size_t row;
};

/* Add one row: 1, 0 without one, or -errno. */
static int feed_row(struct pass *pass, struct wattle_error *err)
{
    const struct wtl_trace_chunk *chunk = &pass->chunk;
    if (pass->row == chunk->rows) {
        int more = wtl_trace_samples_next(pass->samples, &pass->chunk, err);
        if (more <= 0)
            return more;
        pass->row = 0;
    }
    size_t r = pass->row++;
    int code = 0;
    for (size_t c = 0; c < chunk->column_count && code == 0; c++) {
        const struct wtl_trace_column *column = &chunk->columns[c];
        if (!column->missing || !column->missing[r])
            code = wtl_region_feed_sample(pass->feed, column->channel, chunk->time_ns[r],
                                          column->values[r], chunk->flags & WTL_GROUP_EDGE);
    }
    if (code == 0)
        code = wtl_region_energy_advance(pass->feed->energy);
    return code < 0 ? code : 1;
}

static int feed_all(struct pass *pass, struct wattle_error *err)
{
    struct wtl_region_energy *energy = pass->feed->energy;
    bool more_marks = true, more_rows = true;
    int code = 0;
    while ((more_marks || more_rows) && code >= 0) {
        if (more_rows && (!more_marks || wtl_region_energy_wants_sample(energy))) {
            code = feed_row(pass, err);
            more_rows = code > 0;
        } else {
            struct wtl_mark mark;
            code = wtl_trace_marks_next(pass->marks, &mark, err);
            more_marks = code > 0;
            if (code > 0)
                code = wtl_region_energy_mark(energy, &mark);
            else
                wtl_region_energy_marked(energy, UINT64_MAX);
            if (code == 0)
                code = wtl_region_energy_advance(energy);
        }
    }
    return code < 0 ? code : 0;
}

static int compare_gaps(const void *a, const void *b)
{
    const struct wtl_gap *x = *(const struct wtl_gap *const *)a;
    const struct wtl_gap *y = *(const struct wtl_gap *const *)b;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Add all gaps of the file, ordered by their ends: those of damaged blocks were found last. */
static int feed_gaps(struct pass *pass, struct wattle_error *err)
{
    const struct wtl_gap *gaps;
    int count = wtl_trace_reader_gaps(pass->reader, &gaps, err);
    if (count <= 0)
        return count;
    const struct wtl_gap **sorted = malloc((size_t)count * sizeof(struct wtl_gap *));
    if (!sorted)
        return -ENOMEM;
    for (int i = 0; i < count; i++)
        sorted[i] = &gaps[i];
    wtl_sort(sorted, (size_t)count, sizeof(struct wtl_gap *), compare_gaps);
    int code = 0;
    for (int i = 0; i < count && code == 0; i++)
        code = wtl_region_feed_gap(pass->feed, sorted[i]);
    free(sorted);
    return code;
}

/* Add the gaps, and prepare reading the samples. */
static int begin_pass(struct pass *pass, struct wattle_error *err)
{
    struct wtl_trace_reader *reader = pass->reader;
    struct wtl_trace_range range = {.end_ns = UINT64_MAX};
    pass->ids = malloc((reader->tables.channels.count + 1) * sizeof *pass->ids);
    if (!pass->ids)
        return -ENOMEM;
    for (uint32_t i = 0; i < reader->tables.channels.count; i++) {
        if (i < pass->feed->table_count && pass->feed->numbers[i] != UINT32_MAX)
            pass->ids[range.channel_count++] = i;
    }
    range.channels = pass->ids;
    int code = feed_gaps(pass, err);
    return code < 0 ? code : wtl_trace_samples_open(reader, &range, &pass->samples, err);
}

static void end_pass(struct pass *pass)
{
    wtl_trace_marks_close(pass->marks);
    wtl_trace_samples_close(pass->samples);
    free(pass->ids);
}

static const char *name_of(const void *context, uint32_t number)
{
    return wtl_trace_reader_string((const struct wtl_trace_reader *)context, number);
}

int wtl_region_summaries(struct wtl_trace_reader *reader,
                         struct wtl_footer_regions *ret_table,
                         struct wattle_error *err)
{
    return wtl_region_sensor(reader, NULL, ret_table, err);
}

int wtl_region_sensor(struct wtl_trace_reader *reader,
                      const char *sensor,
                      struct wtl_footer_regions *ret_table,
                      struct wattle_error *err)
{
    const uint64_t types = (uint64_t)1 << WTL_BLOCK_REGIONS | (uint64_t)1 << WTL_BLOCK_EVENTS;
    struct wtl_footer_regions table = {0};
    struct wtl_region_feed feed = {0};
    struct pass pass = {.reader = reader, .feed = &feed};
    uint64_t start_ns, end_ns, first_ns = UINT64_MAX, last_ns = 0;
    int code = 0;
    if (reader->types & types) {
        code = wtl_trace_reader_tables(reader, err);
        (void)wtl_trace_reader_span(reader, &first_ns, &last_ns); /* there may be no samples */
        wtl_region_window(&reader->tables.window, first_ns, last_ns, wtl_trace_reader_index(reader),
                          &start_ns, &end_ns);
        if (code == 0)
            code = wtl_region_feed_init_of(&feed, &reader->tables, sensor, start_ns, end_ns);
        if (code == 0)
            code = begin_pass(&pass, err);
        if (code == 0)
            code = wtl_trace_marks_open(reader, WTL_ALL_THREADS, &pass.marks, err);
        if (code == 0)
            code = feed_all(&pass, err);
        if (code == 0)
            code = wtl_region_feed_finish(&feed, name_of, reader, &table);
        end_pass(&pass);
        wtl_region_feed_fini(&feed);
    }
    if (code < 0) {
        wtl_footer_regions_fini(&table);
        return code == -EOVERFLOW
                   ? wtl_trace_reader_fail(reader->path, code, err)
                   : wtl_fail(err, code, "%s: regions: %s", reader->path, wtl_strerror(code));
    }
    *ret_table = table;
    return 0;
}

/* A reader of the same file, up to an offset. */
static int attach(int fd, uint64_t end, struct wtl_trace_reader **ret_reader)
{
    *ret_reader = NULL;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return -errno;
    return wtl_trace_reader_attach(own, "trace", end, ret_reader, NULL);
}

int wtl_region_summaries_of(int fd, uint64_t end, struct wtl_footer_regions *ret_table)
{
    struct wtl_trace_reader *reader;
    int code = attach(fd, end, &reader);
    if (!reader)
        return code;
    code = wtl_region_summaries(reader, ret_table, NULL);
    wtl_trace_reader_close(reader);
    return code;
}

int wtl_region_feed_file(struct wtl_region_feed *feed, int fd, uint64_t end)
{
    struct pass pass = {.feed = feed};
    int code = attach(fd, end, &pass.reader);
    if (!pass.reader)
        return code;
    code = begin_pass(&pass, NULL);
    while (code >= 0 && (code = feed_row(&pass, NULL)) > 0)
        ;
    end_pass(&pass);
    wtl_trace_reader_close(pass.reader);
    return code;
}
