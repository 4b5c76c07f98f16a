/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a power gauge does, found from its readings while a load of known shape ran (docs/guide/gpu-sensors.md).
 *
 *     struct wtl_gauge gauge;
 *     if (wtl_gauge_identify(readings, count, steps, step_count, &gauge, &err) == 0)
 *         ... gauge.window.value +- gauge.window.half seconds ...
 *
 * The model. A value published at t is the mean over [t - delay - window, t - delay] of
 * idle + (load - idle) * y, where y' = (shape - y) / tau. The moments of publication come from the readings alone
 * (gauge_updates.h). Idle and load are linear, so the search is over window, delay and tau only. Intervals are those of a
 * jackknife over parts of the recording: they need no independent noise, and see what the model misses as far as it varies from part
 * to part.
 *
 * A filter of the sensor and a device whose power rises slowly look the same here; so do a delay of the sensor and a load that starts
 * later than it says.
 */
#ifndef WTL_ANALYSIS_GAUGE_H
#define WTL_ANALYSIS_GAUGE_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/gauge/gauge_reading.h"

struct wtl_gauge {
    struct wtl_gauge_value period, window, delay, tau; /* seconds */
    struct wtl_gauge_value duty;                       /* seen part of the time: 0 to 1 */
    /* Energy that it shows too much of a load that changes, in parts of what its own steady values say: not 0 if
     * it is not linear, as when it rises faster than it falls. */
    struct wtl_gauge_value excess;
    struct wtl_gauge_value idle_w, load_w;
    double quantum_w;  /* step of the values; NaN = none was seen */
    double jitter_s;   /* rms of the moments of publication around their grid */
    double residual_w; /* rms of what the model does not explain */
    size_t updates;    /* values used */
    bool slow_filter;  /* tau is so long that it hides the window, which is unknown then */
};

/* 0; -ENODATA with a message that says what the readings lack and what to do; -EINVAL for times that do not
 * ascend; -ENOMEM. */
int wtl_gauge_identify(const struct wtl_gauge_reading *readings,
                       size_t count,
                       const struct wtl_load_step *steps,
                       size_t step_count,
                       struct wtl_gauge *ret_gauge,
                       struct wattle_error *err);

#endif
