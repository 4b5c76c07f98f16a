/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeats: several results of the same measurement as one of means, with the spread over runs. */
#ifndef WTL_ANALYSIS_REPEAT_H
#define WTL_ANALYSIS_REPEAT_H

#include "model/result.h"
#include "model/statistics/spread.h"

struct wtl_repeat {
    size_t n;
    /*
     * Energies, powers and times are means; extremes are those of all runs; samples, gaps and their
     * time are sums; the resolution is that of one run (root mean square). Flags are those of any
     * run. Exit code: the first that is not 0. Borders of the window: 0. Texts are borrowed. Where the
     * totals of the runs are of different kinds (quality, content, simulated) that of the mean is
     * unknown, with the weakest quality and the flag MIXED RUNS.
     * ci95 is at least the half width of one run. Where a channel is from passes at shifted phases (passes_half_j), it is
     * the interval
     * of these, and the mean of all passes is not PART TIME, though each of them is.
     */
    struct wtl_result mean;
    struct wtl_spread wall_time_s, energy_j, power_w, edp_js, ed2p_js2, cpu_s;
    struct wtl_spread *channel_j, *channel_w; /* [mean.energy_count], beside mean.channels; owned */
};

/* Runs whose channels differ: those of the first count; one that is absent elsewhere is unknown.
 * 0, or -ENOMEM. The results must outlive it. */
int wtl_repeat_of(const struct wtl_result *results, size_t n, struct wtl_repeat *ret_repeat);
void wtl_repeat_fini(struct wtl_repeat *repeat);

#endif
