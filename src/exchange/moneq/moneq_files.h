/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of one run of MonEQ: of a folder those named "MonEQ-...", or else its reducer's original.csv, which
 * holds all node cards one behind the other. Each node card is a part, and becomes a trace.
 */
#ifndef WTL_EXCHANGE_MONEQ_FILES_H
#define WTL_EXCHANGE_MONEQ_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

struct wtl_moneq_part {
    char *path;
    char *part; /* "R0-C1-M0-N15": of a file with several node cards; NULL = all of the file */
    char *name; /* for a trace: that, the file's own, or its name without "MonEQ-" and endings */
};

struct wtl_moneq_files {
    struct wtl_moneq_part *parts; /* by name, numbers by their value; no name twice */
    size_t count;
    char run_id[128]; /* what wattle noted beside the files, or made of their content */
};

/* Files and folders as they are named on a command line. 0, or -errno with a sentence. fini frees in either case. */
int wtl_moneq_files_find(const char *const *words,
                         size_t n,
                         struct wtl_moneq_files *ret_files,
                         struct wattle_error *err);
void wtl_moneq_files_fini(struct wtl_moneq_files *files);

#endif
