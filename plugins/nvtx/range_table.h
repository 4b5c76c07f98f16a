/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges that are open until their number ends them, on whichever thread. A bounded table. */
#ifndef NVTX_RANGE_TABLE_H
#define NVTX_RANGE_TABLE_H

#include <stdint.h>

/* The number of the range, > 0; one that does not fit has a number, too, and no region. */
uint64_t range_add(uint32_t region);
/* The region of the range, which is removed; 0 = none. */
uint32_t range_take(uint64_t number);

#endif
