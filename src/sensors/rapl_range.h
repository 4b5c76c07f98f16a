/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrap of an energy counter shown by the powercap interface in microjoules. */
#ifndef WTL_SENSORS_RAPL_RANGE_H
#define WTL_SENSORS_RAPL_RANGE_H

#include <stdint.h>

/*
 * The modulus in microjoules of a counter whose largest value is max_range_uj. The underlying counter has b
 * bits and wraps one unit after its largest value: at max_range_uj + 1 unit, where the unit is not available.
 * It is recovered from the two ways in which the range is computed:
 *   Linux:      floor((2^32 - 1) * u / 1000) with an integer u (units of 1/1000 uJ, truncated)
 *   exact:      floor((2^b - 1) * 10^6 / 2^e) for 16 <= b <= 43, 0 <= e <= 24
 * Returns the modulus rounded to 1 uJ; max_range_uj + 1 when neither way gives the range (a wrap is then off
 * by less than a unit); 0, which stands for 2^64, for a range of 0 or 2^64 - 1.
 */
uint64_t wtl_rapl_modulus_uj(uint64_t max_range_uj);

#endif
