/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Share: what part of a machine's energy a process tree answers for.
 *
 * The rule. Energy above idle is divided by CPU time: tree / machine. Idle energy would have been
 * spent without the tree; of it the tree bears the part of the machine's capacity that it occupied:
 * tree CPU time / (window x CPUs). So shares of all trees and the unoccupied idle sum to the whole.
 */
#ifndef WTL_MODEL_SHARE_H
#define WTL_MODEL_SHARE_H

#include <wattle/quantity.h>

struct wtl_share_input {
    double energy_j;             /* of the machine over the window */
    double idle_w;               /* power of the idle machine; NaN = unknown */
    double window_s;             /* > 0 */
    double cpus;                 /* logical CPUs that the energy speaks of, > 0 */
    double machine_s;            /* CPU time of everything in the window */
    double tree_s;               /* CPU time of the tree in the window */
    enum wattle_quality quality; /* of energy_j */
};

struct wtl_share {
    double energy_j;             /* the tree's; = dynamic + idle */
    double dynamic_j;            /* its part of what lies above idle */
    double idle_j;               /* its part of idle; 0 when idle_w is unknown */
    double cpu_part;             /* tree / machine, 0 to 1 */
    enum wattle_quality quality; /* derived from measured energy, else estimated */
};

/*
 * Returns 0; -EINVAL when a value is negative, not finite or the window or CPUs are not > 0. With
 * idle_w unknown all energy is divided by CPU time. A tree that used more than the machine (clocks
 * of different sources) counts as all of it. A machine that used nothing gives a share of 0. Pure.
 */
int wtl_share_compute(const struct wtl_share_input *input, struct wtl_share *ret_share);

#endif
