/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle characterize gpu": readings of a gauge and the load meanwhile, from a recording or from this machine; what they show. */
#ifndef WTL_CLI_CHARACTERIZE_H
#define WTL_CLI_CHARACTERIZE_H

#include <wattle/channel.h>

#include "analysis/gauge/gauge.h"
#include "base/config/config.h"
#include "cli/settings.h"
#include "cli/verb.h"

struct wtl_characterize {
    /* options */
    const char *channel, *load_shape, *recording, *device, *calibration;
    uint64_t period_ns, hold_ns; /* 0 = default */
    enum wtl_format format;
    bool no_store;
    /* readings and load, on one clock */
    struct wtl_gauge_reading *readings;
    size_t reading_count;
    struct wtl_load_step *steps;
    size_t step_count;
    /* what is known of the gauge */
    char host[65], name[WATTLE_NAME_MAX], device_name[96];
    double claimed_period_s, claimed_window_s; /* NaN = unknown */
    double rated_w;                            /* upper bound of the power; NaN = unknown */
    bool simulated;
    /* found */
    struct wtl_gauge gauge;
    char stored[512]; /* path; "" = not stored */
};

int wtl_characterize_store(struct wtl_characterize *c, struct wattle_error *err);
/* What was stored for a gauge of this host, with its period and delay; the rest is NaN where unknown. 0; -ENODATA without these
 * two; or as wtl_calibration_load(). */
int wtl_characterize_load(const struct wtl_world *world,
                          const char *channel,
                          struct wtl_gauge *ret_gauge,
                          struct wattle_error *err);
int wtl_characterize_print(const struct wtl_characterize *c, FILE *out, struct wattle_error *err);

#endif
