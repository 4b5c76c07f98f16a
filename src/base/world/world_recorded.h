/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorded host can do beyond being a world: see docs/format/host.md. Opened by
 * wtl_world_recorded() of world.h. */
#ifndef WTL_BASE_WORLD_RECORDED_H
#define WTL_BASE_WORLD_RECORDED_H

#include "base/world/script.h"
#include "base/world/world.h"

/* From here on each look at the clock advances it by step_ns (0 at the start), so that code which
 * polls without sleeping sees time pass. */
void wtl_world_recorded_step(struct wtl_world *world, uint64_t step_ns);

/* The first request to a peer that dialogues.tsv does not have: PEER, a tab, REQUEST, each cut where it is very long; NULL = none. */
const char *wtl_world_recorded_unanswered(const struct wtl_world *world);

/* Descriptors that are open now, and programs that were not collected: leaks show as a difference. */
unsigned wtl_world_recorded_open_fds(const struct wtl_world *world);

#endif
