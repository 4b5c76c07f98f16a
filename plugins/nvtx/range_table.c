/* SPDX-License-Identifier: BSD-3-Clause */
#include "range_table.h"

#include <stddef.h>

enum { RANGES = 4096 };

/* number << 32 | region, by number; 0 = free. A range whose place is taken is left out. */
static uint64_t ranges[RANGES];
static uint32_t last;

uint64_t range_add(uint32_t region)
{
    uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    uint64_t none = 0, range = (uint64_t)number << 32 | region;

    if (region == 0 || number == 0 ||
        !__atomic_compare_exchange_n(&ranges[number % RANGES], &none, range, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return (uint64_t)1 << 32 | number;
    return number;
}

uint32_t range_take(uint64_t number)
{
    if (number == 0 || number > UINT32_MAX)
        return 0;
    uint64_t range = __atomic_load_n(&ranges[number % RANGES], __ATOMIC_RELAXED);

    if (range >> 32 != number ||
        !__atomic_compare_exchange_n(&ranges[number % RANGES], &range, 0, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return 0;
    return (uint32_t)range;
}
