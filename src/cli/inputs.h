/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs: the files that the words of this command line are read from. No output of the same command replaces one of them, by
 * whatever name, link or hard link: with --force the only copy of a measurement would be gone.
 */
#ifndef WTL_CLI_INPUTS_H
#define WTL_CLI_INPUTS_H

#include <wattle/error.h>

/* A word that names an input: a file; a folder, that is the traces in it; several of them with commas; LABEL=FILE; replay:FILE.
 * A word that names no file is none. Kept until the process ends. */
void wtl_input_note(const char *word);

/* May this path be written? 0; or -EINVAL with a sentence when it is one of the inputs. */
int wtl_input_spare(const char *path, struct wattle_error *err);

/* Are two outputs of one command two files, or a file and another folder, also those that are not there yet? To be asked before
 * anything is started, and of each name that is derived (the traces of repeats), too. 0, also when one of them is NULL; or -EINVAL
 * with a sentence. */
int wtl_outputs_differ(const char *a, const char *b, struct wattle_error *err);

#endif
