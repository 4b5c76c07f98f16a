/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program as users write it, linked with libwattle, that marks pairs and does nothing else: bench_marks [PAIRS]. Prints
 * ns per call over blocks of 1000 calls: as it pays them, with fresh pages; and its processor time, which other load does not change much. bench_region runs it by itself and under
 * "wattle run".
 */
#define _GNU_SOURCE
#include <wattle/region.h>

#include <stdlib.h>

#include "bench_spread.h"
#include "bench_time.h"

enum { PAIRS_OF_A_BLOCK = 500 };

static double cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    uint64_t pairs = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000000;
    size_t blocks = (size_t)(pairs / PAIRS_OF_A_BLOCK);
    double *ns = calloc(blocks + 1, sizeof *ns);
    uint32_t id = wattle_region_id("solve");

    if (!ns || blocks == 0)
        return 1;
    double begin_cpu_ns = cpu_ns();

    for (size_t b = 0; b < blocks; b++) {
        uint64_t begin_ns = now_ns();

        for (int i = 0; i < PAIRS_OF_A_BLOCK; i++) {
            wattle_region_begin(id);
            wattle_region_end(id);
        }
        ns[b] = (double)(now_ns() - begin_ns) / (2 * PAIRS_OF_A_BLOCK);
    }
    double cpu = (cpu_ns() - begin_cpu_ns) / (double)blocks / (2 * PAIRS_OF_A_BLOCK);
    struct bench_spread spread = bench_spread_of(ns, blocks);

    bench_spread_print(&spread, 1, 1, "ns");
    (void)printf(", processor time %.1f ns\n", cpu);
    free(ns);
    return 0;
}
