/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files that unpack to very much are refused before memory is allocated for it, with a
 * message. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "trace/regions/nesting.h"
#include "trace_fixture.h"

static const struct wtl_trace_options force = {.force = true};

enum { GAPS = 400000, BLOCKS = 40, MARKS = 65536 };

static struct wtl_trace_writer *begin(const char *path, uint32_t *ret_group)
{
    struct wtl_trace_writer *w;
    struct wattle_channel channel =
        fixture_channel("fake:package-0", WATTLE_COUNTER, WATTLE_ENERGY, 1e-6);
    wtl_trace_writer_create(path, &force, &w, NULL);
    uint32_t id = (uint32_t)wtl_trace_writer_channel(w, &channel);
    *ret_group = (uint32_t)wtl_trace_writer_group(w, &id, 1, 0);
    wtl_trace_writer_window_begin(w, START_NS);
    for (uint64_t i = 0; i < 10; i++) {
        uint64_t value = i * 1000;
        wtl_trace_writer_row(w, *ret_group, START_NS + i * 1000000, &value, NULL);
    }
    return w;
}

static void end(struct wtl_trace_writer *w, const char *path, size_t most)
{
    struct stat about = {.st_size = 0};
    wtl_trace_writer_flush(w);
    wtl_trace_writer_abandon(w);
    is_int(stat(path, &about), 0, "is written");
    ok((size_t)about.st_size < most, "in %lld bytes", (long long)about.st_size);
}

/* Each costs the file a third of a byte. */
static void test_gaps(void)
{
    uint32_t group;
    struct wattle_error err = {""};
    struct wtl_trace_reader *r = NULL;
    struct wtl_trace_writer *w = begin("many-gaps.wtl", &group);
    for (uint64_t i = 0; i < GAPS; i++) {
        struct wtl_gap gap = {
            .reason = WTL_GAP_READ_FAILED, .begin_ns = START_NS, .end_ns = START_NS + 1};
        wtl_trace_writer_gap(w, &gap);
    }
    end(w, "many-gaps.wtl", GAPS / 2);
    is_int(wtl_trace_reader_open("many-gaps.wtl", &r, &err), -EOVERFLOW, "refused");
    ok(strstr(err.text, "many-gaps.wtl: damaged or forged: unpacks to more"), "says why: %s",
       err.text);
    wtl_trace_reader_close(r);
}

/* Blocks of the same time must be open at the same time. */
static void test_marks(void)
{
    uint32_t group;
    struct wattle_error err = {""};
    struct wtl_trace_reader *r = NULL;
    const struct wtl_region_summary *regions;
    struct wtl_mark *marks = calloc(MARKS, sizeof *marks);
    struct wtl_trace_writer *w = begin("many-marks.wtl", &group);
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "x"};
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w, &process), .tid = 1, .name = ""};
    uint32_t t = (uint32_t)wtl_trace_writer_thread(w, &thread);
    uint32_t name = (uint32_t)wtl_trace_writer_string(w, "solve");
    for (size_t i = 0; i < MARKS; i++)
        marks[i] = (struct wtl_mark){
            .time_ns = START_NS, .thread = t, .name = name, .kind = WTL_MARK_BEGIN};
    for (int i = 0; i < BLOCKS; i++) {
        wtl_trace_writer_marks(w, marks, MARKS);
        wtl_trace_writer_flush(w);
    }
    end(w, "many-marks.wtl", 1 << 18);
    is_int(wtl_trace_reader_open("many-marks.wtl", &r, &err), 0, "opens");
    is_int(wtl_trace_reader_regions(r, &regions, &err), -EOVERFLOW, "its regions are refused");
    ok(strstr(err.text, "many-marks.wtl: damaged or forged: unpacks to more"), "says why: %s",
       err.text);
    wtl_trace_reader_close(r);
    free(marks);
}

/* The limit on names does not apply to event types, of which there may be any number. */
static void test_events(void)
{
    uint32_t group;
    struct wattle_error err = {""};
    struct wtl_trace_reader *r = NULL;
    struct wtl_trace_marks *marks = NULL;
    struct wtl_trace_writer *w = begin("wild-event.wtl", &group);
    struct wtl_trace_process process = {.pid = 1, .rank = -1, .command = "x"};
    struct wtl_trace_thread thread = {
        .process = (uint32_t)wtl_trace_writer_process(w, &process), .tid = 1, .name = ""};
    struct wtl_mark mark = {.time_ns = START_NS + 1, .name = UINT32_MAX, .kind = WTL_MARK_EVENT};
    mark.thread = (uint32_t)wtl_trace_writer_thread(w, &thread);
    wtl_trace_writer_marks(w, &mark, 1);
    end(w, "wild-event.wtl", 1 << 16);
    is_int(wtl_trace_reader_open("wild-event.wtl", &r, &err), 0, "opens");
    is_int(wtl_trace_marks_open(r, WTL_ALL_THREADS, &marks, &err), 0, "marks");
    is_int(wtl_trace_marks_next(marks, &mark, &err), 1, "the event is there %s", err.text);
    ok(mark.name == UINT32_MAX, "with its type");
    wtl_trace_marks_close(marks);
    wtl_trace_reader_close(r);
}

/* Stacks of all threads together. */
static void test_stacks(void)
{
    struct wtl_nesting *nesting = wtl_nesting_create(0, UINT64_MAX, NULL, NULL);
    const uint32_t threads = 2 * WTL_NESTING_OPEN / 4096;
    int rc = 0;
    for (uint32_t thread = 0; thread < threads; thread++)
        for (int i = 0; i < 4096 && rc == 0; i++) {
            const struct wtl_mark mark = {
                .time_ns = 1, .thread = thread, .name = 1, .kind = WTL_MARK_BEGIN};
            rc = wtl_nesting_mark(nesting, &mark);
        }
    is_int(rc, 0, "more than may be open");
    is_int(wtl_nesting_name(nesting, 0)->unbalanced, WTL_NESTING_OPEN,
           "half of it is counted only");
    wtl_nesting_destroy(nesting);
}

int main(void)
{
    test_gaps();
    test_marks();
    test_events();
    test_stacks();
    return done_testing();
}
