/* SPDX-License-Identifier: BSD-3-Clause */
/* A known trace in rows: sums as in the summary, a last row that ends with the window, gaps, limits. */
#define _GNU_SOURCE
#include "analysis/power/node_rows.h"

#include <errno.h>
#include <math.h>

#include "sample_trace.h"
#include "tap.h"

static struct wtl_trace_reader *reader;

static int read_rows(uint64_t end_ns, uint64_t step_ns, struct wtl_node_rows *ret_rows)
{
    const uint32_t id = 0;
    return wtl_node_rows_read(reader, &id, 1, 101 * SAMPLE_SECOND, end_ns, step_ns, ret_rows, NULL);
}

static void test_sums(void)
{
    struct wtl_node_rows rows;
    struct wtl_summary summary;
    double joules = 0, seconds = 0;
    (void)wtl_trace_reader_summary(reader, 0, &summary, NULL);
    is_int(read_rows(111 * SAMPLE_SECOND, 3 * SAMPLE_SECOND, &rows), 0, "steps of 3 s");
    is_int(rows.count, 4, "10 s are three steps and a rest");
    for (size_t k = 0; k < rows.count; k++) {
        joules += rows.amount[k];
        seconds += rows.known_s[k];
    }
    ok(fabs(joules - summary.amount) < 1e-9, "they add up to the summary: %.6f", joules);
    ok(fabs(seconds - 10) < 1e-9 && fabs(rows.known_s[3] - 1) < 1e-9,
       "a counter's energy over a failed read is known");
    ok(fabs(rows.amount[0] - 150) < 0.01 && fabs(rows.amount[3] - 50) < 0.01, "50 W each");
    is_int(wtl_node_rows_end(&rows, 3), 111 * SAMPLE_SECOND, "the last ends with the window");
    wtl_node_rows_fini(&rows);
}

/* A temperature every second from 100.5 s to 111.5 s: nothing is known before the first sample or after the last, and
 * with a channel that the trace lacks nothing at all. */
static void test_several(void)
{
    struct wtl_node_rows rows;
    const uint32_t both[] = {0, 1}, absent[] = {0, 99}, heat[] = {1};
    is_int(wtl_node_rows_read(reader, heat, 1, 99 * SAMPLE_SECOND, 113 * SAMPLE_SECOND,
                              SAMPLE_SECOND, &rows, NULL),
           0, "a gauge beyond its samples");
    ok(rows.count == 14 && rows.known_s[0] == 0 && fabs(rows.known_s[1] - 0.5) < 1e-9 &&
           fabs(rows.known_s[12] - 0.5) < 1e-9 && rows.known_s[13] == 0,
       "known from its first sample to its last");
    wtl_node_rows_fini(&rows);
    is_int(wtl_node_rows_read(reader, both, 2, 101 * SAMPLE_SECOND, 111 * SAMPLE_SECOND,
                              SAMPLE_SECOND, &rows, NULL),
           0, "two channels");
    ok(fabs(rows.amount[3] - 50 - 40.375) < 0.2, "their sum: %.3f", rows.amount[3]);
    wtl_node_rows_fini(&rows);
    is_int(wtl_node_rows_read(reader, absent, 2, 101 * SAMPLE_SECOND, 111 * SAMPLE_SECOND,
                              SAMPLE_SECOND, &rows, NULL),
           0, "a channel that is not there");
    ok(rows.count == 10 && rows.known_s[0] == 0 && rows.amount[0] == 0, "leaves the sum unknown");
    wtl_node_rows_fini(&rows);
}

/* Samples end at 112 s. In a run that lasts longer, as one that was killed may, the rest is unknown, not 0. */
static void test_beyond(void)
{
    struct wtl_node_rows rows;
    is_int(read_rows(115 * SAMPLE_SECOND, SAMPLE_SECOND, &rows), 0, "a counter beyond its samples");
    ok(fabs(rows.amount[10] - 50) < 0.05 && fabs(rows.known_s[10] - 1) < 1e-3, /* its last tick */
       "known to the last one: %.3f J", rows.amount[10]);
    ok(rows.known_s[11] == 0 && rows.known_s[13] == 0, "then not: %.3f s", rows.known_s[13]);
    wtl_node_rows_fini(&rows);
}

static void test_limits(void)
{
    struct wtl_node_rows rows;
    is_int(read_rows(UINT64_MAX, 1000000, &rows), -ERANGE, "too many rows");
    is_int(read_rows(101 * SAMPLE_SECOND, SAMPLE_SECOND, &rows), 0, "an empty window");
    is_int(rows.count, 0, "has no rows");
    wtl_node_rows_fini(&rows);
    is_int(read_rows(100 * SAMPLE_SECOND, SAMPLE_SECOND, &rows), 0, "one that ends too early");
    is_int(rows.count, 0, "has no rows");
    wtl_node_rows_fini(&rows);
}

int main(void)
{
    char path[] = "node_rows.wtl";
    if (sample_trace(path, SAMPLE_WHOLE) < 0 || wtl_trace_reader_open(path, &reader, NULL) < 0)
        skip_all("cannot write a trace here");
    test_sums();
    test_several();
    test_beyond();
    test_limits();
    wtl_trace_reader_close(reader);
    (void)unlink(path);
    return done_testing();
}
