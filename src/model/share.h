/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Share: the part of a machine's energy attributed to a process tree.
 *
 * The rule. Energy above idle is divided by CPU time: tree / machine. Idle energy would have been consumed
 * without the tree; the tree gets the part of it that corresponds to the capacity it occupied: tree CPU time
 * / (window x CPUs). The shares of all trees plus the unoccupied idle part add up to the total.
 */
#ifndef WTL_MODEL_SHARE_H
#define WTL_MODEL_SHARE_H

#include <wattle/quantity.h>

struct wtl_share_input {
    double energy_j;             /* of the machine over the window */
    double idle_w;               /* power of the idle machine; NaN = unknown */
    double window_s;             /* > 0 */
    double cpus;                 /* logical CPUs covered by the energy, > 0 */
    double machine_s;            /* total CPU time in the window */
    double tree_s;               /* CPU time of the tree in the window */
    enum wattle_quality quality; /* of energy_j */
};

struct wtl_share {
    double energy_j;             /* of the tree; = dynamic + idle */
    double dynamic_j;            /* its part of the energy above idle */
    double idle_j;               /* its part of the idle energy; 0 when idle_w is unknown */
    double cpu_part;             /* tree / machine, 0 to 1 */
    enum wattle_quality quality; /* derived from measured energy, else estimated */
};

/*
 * Returns 0; -EINVAL when a value is negative, not finite or the window or CPUs are not > 0. If idle_w is
 * unknown, all energy is divided by CPU time. A tree that used more than the machine (clocks of different
 * sources) counts as all of it. If the machine used no CPU time, the share is 0. Pure.
 */
int wtl_share_compute(const struct wtl_share_input *input, struct wtl_share *ret_share);

#endif
