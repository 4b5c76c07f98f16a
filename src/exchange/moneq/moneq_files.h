/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of one MonEQ run: those named "MonEQ-..." in a folder, or else its reducer's
 * original.csv, which holds all node cards one after the other. Each node card is a part, and
 * becomes a trace.
 */
#ifndef WTL_EXCHANGE_MONEQ_FILES_H
#define WTL_EXCHANGE_MONEQ_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

struct wtl_moneq_part {
    char *path;
    char *part; /* "R0-C1-M0-N15": in a file with several node cards; NULL = the whole file */
    char *name; /* for a trace: the part, the name in the file, or the file name without "MonEQ-"
                 * and extensions */
};

struct wtl_moneq_files {
    struct wtl_moneq_part *parts; /* sorted by name, numbers numerically; names are unique */
    size_t count;
    char run_id[128]; /* from wattle's note next to the files, or derived from their content */
};

/* Files and folders as given on a command line. 0, or -errno with a message. Call fini in either
 * case. */
int wtl_moneq_files_find(const char *const *words,
                         size_t n,
                         struct wtl_moneq_files *ret_files,
                         struct wattle_error *err);
void wtl_moneq_files_fini(struct wtl_moneq_files *files);

#endif
