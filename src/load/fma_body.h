/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The body of the kernel (fma_kernel.h), included by one file for each instruction set level, which
 * is compiled for that level and defines
 *   FMA_NAME    the function
 *   FMA_LANES   doubles in a vector
 *   FMA_CHAINS  vectors of state, 12 or 16: independent, so that they hide each other's latency
 */
#include "load/fma_kernel.h"

typedef double vec __attribute__((vector_size(8 * FMA_LANES), may_alias));

enum {
    PER_LINE = WTL_FMA_LINE / FMA_LANES,
    GROUPS = FMA_CHAINS / PER_LINE,
    STEPS = WTL_FMA_UNIT / GROUPS /* groups of lines per unit */
};

/* Chains must have names so that the compiler can keep them in registers, so loops over them are
 * unrolled by macros. */
#define SIX(DO, at)    DO((at)) DO((at) + 1) DO((at) + 2) DO((at) + 3) DO((at) + 4) DO((at) + 5)
#define TWELVE(DO, at) SIX(DO, at) SIX(DO, (at) + 6)
#if FMA_CHAINS == 16
#    define EACH(DO) TWELVE(DO, 0) DO(12) DO(13) DO(14) DO(15)
#    define HALF(DO) SIX(DO, 0) DO(6) DO(7)
#else
#    define EACH(DO) TWELVE(DO, 0)
#    define HALF(DO) SIX(DO, 0)
#endif
#define FETCH(k) x[k] = ((const vec *)work->state)[k];
#define KEEP(k)  ((vec *)work->state)[k] = x[k];
#define ADD(k)   x[k] = x[k] * m1 + in[k];
#define TURN(k)  x[k] = x[k] * m2 + c;
#define STORE(k) out[k] = x[k];

/* A stream in registers: positions are in doubles, to avoid a shift. */
struct ring {
    const double *in;
    double *out;
    size_t size, at;
};

static inline __attribute__((always_inline)) struct ring ring_of(
    const struct wtl_fma_stream *stream)
{
    return (struct ring){.in = stream->in,
                         .out = stream->out,
                         .size = stream->lines * WTL_FMA_LINE,
                         .at = stream->at * WTL_FMA_LINE};
}

/* One line of a stream through the first line of the state. */
static inline __attribute__((always_inline)) void pass(struct ring *ring, vec *x, const vec m1)
{
    const vec *in = (const vec *)(ring->in + ring->at);
    vec *out = (vec *)(ring->out + ring->at);
    ring->at += WTL_FMA_LINE;
    __builtin_prefetch((const double *)in + WTL_FMA_AHEAD * WTL_FMA_LINE, 0);
    __builtin_prefetch((double *)out + WTL_FMA_AHEAD * WTL_FMA_LINE, 1);
    for (int k = 0; k < PER_LINE; k++) {
        x[k] = x[k] * m1 + in[k];
        out[k] = x[k];
    }
    ring->at = ring->at == ring->size ? 0 : ring->at;
}

void FMA_NAME(struct wtl_fma_work *work, uint64_t rounds)
{
    const vec zero = {0}, m1 = zero + WTL_FMA_M1, m2 = zero + WTL_FMA_M2, c = zero + WTL_FMA_C;
    struct ring l2 = ring_of(&work->l2), l3 = ring_of(&work->l3), memory = ring_of(&work->memory);
    vec x[FMA_CHAINS];
    EACH(FETCH)
    for (; rounds; rounds--) {
        const vec *in = (const vec *)work->l1_in;
        vec *out = (vec *)work->l1_out;
        for (int unit = 0; unit < WTL_FMA_UNITS; unit++) {
            for (int step = 0; step < STEPS; step++) {
                EACH(ADD)
                EACH(TURN)
                HALF(STORE)
                in += FMA_CHAINS;
                out += FMA_CHAINS / 2;
            }
            pass(&l2, x, m1);
        }
        pass(&l3, x, m1);
        pass(&l3, x, m1);
        pass(&memory, x, m1);
    }
    EACH(KEEP)
    work->l2.at = l2.at / WTL_FMA_LINE;
    work->l3.at = l3.at / WTL_FMA_LINE;
    work->memory.at = memory.at / WTL_FMA_LINE;
}
