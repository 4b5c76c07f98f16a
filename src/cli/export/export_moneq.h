/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle export --to moneq": a run as a folder of files that MonEQ's reducer reads. */
#ifndef WTL_CLI_EXPORT_MONEQ_H
#define WTL_CLI_EXPORT_MONEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "cli/verb.h"

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

#endif
