/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of a step on this node: "wattle start" and "wattle stop", run as the user in the folder of the
 * step. The measurement begins before the tasks, ends after the last one, and by itself if slurmstepd is
 * killed. Its variables go to the tasks, so that their regions and those of MPI are recorded.
 */
#ifndef WTL_SLURM_STEP_TRACE_H
#define WTL_SLURM_STEP_TRACE_H

#include <slurm/spank.h>

#include "step_options.h"

struct step_trace {
    bool asked;           /* "wattle start" was run: stop it */
    bool without_wattled; /* it hangs: other sensors are read */
    char name[64];        /* "12.0", "12.batch" */
};

/* The folder of the traces of a step, with a slash at its end; false if its path is too long. */
bool step_trace_folder(const struct step_options *options, const char *name, char *ret, size_t n);

/* Start, and set the variables of the tasks. Failures are logged, where the user sees them too. */
void step_trace_start(spank_t spank,
                      const struct step_options *options,
                      const struct site_paths *paths,
                      int limit_ms,
                      struct step_trace *trace);

/* Stop; once. ret_said[n]: what "wattle stop" prints. */
void step_trace_stop(spank_t spank,
                     const struct site_paths *paths,
                     struct step_trace *trace,
                     char *ret_said,
                     size_t n);

#endif
