/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output: where a command writes: stdout, a file or an open descriptor. A file appears under its name only
 * when complete; until then it has a temporary name in the same folder.
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
    char *temporary;  /* temporary name; NULL = written in place (a device, a pipe) */
    bool force;
    struct wtl_leftover *leftover; /* the temporary */
};

/* Check that the name of an output is free, or may be overwritten (force). Returns 0, or -EEXIST with a message. */
int wtl_output_free(const char *path, bool force, struct wattle_error *err);

/* A name that wattle chooses: path, or if that exists and without force "path-2", "path-3" before the suffix. Malloc'ed; NULL if
 * out of memory. */
char *wtl_output_name(const char *path, bool force);

/* path NULL or "-": stdout; "fd:N": descriptor N. An existing file is replaced only with force. 0;
 * -EEXIST; -EINVAL for one of the inputs (cli/inputs.h); -EBADF; or the errno of open(2), with a
 * sentence. */
int wtl_output_open(struct wtl_output *output,
                    const char *path,
                    bool force,
                    struct wattle_error *err);

/* Flush and close the file under its temporary name; commit renames it. So several files appear together or
 * not at all, without keeping all open. Removed on failure. Returns 0 or -errno. */
int wtl_output_close(struct wtl_output *output, struct wattle_error *err);

/* Flush the file and rename it. Removed on failure. Returns 0 or -errno. */
int wtl_output_commit(struct wtl_output *output, struct wattle_error *err);

/* Discard the file. No effect after commit. */
void wtl_output_drop(struct wtl_output *output);

/* Discard the file after rc < 0 of the function that wrote it; if writing failed, the sentence then begins with the
 * name of the file. Returns rc. */
int wtl_output_fail(struct wtl_output *output, int rc, struct wattle_error *err);

#endif
