/* SPDX-License-Identifier: BSD-3-Clause */
/* The idle machine as a baseline: its power before and after, and the energy above it. Refused when
 * others use the machine, since then idle cannot be seen. */
#ifndef WTL_CLI_IDLE_H
#define WTL_CLI_IDLE_H

#include "cli/run/measure.h"

struct wtl_idle {
    double before_w, after_w;
};

/* Measure for ns without a command. 0; -EBUSY when the machine is not idle; -EINTR when a signal
 * came; as wtl_measure(). */
int wtl_idle_before(struct wtl_idle *idle,
                    const struct wtl_measure_options *options,
                    struct wtl_signals *signals,
                    uint64_t ns,
                    struct wattle_error *err);

/* The same behind the command. When the machine is busy now, after_w is NaN and a warning says so:
 * the command has run and its result stands. */
int wtl_idle_after(struct wtl_idle *idle,
                   const struct wtl_measure_options *options,
                   struct wtl_signals *signals,
                   uint64_t ns,
                   struct wattle_error *err);

/* CPUs in use by anything but wattle; NaN = unknown. More than WTL_IDLE_CPUS: the machine is not idle. */
#define WTL_IDLE_CPUS 0.1
double wtl_idle_busy_cpus(const struct wtl_result *result);

/* Energy above the mean of both (or the one that is known) into the result. */
void wtl_idle_apply(const struct wtl_idle *idle, struct wtl_result *result);

#endif
