/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle run --passes N": the energy of a command from gauges of GPUs that see a part of the time (analysis/gauge/gauge_energy.h).
 * Each run starts at another phase of the gauges' period, and the gauges are read from before it until they have settled after it.
 *
 *     wtl_passes_open(&options, &passes, not_needed, sizeof not_needed, err);
 *     wtl_passes_ready(passes);                    just before a run's window: waits for its phase
 *     wtl_passes_end(passes, &result, err);        after it; -EAGAIN: run it again
 *     wtl_passes_apply(passes, results, err);      after all of them
 *     wtl_passes_close(passes);
 *
 * GPUs whose periods are alike are shifted by the same time, so that each has all phases.
 */
#ifndef WTL_CLI_PASSES_H
#define WTL_CLI_PASSES_H

#include <stddef.h>

#include <wattle/error.h>

#include "base/signals.h"
#include "model/result.h"
#include "source/driver.h"

struct wtl_passes;

struct wtl_passes_options {
    const char *sensors;                 /* as for --sensor */
    const struct wtl_settings *settings; /* driver settings, from the configuration */
    struct wtl_signals *signals;
    unsigned count; /* of passes: WTL_GAUGE_BLOCK times at least WTL_GAUGE_BLOCKS */
};

/*
 * Find the gauges. 0 with *ret_passes; 0 with NULL and why in not_needed[n]: counters or gauges see all of the time;
 * -ENODEV, -ENODATA, -ENOTSUP with a message: no GPU; what a gauge does is unknown, or it is not linear; periods differ.
 */
int wtl_passes_open(const struct wtl_passes_options *options,
                    struct wtl_passes **ret_passes,
                    char *not_needed,
                    size_t n,
                    struct wattle_error *err);
void wtl_passes_close(struct wtl_passes *passes); /* accepts NULL */

/* Start to read the gauges and wait for the phase of the next pass. 0; -EINTR: a signal came; or -errno with a message. */
int wtl_passes_ready(void *passes, struct wattle_error *err);

/* The run has this result: wait until the gauges have settled, stop reading. 0: it is a pass; -EAGAIN with a message:
 * it does not count; -ENODATA: too many in a row did not; -EINTR. */
int wtl_passes_end(struct wtl_passes *passes,
                   const struct wtl_result *result,
                   struct wattle_error *err);

/* Put the energies of the passes into their results: what the gauges say of each, and the interval of the mean. 0 or -errno with
 * a message; then the results are unchanged. */
int wtl_passes_apply(struct wtl_passes *passes,
                     struct wtl_result *results,
                     struct wattle_error *err);

#endif
