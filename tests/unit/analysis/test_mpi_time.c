/* SPDX-License-Identifier: BSD-3-Clause */
/* 10 s at 50 W with two of four ranks on this node: 1 s and 4 s in MPI calls, in a trace that is
 * complete, cut off, or has them only as metadata. */
#include "analysis/regions/mpi_time.h"

#include <math.h>

#include "analysis/cluster/run_result.h"
#include "sample_trace.h"
#include "tap.h"
#include "trace/own_event.h"

enum { EVENTS = 1, METADATA = 2, CUT = 4 };

/* The process of rank 9 reports less at first, and more later: the last report counts. */
static void mpi_marks(struct wtl_trace_writer *w)
{
    static const uint64_t words[][3] = {{3, 1000000000, 10},
                                        {1, 4000000000, 40}}; /* rank, ns, calls */
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "MPI");
    for (uint32_t i = 0; i < 2; i++) {
        struct wtl_trace_process process = {.pid = 70 + i, .rank = -1, .command = "app"};
        int p = wtl_trace_writer_process(w, &process);
        struct wtl_trace_thread thread = {.process = (uint32_t)p, .tid = 70 + i, .name = ""};
        uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
        const struct wtl_mark marks[] = {
            {102 * SAMPLE_SECOND, words[i][0], t, WTL_EVENT_MPI_RANK, WTL_MARK_EVENT},
            {102 * SAMPLE_SECOND, 4, t, WTL_EVENT_MPI_RANKS, WTL_MARK_EVENT},
            {102 * SAMPLE_SECOND, 5, t, WTL_EVENT_MPI_TIME_NS, WTL_MARK_EVENT},
            {102 * SAMPLE_SECOND, 7, t, 123, WTL_MARK_EVENT}, /* the program's own */
            {103 * SAMPLE_SECOND, 0, t, name, WTL_MARK_BEGIN},
            {(104 + 3 * i) * SAMPLE_SECOND, 0, t, name, WTL_MARK_END},
            {110 * SAMPLE_SECOND, words[i][1], t, WTL_EVENT_MPI_TIME_NS, WTL_MARK_EVENT},
            {110 * SAMPLE_SECOND, words[i][2], t, WTL_EVENT_MPI_CALLS, WTL_MARK_EVENT}};
        (void)wtl_trace_writer_marks(w, marks, sizeof marks / sizeof *marks);
    }
}

static void mpi_metadata(struct wtl_trace_writer *w)
{
    static const char *const pairs[][2] = {
        {"mpi.ranks", "4"},          {"mpi.rank.3.time_ns", "1000000000"},
        {"mpi.rank.3.calls", "10"},  {"mpi.rank.1.time_ns", "4000000000"},
        {"mpi.rank.1.calls", "40"},  {"mpi.rank.x.calls", "40"},
        {"mpi.rank.-2.calls", "40"}, {"mpi.rank.99999999999.calls", "40"},
        {"mpi.rank.5", "40"},        {"mpi.rank.5.calls", "many"},
        {"mpi.rank.", "1"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        (void)wtl_trace_writer_meta(w, pairs[i][0], pairs[i][1]);
}

static void write_trace(const char *path, unsigned what)
{
    struct wtl_trace_options options = {.force = true};
    struct wattle_channel power = sample_power_channel();
    struct wtl_trace_writer *w;
    if (!is_int(wtl_trace_writer_create(path, &options, &w, NULL), 0, "%s", path))
        return;
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &power);
    uint32_t group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    (void)wtl_trace_writer_origin(w, id, 0);
    (void)wtl_trace_writer_window_begin(w, 101 * SAMPLE_SECOND);
    for (uint64_t i = 0; i <= 1200; i++) {
        uint64_t now = 100 * SAMPLE_SECOND + i * 10000000, ticks = i * 500;
        if (i == 1100)
            (void)wtl_trace_writer_window_end(w, 111 * SAMPLE_SECOND);
        (void)wtl_trace_writer_row(w, group, now, &ticks, NULL);
        (void)wtl_trace_writer_poll(w, now);
    }
    if (what & EVENTS)
        mpi_marks(w);
    if (what & METADATA)
        mpi_metadata(w);
    if (what & CUT) {
        (void)wtl_trace_writer_flush(w);
        wtl_trace_writer_abandon(w);
    } else {
        is_int(wtl_trace_writer_finish(w, NULL), 0, "is whole");
    }
}

static int read_trace(const char *path, struct wtl_mpi_time *mpi, double total_j)
{
    struct wtl_trace_reader *reader = NULL;
    struct wtl_result result;
    struct wattle_error err = {""};
    int rc = wtl_trace_reader_open(path, &reader, &err);
    rc = rc < 0 ? rc : wtl_run_result_read(reader, path, &result, &err);
    wtl_trace_reader_close(reader);
    if (!is_int(rc, 0, "read: %s", err.text))
        return rc;
    if (isnan(total_j))
        result.energy.j = NAN;
    rc = wtl_mpi_time_read(&result, mpi, &err);
    wtl_result_fini(&result);
    return rc;
}

static void test_ranks(const char *what, unsigned how)
{
    struct wtl_mpi_time mpi = {0};
    diag("%s", what);
    write_trace("mpi_time.wtl", how);
    if (!is_int(read_trace("mpi_time.wtl", &mpi, 0), 0, "MPI time is read") ||
        !is_int((int)mpi.count, 2, "two ranks are here") || !mpi.rows)
        return;
    is_int(mpi.ranks, 4, "of four");
    is_int(mpi.rows[0].rank, 1, "by their numbers");
    is_int(mpi.rows[1].rank, 3, "both");
    is_int(mpi.rows[0].calls, 40, "calls, the last word");
    is_double(mpi.rows[0].time_s, 4, 1e-9, "time");
    is_double(mpi.rows[0].share, 0.4, 1e-6, "share of 10 s");
    is_double(mpi.rows[1].share, 0.1, 1e-6, "and of the other");
    is_double(mpi.mean_share, 0.25, 1e-6, "mean");
    is_double(mpi.rows[0].energy_j, 100, 0.5, "half of 50 W for 4 s");
    is_double(mpi.rows[1].energy_j, 25, 0.5, "and for 1 s");
    if (how & EVENTS) {
        is_double(mpi.union_s, 4, 1e-6, "any rank in MPI");
        is_double(mpi.energy.j, 200, mpi.energy.half_j + 0.5, "50 W for 4 s");
    } else {
        ok(isnan(mpi.union_s) && isnan(mpi.energy.j), "without regions their energy is unknown");
    }
    wtl_mpi_time_fini(&mpi);
}

int main(void)
{
    struct wtl_mpi_time mpi = {0};
    test_ranks("events in a whole trace", EVENTS);
    test_ranks("events in one that was cut off", EVENTS | CUT);
    test_ranks("metadata", METADATA);
    write_trace("mpi_time.wtl", EVENTS);
    if (is_int(read_trace("mpi_time.wtl", &mpi, NAN), 0, "without a total")) {
        ok(mpi.count == 2 && mpi.rows && isnan(mpi.rows[0].energy_j) && mpi.rows[0].time_s > 3.99,
           "the ranks' energy is unknown, their time is not");
        wtl_mpi_time_fini(&mpi);
    }
    write_trace("mpi_time.wtl", 0);
    is_int(read_trace("mpi_time.wtl", &mpi, 0), 0, "a program without MPI");
    is_int((int)mpi.count, 0, "has no ranks");
    wtl_mpi_time_fini(&mpi);
    return done_testing();
}
