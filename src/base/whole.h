/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conversion of doubles to integers, time differences, and sorting, for numbers and counts that come from
 * files, machines and options. C leaves undefined a cast of NaN or of a value that does not fit, a difference
 * that does not fit, and qsort() of a null pointer. Here such a value becomes the nearest representable one,
 * and NaN becomes 0.
 */
#ifndef WTL_BASE_WHOLE_H
#define WTL_BASE_WHOLE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Rounds toward zero, like a cast. */
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

/* Seconds between two times in ns. */
static inline double wtl_seconds_between(int64_t from_ns, int64_t to_ns)
{
    int64_t ns;
    double away =
        __builtin_sub_overflow(to_ns, from_ns, &ns) ? (double)to_ns - (double)from_ns : (double)ns;
    return 1e-9 * away;
}

/* Like qsort(); items may be NULL if count is 0. */
static inline void wtl_sort(void *items,
                            size_t count,
                            size_t size,
                            int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, size, compare);
}

#endif
