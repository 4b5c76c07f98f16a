/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources for benchmarks: energy channels whose reads cost next to nothing (memory), one pread of a
 * real sysfs file each (as powercap), or one read(2) of a perf group for all (as the power PMU).
 */
#ifndef WATTLE_BENCH_SOURCE_H
#define WATTLE_BENCH_SOURCE_H

#include "source/driver.h"

extern const struct wtl_driver bench_memory, bench_pread, bench_group;

/* Number of channels that the next open makes (1 .. 64). */
extern size_t bench_channels;

#endif
