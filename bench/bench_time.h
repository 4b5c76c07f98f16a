/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a bench. */
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

#endif
