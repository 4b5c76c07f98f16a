/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the range of a powercap zone to its modulus: see rapl_range.h. Adding only the range at a wrap, as
 * many readers do, loses one unit (61 uJ) per wrap; the loss is small but systematic, and the requirement is
 * exactness. Linux stores the unit as an integer number of 1/1000 uJ (drivers/powercap/intel_rapl_common.c,
 * rapl_unit_xlate, as of Linux 6.12): 2^-14 J becomes 61035, so package zones there show 262143328850 and not
 * 262143999938.
 */
#include "sensors/rapl_range.h"

#define LINUX_SCALE UINT64_C(1000)
#define LINUX_BITS  32

/* floor(a * b / 1000) without overflow for a < 2^33. */
static uint64_t scaled(uint64_t a, uint64_t b)
{
    return a * (b / LINUX_SCALE) + a * (b % LINUX_SCALE) / LINUX_SCALE;
}

static uint64_t linux_modulus(uint64_t range)
{
    const uint64_t top = (UINT64_C(1) << LINUX_BITS) - 1;
    if (range > UINT64_MAX / LINUX_SCALE)
        return 0;
    uint64_t unit = (range * LINUX_SCALE + top - 1) / top;
    if (unit == 0 || scaled(top, unit) != range)
        return 0;
    uint64_t exact = (top + 1) * (unit % LINUX_SCALE);
    return (top + 1) * (unit / LINUX_SCALE) + (exact + LINUX_SCALE / 2) / LINUX_SCALE;
}

static uint64_t exact_modulus(uint64_t range)
{
    for (unsigned bits = 16; bits <= 43; bits++) {
        for (unsigned exponent = 0; exponent <= 24; exponent++) {
            uint64_t size = UINT64_C(1) << bits;
            if ((size - 1) * 1000000 >> exponent != range)
                continue;
            uint64_t half = exponent ? UINT64_C(1) << (exponent - 1) : 0;
            return (size * 1000000 + half) >> exponent;
        }
    }
    return 0;
}

uint64_t wtl_rapl_modulus_uj(uint64_t max_range_uj)
{
    if (max_range_uj == 0 || max_range_uj == UINT64_MAX)
        return 0;
    uint64_t modulus = exact_modulus(max_range_uj);
    if (!modulus)
        modulus = linux_modulus(max_range_uj);
    return modulus ? modulus : max_range_uj + 1;
}
