/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stress test for the thread sanitizer: four threads in regions and events as fast as possible,
 * threads that come and go, one that queries the energy, while a recorder samples at 1 kHz and
 * writes its trace. In calm rounds all activity is between start and stop: then every call is in
 * the trace. In wild ones recorders start and stop in the middle of it. WATTLE_STORM_S=1200 runs
 * for that long.
 */
#define _GNU_SOURCE
#include <wattle/recorder.h>
#include <wattle/region.h>
#include <wattle/trace.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

enum { THREADS = 4, SHORT_CALLS = 50, LOOPS_AT_ONCE = 1000 };

static const char trace_path[] = "storm.wtl";
static struct wattle_recorder *_Atomic asked; /* the running recorder, while it may be queried */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stopping;
static atomic_uint_fast64_t loops, gusts, batches;

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_ms(long ms)
{
    struct timespec time = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&time, NULL); /* shorter does no harm */
}

/* A region by id around one by name around an event. */
static void *storm(void *arg)
{
    uint32_t outer = wattle_region_id("outer");
    uint64_t mine = 0;
    while (!atomic_load(&stopping)) {
        for (int i = 0; i < LOOPS_AT_ONCE; i++, mine++) {
            wattle_region_begin(outer);
            wattle_region_begin_name(arg);
            wattle_event(7, mine);
            wattle_region_end_name(arg);
            wattle_region_end(outer);
        }
        atomic_fetch_add(&batches, 1);
        sleep_ms(20);
    }
    atomic_fetch_add(&loops, mine);
    return NULL;
}

static void *gust(void *arg)
{
    (void)arg;
    for (int i = 0; i < SHORT_CALLS; i++) {
        wattle_region_begin_name("gust");
        wattle_region_end_name("gust");
    }
    atomic_fetch_add(&gusts, SHORT_CALLS);
    return NULL;
}

static void *come_and_go(void *arg)
{
    (void)arg;
    while (!atomic_load(&stopping)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, gust, NULL) == 0)
            (void)pthread_join(thread, NULL);
        sleep_ms(5);
    }
    return NULL;
}

static void *ask(void *arg)
{
    struct wattle_summary energy = {.size = sizeof energy};
    (void)arg;
    while (!atomic_load(&stopping)) {
        (void)pthread_mutex_lock(&asking);
        struct wattle_recorder *r = atomic_load(&asked);
        for (size_t i = 0; r && i < wattle_recorder_channel_count(r); i++)
            (void)wattle_recorder_summary(r, i, &energy, NULL);
        (void)pthread_mutex_unlock(&asking);
        sleep_ms(1);
    }
    return NULL;
}

static size_t begin_storm(pthread_t *threads)
{
    static char names[THREADS][16] = {"north", "east", "south", "west"};
    size_t started = 0;
    atomic_store(&stopping, false);
    atomic_store(&loops, 0);
    atomic_store(&gusts, 0);
    for (int i = 0; i < THREADS; i++)
        started += pthread_create(&threads[started], NULL, storm, names[i]) == 0;
    started += pthread_create(&threads[started], NULL, come_and_go, NULL) == 0;
    started += pthread_create(&threads[started], NULL, ask, NULL) == 0;
    is_int((intmax_t)started, THREADS + 2, "threads run");
    return started;
}

static void end_storm(const pthread_t *threads, size_t started)
{
    atomic_store(&stopping, true);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}

static struct wattle_recorder *record(void)
{
    struct wattle_recorder_options options = {.size = sizeof options,
                                              .interval_ns = 1000000,
                                              .trace = trace_path,
                                              .replace_trace = 1,
                                              .wait_for_edges = 1};
    struct wattle_recorder *r = NULL;
    struct wattle_error err = {""};
    if (wattle_recorder_create(&options, &r, &err) < 0)
        skip_all(err.text);
    is_int(wattle_recorder_start(r, &err), 0, "start %s", err.text);
    is_int(wattle_recording(), 1, "calls are recorded");
    atomic_store(&asked, r);
    return r;
}

static void stop_recording(struct wattle_recorder *r)
{
    struct wattle_error err = {""};
    is_int(wattle_recorder_stop(r, &err), 0, "stop %s", err.text);
    (void)pthread_mutex_lock(&asking);
    atomic_store(&asked, NULL);
    (void)pthread_mutex_unlock(&asking);
    wattle_recorder_destroy(r);
}

static void check_samples(struct wattle_trace *trace)
{
    struct wattle_trace_samples *samples = NULL;
    struct wattle_trace_sample batch[256];
    struct wattle_error err = {""};
    uint64_t last_ns = 0, count = 0, disorder = 0;
    int n;
    is_int(wattle_trace_samples_open(trace, 0, 0, UINT64_MAX, &samples, &err), 0, "samples %s",
           err.text);
    while (samples && (n = wattle_trace_samples_next(samples, batch, 256, &err)) > 0) {
        for (int i = 0; i < n; i++) {
            disorder += batch[i].time_ns < last_ns;
            last_ns = batch[i].time_ns;
        }
        count += (uint64_t)n;
    }
    ok(count >= 2, "%d samples", (int)count);
    is_int((intmax_t)disorder, 0, "in the order of time");
    wattle_trace_samples_close(samples);
}

/* Begins of a region over all threads; crossing and unbalanced ones are added to *ret_bad. */
static uint64_t count_of(struct wattle_trace *trace, const char *name, uint64_t *ret_bad)
{
    int count = wattle_trace_region_count(trace, NULL);
    for (int i = 0; i < count; i++) {
        struct wattle_region_summary region = {.size = sizeof region};
        if (wattle_trace_region(trace, (size_t)i, &region, NULL) == 0 &&
            strcmp(region.name, name) == 0) {
            *ret_bad += region.crossing + region.unbalanced;
            return region.count;
        }
    }
    return 0;
}

static void check_trace(bool whole)
{
    struct wattle_trace *trace = NULL;
    struct wattle_error err = {""};
    uint64_t bad = 0;
    if (!ok(wattle_trace_open(trace_path, &trace, &err) == 0, "the trace opens %s", err.text))
        return;
    is_int(wattle_trace_is_complete(trace), 1, "and is complete");
    check_samples(trace);
    uint64_t outer = count_of(trace, "outer", &bad), brief = count_of(trace, "gust", &bad);
    if (whole) {
        is_int((intmax_t)outer, (intmax_t)atomic_load(&loops), "every call is there");
        is_int((intmax_t)brief, (intmax_t)atomic_load(&gusts), "those of short threads, too");
        is_int((intmax_t)bad, 0, "each with its end");
    } else {
        ok(outer > 0 && outer <= atomic_load(&loops), "%d of %d calls", (int)outer,
           (int)atomic_load(&loops));
    }
    ok(access("storm.wtl.d", F_OK) < 0, "no spool is left behind");
    wattle_trace_close(trace);
}

static void calm_round(void)
{
    pthread_t threads[THREADS + 2];
    struct wattle_recorder *r = record();
    size_t started = begin_storm(threads);
    for (int i = 0; i < 20; i++)
        sleep_ms(50);
    end_storm(threads, started);
    stop_recording(r);
    check_trace(true);
}

/* Wait until a batch of calls was begun and ended after now: each thread may be in one at the
 * moment. */
static void wait_for_batch(void)
{
    uint64_t enough = atomic_load(&batches) + THREADS + 1;
    for (int waited_ms = 0; atomic_load(&batches) < enough && waited_ms < 60000; waited_ms += 5)
        sleep_ms(5);
}

static void wild_round(void)
{
    pthread_t threads[THREADS + 2];
    size_t started = begin_storm(threads);
    for (int i = 0; i < 5; i++) {
        sleep_ms(50);
        struct wattle_recorder *r = record();
        sleep_ms(200);
        wait_for_batch();
        stop_recording(r);
    }
    end_storm(threads, started);
    check_trace(false);
}

int main(void)
{
    const char *seconds = getenv("WATTLE_STORM_S");
    uint64_t end_ns = now_ns() + (seconds ? strtoull(seconds, NULL, 10) : 0) * 1000000000u;
    (void)unsetenv("WATTLE_SPOOL");
    do {
        calm_round();
        wild_round();
    } while (now_ns() < end_ns);
    (void)unlink(trace_path);
    return done_testing();
}
