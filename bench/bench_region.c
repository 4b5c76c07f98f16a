/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of a region call (goal O6): by id, by name, nested, an event (O7), disabled, compared
 * with clock_gettime() and a bare loop of the same shape, on one and on two threads. Medians and means over
 * blocks of 1000 calls with the 5 % and 95 % quantiles of the blocks; the tail is of single calls,
 * minus the cost of the two TSC reads around each. Then a program that marks 3 million pairs, under
 * "wattle run". Prints results; asserts nothing.
 */
#define _GNU_SOURCE
#include <wattle/region.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#    include <x86intrin.h>
#endif

#include "bench_spread.h"
#include "bench_time.h"

#define BLOCKS 2000
#define CALLS  1000
#define SINGLE 200000

enum what { BARE, CLOCK, BY_ID, NESTED, BY_NAME, EVENT, WHATS };

enum { DEPTH = 10 }; /* CALLS is a multiple of twice that */

static const char *const titles[WHATS] = {"bare loop",      "clock_gettime",  "region by id",
                                          "nested 10 deep", "region by name", "event"};

static volatile uint64_t sink;

/* Two calls, a begin and an end, or their substitute. */
static inline void two_calls(enum what what, uint32_t id)
{
    switch (what) {
    case BARE:
        sink = id;
        sink = id;
        break;
    case CLOCK:
        sink = now_ns();
        sink = now_ns();
        break;
    case BY_ID:
        wattle_region_begin(id);
        wattle_region_end(id);
        break;
    case BY_NAME:
        wattle_region_begin_name("solve the system");
        wattle_region_end_name("solve the system");
        break;
    default:
        wattle_event(1, id);
        wattle_event(2, id);
        break;
    }
}

struct tail {
    double p99, p999;
};

/* Begin and end nested regions, like functions that call each other. */
static void nest(uint32_t id)
{
    for (uint32_t i = 0; i < DEPTH; i++)
        wattle_region_begin(id + i);
    for (uint32_t i = DEPTH; i-- > 0;)
        wattle_region_end(id + i);
}

/* A block of one kind of call; the caller interleaves the kinds. */
static double block(enum what what, uint32_t id)
{
    uint64_t begin = now_ns();

    for (int i = 0; what == NESTED && i < CALLS / 2 / DEPTH; i++)
        nest(id);
    for (int i = 0; what != NESTED && i < CALLS / 2; i++)
        two_calls(what, id);
    return (double)(now_ns() - begin) / CALLS;
}

#if defined(__x86_64__)
static double cycles_per_ns(void)
{
    uint64_t ns = now_ns(), cycles = __rdtsc();

    while (now_ns() - ns < 20000000)
        ;
    return (double)(__rdtsc() - cycles) / (double)(now_ns() - ns);
}

static struct tail tail_of(enum what what, uint32_t id, double scale)
{
    static __thread double times[SINGLE];
    unsigned aux;

    for (int i = 0; i < SINGLE; i++) {
        uint64_t begin = __rdtscp(&aux);

        if (what == BY_ID && i % 2 == 0)
            wattle_region_begin(id);
        else if (what == BY_ID)
            wattle_region_end(id);
        times[i] = (double)(__rdtscp(&aux) - begin) / scale;
    }
    qsort(times, SINGLE, sizeof(*times), bench_spread_compare);
    return (struct tail){times[SINGLE - SINGLE / 100], times[SINGLE - SINGLE / 1000]};
}
#endif

struct result {
    struct bench_spread of[WHATS];
    struct tail single, empty;
};

static void *measure(void *arg)
{
    struct result *result = arg;
    static __thread double times[WHATS][BLOCKS];
    uint32_t id = wattle_region_id("solve");
    char name[32];

    for (int i = 1; i < DEPTH; i++) { /* new names have consecutive ids */
        (void)snprintf(name, sizeof name, "within %d", i);
        (void)wattle_region_id(name);
    }

    for (int b = 0; b < BLOCKS; b++)
        for (int what = 0; what < WHATS; what++)
            times[what][b] = block((enum what)what, id);
    for (int what = 0; what < WHATS; what++)
        result->of[what] = bench_spread_of(times[what], BLOCKS);
#if defined(__x86_64__)
    double scale = cycles_per_ns();

    result->empty = tail_of(BARE, id, scale);
    result->single = tail_of(BY_ID, id, scale);
#endif
    return NULL;
}

static void print(const char *title, const struct result *result)
{
    printf("%s\n", title);
    for (int what = 0; what < WHATS; what++) {
        const struct bench_spread *spread = &result->of[what], *clock = &result->of[CLOCK];

        printf("  %-16s", titles[what]);
        bench_spread_print(spread, 1, 1, "ns");
        printf("  %5.2f x clock_gettime, of means %.2f\n", spread->median / clock->median,
               spread->mean / clock->mean);
    }
    printf("  single begin or end, with two TSC reads around: p99 %.0f ns, p99.9 %.0f ns; empty: "
           "p99 %.0f ns, p99.9 %.0f ns\n",
           result->single.p99, result->single.p999, result->empty.p99, result->empty.p999);
}

/* A program that marks 3 million pairs, by itself and under "wattle run", alternately. */
static void under_run(const char *dir)
{
    enum { ROUNDS = 3 };
    char folder[4096], command[3 * sizeof folder];
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);

    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');

    if (!slash)
        return;
    *slash = '\0';
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (i % 2)
            (void)snprintf(command, sizeof command,
                           "'%s/../wattle' run -q --force -s estimate -o '%s/run.wtl' -- "
                           "'%s/bench_marks' 3000000",
                           folder, dir, folder);
        else
            (void)snprintf(command, sizeof command, "'%s/bench_marks' 3000000", folder);
        printf("  %-16s", i % 2 ? "wattle run" : "by itself");
        (void)fflush(stdout);
        if (system(command) != 0)
            puts(" failed");
    }
}

static void remove_spool(const char *dir)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;
    char path[512];

    while (folder && (entry = readdir(folder))) {
        (void)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(path);
    }
    if (folder)
        (void)closedir(folder);
    (void)rmdir(dir);
}

static void in_child(const char *title, const char *spool, const char *clock, int threads)
{
    pid_t pid = fork();

    if (pid == 0) {
        static struct result results[2];
        pthread_t other;

        if (spool)
            (void)setenv("WATTLE_SPOOL", spool, 1);
        else
            (void)unsetenv("WATTLE_SPOOL");
        (void)setenv("WATTLE_SPOOL_CLOCK", clock, 1);
        if (threads == 2)
            (void)pthread_create(&other, NULL, measure, &results[1]);
        (void)measure(&results[0]);
        if (threads == 2)
            (void)pthread_join(other, NULL);
        print(title, &results[0]);
        if (threads == 2)
            print("  the other thread", &results[1]);
        (void)fflush(stdout);
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    char dir[256];

    (void)snprintf(dir, sizeof(dir), "%s/bench-region-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    printf("region calls, ns per call: median of %d blocks of %d calls [5 %% .. 95 %%]\n", BLOCKS,
           CALLS);
    (void)fflush(stdout);
    in_child("recording, one thread", dir, "", 1);
    in_child("recording, two threads", dir, "", 2);
    in_child("recording with clock_gettime instead of the TSC", dir, "monotonic", 1);
    in_child("disabled", NULL, "", 1);
    puts("a program that marks 3 million pairs, by id");
    under_run(dir);
    remove_spool(dir);
    return 0;
}
