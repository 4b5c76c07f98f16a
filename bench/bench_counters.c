/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of a reading of counters: a group of perf events through src/counters/columns beside a bare read(2) of the same
 * descriptor in the same run, alternately; and of each set that is installed, for a command and for the machine. Run it in the root of the source.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters/columns/columns.h"
#include "counters/columns/perf_unit.h"

enum { ROUNDS = 20000 };

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double median(uint64_t *list, size_t n)
{
    qsort(list, n, sizeof *list, compare);
    return (double)list[n / 2];
}

static void bench_group(void)
{
    static uint64_t ours[ROUNDS], bare[ROUNDS];
    static const char text[] = "[columns]\nA = perf:page-faults\nB = perf:minor-faults\n"
                               "C = perf:major-faults\nD = perf:context-switches\n"
                               "E = perf:cpu-migrations\n";
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    struct wtl_count_columns columns;
    const struct wtl_target target = {.pid = getpid(), .inherit = true, .scope = WTL_COUNTED_TREE};
    if (wtl_counter_set_parse(&set, "bench", "bench", text, strlen(text), &err) < 0 ||
        wtl_count_columns_open(&columns, wtl_world_real(), &target, &set) < 0)
        return;
    if (columns.perf.unit_count == 0) {
        (void)printf("no perf events here: %s\n", columns.list[0].why.text);
        return;
    }
    const struct wtl_perf_unit *unit = &columns.perf.units[0];
    uint64_t words[3 + WTL_PERF_GROUP];
    for (size_t i = 0; i < ROUNDS; i++) {
        uint64_t begin = now_ns();
        (void)!read(unit->fds[0][0], words, sizeof words);
        uint64_t middle = now_ns();
        wtl_count_columns_read(&columns);
        ours[i] = now_ns() - middle;
        bare[i] = middle - begin;
    }
    double a = median(ours, ROUNDS), b = median(bare, ROUNDS);
    (void)printf(
        "group of %zu events, %zu descriptors read: %.0f ns, bare read %.0f ns, ratio %.2f\n",
        unit->count, columns.perf.unit_count, a, b, a / b);
    wtl_count_columns_close(&columns);
    wtl_counter_set_fini(&set);
}

static void bench_set(const char *name, enum wtl_counted scope)
{
    static uint64_t times[ROUNDS / 10];
    struct wtl_counter_set set;
    struct wattle_error err = {""};
    struct wtl_count_columns columns;
    const struct wtl_target target = {
        .pid = scope == WTL_COUNTED_TREE ? getpid() : 0, .inherit = true, .scope = scope};
    size_t counted = 0;
    uint64_t value;
    if (wtl_counter_set_load(&set, wtl_world_real(), name, &err) < 0 ||
        wtl_count_columns_open(&columns, wtl_world_real(), &target, &set) < 0) {
        (void)printf("%s: %s\n", name, err.text);
        return;
    }
    for (size_t r = 0; r < ROUNDS / 10; r++) {
        uint64_t begin = now_ns();
        wtl_count_columns_read(&columns);
        counted = 0;
        for (size_t i = 0; i < set.column_count; i++)
            counted += wtl_count_columns_value(&columns, i, &value) == 0;
        times[r] = now_ns() - begin;
    }
    (void)printf("%-23s of the %-12s %2zu of %2zu columns: %6.1f us\n", name,
                 scope == WTL_COUNTED_TREE ? "process tree" : "machine", counted, set.column_count,
                 median(times, ROUNDS / 10) * 1e-3);
    wtl_count_columns_close(&columns);
    wtl_counter_set_fini(&set);
}

int main(void)
{
    /* Beside build/bin/bench there is no share/wattle/counters: the sets are those of the working directory. */
    static const char *const names[] = {"./counters/default.ini", "./counters/paper.ini",
                                        "./counters/software.ini", "./counters/energy.ini",
                                        "./counters/memory.ini"};
    bench_group();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bench_set(names[i], WTL_COUNTED_TREE);
        bench_set(names[i], WTL_COUNTED_MACHINE);
    }
    return 0;
}
