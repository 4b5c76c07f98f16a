/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources for benchmarks: energy channels whose reads cost almost nothing (memory), one pread of a
 * real sysfs file each (like powercap), or one read(2) of a perf group for all (like the power
 * PMU).
 */
#ifndef WATTLE_BENCH_SOURCE_H
#define WATTLE_BENCH_SOURCE_H

#include "source/driver.h"

extern const struct wtl_driver bench_memory, bench_pread, bench_group;

/* Number of channels that the next open creates (1 .. 64). */
extern size_t bench_channels;

#endif
