/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured shapes of power over load, by name; the first is the default. */
#ifndef WTL_SENSORS_POWER_CURVE_H
#define WTL_SENSORS_POWER_CURVE_H

#include <stddef.h>

#define WTL_POWER_CURVE_POINTS 11 /* loads 0, 0.1 .. 1 */

struct wtl_power_curve {
    char name[24];
    double part[WTL_POWER_CURVE_POINTS]; /* (P - idle) / (full - idle); rises from 0 to 1 */
};

extern const struct wtl_power_curve wtl_power_curves[];
extern const size_t wtl_power_curve_count;

#endif
