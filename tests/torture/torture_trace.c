/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace written and read without memory: a writer keeps its first error (if it lacks the memory to compress it stores
 * uncompressed: optional), a reader fails the call that needed the memory. */
#define _GNU_SOURCE
#include "../unit/trace/trace_fixture.h"
#include "analysis/cluster/run_result.h"
#include "torture.h"

static char path[64];

static const struct fixture whole = {.period_ns = 10000000,
                                     .rows = 250,
                                     .missing_every = 50,
                                     .regions = true};
static const struct fixture broken = {.period_ns = 10000000,
                                      .rows = 250,
                                      .regions = true,
                                      .abandon = true};

static int run_write(const struct torture_case *self)
{
    int rc = fixture_write(path, self->context);
    (void)unlink(path);
    return rc;
}

static int read_samples(struct wtl_trace_reader *reader)
{
    const struct wtl_trace_range range = {.end_ns = UINT64_MAX};
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    int rc = wtl_trace_samples_open(reader, &range, &samples, NULL);
    if (rc < 0)
        return rc;
    while ((rc = wtl_trace_samples_next(samples, &chunk, NULL)) > 0)
        ;
    wtl_trace_samples_close(samples);
    return rc;
}

static int read_marks(struct wtl_trace_reader *reader)
{
    struct wtl_trace_marks *marks;
    struct wtl_mark mark;
    int rc = wtl_trace_marks_open(reader, WTL_ALL_THREADS, &marks, NULL);
    if (rc < 0)
        return rc;
    while ((rc = wtl_trace_marks_next(marks, &mark, NULL)) > 0)
        ;
    wtl_trace_marks_close(marks);
    return rc;
}

static int read_summaries(struct wtl_trace_reader *reader)
{
    const struct wtl_region_summary *regions;
    const struct wtl_gap *gaps;
    struct wtl_summary summary;
    int rc = wtl_trace_reader_tables(reader, NULL);
    rc = rc < 0 ? rc : wtl_trace_reader_summary(reader, 0, &summary, NULL);
    rc = rc < 0 ? rc : wtl_trace_reader_gaps(reader, &gaps, NULL);
    return rc < 0 ? rc : wtl_trace_reader_regions(reader, &regions, NULL);
}

static int read_power(struct wtl_trace_reader *reader)
{
    const struct wtl_trace_range range = {.end_ns = UINT64_MAX};
    struct wtl_power_point *points;
    int rc = wtl_trace_reader_power(reader, 0, &range, 10, &points, NULL, NULL);
    if (rc >= 0)
        free(points);
    return rc;
}

static int run_read(const struct torture_case *self)
{
    static int (*const parts[])(struct wtl_trace_reader *) = {read_samples, read_marks,
                                                              read_summaries, read_power};
    struct wtl_trace_reader *reader;
    torture_mark(&reader, sizeof reader);
    int rc = wtl_trace_reader_open(path, &reader, NULL);
    if (rc < 0) {
        torture_untouched(&reader, sizeof reader, self->name);
        return rc;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts && rc >= 0; i++)
        rc = parts[i](reader);
    wtl_trace_reader_close(reader);
    return rc < 0 ? rc : 0;
}

static int run_result(const struct torture_case *self)
{
    struct wtl_trace_reader *reader;
    struct wtl_result result;
    int rc = wtl_trace_reader_open(path, &reader, NULL);
    if (rc < 0)
        return rc;
    torture_mark(&result, sizeof result);
    rc = wtl_run_result_read(reader, path, &result, NULL);
    if (rc < 0)
        torture_untouched(&result, sizeof result, self->name);
    else
        wtl_result_fini(&result);
    wtl_trace_reader_close(reader);
    return rc;
}

int main(void)
{
    static const struct torture_case write_whole = {
        .name = "a trace is written", .run = run_write, .context = &whole, .optional = true};
    static const struct torture_case reads[] = {{.name = "a trace is read", .run = run_read},
                                                {.name = "its result is made", .run = run_result}};
    char folder[] = "/tmp/wattle-torture-XXXXXX";
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    (void)snprintf(path, sizeof path, "%s/t.wattle", folder);
    ok(torture_allocations(&write_whole), "%s without memory", write_whole.name);
    for (int live = 0; live < 2; live++) {
        (void)fixture_write(path, live ? &broken : &whole);
        for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
            ok(torture_allocations(&reads[i]), "%s without memory%s", reads[i].name,
               live ? ", from one that was broken off" : "");
    }
    (void)unlink(path);
    (void)rmdir(folder);
    return done_testing();
}
