/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle export --to slurm-hdf5": the traces of a job as HDF5 profiles in Slurm's layout (docs/format/hdf5.md). */
#ifndef WTL_CLI_EXPORT_HDF5_H
#define WTL_CLI_EXPORT_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "cli/verb.h"

/* Time between the rows of a table; 0 = no such table. */
struct wtl_export_steps {
    uint64_t energy_ns, task_ns, network_ns, filesystem_ns;
};

#define WTL_EXPORT_STEPS                                                                         \
    ((struct wtl_export_steps){UINT64_C(1000000000), UINT64_C(1000000000), UINT64_C(1000000000), \
                               UINT64_C(1000000000)})

/* Parse "energy=1,task=10", as srun's --acctg-freq: seconds, or with a unit; a single number is for tasks. 0, or
 * -EINVAL with a message. */
int wtl_export_steps_parse(const char *text,
                           struct wtl_export_steps *steps,
                           struct wattle_error *err);

/*
 * words: traces, folders or run files of one job; each run becomes a step. output: the file of the job; an existing
 * folder, or a name that ends with "/", gets a file for each node and step. What is left out is reported on stderr.
 * Returns 0; -EBADMSG if a trace belongs to another job; -ENODATA if there is nothing to export; and others, with a
 * message.
 */
int wtl_export_hdf5(const struct wtl_command *command,
                    char *const *words,
                    size_t n,
                    const char *output,
                    bool force,
                    const struct wtl_export_steps *steps,
                    struct wattle_error *err);

#endif
