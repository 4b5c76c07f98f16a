/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches and a process's reports about itself: calls in this process, its spool read during and
 * after it. */
#define _GNU_SOURCE
#include <wattle/process.h>
#include <wattle/region.h>

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/regions/region_place.h"
#include "record/spool/spool_file.h"
#include "tap.h"
#include "trace/own_event.h"
#include "trace/spool/spool.h"

static char dir[64], path[128];

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&pause, &pause) < 0)
        ;
}

/* The content of the spool as letters: b, e, v; "?" if unreadable. */
static const char *letters(bool ended)
{
    static char text[64];
    struct wtl_spool *spool;
    struct wtl_spool_now now;
    bool has_now = wtl_spool_now_take(&now) == 0;
    size_t n = 0;

    if (wtl_spool_open(path, has_now ? &now : NULL, ended, &spool, NULL) < 0)
        return "?";
    for (size_t i = 0; i < wtl_spool_info(spool)->threads; i++) {
        struct wtl_spool_cursor cursor;
        struct wtl_mark mark;

        wtl_spool_cursor_init(&cursor, spool, i);
        while (wtl_spool_next(&cursor, &mark) > 0 && n < sizeof(text) - 1)
            text[n++] = "bevt"[mark.kind];
    }
    if (wtl_spool_info(spool)->ignored)
        text[n++] = '!';
    text[n] = '\0';
    wtl_spool_close(spool);
    return text;
}

static void start(const char *name)
{
    (void)snprintf(path, sizeof(path), "%s/%ld", dir, (long)getpid());
    diag("%s", name);
    is_int(wtl_region_record(dir), 0, "%s: recording", name);
}

static void stop(void)
{
    wtl_region_stop();
    (void)unlink(path);
}

/* The fate of a stretch follows from what its end returned, however slow this machine is. */
static void test_threshold(void)
{
    const uint64_t least_ns = 10000000;
    uint32_t id = wattle_region_id("wait");
    int kept = 0;

    start("threshold");
    wattle_stretch_least(least_ns);
    for (int i = 0; i < 20; i++) {
        struct wattle_stretch wait;

        wattle_stretch_begin(&wait, id);
        if (i == 10)
            pause_ms(15);
        uint64_t ns = wattle_stretch_ns(wattle_stretch_end(&wait));

        if (ns >= least_ns - least_ns / 100)
            kept++;
        if (i == 10)
            ok(ns >= 14900000, "a stretch of 15 ms lasted %llu ns", (unsigned long long)ns);
    }
    is_int((int)strlen(letters(true)), 2 * kept, "%d of 20 were long enough", kept);
    ok(kept >= 1, "one of them on purpose");
    stop();
}

static void test_nothing_left(void)
{
    uint32_t id = wattle_region_id("wait");
    int kept = 0;
    const int n = 300000;

    start("short ones");
    wattle_stretch_least(UINT64_MAX); /* the maximum, 50 ms */
    for (int i = 0; i < n; i++) {
        struct wattle_stretch wait;

        wattle_stretch_begin(&wait, id);
        kept += wattle_stretch_ns(wattle_stretch_end(&wait)) > 49000000;
    }
    ok(kept < n / 100 && strlen(letters(true)) <= 2 * (size_t)kept, "%d calls leave %d regions", n,
       kept);
    stop();
}

static void test_inside(void)
{
    uint32_t id = wattle_region_id("wait"), other = wattle_region_id("other");
    struct wattle_stretch wait, timed;

    start("regions inside");
    wattle_stretch_least(0);
    wattle_stretch_begin(&wait, id);
    (void)wattle_stretch_end(&wait);
    is_str(letters(true), "be", "with 0 all are regions");
    wattle_stretch_least(UINT64_MAX);
    wattle_stretch_begin(&wait, id);
    wattle_region_begin(other);
    wattle_region_end(other);
    (void)wattle_stretch_end(&wait);
    is_str(letters(true), "bebbee", "one with something inside cannot be taken back");
    wattle_stretch_begin(&timed, 0);
    ok(wattle_stretch_end(&timed) > 0, "a stretch without an id is timed");
    is_str(letters(true), "bebbee", "and leaves nothing");
    stop();
}

/*
 * A stretch whose chunk is gone, and the next chunk is mapped just above it: its begin is looked
 * for in neither. If the kernel places mappings differently, this shows nothing.
 */
static void test_chunk_below(void)
{
    uint32_t id = wattle_region_id("wait"), other = wattle_region_id("other");
    struct wattle_stretch wait;

    uint8_t *both = mmap(NULL, 2 * WTL_SPOOL_CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED)
        return;
    (void)munmap(both, WTL_SPOOL_CHUNK);
    start("a chunk below");
    wattle_stretch_least(UINT64_MAX);
    wattle_region_begin(other);
    (void)munmap(both + WTL_SPOOL_CHUNK, WTL_SPOOL_CHUNK);
    while (wtl_place.next + WTL_PLACE_RECORD < wtl_place.chunk_end)
        wattle_region_begin(other);
    wattle_stretch_begin(&wait, id);
    ok(wait.place + WTL_PLACE_RECORD == wtl_place.chunk_end, "a begin at the end of a chunk");
    wattle_region_begin(other);
    diag("the next chunk lies %s",
         wtl_place.chunk_end == wait.place + WTL_PLACE_RECORD + WTL_SPOOL_CHUNK ? "just above"
                                                                                : "elsewhere");
    ok(wattle_stretch_end(&wait) > 0, "its end in the next one");
    stop();
}

/* A live reader gets a begin when it can no longer be withdrawn, and not before. */
static void test_live(void)
{
    uint32_t id = wattle_region_id("wait");
    struct wattle_stretch wait;
    struct wtl_spool_now now;

    start("beside");
    wattle_stretch_least(0);
    wattle_region_begin(id);
    wattle_region_end(id);
    uint64_t before = wtl_spool_pair_take(false).monotonic_ns;

    wattle_stretch_begin(&wait, id);
    const char *early = letters(false);

    if (wtl_spool_pair_take(false).monotonic_ns - before < UINT64_C(2) * WTL_SPOOL_MAYBE_NS)
        is_str(early, "be", "a young begin is not told");
    else
        skip("this machine was away for 0.1 s");
    is_str(letters(true), "beb", "it is, of a process that has ended");
    pause_ms(130);
    if (wtl_spool_now_take(&now) == 0)
        is_str(letters(false), "beb", "an old one is told");
    else
        skip("without TSC readers know no time");
    (void)wattle_stretch_end(&wait);
    is_str(letters(false), "bebe", "its end, too");
    stop();
}

/* Marks of a child that is killed in the middle. */
static void test_killed(void)
{
    uint32_t id = wattle_region_id("wait");
    pid_t child = fork();

    if (child == 0) {
        struct wattle_stretch wait;

        if (wtl_region_record(dir) < 0)
            _exit(1);
        wattle_process_rank(3, 8);
        wattle_process_mpi(5, 700);
        wattle_stretch_begin(&wait, id);
        (void)raise(SIGKILL);
    }
    int status = 0;

    (void)waitpid(child, &status, 0);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a child was killed in a stretch");
    (void)snprintf(path, sizeof(path), "%s/%ld", dir, (long)child);
    is_str(letters(true), "vvvvb", "what it said is there, and where it was");
    (void)unlink(path);
}

static void check_events(const struct wtl_mark *expected, size_t n)
{
    struct wtl_spool *spool;
    struct wtl_spool_cursor cursor;
    struct wtl_mark mark;
    size_t i = 0;

    if (!ok(wtl_spool_open(path, NULL, true, &spool, NULL) == 0, "a spool"))
        return;
    wtl_spool_cursor_init(&cursor, spool, 0);
    for (; wtl_spool_next(&cursor, &mark) > 0; i++)
        ok(i < n && mark.kind == WTL_MARK_EVENT && mark.name == expected[i].name &&
               mark.value == expected[i].value,
           "event %zu: type %x, value %llu", i, mark.name, (unsigned long long)mark.value);
    is_int((int)i, (int)n, "events");
    wtl_spool_close(spool);
}

static void test_said(void)
{
    static const struct wtl_mark expected[] = {
        {.name = WTL_EVENT_MPI_RANK, .value = 2},
        {.name = WTL_EVENT_MPI_RANKS, .value = 4},
        {.name = WTL_EVENT_SYNC_OFFSET, .value = (uint64_t)INT64_C(-12345)},
        {.name = WTL_EVENT_SYNC_ERROR, .value = 67},
        {.name = WTL_EVENT_SYNC_REFERENCE, .value = 89},
        {.name = WTL_EVENT_MPI_TIME_NS, .value = 1000},
        {.name = WTL_EVENT_MPI_CALLS, .value = 10}};

    start("what a process says");
    wattle_process_rank(2, 4);
    wattle_process_rank(4, 4);
    wattle_process_rank(-1, 4);
    wattle_process_sync(-12345, 67, 89);
    wattle_process_mpi(10, 1000);
    check_events(expected, sizeof(expected) / sizeof(expected[0]));
    stop();
}

static void test_off(void)
{
    struct wattle_stretch wait;

    wattle_stretch_begin(&wait, wattle_region_id("wait"));
    is_int((int)wattle_stretch_end(&wait), 0, "off: 0 ticks");
    wattle_process_rank(0, 1);
    wattle_process_sync(1, 2, 3);
    wattle_process_mpi(1, 1);
    is_int(access(path, F_OK), -1, "off: no file");
    (void)setenv("WATTLE_NODE", "one", 1);
    uint64_t one = wattle_process_node();

    ok(one == wtl_hash_text("one"), "the node is what WATTLE_NODE says");
    (void)setenv("WATTLE_NODE", "", 1);
    ok(wattle_process_node() != one && wattle_process_node() == wattle_process_node(),
       "an empty one says nothing");
}

static volatile sig_atomic_t signals;
static uint32_t signal_id;

static void on_signal(int number)
{
    (void)number;
    wattle_region_begin(signal_id);
    wattle_region_end(signal_id);
    signals++;
}

/* A handler's region inside a stretch makes it permanent: as many ends as begins, whatever the
 * handler interrupts. */
static void test_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 50}, {0, 50}};
    struct wtl_spool *spool;
    long balance = 0;
    bool ever_negative = false;

    start("signals");
    signal_id = wattle_region_id("signal");
    uint32_t id = wattle_region_id("wait");

    wattle_stretch_least(UINT64_MAX);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 200000; i++) {
        struct wattle_stretch wait;

        wattle_stretch_begin(&wait, id);
        (void)wattle_stretch_end(&wait);
    }
    every = (struct itimerval){{0, 0}, {0, 0}};
    (void)setitimer(ITIMER_REAL, &every, NULL);
    diag("%d signals", (int)signals);
    if (ok(wtl_spool_open(path, NULL, true, &spool, NULL) == 0, "a spool")) {
        struct wtl_spool_cursor cursor;
        struct wtl_mark mark;

        wtl_spool_cursor_init(&cursor, spool, 0);
        while (wtl_spool_next(&cursor, &mark) > 0) {
            balance += mark.kind == WTL_MARK_BEGIN ? 1 : -1;
            ever_negative |= balance < 0;
        }
        const struct wtl_spool_header *header = &wtl_spool_info(spool)->header;

        diag("%llu dropped", (unsigned long long)header->nested);
        if (header->drops == 0 && header->nested == 0)
            ok(balance == 0 && !ever_negative, "as many ends as begins");
        else
            skip("a handler found the chunk full");
        wtl_spool_close(spool);
    }
    stop();
}

int main(void)
{
    (void)unsetenv("WATTLE_SPOOL");
    (void)snprintf(dir, sizeof(dir), "/tmp/test-stretch-XXXXXX");
    if (!mkdtemp(dir))
        return 1;
    (void)snprintf(path, sizeof(path), "%s/%ld", dir, (long)getpid());
    is_int(wattle_recording(), 0, "nothing is recorded at first");
    test_off();
    test_threshold();
    test_nothing_left();
    test_inside();
    test_chunk_below();
    test_live();
    test_said();
    test_signals();
    test_killed();
    (void)rmdir(dir);
    return done_testing();
}
