/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From doubles to whole numbers, from times to the time between them, and sorting, where numbers and counts come from files,
 * machines and options: C leaves open what a cast does with NaN or with what does not fit, what a difference does that does not,
 * and qsort() of nothing. Here such a value becomes the nearest that there is, and NaN 0.
 */
#ifndef WTL_BASE_WHOLE_H
#define WTL_BASE_WHOLE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Toward zero, as a cast. */
static inline uint64_t wtl_whole_u64(double x)
{
    return !(x > 0) ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

static inline int64_t wtl_whole_i64(double x)
{
    return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : x == x ? (int64_t)x : 0;
}

static inline int wtl_whole_int(double x)
{
    return x >= INT_MAX ? INT_MAX : x <= INT_MIN ? INT_MIN : x == x ? (int)x : 0;
}

/* At most `most`. */
static inline size_t wtl_whole_size(double x, size_t most)
{
    return !(x > 0) ? 0 : x >= (double)most ? most : (size_t)x;
}

/* Seconds from one time to another, in ns. */
static inline double wtl_seconds_between(int64_t from_ns, int64_t to_ns)
{
    int64_t ns;
    double away =
        __builtin_sub_overflow(to_ns, from_ns, &ns) ? (double)to_ns - (double)from_ns : (double)ns;
    return 1e-9 * away;
}

/* As qsort(); items may be NULL where there are none. */
static inline void wtl_sort(void *items,
                            size_t count,
                            size_t size,
                            int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, size, compare);
}

#endif
