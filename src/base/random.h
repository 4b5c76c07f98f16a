/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counter-based random numbers: draw n of a stream is a hash of (stream, n), so that any draw can be computed
 * in any order, at any time, and is the same for the same seed.
 */
#ifndef WTL_BASE_RANDOM_H
#define WTL_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t wtl_random_bits(uint64_t stream, uint64_t n)
{
    uint64_t z = stream + (n + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double wtl_random_uniform(uint64_t stream, uint64_t n)
{
    return (double)(wtl_random_bits(stream, n) >> 11) * 0x1p-53;
}

/* Mean 0, standard deviation 1: the sum of four uniform 16-bit numbers, within +-3.46. */
static inline double wtl_random_normal(uint64_t stream, uint64_t n)
{
    uint64_t bits = wtl_random_bits(stream, n);
    uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return ((double)sum - 131070.0) * (1.7320508075688772 / 65536.0);
}

/* Exponential with mean 1. */
static inline double wtl_random_exponential(uint64_t stream, uint64_t n)
{
    return -log(1.0 - wtl_random_uniform(stream, n));
}

#endif
