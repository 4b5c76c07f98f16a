/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The runs of a sweep: block by block, each setting once, with the settings held by control/hold.h around each run, so
 * that they come back however it ends. A run that has its complete trace in the folder is read from there, not repeated.
 */
#ifndef WTL_CLI_SWEEP_RUNS_H
#define WTL_CLI_SWEEP_RUNS_H

#include "analysis/sweep/sweep.h"
#include "cli/run/progress.h"
#include "cli/run/trials.h"
#include "cli/sweep/sweep_options.h"

struct wtl_sweep_runs {
    const struct wtl_sweep_options *options; /* borrowed */
    const struct wtl_config *config;         /* of the site; borrowed */
    struct wtl_trials trials;
    struct wtl_sweep *sweep; /* borrowed; its settings are set */
    struct wtl_progress progress;
    const char *folder; /* exists */
    char *command_line; /* shown; borrowed */
    char trace[4096];
    char labels[256];
    size_t done; /* runs in this call */
    size_t told; /* sentences of control since the end of the last run */
    bool failed_at_all;
};

/*
 * Run what is missing: all blocks, or options->block. A setting that the machine refuses, or at which the command fails in
 * its first run, is left out, with its reason, and the others go on. 0; -EINTR: a signal; others with a sentence: nothing
 * can be changed on this machine, the command cannot be started, every setting was refused.
 */
int wtl_sweep_runs_all(struct wtl_sweep_runs *runs, struct wattle_error *err);
/* Only read the traces that there are. */
int wtl_sweep_runs_read(struct wtl_sweep_runs *runs, struct wattle_error *err);
/* Whether a file has the name of the trace of a run. */
bool wtl_sweep_is_trace(const char *name);

#endif
