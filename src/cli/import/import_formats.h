/* SPDX-License-Identifier: BSD-3-Clause */
/* Format files: where they are, their list, and the mapping of an import as such a file. */
#ifndef WTL_CLI_IMPORT_FORMATS_H
#define WTL_CLI_IMPORT_FORMATS_H

#include <stdio.h>

#include "exchange/import/import.h"

/* Those of the user (the folder formats of the configuration) and those that come with wattle. 0 or -errno: one of them is invalid. */
int wtl_import_load_formats(struct wtl_formats *formats, struct wattle_error *err);

/* Is it a format, or a reader? NULL is. */
bool wtl_import_is_format(const struct wtl_formats *formats, const char *name);

int wtl_import_list_formats(FILE *out, const struct wtl_formats *formats, struct wattle_error *err);

/* Write the mapping as a file for --mapping; force: replace an existing one. 0 or -errno. */
int wtl_import_save_format(const char *path,
                           bool force,
                           const struct wtl_import *import,
                           struct wattle_error *err);

#endif
