/* SPDX-License-Identifier: BSD-3-Clause */
/* Information about energy in registers other than the counters. */
#ifndef WTL_SENSORS_MSR_H
#define WTL_SENSORS_MSR_H

#include "base/world/world.h"

/*
 * Whether RAPL energy filtering is on (random noise is added to the counters against power side channels, so
 * that readings a few milliseconds apart are off by more than a tick). Reads register 0xbc of the first CPU
 * if the processor reports it. Returns 1, 0, or -ENODEV when the processor has no such control, -EACCES and
 * others when registers cannot be read.
 */
int wtl_msr_filtering(const struct wtl_world *world);

#endif
