/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of maximum power: what it computes, whatever the width of its vectors. Everything is
 * counted in lines of 8 doubles (64 bytes, a cache line). The state is `groups` lines, as many as
 * fill the registers of an instruction set level; each of its vectors is a separate chain. A round
 * is WTL_FMA_UNITS units of WTL_FMA_UNIT lines:
 *
 *     unit    for each group of lines:   x = x*m1 + l1.in     each line of l1.in once in a round
 *                                        x = x*m2 + c
 *                                        l1.out = x           the first half of the group
 *             first line:                x = x*m1 + l2.in;  l2.out = x
 *     round   first line, WTL_FMA_L3 times: the same with l3;  once: the same with memory
 *
 * Reason: one of two multiply-adds takes its addend from the first-level cache, and every fourth
 * vector is stored, so that two multiply-adds, a load and half a store can begin in each cycle,
 * which is what current cores can do. Memory moves 192 bytes (a line in, a line out that is read
 * first) for 4048 floating point operations: 21 per byte. The memory of a server delivers a byte
 * per 10 to 12 operations of its cores, so about half of its bandwidth is used: it is busy without
 * slowing the cores down. The second- and third-level caches are between them in the same steps.
 *
 * |m1|, |m2| < 1 and addends in +-[1,2) keep |x| below WTL_FMA_BOUND forever, with all bits of the
 * mantissa changing: no overflow, no denormal numbers, no constant bits. The kernel never reads
 * what it writes.
 */
#ifndef WTL_LOAD_FMA_KERNEL_H
#define WTL_LOAD_FMA_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WTL_FMA_LINE = 8,   /* doubles per line */
    WTL_FMA_UNIT = 12,  /* lines per unit */
    WTL_FMA_UNITS = 10, /* units per round */
    WTL_FMA_L1 = WTL_FMA_UNIT * WTL_FMA_UNITS,
    WTL_FMA_L3 = 2,
    WTL_FMA_GROUPS = 12, /* maximum lines of state */
    WTL_FMA_AHEAD = 8,   /* lines of memory prefetched; each stream has this many after its end */
    /* per round; a multiply-add is two operations */
    WTL_FMA_FLOPS = 2 * WTL_FMA_LINE * (2 * WTL_FMA_L1 + WTL_FMA_UNITS + WTL_FMA_L3 + 1)
};

/* Bound of |x|. An addition gives at most |m1|*|x| + 2, a turn |m2|*|x| + c, and there are at most
 * 5 additions (a group and a line of l2, twice l3, memory) between two turns; test_fma_kernel.c
 * computes the worst case. */
#define WTL_FMA_BOUND 24.0

#define WTL_FMA_M1 0.9746794344808963    /* sqrt(0.95) */
#define WTL_FMA_M2 (-0.7937005259840998) /* -(cube root of 0.5) */
#define WTL_FMA_C  0.5641895835477563    /* 1 / sqrt(pi) */

/* A ring of lines that is read, and one that is written. */
struct wtl_fma_stream {
    double *in, *out;
    size_t lines, at; /* at: the next one */
};

struct wtl_fma_work {
    double *state;          /* groups lines */
    double *l1_in, *l1_out; /* WTL_FMA_L1 lines, half of them */
    struct wtl_fma_stream l2, l3, memory;
};

/* Run this many rounds. All pointers must be aligned to 64 bytes. */
typedef void wtl_fma_function(struct wtl_fma_work *work, uint64_t rounds);

wtl_fma_function wtl_fma_generic;
#if defined(__x86_64__)
wtl_fma_function wtl_fma_sse2, wtl_fma_avx, wtl_fma_avx2, wtl_fma_avx512f;
#elif defined(__aarch64__)
wtl_fma_function wtl_fma_neon;
#endif

/* The same in plain C, one double at a time; fused: multiply and add with one rounding. For
 * verification. */
void wtl_fma_reference(struct wtl_fma_work *work, uint64_t rounds, unsigned groups, bool fused);

#endif
