/* SPDX-License-Identifier: BSD-3-Clause */
/* The share of a process tree in the machine's energy: see share.h for the rule. */
#include "model/share.h"

#include <errno.h>
#include <math.h>

static int usable(double value)
{
    return isfinite(value) && value >= 0;
}

static double at_most(double value, double bound)
{
    return value < bound ? value : bound;
}

int wtl_share_compute(const struct wtl_share_input *input, struct wtl_share *ret_share)
{
    if (!usable(input->energy_j) || !usable(input->machine_s) || !usable(input->tree_s) ||
        !usable(input->window_s) || !usable(input->cpus) || input->window_s == 0 ||
        input->cpus == 0 || (!isnan(input->idle_w) && !usable(input->idle_w)))
        return -EINVAL;
    double idle_j =
        isnan(input->idle_w) ? 0 : at_most(input->idle_w * input->window_s, input->energy_j);
    double tree_s = at_most(input->tree_s, input->machine_s);
    double part = input->machine_s > 0 ? tree_s / input->machine_s : 0;
    double occupied = at_most(tree_s / (input->window_s * input->cpus), 1);
    *ret_share = (struct wtl_share){
        .dynamic_j = part * (input->energy_j - idle_j),
        .idle_j = occupied * idle_j,
        .cpu_part = part,
        .quality = input->quality == WATTLE_ESTIMATED ? WATTLE_ESTIMATED : WATTLE_DERIVED,
    };
    ret_share->energy_j = ret_share->dynamic_j + ret_share->idle_j;
    return 0;
}
