/* SPDX-License-Identifier: BSD-3-Clause */
/* The rule is in process_share.h; each share is computed by model/share.h. */
#include "account/process_share.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "model/share.h"

int wtl_process_shares(const struct wtl_share_interval *interval,
                       const double *used_s,
                       size_t n,
                       double *shares_j,
                       struct wtl_share_rest *ret_rest)
{
    struct wtl_share share;
    struct wtl_share_rest rest = {0};
    double all_s = 0;
    for (size_t i = 0; i < n; i++)
        all_s += used_s[i];
    bool known = !isnan(interval->machine_s);
    struct wtl_share_input input = {
        .energy_j = interval->energy_j,
        .idle_w = interval->idle_w,
        .window_s = interval->seconds,
        .cpus = interval->cpus,
        .machine_s = known && interval->machine_s > all_s ? interval->machine_s : all_s,
        .quality = interval->quality};
    double unseen_s = input.machine_s - all_s;
    if (known && interval->machine_s < 0)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        input.tree_s = used_s[i];
        int rc = wtl_share_compute(&input, &share);
        if (rc < 0)
            return rc;
        shares_j[i] = share.energy_j;
        rest.processes_j += share.energy_j;
    }
    input.tree_s = unseen_s;
    int rc = wtl_share_compute(&input, &share);
    if (rc < 0)
        return rc;
    rest.unseen_j = share.energy_j;
    rest.quality = share.quality;
    /* Computed as the remainder, so that the three add up to the counter's energy. Rounded clocks can show
     * more CPU time than there is capacity, which would make it negative. */
    rest.idle_j = interval->energy_j - rest.processes_j - rest.unseen_j;
    if (rest.idle_j < 0) {
        double sum_j = rest.processes_j + rest.unseen_j, part = interval->energy_j / sum_j;
        for (size_t i = 0; i < n; i++)
            shares_j[i] *= part;
        rest.processes_j *= part;
        rest.unseen_j = fmax(interval->energy_j - rest.processes_j, 0);
        rest.idle_j = 0;
    }
    *ret_rest = rest;
    return 0;
}
