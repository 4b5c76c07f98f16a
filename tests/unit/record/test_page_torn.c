/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 64 readers of a page, one writer that publishes as fast as it can: no reader sees a value of which a part is of another
 * sample. All of a sample follows from its time. Also, a reader never waits for a writer that has stopped in the middle
 * of an update. The argument is how many seconds to try; two without one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <wattle/page.h>

#include "record/energy_page.h"
#include "record/energy_slot.h"
#include "tap.h"

enum { READERS = 64, LOOKS = 100 };

static const uint64_t T0 = UINT64_C(1000000000), STEP_NS = 1000000;
static const uint64_t STEP_UJ = 100000; /* 100 W */

static struct wattle_page page = {.socket = -1};
static atomic_bool over;

struct reader {
    pthread_t thread;
    uint64_t samples, torn, backwards, retries;
};

/* Do all parts belong to the sample of this time? */
static bool is_whole(const struct wattle_page_now *now)
{
    uint64_t steps = (now->time_ns - T0) / STEP_NS;
    return now->time_ns == T0 + steps * STEP_NS && now->ticks == steps * STEP_UJ &&
           now->raw == now->ticks + 7 && now->raw_ns == now->time_ns &&
           now->changed_ns == now->time_ns && now->count == steps + 1 && now->status == 0 &&
           now->unknown_ns == 0 && fabs(now->energy_j - (double)now->ticks * 1e-6) < 1e-9;
}

static void *read_on(void *arg)
{
    struct reader *reader = arg;
    uint64_t last_ns = 0;
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        for (int i = 0; i < LOOKS; i++) {
            struct wattle_page_now now;
            int rc = wattle_page_read(&page, 0, &now);
            reader->retries += rc == -EAGAIN;
            if (rc != 0)
                continue;
            reader->samples++;
            reader->torn += !is_whole(&now);
            reader->backwards += now.time_ns < last_ns;
            last_ns = now.time_ns;
        }
        (void)usleep(100); /* so that the writer runs, also with two CPUs */
    }
    return NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void test_torn(struct wtl_energy_writer *writer, double seconds)
{
    static struct reader readers[READERS];
    uint64_t steps = 0, samples = 0, torn = 0, backwards = 0, retries = 0;
    double until = seconds_now() + seconds;
    wtl_energy_page_publish(writer, 0, T0, 7, 0);
    for (size_t i = 0; i < READERS; i++) {
        if (pthread_create(&readers[i].thread, NULL, read_on, &readers[i]) != 0)
            exit(1);
    }
    while (seconds_now() < until) {
        for (int i = 0; i < LOOKS; i++) {
            steps++;
            wtl_energy_page_publish(writer, 0, T0 + steps * STEP_NS, steps * STEP_UJ + 7, 0);
        }
    }
    atomic_store(&over, true);
    for (size_t i = 0; i < READERS; i++) {
        (void)pthread_join(readers[i].thread, NULL);
        samples += readers[i].samples;
        torn += readers[i].torn;
        backwards += readers[i].backwards;
        retries += readers[i].retries;
    }
    diag("%ju samples published, %ju read, %ju given up", (uintmax_t)steps, (uintmax_t)samples,
         (uintmax_t)retries);
    ok(samples > 0, "%d readers read", READERS);
    is_int(torn, 0, "no torn value");
    is_int(backwards, 0, "none older than the one before");
}

/* A writer that is killed between any two of its stores leaves a complete copy. */
static void test_dead_writer(void)
{
    static struct wattle_page_slot slot;
    struct wattle_page_now now = {.time_ns = 1, .ticks = 1}, next = {.time_ns = 2, .ticks = 2}, got;
    wtl_energy_latch(&slot, &now);
    slot.sequence++; /* copy 1 is complete, copy 0 is being written */
    slot.now[0] = next;
    slot.now[0].ticks = 77;
    ok(wattle_page_copy_(&slot, &got) == 0 && got.time_ns == 1 && got.ticks == 1,
       "dead in the first copy: the old sample");
    slot.now[0] = next;
    slot.sequence++;
    slot.now[1].ticks = 77;
    ok(wattle_page_copy_(&slot, &got) == 0 && got.time_ns == 2 && got.ticks == 2,
       "dead in the second: the new one");
}

int main(int argc, char **argv)
{
    const struct sched_param none = {0};
    if (argc > 1) /* a long run beside other tests takes only what they leave */
        (void)sched_setscheduler(0, SCHED_IDLE, &none);
    struct wattle_channel channel = {.name = "powercap:package-0",
                                     .domain = WATTLE_DOMAIN_PACKAGE,
                                     .sub = -1,
                                     .quantity = WATTLE_ENERGY,
                                     .kind = WATTLE_COUNTER,
                                     .scale = 1e-6,
                                     .refresh_ns = STEP_NS};
    struct wtl_energy_writer *writer;
    struct wtl_energy_page_options options = {
        .channels = &channel, .count = 1, .interval_ns = STEP_NS, .public = true, .generation = 1};
    const void *at;
    size_t size;
    bool sealed;
    if (!is_int(wtl_energy_page_open_writer(&options, &writer), 0, "a page") ||
        !ok(wattle_page_map_(wtl_energy_page_fd(writer, &sealed), &at, &size) == 0 &&
                wattle_page_use_(&page, at, size) == 0,
            "is mapped"))
        return done_testing();
    test_torn(writer, argc > 1 ? strtod(argv[1], NULL) : 2);
    test_dead_writer();
    wtl_energy_page_close_writer(writer);
    wattle_page_close(&page);
    return done_testing();
}
