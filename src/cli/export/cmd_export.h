/* SPDX-License-Identifier: BSD-3-Clause */
/* The formats of "wattle export" that are more than rows. */
#ifndef WTL_CLI_CMD_EXPORT_H
#define WTL_CLI_CMD_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "cli/export/track_source.h"
#include "cli/verb.h"

/* ---- export_hdf5.c ---- */

/* "wattle export --to slurm-hdf5": the traces of a job as HDF5 profiles in Slurm's layout (docs/format/hdf5.md). */

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

/* ---- export_moneq.c ---- */

/* "wattle export --to moneq": a run as a folder of files that MonEQ's reducer reads. */

/*
 * words: traces, folders or run files of one run. folder: created if missing. step_ns: minimum time between
 * lines; 0 = the smallest that the reducer can distinguish. Data that the files cannot contain is reported on
 * stderr. Returns 0; -EEXIST if the folder contains MonEQ files and force is not set; -EBADMSG if a trace
 * belongs to another run; and others, with a message.
 */
int wtl_export_moneq(const struct wtl_command *command,
                     char *const *words,
                     size_t n,
                     const char *folder,
                     bool force,
                     uint64_t step_ns,
                     struct wattle_error *err);

/* ---- export_tracks.c ---- */

/* "wattle export --to paraver|otf2|perfetto": a run, or a trace, for trace viewers (docs/guide/exporting.md). */

enum wtl_track_form { WTL_TRACKS_PARAVER, WTL_TRACKS_OTF2, WTL_TRACKS_PERFETTO };

struct wtl_export_tracks {
    enum wtl_track_form form;
    const char *output; /* Paraver: the .prv file; OTF2: the folder; Perfetto: the file */
    bool force;
    const char *node; /* only this one; NULL = all */
    struct wtl_track_choice choice;
};

/*
 * words: traces, folders or run files of one run. What the files cannot contain is reported on stderr. Returns 0; -EEXIST if there is
 * something at the output; -EBADMSG if a trace belongs to another run; -ENOTSUP without the library; -ENODATA if there is nothing to
 * export; and others, with a message.
 */
int wtl_export_tracks(const struct wtl_command *command,
                      char *const *words,
                      size_t n,
                      const struct wtl_export_tracks *options,
                      struct wattle_error *err);

#endif
