/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of Slurm, run by their arguments, never by a shell. */
#ifndef WTL_CLI_SLURM_PROGRAM_H
#define WTL_CLI_SLURM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

struct wtl_slurm_version {
    unsigned major, minor; /* 26, 5 */
    bool has_sluid;        /* 25.11 and newer: SLUIDs, and "sacctmgr modify job set tres=energy" */
};

/* Run it to its end, with its output in lines without their breaks; times are printed in seconds since 1970. take() returns 0 to go
 * on, other values end it and are returned. 0; -ENOENT it is not installed; -EIO it failed, -ETIMEDOUT it did not end in two
 * minutes: with a sentence. */
int wtl_slurm_run(const char *const argv[],
                  int (*take)(void *arg, const char *line, size_t n),
                  void *arg,
                  struct wattle_error *err);

/* Of "sacct --version". */
int wtl_slurm_version(struct wtl_slurm_version *ret_version, struct wattle_error *err);

#endif
