/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel (fma_kernel.h) in plain C. Compiled so that a*b + c is rounded twice. */
#include <math.h>

#include "load/fma_kernel.h"

static double multiply_add(double x, double by, double plus, bool fused)
{
    return fused ? fma(x, by, plus) : x * by + plus;
}

static void pass(struct wtl_fma_stream *stream, double *x, bool fused)
{
    for (size_t i = 0; i < WTL_FMA_LINE; i++) {
        size_t at = stream->at * WTL_FMA_LINE + i;
        x[i] = multiply_add(x[i], WTL_FMA_M1, stream->in[at], fused);
        stream->out[at] = x[i];
    }
    stream->at = (stream->at + 1) % stream->lines;
}

void wtl_fma_reference(struct wtl_fma_work *work, uint64_t rounds, unsigned groups, bool fused)
{
    double *x = work->state;
    size_t size = (size_t)groups * WTL_FMA_LINE;
    for (; rounds; rounds--) {
        const double *in = work->l1_in;
        double *out = work->l1_out;
        for (unsigned unit = 0; unit < WTL_FMA_UNITS; unit++) {
            for (unsigned lines = 0; lines < WTL_FMA_UNIT; lines += groups) {
                for (size_t i = 0; i < size; i++) {
                    x[i] = multiply_add(x[i], WTL_FMA_M1, in[i], fused);
                    x[i] = multiply_add(x[i], WTL_FMA_M2, WTL_FMA_C, fused);
                }
                for (size_t i = 0; i < size / 2; i++)
                    out[i] = x[i];
                in += size;
                out += size / 2;
            }
            pass(&work->l2, x, fused);
        }
        for (unsigned i = 0; i < WTL_FMA_L3; i++)
            pass(&work->l3, x, fused);
        pass(&work->memory, x, fused);
    }
}
