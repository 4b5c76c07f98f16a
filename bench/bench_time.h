/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a bench, and their order for quantiles. */
#ifndef WTL_BENCH_TIME_H
#define WTL_BENCH_TIME_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* For qsort() of double. */
static inline int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

#endif
