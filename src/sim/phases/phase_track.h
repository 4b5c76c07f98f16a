/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A world of phases over time: what a node does from t = 0 on, at any instant and in any order. Rates and power are constant
 * within a row of the world; counts are running totals, rounded down. After the last row it goes on in the last letter
 * without noise; before t = 0 nothing is counted and the power is that of the first row. Pure and never changed: safe from
 * any thread.
 */
#ifndef WTL_SIM_PHASE_TRACK_H
#define WTL_SIM_PHASE_TRACK_H

#include "sim/phases/phase_world.h"

enum { WTL_SIM_TRACK_ROWS = 1000000 };

struct wtl_sim_track;

/* Returns 0; -EINVAL as wtl_phase_world_create(), or for more rows than a track may have; -ENOMEM. */
int wtl_sim_track_create(const struct wtl_phase_world_config *config,
                         struct wtl_sim_track **ret_track,
                         struct wattle_error *err);
void wtl_sim_track_destroy(struct wtl_sim_track *track); /* accepts NULL */

const struct wtl_phase_world_config *wtl_sim_track_config(const struct wtl_sim_track *track);
const struct wtl_sim_segment *wtl_sim_track_segments(const struct wtl_sim_track *track,
                                                     size_t *ret_count);
uint64_t wtl_sim_track_step_ns(const struct wtl_sim_track *track);
uint64_t wtl_sim_track_end_ns(const struct wtl_sim_track *track);

/* Column with this name, or -ENOENT. */
int wtl_sim_track_column(const struct wtl_sim_track *track, const char *name);

/* Watts at t. */
double wtl_sim_track_power_w(const struct wtl_sim_track *track, int64_t t_ns);
/* Events from 0 to t. */
uint64_t wtl_sim_track_count(const struct wtl_sim_track *track, size_t column, int64_t t_ns);

#endif
