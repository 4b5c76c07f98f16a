/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shapes of power over load: (P - idle) / (full - idle) at loads 0, 0.1 .. 1.
 * Written by scripts/make-power-tables from load steps measured by CodeCarbon (MIT) and by
 * Loghin and Teo, Data in Brief 2019, doi 10.1016/j.dib.2019.104670 (CC BY 4.0); do not edit.
 */
#include "sensors/power_curve.h"

/* clang-format off */
/* The first is the default. */
const struct wtl_power_curve wtl_power_curves[] = {
    {"mean", {0.000, 0.250, 0.391, 0.515, 0.632, 0.759, 0.827, 0.933, 0.962, 0.976, 1.000}},
    {"e3-1240v2-a", {0.000, 0.156, 0.262, 0.348, 0.464, 0.632, 0.711, 0.901, 0.946, 0.970, 1.000}},
    {"e3-1240v2-b", {0.000, 0.154, 0.261, 0.345, 0.457, 0.581, 0.729, 0.905, 0.956, 0.962, 1.000}},
    {"e5-2620v3", {0.000, 0.207, 0.289, 0.372, 0.493, 0.574, 0.683, 0.893, 0.935, 0.984, 1.000}},
    {"epyc-8024p", {0.000, 0.558, 0.780, 0.888, 0.958, 1.000, 1.000, 1.000, 1.000, 1.000, 1.000}},
    {"opteron-48", {0.000, 0.155, 0.277, 0.405, 0.517, 0.628, 0.696, 0.825, 0.909, 0.975, 1.000}},
    {"threadripper-1950x", {0.000, 0.212, 0.358, 0.595, 0.787, 0.943, 1.000, 1.000, 1.000, 1.000, 1.000}},
    {"xeon-10", {0.000, 0.309, 0.506, 0.650, 0.751, 0.884, 0.884, 0.884, 0.907, 0.945, 1.000}},
    {"linear", {0.000, 0.100, 0.200, 0.300, 0.400, 0.500, 0.600, 0.700, 0.800, 0.900, 1.000}},
};

const size_t wtl_power_curve_count = sizeof wtl_power_curves / sizeof wtl_power_curves[0];
