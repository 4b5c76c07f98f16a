/* SPDX-License-Identifier: BSD-3-Clause */
/* What was asked of "wattle sweep": its command line, or the plan of a sweep that goes on. */
#ifndef WTL_CLI_SWEEP_OPTIONS_H
#define WTL_CLI_SWEEP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/run_options.h"
#include "tuning/sweep_file.h"

extern const struct wtl_option wtl_sweep_option_table[];

struct wtl_sweep_options {
    struct wtl_run_options run;
    const char *frequencies, *threads, *limits, *metric;
    enum wtl_sweep_turbo turbo;
    double slowdown;
    uint64_t seed;
    const char *folder;      /* for plan and traces; NULL = a name of its own */
    const char *resume;      /* the folder of an earlier call; NULL = a new sweep */
    unsigned block;          /* run only this one; 0 = all */
    bool no_run;             /* only print what there is */
    bool slurm;              /* submit a job array */
    struct wtl_words sbatch; /* options for sbatch */
    const char *plot, *save;
    bool show_output, details;
    enum wtl_format format;

    struct wtl_sweep_order_form
        form; /* all that the runs depend on; of the command line, or of the plan */
};

/* Read the command line, after the configuration, and the plan with --resume. Returns WTL_GO_ON, or the exit status after a
 * message. *options must not move afterwards. */
int wtl_sweep_options_parse(struct wtl_sweep_options *options,
                            const struct wtl_config *config,
                            int argc,
                            char **argv);
void wtl_sweep_options_fini(struct wtl_sweep_options *options);

/* ---- sweep_slurm.c: a sweep as a job array; each element is a block on one node, so that nodes differ between blocks only ---- */

/* Write FOLDER/sweep.sh and submit it with sbatch. 0 and the job's number in ret_job; or -errno with a sentence. */
int wtl_sweep_slurm_submit(const char *folder,
                           const struct wtl_sweep_options *options,
                           char ret_job[64],
                           struct wattle_error *err);

#endif
