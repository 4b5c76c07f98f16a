/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a recorded host beyond those of a world: see docs/format/host.md. Opened by
 * wtl_world_recorded() of world.h. */
#ifndef WTL_BASE_WORLD_RECORDED_H
#define WTL_BASE_WORLD_RECORDED_H

#include "base/world/script.h"
#include "base/world/world.h"

/* From now on each read of the clock advances it by step_ns (0 at the start), so that time passes for code
 * that polls without sleeping. */
void wtl_world_recorded_step(struct wtl_world *world, uint64_t step_ns);

/* The first request to a peer that is not in dialogues.tsv: PEER, a tab, REQUEST, each truncated when very
 * long; NULL = none. */
const char *wtl_world_recorded_unanswered(const struct wtl_world *world);

/* Number of open descriptors and unreaped programs, to detect leaks by comparison. */
unsigned wtl_world_recorded_open_fds(const struct wtl_world *world);

#endif
