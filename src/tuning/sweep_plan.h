/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan of a sweep: which settings, in which order. Each block holds every setting once, in a random order of its own,
 * so that warming up and others on the machine hit all settings alike.
 *
 *     frequencies     FREQ,... each "2.1GHz", "min", "max" or "1.2-2.3GHz:0.1" (from, to, step)
 *     threads         N,...
 *     power limits    "100W", "80-140W:20", ...
 *     turbo           off: all frequencies without it; on: with it; both: without it, and "turbo", the highest with it
 *
 * Every frequency is combined with every number of threads and every limit.
 */
#ifndef WTL_TUNING_SWEEP_PLAN_H
#define WTL_TUNING_SWEEP_PLAN_H

#include <wattle/error.h>

#include "analysis/sweep/sweep.h"
#include "control/hold.h"

enum wtl_sweep_turbo {
    WTL_SWEEP_TURBO_LEAVE,
    WTL_SWEEP_TURBO_ON,
    WTL_SWEEP_TURBO_OFF,
    WTL_SWEEP_TURBO_BOTH
};

struct wtl_sweep_wish {
    const char *frequencies, *threads, *limits; /* NULL = not varied */
    enum wtl_sweep_turbo turbo;
};

/* The settings, malloc'ed for the caller. 0; -EINVAL with a sentence that names the option; -ENOMEM. */
int wtl_sweep_plan(const struct wtl_sweep_wish *wish,
                   struct wtl_sweep_setting **ret_settings,
                   size_t *ret_count,
                   struct wattle_error *err);

/* order[0 .. settings-1] of a block. */
void wtl_sweep_order(uint64_t seed, size_t block, size_t settings, size_t *order);

/* What control is asked for a setting; the caller fills the rest. 0 or -EINVAL with a sentence. */
int wtl_sweep_request(const struct wtl_sweep_setting *setting,
                      struct wtl_hold_request *request,
                      struct wattle_error *err);

#endif
