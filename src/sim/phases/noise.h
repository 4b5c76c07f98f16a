/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Noise by the million: a xoshiro256** generator (Blackman, Vigna 2018) and the ziggurat of Marsaglia and Tsang (2000) with
 * exact tails, for the normal distribution and for Student's t with 3 degrees of freedom, both with standard deviation 1.
 * The normal of base/random.h is cheaper to jump in but ends at 3.5, which a detector of rare events must not rely on.
 */
#ifndef WTL_SIM_NOISE_H
#define WTL_SIM_NOISE_H

#include <stdbool.h>
#include <stdint.h>

enum { WTL_NOISE_LAYERS = 256 };

struct wtl_noise_source {
    uint64_t state[4];
    bool heavy;
    double unit; /* makes the standard deviation 1 */
    double x[WTL_NOISE_LAYERS +
             1]; /* right edge of each layer; [0] is the base strip's virtual width */
    double at[WTL_NOISE_LAYERS + 1]; /* density at x */
};

void wtl_noise_init(struct wtl_noise_source *noise, bool heavy, uint64_t stream);

/* The rare cases: outside the rectangle that is certain. */
double wtl_noise_slow(struct wtl_noise_source *noise, unsigned layer, double x);

static inline uint64_t wtl_noise_bits(struct wtl_noise_source *noise)
{
    uint64_t *s = noise->state, five = s[1] * 5, result = (five << 7 | five >> 57) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* Uniform in [0, 1). */
static inline double wtl_noise_uniform(struct wtl_noise_source *noise)
{
    return (double)(wtl_noise_bits(noise) >> 11) * 0x1p-53;
}

/* Mean 0, standard deviation 1. */
static inline double wtl_noise_draw(struct wtl_noise_source *noise)
{
    uint64_t bits = wtl_noise_bits(noise);
    unsigned layer = bits & (WTL_NOISE_LAYERS - 1);
    double x =
        (double)((int64_t)bits >> 11) * 0x1p-52 * noise->x[layer]; /* -x[layer] .. x[layer] */
    double size = x < 0 ? -x : x;
    if (__builtin_expect(size < noise->x[layer + 1], 1))
        return x * noise->unit;
    return wtl_noise_slow(noise, layer, x) * noise->unit;
}

#endif
