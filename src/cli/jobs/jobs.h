/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle jobs ACTION": each action is a command of its own, in a file jobs_<action>.c, with a row in cmd_jobs.c, a page
 * docs/man/wattle-jobs-<action>.1 and its words in completions/.
 */
#ifndef WTL_CLI_JOBS_H
#define WTL_CLI_JOBS_H

#include "cli/commands.h"

/* Of this node's wattled. */
extern const struct wtl_command wtl_jobs_begin_command;
extern const struct wtl_command wtl_jobs_end_command;
extern const struct wtl_command wtl_jobs_open_command;

#endif
