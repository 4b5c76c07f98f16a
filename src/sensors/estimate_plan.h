/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of an estimate: the assumed power over load of this machine, and its origin. */
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
    char label[32]; /* origin of the watts, short */
    char basis[96]; /* the same as a phrase */
    struct wtl_virtual where;
    bool battery; /* a laptop: not covered by the servers in the table */
};

/* Choose from the machine and the driver's settings. Returns 0, -EINVAL for an invalid setting, or the
 * reason why the processor cannot be identified. */
int wtl_estimate_plan(const struct wtl_source *source,
                      struct wtl_estimate_plan *ret_plan,
                      struct wattle_error *err);

#endif
