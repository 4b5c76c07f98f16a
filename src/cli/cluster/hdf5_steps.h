/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a job as the steps of an HDF5 profile: which traces, in which order, under which names. */
#ifndef WTL_CLI_HDF5_STEPS_H
#define WTL_CLI_HDF5_STEPS_H

#include <stddef.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "cli/verb.h"

struct wtl_hdf5_step {
    struct wtl_run *run;
    char **words; /* what the run was opened from; owned, the words are borrowed */
    size_t word_count, word_size;
    char name[32];     /* "0", "batch" */
    char recorded[32]; /* in the trace; "" = unknown */
    char job[64];      /* "" = unknown */
};

struct wtl_hdf5_steps {
    struct wtl_hdf5_step *steps; /* by begin */
    size_t count;
    struct wtl_trace_list names; /* owns the words */
    const char *job;             /* "0" = unknown */
};

/* Returns 0; -EBADMSG if the traces are of several jobs, or some were refused; or as wtl_run_open(). Call fini in
 * either case. */
int wtl_hdf5_steps_open(struct wtl_hdf5_steps *steps,
                        const struct wtl_command *command,
                        char *const *words,
                        size_t count,
                        struct wattle_error *err);
void wtl_hdf5_steps_fini(struct wtl_hdf5_steps *steps);

#endif
