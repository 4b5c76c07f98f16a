/* SPDX-License-Identifier: BSD-3-Clause */
/* Idle baselines: power of the idle machine before and after, and the energy above it. Refused if other
 * processes use the machine, since idle power cannot be measured then. */
#ifndef WTL_CLI_IDLE_H
#define WTL_CLI_IDLE_H

#include "cli/run/measure.h"

struct wtl_idle {
    double before_w, after_w;
};

/* Measure for ns without a command. Returns 0; -EBUSY if the machine is not idle; -EINTR on a signal;
 * others as wtl_measure(). */
int wtl_idle_before(struct wtl_idle *idle,
                    const struct wtl_measure_options *options,
                    struct wtl_signals *signals,
                    uint64_t ns,
                    struct wattle_error *err);

/* The same after the command. If the machine is busy then, after_w is NaN with a warning; the result of the
 * command remains valid. */
int wtl_idle_after(struct wtl_idle *idle,
                   const struct wtl_measure_options *options,
                   struct wtl_signals *signals,
                   uint64_t ns,
                   struct wattle_error *err);

/* CPUs used by processes other than wattle; NaN = unknown. More than WTL_IDLE_CPUS: not idle. */
#define WTL_IDLE_CPUS 0.1
double wtl_idle_busy_cpus(const struct wtl_result *result);

/* Set the energy above the mean of both baselines (or the known one) in the result. */
void wtl_idle_apply(const struct wtl_idle *idle, struct wtl_result *result);

#endif
