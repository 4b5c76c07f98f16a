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
 * words: traces, folders, run files of one run. folder: made when it is not there. step_ns: least time between
 * lines; 0 = as near as the reducer can tell apart. What the files cannot hold is told on stderr. 0; -EEXIST when
 * there are MonEQ files in it, without force; -EBADMSG when a trace is none of the run; and others, with a
 * sentence.
 */
int wtl_export_moneq(const struct wtl_command *command,
                     char *const *words,
                     size_t n,
                     const char *folder,
                     bool force,
                     uint64_t step_ns,
                     struct wattle_error *err);

#endif
