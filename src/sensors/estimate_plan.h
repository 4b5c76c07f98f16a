/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of an estimate: which power over load this machine is taken to have, and why. */
#ifndef WTL_SENSORS_ESTIMATE_PLAN_H
#define WTL_SENSORS_ESTIMATE_PLAN_H

#include <stdbool.h>

#include "model/calibration/curve.h"
#include "sensors/server_power.h"
#include "source/driver.h"
#include "source/virtual.h"

struct wtl_estimate_plan {
    struct wtl_curve watts; /* over load 0 .. 1 */
    double idle_w, full_w;
    enum wtl_power_tier tier;
    double ratio_low, ratio_high;
    int threads;    /* of the machine, or of the guest */
    char label[32]; /* where the watts come from, short */
    char basis[96]; /* the same as a phrase */
    struct wtl_virtual where;
    bool battery; /* a laptop: not among the servers of the table */
};

/* Decide from the machine and the driver's settings. Returns 0, -EINVAL for a setting that cannot
 * be, or why the processor cannot be read. */
int wtl_estimate_plan(const struct wtl_source *source,
                      struct wtl_estimate_plan *ret_plan,
                      struct wattle_error *err);

#endif
