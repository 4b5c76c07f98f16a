/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value of wattle-sim run --phases: NAME|FILE[,KEY=VALUE]... NAME is a built-in program, FILE (with a slash or a dot) an INI
 * file of a program and, where it has any, letters of its own:
 *
 *     [world]
 *     program = idle:2 (work:6 send:3)*4 idle:2
 *     static_w = 40
 *     [letter work]
 *     CPU_CYCLES = 3e10
 *     [joules]
 *     CPU_CYCLES = 2e-9
 *
 * Keys: length (factor of all durations), run, seed, node, platform (0 = the reference), step, noise (relative), data.
 */
#ifndef WTL_SIM_PHASE_OPTIONS_H
#define WTL_SIM_PHASE_OPTIONS_H

#include "base/world/world.h"
#include "sim/phases/phase_track.h"

/* Returns 0; -EINVAL, -EBADMSG, or the reason why the file cannot be read, with the remedy; -ENOMEM. */
int wtl_sim_phases_parse(const struct wtl_world *world,
                         const char *text,
                         struct wtl_sim_track **ret_track,
                         struct wattle_error *err);

#endif
