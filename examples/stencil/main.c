/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stencil [--order columns|rows] [--wait spin|sleep] [--threads N] [--size N] [--steps N]
 *
 * Heat spreading over a plate: in each step all threads compute the new temperature of each point
 * from its four neighbours, then the first thread computes the largest change while the others
 * wait. The two options make four versions of the same code, with the same result:
 *
 *   --order columns   walks through memory across cache lines, slowly; rows walks along them
 *   --wait spin       waiting threads keep their CPUs busy; sleep releases them
 *
 * docs/guide/pose.md measures them and uses wattle to judge each version.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: stencil [--order columns|rows] [--wait spin|sleep]\n"
    "               [--threads 1..4096] [--size 3..20000] [--steps 1..1000000]\n";

static struct {
    bool rows, sleep;
    size_t threads, size, steps;
} options = {false, false, 0, 2000, 12};

static struct {
    double *from, *to;      /* size x size temperatures; swapped after each step */
    double change;          /* the largest of the last step */
    pthread_barrier_t gate; /* --wait sleep */
    atomic_size_t waiting, round;
} plate;

/* Wait until all threads have arrived. */
static void meet(void)
{
    if (options.sleep) {
        (void)pthread_barrier_wait(&plate.gate);
        return;
    }
    size_t round = atomic_load(&plate.round);
    if (atomic_fetch_add(&plate.waiting, 1) + 1 == options.threads) {
        atomic_store(&plate.waiting, 0);
        atomic_store(&plate.round, round + 1);
        return;
    }
    for (unsigned spins = 1; atomic_load(&plate.round) == round; spins++)
        if (spins % 65536 == 0) /* there may be fewer CPUs than threads */
            (void)sched_yield();
}

static void compute(size_t i, size_t j)
{
    const double *at = plate.from + i * options.size + j;
    plate.to[i * options.size + j] =
        0.25 * (at[-1] + at[1] + *(at - options.size) + at[options.size]);
}

static void look(size_t i, size_t j)
{
    size_t at = i * options.size + j;
    plate.change = fmax(plate.change, fabs(plate.to[at] - plate.from[at]));
}

/* The inner points from low up to, but not including, high; the same ones in either order. */
static inline void walk(void (*visit)(size_t, size_t), size_t low, size_t high)
{
    size_t end = options.size - 1;
    if (options.rows) {
        for (size_t i = low; i < high; i++)
            for (size_t j = 1; j < end; j++)
                visit(i, j);
    } else {
        for (size_t j = 1; j < end; j++)
            for (size_t i = low; i < high; i++)
                visit(i, j);
    }
}

static void *work(void *argument)
{
    size_t self = *(const size_t *)argument, inner = options.size - 2;
    size_t low = 1 + inner * self / options.threads;
    size_t high = 1 + inner * (self + 1) / options.threads;
    for (size_t step = 0; step < options.steps; step++) {
        walk(compute, low, high);
        meet();
        if (self == 0) {
            plate.change = 0;
            walk(look, 1, options.size - 1);
            double *old = plate.from;
            plate.from = plate.to;
            plate.to = old;
        }
        meet();
    }
    return NULL;
}

static int run(void)
{
    pthread_t *threads = calloc(options.threads, sizeof *threads);
    size_t *names = calloc(options.threads, sizeof *names), started = 0;
    int rc = threads && names ? 0 : ENOMEM;
    for (; rc == 0 && started < options.threads; started += rc == 0) {
        names[started] = started;
        rc = pthread_create(&threads[started], NULL, work, &names[started]);
    }
    if (rc) { /* running threads would wait forever for the others */
        fprintf(stderr, "stencil: %zu threads: %s\n", options.threads, strerror(rc));
        exit(1);
    }
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    free(names);
    free(threads);
    return 0;
}

static _Noreturn void refuse(void)
{
    fputs(usage, stderr);
    exit(2);
}

/* Parse a number, or print the usage. */
static size_t number(const char *text, size_t least, size_t greatest)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || *end || text[0] < '0' || text[0] > '9' || value < least || value > greatest)
        refuse();
    return value;
}

static bool choice(const char *text, const char *no, const char *yes)
{
    if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
        refuse();
    return strcmp(text, yes) == 0;
}

static void parse(int argc, char **argv)
{
    static const struct option names[] = {{"order", 1, NULL, 'o'},   {"wait", 1, NULL, 'w'},
                                          {"threads", 1, NULL, 't'}, {"size", 1, NULL, 's'},
                                          {"steps", 1, NULL, 'n'},   {NULL, 0, NULL, 0}};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    options.threads = cpus > 1 ? (size_t)cpus : 2; /* at least one must wait */
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 'o')
            options.rows = choice(optarg, "columns", "rows");
        else if (c == 'w')
            options.sleep = choice(optarg, "spin", "sleep");
        else if (c == 't')
            options.threads = number(optarg, 1, 4096);
        else if (c == 's')
            options.size = number(optarg, 3, 20000);
        else if (c == 'n')
            options.steps = number(optarg, 1, 1000000);
        else
            refuse();
    }
    if (optind != argc)
        refuse();
}

int main(int argc, char **argv)
{
    parse(argc, argv);
    size_t points = options.size * options.size;
    plate.from = calloc(points, sizeof *plate.from);
    plate.to = calloc(points, sizeof *plate.to);
    if (!plate.from || !plate.to ||
        pthread_barrier_init(&plate.gate, NULL, (unsigned)options.threads)) {
        fprintf(stderr, "stencil: no memory for %zu x %zu points\n", options.size, options.size);
        return 1;
    }
    for (size_t i = 0; i < options.size; i++) /* one edge is hot */
        plate.from[i] = plate.to[i] = 100;

    struct timespec start, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    int rc = run();
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%s, %s, %zu threads: %zu steps of %zu x %zu in %.2f s\n",
           options.rows ? "rows" : "columns", options.sleep ? "sleep" : "spin", options.threads,
           options.steps, options.size, options.size,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    printf("last change %.9f\n", plate.change);
    free(plate.from);
    free(plate.to);
    return rc;
}
