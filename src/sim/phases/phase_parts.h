/* SPDX-License-Identifier: BSD-3-Clause */
/* Within the phase world: how the plan of a run is made (phase_plan.c), and what letters are on a platform. */
#ifndef WTL_SIM_PHASE_PARTS_H
#define WTL_SIM_PHASE_PARTS_H

#include "sim/phases/noise.h"
#include "sim/phases/phase_world.h"

enum { WTL_SIM_SEGMENTS = 10000000 };

struct wtl_sim_plan {
    struct wtl_sim_segment *list;
    size_t count, capacity;
    uint64_t rows;
};

/* Seconds on this platform per second on the reference. */
double wtl_sim_slowness(const struct wtl_sim_letter *letter,
                        const struct wtl_sim_platform *platform);

/* Decide letters and boundaries. Returns 0, -EINVAL, -ENOMEM; the list is the caller's to free, always. */
int wtl_sim_plan_make(const struct wtl_phase_world_config *config,
                      uint64_t stream,
                      struct wtl_sim_plan *plan,
                      struct wattle_error *err);

#endif
