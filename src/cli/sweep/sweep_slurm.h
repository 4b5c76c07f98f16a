/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep as a job array of Slurm: each element is a whole block on one node, so that nodes differ between blocks only. */
#ifndef WTL_CLI_SWEEP_SLURM_H
#define WTL_CLI_SWEEP_SLURM_H

#include "cli/sweep/sweep_options.h"

/* Write FOLDER/sweep.sh and submit it with sbatch. 0 and the job's number in ret_job; or -errno with a sentence. */
int wtl_sweep_slurm_submit(const char *folder,
                           const struct wtl_sweep_options *options,
                           char ret_job[64],
                           struct wattle_error *err);

#endif
