/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of recording tasks. Without arguments: goal O7, ns per mark, alone and with two details, medians over
 * blocks of 1000 marks. bench_tasks MODE RATE SECONDS (modes bare, wattle, lttng): tasks that spin, RATE a second in one
 * thread, each recorded when it begins and ends; prints what the loop took per task beyond its work. bench_tasks.py runs
 * these alternately. Prints results; asserts nothing.
 */
#define _GNU_SOURCE
#include <wattle/region.h>
#include <wattle/task.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_spread.h"
#include "bench_time.h"
#include "record/regions/region_place.h"
#ifdef WITH_LTTNG
#    define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#    define LTTNG_UST_TRACEPOINT_DEFINE
#    include "tasks_lttng.h"
#endif

enum { BLOCKS = 1000, CALLS = 1000 };

static uint32_t type;

static void mark_alone(uint64_t task)
{
    wattle_task_mark(WATTLE_TASK_RUN, type, task);
}

static void mark_with_two(uint64_t task)
{
    const struct wattle_task_detail details[] = {{WATTLE_TASK_DETAIL, WATTLE_TASK_KEY_CORE, 1},
                                                 {WATTLE_TASK_COUNTER, type, task}};
    wattle_task_mark_with(WATTLE_TASK_RUN, type, task, details, 2);
}

static void print_cost(const char *what, void (*mark)(uint64_t task))
{
    static double ns[BLOCKS];
    for (int b = 0; b < BLOCKS; b++) {
        uint64_t begin_ns = now_ns();
        for (uint64_t i = 1; i <= CALLS; i++)
            mark(i);
        ns[b] = (double)(now_ns() - begin_ns) / CALLS;
    }
    struct bench_spread spread = bench_spread_of(ns, BLOCKS);
    printf("%-28s ", what);
    bench_spread_print(&spread, 1, 1, "ns");
    putchar('\n');
}

static int print_costs(void)
{
    char dir[] = "/tmp/bench-tasks-XXXXXX", remove[64];
    print_cost("not recording", mark_alone);
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        (void)setenv("WATTLE_TASKS", "1", 1);
        if (!mkdtemp(dir) || wtl_region_record(dir) < 0)
            _exit(1);
        print_cost("mark", mark_alone);
        print_cost("mark with two details", mark_with_two);
        (void)fflush(stdout);
        (void)snprintf(remove, sizeof remove, "rm -r %s", dir);
        _exit(system(remove) != 0);
    }
    return waitpid(pid, NULL, 0) != pid;
}

static volatile uint64_t sink;

/* A task of about `turns` turns. */
static void work(uint64_t turns)
{
    uint64_t x = turns;
    for (uint64_t i = 0; i < turns; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

/* Turns that take so long, by the fastest of some tries: other load only makes it slower. */
static uint64_t turns_of(double ns)
{
    const uint64_t tried = 1000000;
    double best = 1e18;
    for (int i = 0; i < 20; i++) {
        uint64_t begin_ns = now_ns();
        work(tried);
        double took = (double)(now_ns() - begin_ns);
        best = took < best ? took : best;
    }
    return (uint64_t)(ns / best * (double)tried);
}

static void record(const char *mode, bool begin, uint64_t task)
{
    if (mode[0] == 'w')
        wattle_task_mark(begin ? WATTLE_TASK_RUN : WATTLE_TASK_DONE, type, task);
#ifdef WITH_LTTNG
    if (mode[0] == 'l' && begin)
        lttng_ust_tracepoint(bench_tasks, run, type, task);
    else if (mode[0] == 'l')
        lttng_ust_tracepoint(bench_tasks, done, type, task);
#endif
}

static int run_tasks(const char *mode, double rate, double seconds, uint64_t turns)
{
    enum { BATCH = 1000 };
    uint64_t tasks = (uint64_t)(rate * seconds);
    size_t batches = (size_t)(tasks / BATCH), n = 0;
    double *ns = malloc((batches + 1) * sizeof *ns);
    if (!ns)
        return 1;
    if (turns == 0)
        turns = turns_of(1e9 / rate);
    for (uint64_t task = 1; n < batches; n++) {
        uint64_t begin_ns = now_ns();
        for (int i = 0; i < BATCH; i++, task++) {
            record(mode, true, task);
            work(turns);
            record(mode, false, task);
        }
        ns[n] = (double)(now_ns() - begin_ns) / BATCH;
    }
    if (n > 0) {
        struct bench_spread spread = bench_spread_of(ns, n);
        printf("%s %llu %.1f %.1f %.1f\n", mode, (unsigned long long)turns, spread.median,
               spread.mean, spread.high);
    }
    free(ns);
    return 0;
}

int main(int argc, char **argv)
{
    type = wattle_region_id("task");
    if (argc < 4)
        return print_costs();
    return run_tasks(argv[1], strtod(argv[2], NULL), strtod(argv[3], NULL),
                     argc > 4 ? strtoull(argv[4], NULL, 10) : 0);
}
