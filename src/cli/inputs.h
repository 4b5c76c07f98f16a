/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs: the files read by this command. No output of the same command replaces one of them, by any name,
 * link or hard link: with --force the only copy of a measurement would be lost.
 */
#ifndef WTL_CLI_INPUTS_H
#define WTL_CLI_INPUTS_H

#include <wattle/error.h>

#include "options/options.h"
#include "trace/reader.h"

/* Register an argument that names inputs: a file, a folder (its traces), several separated by commas,
 * LABEL=FILE, or replay:FILE. Arguments that name no file are ignored. Must stay valid until the process
 * ends. */
void wtl_input_note(const char *word);

/* The file turned out to be a copy of other inputs: it may be replaced. */
void wtl_input_release(const char *path);

/* May this path be written? Returns 0, or -EINVAL with a message if it is one of the inputs. */
int wtl_input_spare(const char *path, struct wattle_error *err);

/* Say what a trace lacks, for commands that show or convert what it has: it is damaged, cut off, or newer than wattle. */
void wtl_input_tell(const struct wtl_command *command,
                    const char *path,
                    const struct wtl_trace_reader *reader);

/* Are two outputs of one command different, even if they do not exist yet? Check before starting, also for
 * derived names (traces of repeats). Returns 0, also if one of them is NULL, or -EINVAL with a message. */
int wtl_outputs_differ(const char *a, const char *b, struct wattle_error *err);

#endif
