/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output: where a command writes: stdout, a file or an open descriptor. A file appears under its name
 * only when it is whole: until then it has another name beside it.
 */
#ifndef WTL_CLI_OUTPUT_H
#define WTL_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

#include "cli/run/leftover.h"

struct wtl_output {
    FILE *stream;
    const char *path; /* as given, also for messages; NULL = stdout */
    char *temporary;  /* the name until it is whole; NULL = written in place (a device, a pipe) */
    bool force;
    struct wtl_leftover *leftover; /* the temporary */
};

/* Is the name of a file that will be written free, or may what has it be replaced (force)? 0, or -EEXIST with a sentence. */
int wtl_output_free(const char *path, bool force, struct wattle_error *err);

/* A name that wattle chooses: path, or if that exists and without force "path-2", "path-3" before the suffix. Malloc'ed; NULL if
 * out of memory. */
char *wtl_output_name(const char *path, bool force);

/* path NULL or "-": stdout; "fd:N": descriptor N. A file that is there is replaced only with force.
 * 0; -EEXIST; -EINVAL for one of the inputs (cli/inputs.h); -EBADF; or the errno of open(2), with a sentence. */
int wtl_output_open(struct wtl_output *output,
                    const char *path,
                    bool force,
                    struct wattle_error *err);

/* All is written: flush and close it, under the name that it had meanwhile; commit gives it its own. So several files
 * appear together or not at all, without all of them open. On failure it is removed. 0 or -errno. */
int wtl_output_close(struct wtl_output *output, struct wattle_error *err);

/* All is written: flush it and give the file its name. On failure it is removed. 0 or -errno. */
int wtl_output_commit(struct wtl_output *output, struct wattle_error *err);

/* Drop what was written to a file. After commit: nothing to do. */
void wtl_output_drop(struct wtl_output *output);

#endif
