/* SPDX-License-Identifier: BSD-3-Clause */
/* What processes reported in wattle's own events is metadata of the trace, whichever process writes
 * its end. */
#define _GNU_SOURCE
#include <unistd.h>

#include "trace/own_event.h"
#include "trace/reader.h"
#include "trace/repair.h"
#include "trace/writer.h"

#include "tap.h"

#define SECOND UINT64_C(1000000000)

static struct wtl_mark event(uint32_t thread, uint64_t time_ns, uint32_t type, uint64_t value)
{
    return (struct wtl_mark){
        .time_ns = time_ns, .thread = thread, .name = type, .value = value, .kind = WTL_MARK_EVENT};
}

/* Two processes of two threads each; the second measured many offsets. end: with a footer. */
static void write_trace(const char *path, size_t points, bool end)
{
    static const struct wtl_trace_options force = {.force = true};
    struct wtl_trace_writer *w;
    if (wtl_trace_writer_create(path, &force, &w, NULL) < 0)
        return;
    for (uint32_t p = 0; p < 2; p++) {
        struct wtl_trace_process process = {.pid = 10 + p, .rank = -1, .command = "app"};
        int id = wtl_trace_writer_process(w, &process);
        for (uint32_t t = 0; t < 2; t++) {
            struct wtl_trace_thread thread = {.process = (uint32_t)id, .tid = 100 + t, .name = ""};
            (void)wtl_trace_writer_thread(w, &thread);
        }
    }
    const struct wtl_mark first[] = {
        event(0, SECOND, WTL_EVENT_MPI_RANK, 6), event(2, SECOND, WTL_EVENT_MPI_RANK, 7),
        event(2, SECOND, WTL_EVENT_MPI_RANKS, 8), event(1, 2 * SECOND, WTL_EVENT_MPI_TIME_NS, 1),
        event(1, 3 * SECOND, 77, 5)};
    (void)wtl_trace_writer_marks(w, first, 5);
    for (uint64_t i = 0; i < points; i++) {
        uint64_t at = (4 + i) * SECOND;
        const struct wtl_mark sync[] = {event(2, at, WTL_EVENT_SYNC_OFFSET, (uint64_t)-1000 - i),
                                        event(2, at, WTL_EVENT_SYNC_ERROR, 50),
                                        event(2, at, WTL_EVENT_SYNC_REFERENCE, 0xabc)};
        (void)wtl_trace_writer_marks(w, sync, 3);
        if (i % 50 == 0)
            (void)wtl_trace_writer_flush(w);
    }
    const struct wtl_mark last[] = {event(1, 900 * SECOND, WTL_EVENT_MPI_TIME_NS, 12345),
                                    event(1, 900 * SECOND, WTL_EVENT_MPI_CALLS, 17)};
    (void)wtl_trace_writer_marks(w, last, 2);
    if (end) {
        (void)wtl_trace_writer_finish(w, NULL);
        return;
    }
    (void)wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
}

static void check(const char *path, size_t points, const char *what)
{
    struct wtl_trace_reader *r;
    char key[32];
    if (!is_int(wtl_trace_reader_open(path, &r, NULL), 0, "%s opens", what))
        return;
    is_str(wtl_trace_reader_meta(r, "mpi.ranks"), "8", "%s: ranks of the job", what);
    is_str(wtl_trace_reader_meta(r, "mpi.rank.6.process"), "0", "%s: a rank's process", what);
    is_str(wtl_trace_reader_meta(r, "mpi.rank.6.time_ns"), "12345",
           "%s: the last word of another thread", what);
    is_str(wtl_trace_reader_meta(r, "mpi.rank.6.calls"), "17", "%s: calls", what);
    is_str(wtl_trace_reader_meta(r, "mpi.rank.7.process"), "1", "%s: the other rank", what);
    ok(!wtl_trace_reader_meta(r, "mpi.rank.7.time_ns"), "%s: which said nothing of its time", what);
    is_str(wtl_trace_reader_meta(r, "sync.0.time_ns"), "4000000000", "%s: first point", what);
    is_str(wtl_trace_reader_meta(r, "sync.0.offset_ns"), "-1000", "%s: its offset", what);
    is_str(wtl_trace_reader_meta(r, "sync.0.error_ns"), "50", "%s: its error", what);
    is_str(wtl_trace_reader_meta(r, "sync.0.reference"), "0000000000000abc", "%s: against whom",
           what);
    size_t kept = points < 64 ? points : 64;
    char value[32];
    (void)snprintf(key, sizeof key, "sync.%zu.offset_ns", kept - 1);
    (void)snprintf(value, sizeof value, "%lld", -1000 - (long long)(points - 1));
    is_str(wtl_trace_reader_meta(r, key), value, "%s: last point", what);
    (void)snprintf(key, sizeof key, "sync.%zu.offset_ns", kept);
    ok(!wtl_trace_reader_meta(r, key), "%s: no more", what);
    wtl_trace_reader_close(r);
}

static void test_same(size_t points)
{
    struct wtl_trace_repair report;
    write_trace("own-whole.wtl", points, true);
    check("own-whole.wtl", points, "whole");
    write_trace("own-cut.wtl", points, false);
    is_int(wtl_trace_repair("own-cut.wtl", &report, NULL), 0, "repaired");
    check("own-cut.wtl", points, "repaired");
    /* Without only the footer, nothing is reported twice. */
    struct wtl_trace_reader *r;
    struct wtl_trace_reader_status before, after;
    if (wtl_trace_reader_open("own-whole.wtl", &r, NULL) < 0)
        return;
    wtl_trace_reader_status(r, &before);
    wtl_trace_reader_close(r);
    (void)truncate("own-whole.wtl", (off_t)before.bytes - 10);
    is_int(wtl_trace_repair("own-whole.wtl", &report, NULL), 0, "repaired again");
    if (wtl_trace_reader_open("own-whole.wtl", &r, NULL) < 0)
        return;
    wtl_trace_reader_status(r, &after);
    wtl_trace_reader_close(r);
    is_int((long long)after.bytes, (long long)before.bytes, "the same bytes as before");
    is_int((long long)after.blocks, (long long)before.blocks, "in as many blocks");
}

int main(void)
{
    test_same(2);
    test_same(200);
    return done_testing();
}
