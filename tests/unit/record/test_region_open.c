/* SPDX-License-Identifier: BSD-3-Clause */
/* The region that a thread is in, found from its records: nested, crossing, over many chunks, in
 * threads and children. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <wattle/region.h>

#include "record/regions/region_open.h"
#include "record/regions/region_place.h"
#include "tap.h"

static char folder[] = "/tmp/wattle-open-XXXXXX";

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The innermost region must be `id`, begun between two times; 0 = none. The error of a clock
 * conversion is the time for which a busy machine interrupts it. */
static bool is_in(uint32_t id, uint64_t from_ns, uint64_t to_ns, const char *what)
{
    const uint64_t slack_ns = 50000000;
    uint64_t begin_ns = 0;
    uint32_t found = 0;
    int rc = wtl_region_innermost(&begin_ns, &found);
    if (id == 0)
        return ok(rc == -ENOENT && found == 0, "%s: none", what);
    return ok(rc == 0 && found == id && begin_ns + slack_ns >= from_ns &&
                  begin_ns <= to_ns + slack_ns,
              "%s: %s", what, rc < 0 ? strerror(-rc) : "found");
}

static void many(uint32_t id, int n)
{
    for (int i = 0; i < n; i++) {
        wattle_region_begin(id);
        wattle_region_end(id);
    }
}

static void test_nested(void)
{
    uint32_t a = wattle_region_id("a"), b = wattle_region_id("b"), c = wattle_region_id("c");
    uint64_t t0 = now_ns();
    is_in(0, 0, 0, "before the first region");
    wattle_region_begin(a);
    uint64_t t1 = now_ns();
    is_in(a, t0, t1, "in a region");
    wattle_region_begin(b);
    uint64_t t2 = now_ns();
    is_in(b, t1, t2, "in the inner one");
    wattle_region_end(b);
    is_in(a, t0, t1, "in the outer one again");
    wattle_event(7, 42);
    many(c, 20);
    is_in(a, t0, t1, "behind others and an event");
    wattle_region_end(c); /* never begun */
    is_in(a, t0, t1, "behind an end without a begin");
    wattle_region_end(a);
    is_in(0, 0, 0, "outside of all");
    wattle_region_begin(a);
    wattle_region_begin(b);
    wattle_region_end(a);
    is_in(b, t2, now_ns(), "regions that cross: what is open is open");
    wattle_region_end(b);
    is_in(0, 0, 0, "and outside again");
    wattle_region_begin(a);
    wattle_region_begin(a);
    wattle_region_end(a);
    is_in(a, t2, now_ns(), "one within one of its name");
    wattle_region_end(a);
}

/* Each chunk takes about 4000 calls. */
static void test_chunks(void)
{
    uint32_t a = wattle_region_id("a"), b = wattle_region_id("b"), c = wattle_region_id("c");
    uint64_t t0 = now_ns();
    wattle_region_begin(a);
    uint64_t t1 = now_ns();
    many(c, 5000);
    is_in(a, t0, t1, "begun three chunks ago");
    uint64_t t2 = now_ns();
    wattle_region_begin(b);
    uint64_t t3 = now_ns();
    many(c, 30000);
    is_in(b, t2, t3, "the inner one, begun many chunks ago");
    wattle_region_end(b);
    is_in(a, t0, t1, "then the outer one");
    many(c, 5000);
    is_in(a, t0, t1, "whose inner one is gone for good");
    wattle_region_end(a);
    is_in(0, 0, 0, "outside");
    many(c, 5000);
    is_in(0, 0, 0, "and still outside a chunk later");
    for (uint32_t depth = 0; depth < 12; depth++) /* more than are carried */
        wattle_region_begin(a);
    many(c, 5000);
    is_in(0, 0, 0, "too deep: not known, and not invented");
    for (uint32_t depth = 0; depth < 12; depth++)
        wattle_region_end(a);
    many(c, 5000);
    wattle_region_begin(b);
    is_in(b, t3, now_ns(), "it finds its way back");
    wattle_region_end(b);
}

static void *in_thread(void *unused)
{
    uint32_t b = wattle_region_id("b");
    uint64_t t0 = now_ns();
    (void)unused;
    is_in(0, 0, 0, "another thread is not in the regions of this one");
    wattle_region_begin(b);
    is_in(b, t0, now_ns(), "it has its own");
    return NULL; /* it ends inside: the thread that takes over its chunk is not in the region */
}

static void test_threads(void)
{
    uint32_t a = wattle_region_id("a");
    pthread_t thread;
    uint64_t t0 = now_ns();
    wattle_region_begin(a);
    uint64_t t1 = now_ns();
    for (int i = 0; i < 3; i++) {
        if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
            abort();
        (void)pthread_join(thread, NULL);
    }
    is_in(a, t0, t1, "nor this one in theirs");
    pid_t pid = fork();
    if (pid == 0) {
        uint64_t begin_ns;
        uint32_t id;
        _exit(wtl_region_innermost(&begin_ns, &id) != -ENOENT);
    }
    int status = 1;
    (void)waitpid(pid, &status, 0);
    is_int(status, 0, "a child begins outside of all");
    wattle_region_end(a);
}

int main(void)
{
    char command[64];
    (void)unsetenv("WATTLE_SPOOL");
    if (!mkdtemp(folder))
        abort();
    is_in(0, 0, 0, "where nothing is recorded");
    ok(!wattle_recording() && wtl_region_record(folder) == 0, "recording");
    wtl_region_open_want();
    test_nested();
    test_chunks();
    test_threads();
    wtl_region_stop();
    is_in(0, 0, 0, "when it is over");
    (void)snprintf(command, sizeof command, "%s/%d", folder, (int)getpid());
    is_int(unlink(command), 0, "the spool");
    is_int(rmdir(folder), 0, "nothing is left");
    return done_testing();
}
