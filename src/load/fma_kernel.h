/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel of greatest power: what it computes, whatever the width of its vectors. All of it is
 * counted in lines of 8 doubles (64 bytes, a cache line). The state is `groups` lines, as many as fill the
 * registers of an instruction set level, of which each vector is a chain of its own. A round is
 * WTL_FMA_UNITS units of WTL_FMA_UNIT lines:
 *
 *     unit    for each group of lines:   x = x*m1 + l1.in     each line of l1.in once in a round
 *                                        x = x*m2 + c
 *                                        l1.out = x           the first half of the group
 *             first line:                x = x*m1 + l2.in;  l2.out = x
 *     round   first line, WTL_FMA_L3 times: the same with l3;  once: the same with memory
 *
 * Why so: of two multiply-adds one takes its addend from the first cache, and every fourth vector is
 * stored, so that two multiply-adds, a load and half a store can begin in each cycle, as today's cores
 * can. Memory moves 192 bytes (a line in, a line out that is read first) for 4048 floating point operations: 21
 * a byte, about half of what memory of a server gives its cores (some 10 to 12 operations a byte), so
 * that it is busy and does not hold them up. Second and third cache stand between in the same steps.
 *
 * |m1|, |m2| < 1 and addends in +-[1,2) keep |x| below WTL_FMA_BOUND for ever, with all bits of the
 * mantissa in motion: no overflow, no denormal numbers, no constant bits. What is written is never read by the kernel.
 */
#ifndef WTL_LOAD_FMA_KERNEL_H
#define WTL_LOAD_FMA_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WTL_FMA_LINE = 8,   /* doubles in a line */
    WTL_FMA_UNIT = 12,  /* lines in a unit */
    WTL_FMA_UNITS = 10, /* units in a round */
    WTL_FMA_L1 = WTL_FMA_UNIT * WTL_FMA_UNITS,
    WTL_FMA_L3 = 2,
    WTL_FMA_GROUPS = 12, /* most lines of state */
    WTL_FMA_AHEAD = 8,   /* lines of memory fetched ahead; each stream has so many behind its end */
    /* in a round; a multiply-add is two operations */
    WTL_FMA_FLOPS = 2 * WTL_FMA_LINE * (2 * WTL_FMA_L1 + WTL_FMA_UNITS + WTL_FMA_L3 + 1)
};

/* Of |x|. An addition gives |m1|*|x| + 2 at most, a turn |m2|*|x| + c, and no more than 5 additions (a group
 * and a line of l2, twice l3, memory) stand between two turns; test_fma_kernel.c works out the worst. */
#define WTL_FMA_BOUND 24.0

#define WTL_FMA_M1 0.9746794344808963    /* sqrt(0.95) */
#define WTL_FMA_M2 (-0.7937005259840998) /* -(0.5 to the third) */
#define WTL_FMA_C  0.5641895835477563    /* 1 / sqrt(pi) */

/* A ring of lines that is read, and one that is written. */
struct wtl_fma_stream {
    double *in, *out;
    size_t lines, at; /* at: the next of them */
};

struct wtl_fma_work {
    double *state;          /* groups lines */
    double *l1_in, *l1_out; /* WTL_FMA_L1 lines, half of them */
    struct wtl_fma_stream l2, l3, memory;
};

/* So many rounds. All pointers aligned to 64 bytes. */
typedef void wtl_fma_function(struct wtl_fma_work *work, uint64_t rounds);

wtl_fma_function wtl_fma_generic;
#if defined(__x86_64__)
wtl_fma_function wtl_fma_sse2, wtl_fma_avx, wtl_fma_avx2, wtl_fma_avx512f;
#elif defined(__aarch64__)
wtl_fma_function wtl_fma_neon;
#endif

/* The same in plain C, a double at a time; fused: multiply and add with one rounding. To check the others. */
void wtl_fma_reference(struct wtl_fma_work *work, uint64_t rounds, unsigned groups, bool fused);

#endif
