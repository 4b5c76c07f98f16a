/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nested [THREADS [ROUNDS]]: threads that work in nested regions, each round "load" and "solve",
 * with "factor" and "update" inside "solve"; then an OpenMP team, if the compiler supports it, in
 * "reduce". Run it as "wattle run -o nested.wtl -- nested"; then "wattle stats --regions
 * nested.wtl" or the example tags show the energy by name.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wattle/region.h>

/* Event types are chosen by the program. */
enum { EVENT_ROUND = 1000 };

/* Looked up once: begin and end by id take tens of nanoseconds. */
static struct {
    uint32_t load, solve, factor, update, reduce;
} region;

struct worker {
    pthread_t thread;
    int rounds;
    double result;
};

/* Compute for about this long. */
static double compute(double ms)
{
    struct timespec start, now;
    double x = 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (int i = 0; i < 1000; i++)
            x += 1 / x;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start.tv_sec) * 1e3 +
                 (double)(now.tv_nsec - start.tv_nsec) * 1e-6 <
             ms);
    return x;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < worker->rounds; round++) {
        wattle_event(EVENT_ROUND, (uint64_t)round);
        wattle_region_begin(region.load);
        (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        wattle_region_end(region.load);

        wattle_region_begin(region.solve);
        wattle_region_begin(region.factor);
        worker->result += compute(60);
        wattle_region_end(region.factor);
        wattle_region_begin(region.update);
        worker->result += compute(30);
        wattle_region_end(region.update);
        worker->result += compute(10); /* solve itself */
        wattle_region_end(region.solve);
    }
    return NULL;
}

/* A region belongs to the thread that begins it: each thread of a team has its own. */
static double reduce(int threads)
{
    double sum = 0;
#ifdef _OPENMP
#    pragma omp parallel num_threads(threads) reduction(+ : sum)
#endif
    {
        wattle_region_begin(region.reduce);
        sum += compute(20);
        wattle_region_end(region.reduce);
    }
    return threads > 0 ? sum : 0;
}

static int number(int argc, char **argv, int i, int preset)
{
    char *end = NULL;
    long value = i < argc ? strtol(argv[i], &end, 10) : preset;
    return (!end || *end == '\0') && value > 0 && value <= 1000 ? (int)value : -1;
}

int main(int argc, char **argv)
{
    int threads = number(argc, argv, 1, 2), rounds = number(argc, argv, 2, 5), started = 0;
    if (argc > 3 || threads < 0 || rounds < 0) {
        fprintf(stderr, "usage: nested [THREADS [ROUNDS]], each 1 to 1000\n");
        return 2;
    }
    region.load = wattle_region_id("load");
    region.solve = wattle_region_id("solve");
    region.factor = wattle_region_id("factor");
    region.update = wattle_region_id("update");
    region.reduce = wattle_region_id("reduce");
    if (!wattle_recording()) /* not an error: the program works without it */
        fprintf(stderr, "nested: not recorded; try \"wattle run -o nested.wtl -- nested\"\n");

    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    int rc = workers ? 0 : -1;
    for (; rc == 0 && started < threads; started += rc == 0) {
        workers[started].rounds = rounds;
        rc = pthread_create(&workers[started].thread, NULL, work, &workers[started]);
        if (rc != 0)
            fprintf(stderr, "nested: no thread: %s\n", strerror(rc));
    }
    double sum = 0;
    for (int i = 0; i < started; i++) {
        (void)pthread_join(workers[i].thread, NULL); /* joinable and ours: cannot fail */
        sum += workers[i].result;
    }
    sum += reduce(threads);
    printf("%d threads, %d rounds, result %.3f\n", started, rounds, sum);
    free(workers);
    return rc != 0;
}
