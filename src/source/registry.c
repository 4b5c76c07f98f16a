/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of drivers: see registry.h. Drivers without a table of models come first. */
#include "source/registry.h"

/* DRIVER(name) stands for wtl_driver_name. One per line: */
/* clang-format off */
#define DRIVERS(DRIVER) \
    DRIVER(perf) \
    DRIVER(powercap) \
    DRIVER(msr) \
    DRIVER(cray) \
    /* libraries of GPUs: those with an energy counter where hwmon has none come before it */ \
    DRIVER(nvml) \
    DRIVER(rocm) \
    DRIVER(hwmon) \
    DRIVER(levelzero) \
    DRIVER(power_supply) \
    DRIVER(wattsup) \
    DRIVER(line_meter) \
    DRIVER(page) \
    DRIVER(pm) \
    DRIVER(estimate) \
    /* activity */ \
    DRIVER(cputime) \
    DRIVER(cpufreq) \
    DRIVER(thermal) \
    DRIVER(limits) \
    DRIVER(nvml_use) \
    DRIVER(rocm_use) \
    DRIVER(levelzero_use) \
    DRIVER(counters)
/* clang-format on */

#define DECLARED(name) extern const struct wtl_driver wtl_driver_##name;
#define LISTED(name)   &wtl_driver_##name,

DRIVERS(DECLARED)
const struct wtl_driver *const wtl_drivers[] = {DRIVERS(LISTED) NULL};
