/* SPDX-License-Identifier: BSD-3-Clause */
/* The small tables that administrators write: CSV with a first line that names the columns, "#" begins a comment. */
#ifndef WTL_JOBS_TABLE_FILE_H
#define WTL_JOBS_TABLE_FILE_H

#include <stddef.h>

#include <wattle/error.h>

enum { WTL_TABLE_CELLS = 8 };

/* A row: cells[0 .. columns-1] without blanks around them, "" if the row is shorter. 0, or an error with a sentence, to which file and
 * line are added. */
typedef int wtl_table_row_fn(void *arg, char *cells[WTL_TABLE_CELLS], struct wattle_error *err);

/* `columns`: their names, up to a NULL; all must be there, in this order, unless they begin with "?": these may be missing at the
 * end. 0; -EBADMSG with file and line; -ENOMEM. */
int wtl_table_file_read(const char *name,
                        const char *text,
                        size_t size,
                        const char *const columns[],
                        wtl_table_row_fn *row,
                        void *arg,
                        struct wattle_error *err);

/* The whole file, malloc'ed, with a NUL at its end; at most 16 MiB. "-": standard input. 0 or -errno with a sentence. */
int wtl_table_file_load(const char *path,
                        char **ret_text,
                        size_t *ret_size,
                        struct wattle_error *err);

#endif
