/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * O1b: the effect of sampling on a program that uses every core. One pinned thread per core does
 * 100 us of fixed work between spinning barriers, and records the time of each 10 us of it: without
 * sampling, with a session at 10 Hz, with one at 1 kHz (8 preads), and next to a thread that only
 * wakes at 1 kHz, interleaved. Prints the slow-down with a 95 % interval over rounds, and the p99.9
 * of the fixed work. Asserts nothing.
 *
 *     bench_disturbance [ROUNDS]    default 9, about 3 s each
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench_source.h"
#include "record/session.h"

enum { MODES = 4, STEPS = 10000, PARTS = 10, ROUNDS_MAX = 100 };

static const char *const titles[MODES] = {"alone", "10 Hz", "1 kHz", "waking"};
static const uint64_t intervals_ns[MODES] = {0, 100000000, 1000000, 0};
enum { WAKING = 3 }; /* a thread that wakes at 1 kHz and does nothing: the minimum cost of 1 kHz */

static unsigned threads, calibrated;
static atomic_uint arrived, phase;
static volatile double spent; /* keeps the work from being optimised away */
static float *part_us;        /* [threads][STEPS * PARTS] */

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

static double work(unsigned loops)
{
    double x = 1.5;
    for (unsigned i = 0; i < loops; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

static void barrier(unsigned mine)
{
    if (atomic_fetch_add(&arrived, 1) + 1 == threads) {
        atomic_store(&arrived, 0);
        atomic_store(&phase, mine + 1);
    }
    while (atomic_load(&phase) == mine)
        continue;
}

static void *worker(void *arg)
{
    unsigned me = (unsigned)(uintptr_t)arg;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned part = 0; part < PARTS; part++) {
            uint64_t begin = now_ns();
            spent = work(calibrated);
            part_us[(me * STEPS + step) * PARTS + part] = (float)(now_ns() - begin) * 1e-3f;
        }
        barrier(step);
    }
    return NULL;
}

static double run_workers(void)
{
    pthread_t ids[256];
    atomic_store(&phase, 0);
    atomic_store(&arrived, 0);
    uint64_t begin = now_ns();
    for (unsigned i = 0; i < threads; i++)
        (void)pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < threads; i++)
        (void)pthread_join(ids[i], NULL);
    return (double)(now_ns() - begin) * 1e-9;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static atomic_int waking;

static void *wake_only(void *unused)
{
    const struct wtl_world *world = wtl_world_real();
    (void)unused;
    (void)prctl(PR_SET_TIMERSLACK, 1ul);
    for (uint64_t next_ns = now_ns(); atomic_load(&waking); next_ns += 1000000)
        (void)world->ops->sleep_until(world, next_ns);
    return NULL;
}

static double run_mode(unsigned mode, double *ret_tail_us)
{
    static const struct wtl_driver *const list[] = {&bench_pread, NULL};
    struct wtl_selection *selection = NULL;
    struct wtl_session *session = NULL;
    struct wtl_request request = {.drivers = list};
    struct wtl_session_options options = {.world = wtl_world_real(),
                                          .interval_ns = intervals_ns[mode],
                                          .sampler_cpu = WTL_SAMPLER_CPU_AUTO};
    pthread_t waker;
    if (mode == WAKING) {
        atomic_store(&waking, 1);
        if (pthread_create(&waker, NULL, wake_only, NULL) != 0)
            exit(1);
    } else if (mode > 0) {
        if (wtl_selection_open(&request, wtl_world_real(), &selection, NULL) < 0)
            exit(1);
        options.selection = selection;
        if (wtl_session_create(&options, &session, NULL) < 0)
            exit(1);
        wtl_session_prepare(session);
        wtl_session_begin(session, now_ns());
    }
    double seconds = run_workers();
    if (mode == WAKING) {
        atomic_store(&waking, 0);
        (void)pthread_join(waker, NULL);
    }
    if (session)
        wtl_session_end(session, now_ns());
    wtl_session_destroy(session);
    wtl_selection_close(selection);
    size_t n = (size_t)threads * STEPS * PARTS;
    qsort(part_us, n, sizeof *part_us, compare);
    *ret_tail_us = part_us[n - n / 1000];
    return seconds;
}

static void report(double seconds[MODES][ROUNDS_MAX],
                   double tail[MODES][ROUNDS_MAX],
                   unsigned rounds)
{
    for (unsigned mode = 1; mode < MODES; mode++) {
        double sum = 0, squares = 0, tails = 0;
        for (unsigned r = 0; r < rounds; r++) {
            double ratio = log(seconds[mode][r] / seconds[0][r]);
            sum += ratio;
            squares += ratio * ratio;
            tails += log(tail[mode][r] / tail[0][r]);
        }
        double mean = sum / rounds;
        double sd = sqrt((squares - rounds * mean * mean) / (rounds - 1));
        printf("O1b %-6s slow-down %+.3f %% +- %.3f (95 %%, %u pairs); p99.9 of 10 us of work: "
               "x%.3f\n",
               titles[mode], 100 * mean, 100 * 2.3 * sd / sqrt(rounds), rounds,
               exp(tails / rounds));
    }
}

int main(int argc, char **argv)
{
    static double seconds[MODES][ROUNDS_MAX], tail[MODES][ROUNDS_MAX];
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 9;
    rounds = rounds < 2 ? 2 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    threads = threads > 256 ? 256 : threads;
    part_us = calloc((size_t)threads * STEPS * PARTS, sizeof *part_us);
    if (!part_us)
        return 1;
    calibrated = 1000;
    uint64_t begin = now_ns();
    volatile double x = work(1000000);
    (void)x;
    calibrated = (unsigned)(1e6 * 10000.0 / (double)(now_ns() - begin));
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned k = 0; k < MODES; k++) {
            unsigned mode = (k + r) % MODES; /* drift affects all modes equally */
            seconds[mode][r] = run_mode(mode, &tail[mode][r]);
        }
    }
    printf("O1b %u pinned threads, barrier every 100 us, 8 preads per sample\n", threads);
    report(seconds, tail, rounds);
    free(part_us);
    return 0;
}
