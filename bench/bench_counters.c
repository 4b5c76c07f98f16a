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

#include "bench_spread.h"
#include "counters/columns/columns.h"
#include "counters/columns/perf_unit.h"

enum { ROUNDS = 20000 };

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void bench_group(void)
{
    static double ours[ROUNDS], bare[ROUNDS];
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
        ours[i] = (double)(now_ns() - middle);
        bare[i] = (double)(middle - begin);
    }
    struct bench_spread a = bench_spread_of(ours, ROUNDS), b = bench_spread_of(bare, ROUNDS);
    (void)printf("group of %zu events, %zu descriptors read: ", unit->count,
                 columns.perf.unit_count);
    bench_spread_print(&a, 1, 0, "ns");
    (void)printf(", bare read ");
    bench_spread_print(&b, 1, 0, "ns");
    (void)printf(", ratio %.2f, of means %.2f\n", a.median / b.median, a.mean / b.mean);
    wtl_count_columns_close(&columns);
    wtl_counter_set_fini(&set);
}

static void bench_set(const char *name, enum wtl_counted scope)
{
    static double times[ROUNDS / 10];
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
        times[r] = (double)(now_ns() - begin);
    }
    struct bench_spread spread = bench_spread_of(times, ROUNDS / 10);
    (void)printf("%-23s of the %-12s %2zu of %2zu columns: ", name,
                 scope == WTL_COUNTED_TREE ? "process tree" : "machine", counted, set.column_count);
    bench_spread_print(&spread, 1e-3, 1, "us");
    (void)printf("\n");
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
