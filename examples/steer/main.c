/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that tunes itself by the energy it reads. Its work is a number of independent tasks,
 * and the setting that it may choose is the number of threads. Neither one thread nor all of them
 * need be best: a node draws power that no thread causes, so that slow is expensive, and threads
 * that wait for memory, or for a processor, draw power without any speed-up.
 *
 *     steer [TASKS [THREADS_MAX [LOG]]]
 *
 * Tasks are done with 1, 2, 4, ... threads in turn, a while with each, and wattle measures the
 * energy per task; the rest is done with the cheapest setting. If two settings differ by less than
 * the uncertainty, the one with fewer threads is used. Without TASKS the number is chosen to take
 * some seconds. LOG is a CSV file for the trials, with their begin and end by CLOCK_MONOTONIC.
 *
 * The interval covers the uncertainty of a sensor's ticks and timing, and the time since its newest
 * sample. Without a sensor, wattle estimates; the error of its model is not part of the interval,
 * so a choice by estimates is a guess, and the program says so.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <wattle/profiler.h>
#include <wattle/region.h>

enum { THREADS_MOST = 64, SIDE = 48 };
static const long TASKS_MOST = 1000000000;

/* Minimum time of a trial: many samples of the sensor, whose power is over 20 of its ticks. */
static const double TRIAL_S = 0.4;

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A task: the product of two small matrices, several times. */
static double task(long number)
{
    double a[SIDE][SIDE], b[SIDE][SIDE], trace = 0;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            a[i][k] = (double)(number % 7 + i + k);
            b[i][k] = (double)(number % 5 + i - k);
        }
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < SIDE; i++) {
            double sum = 0;
            for (int j = 0; j < SIDE; j++)
                for (int k = 0; k < SIDE; k++)
                    sum += a[i][k] * b[k][j];
            trace += sum;
        }
    return trace;
}

/* Tasks from `next` up to `end`, shared by all threads of a team. */
struct team {
    pthread_mutex_t lock;
    long next, end;
};

static long take(struct team *team)
{
    (void)pthread_mutex_lock(&team->lock);
    long number = team->next++;
    (void)pthread_mutex_unlock(&team->lock);
    return number;
}

static void *take_tasks(void *arg)
{
    struct team *team = arg;
    volatile double sink = 0;
    for (long number; (number = take(team)) < team->end;)
        sink = sink + task(number);
    return NULL;
}

/* Do tasks first to end - 1 with this many threads, including the caller. */
static void do_tasks(long first, long end, int threads)
{
    struct team team = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = first, .end = end};
    pthread_t others[THREADS_MOST];
    int started = 0;
    while (started < threads - 1 && pthread_create(&others[started], NULL, take_tasks, &team) == 0)
        started++; /* fewer threads take longer, but work */
    (void)take_tasks(&team);
    for (int i = 0; i < started; i++)
        (void)pthread_join(others[i], NULL);
}

struct trial {
    int threads;
    long tasks;
    double begin_s, seconds;
    double task_j, half_j; /* energy per task, and the half width of its interval; NaN = unknown */
    bool estimated;
};

/* Do tasks with a setting for a while. Advances *done, to all at most. */
static struct trial try_setting(int threads, long *done, long all)
{
    struct wattle_mark before;
    struct wattle_domain_energy used = {.window_ns = 0};
    struct trial trial = {.threads = threads, .task_j = NAN, .half_j = NAN, .begin_s = now_s()};
    int known = wattle_mark_now(&before);
    long batch = 8L * threads;
    while (*done < all && trial.seconds < TRIAL_S) {
        long end = *done + batch < all ? *done + batch : all;
        double from_s = now_s();
        do_tasks(*done, end, threads);
        trial.tasks += end - *done;
        *done = end;
        trial.seconds = now_s() - trial.begin_s;
        if (now_s() - from_s < 0.02)
            batch *= 2; /* threads are started for each batch: make that cost negligible */
    }
    if (known == 0 && wattle_read_total(&before, &used) > 0 && used.window_ns > 0 &&
        trial.tasks > 0) {
        /* The newest sample is slightly old, or older if the sampler got no CPU time: assume the
         * same power for the remaining time, with an error as large as that energy. */
        double whole = trial.seconds / ((double)used.window_ns * 1e-9);
        double rest = whole > 1 ? whole - 1 : 0;
        trial.task_j = used.energy_j * whole / (double)trial.tasks;
        trial.half_j =
            (used.resolution_interval_j * whole + used.energy_j * rest) / (double)trial.tasks;
        trial.estimated = used.quality == WATTLE_ESTIMATED;
    }
    printf("%7d %9ld %9.3f %12.3f +- %.3f %12.1f\n", threads, trial.tasks, trial.seconds,
           trial.task_j * 1e3, trial.half_j * 1e3, (double)trial.tasks / trial.seconds);
    return trial;
}

/* The setting with the cheapest task; a later one, with more threads, only if it is cheaper by more
 * than the uncertainty. */
static struct trial cheapest(const struct trial *trials, int count)
{
    struct trial best = trials[0];
    for (int i = 1; i < count; i++) {
        double sure = hypot(best.half_j, trials[i].half_j);
        if (isnan(best.task_j) || trials[i].task_j + sure < best.task_j)
            best = trials[i];
    }
    return best;
}

static int write_log(const char *path, const struct trial *trials, int count, int best)
{
    FILE *log = fopen(path, "w");
    if (!log || fprintf(log, "threads,tasks,begin_s,end_s,task_j,half_j,chosen\n") < 0) {
        perror(path);
        return 1;
    }
    for (int i = 0; i < count; i++)
        (void)fprintf(log, "%d,%ld,%.9f,%.9f,%.9g,%.9g,%d\n", trials[i].threads, trials[i].tasks,
                      trials[i].begin_s, trials[i].begin_s + trials[i].seconds, trials[i].task_j,
                      trials[i].half_j, trials[i].threads == best);
    return fclose(log) != 0;
}

/* all: 0 = as many tasks as take some seconds */
static int steer(long all, int threads_max, const char *log)
{
    struct trial trials[8];
    int count = 1;
    long done = 0;
    uint32_t tuning = wattle_region_id("tuning"), steered = wattle_region_id("steered");
    printf("%7s %9s %9s %19s %12s\n", "threads", "tasks", "s", "mJ a task", "tasks a s");
    wattle_region_begin(tuning);
    trials[0] = try_setting(1, &done, all ? all : TASKS_MOST);
    if (all == 0) /* so that each setting has its trial, whether more threads help or not */
        all = done * (5 + 3 * threads_max);
    for (int threads = 2; threads <= threads_max && done < all; threads *= 2)
        trials[count++] = try_setting(threads, &done, all);
    wattle_region_end(tuning);
    struct trial best = cheapest(trials, count);
    if (isnan(best.task_j))
        printf("the energy is not known: the rest with %d thread\n", best.threads);
    else
        printf("the rest with %d thread%s\n", best.threads, best.threads == 1 ? "" : "s");
    if (best.estimated)
        printf("no sensor: the energy is estimated, and how wrong the model is stands in no +-\n");
    wattle_region_begin(steered);
    double begin_s = now_s();
    struct wattle_mark before;
    struct wattle_domain_energy used = {.window_ns = 0};
    int known = wattle_mark_now(&before);
    do_tasks(done, all, best.threads);
    double seconds = now_s() - begin_s;
    if (known == 0 && wattle_read_total(&before, &used) > 0 && used.window_ns > 0)
        printf("%ld tasks in %.3f s at %.1f W\n", all - done, seconds,
               used.energy_j / ((double)used.window_ns * 1e-9));
    wattle_region_end(steered);
    return log ? write_log(log, trials, count, best.threads) : 0;
}

static long number_of(const char *text, long most)
{
    char *rest;
    long number = strtol(text, &rest, 10);
    return *text && *rest == '\0' && number > 0 && number <= most ? number : 0;
}

int main(int argc, char **argv)
{
    /* Faster than the default: a trial lasts less than a second. */
    struct wattle_profiler_options options = {.size = sizeof options, .interval_ns = 10000000};
    long tasks = argc > 1 ? number_of(argv[1], TASKS_MOST) : 0;
    long threads = argc > 2 ? number_of(argv[2], THREADS_MOST) : 4;
    if (argc > 4 || (argc > 1 && tasks == 0) || threads == 0) {
        (void)fprintf(stderr, "usage: steer [TASKS [THREADS_MAX [LOG]]]\n");
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* show each trial as it ends */
    (void)wattle_init(&options);            /* without it, the program runs untuned */
    int rc = steer(tasks, (int)threads, argc > 3 ? argv[3] : NULL);
    (void)wattle_finalize();
    return rc;
}
