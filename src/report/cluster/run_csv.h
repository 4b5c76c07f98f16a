/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power of a run over time as CSV (docs/format/csv.md): a row for each node and step, in the order of time, then of
 * nodes. Several files at once: all rows, those in which a region was open, those in which none was.
 */
#ifndef WTL_REPORT_RUN_CSV_H
#define WTL_REPORT_RUN_CSV_H

#include <stdio.h>

#include <wattle/error.h>

#include "analysis/cluster/run_cells.h"

struct wtl_run_csv {
    const struct wtl_run_cells *cells;
    const struct wtl_run_cells_node *places; /* [nodes of the run] */
    const int *fds;                          /* [nodes]: the file of its cells */
    FILE *overall, *untagged;                /* NULL = not wanted */
    FILE *const *tags;                       /* of cells->tags[tag_first ..] */
    size_t tag_first, tag_count;
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL = not */
    void *progress_context;
};

/* Write them; the streams stay open and keep their errors. Uses a few MB of memory for any run. Returns 0,
 * -ENOMEM, or the errno of reading, with a message. */
int wtl_run_csv_write(const struct wtl_run_csv *csv, struct wattle_error *err);

/* The file of a region's rows: "tag-NAME.csv", where each byte of the name that is none of letters, digits, "." (but not in front), "-", "_"
 * is %XX; names that would be longer than 200 bytes are cut and end in their hash. buf is of 256 bytes at least. */
char *wtl_run_csv_tag_file(const char *name, char *buf, size_t n);

#endif
