/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated world with a wattled in it: while its clock advances, the counters of the world below are read every
 * millisecond into an energy page, which the driver `page` finds here. One at a time. */
#ifndef WATTLE_BENCH_PAGE_WORLD_H
#define WATTLE_BENCH_PAGE_WORLD_H

#include "base/world/world.h"

/* seed: of when it samples. Exits if it cannot be made. Valid until the next one. */
const struct wtl_world *page_world_open(const struct wtl_world *below, uint64_t seed);
void page_world_close(void);

#endif
