/* SPDX-License-Identifier: BSD-3-Clause */
/* Export: the content of a trace as CSV or JSON (docs/format/csv.md), streaming, in memory that
 * does not depend on the length of the trace. */
#ifndef WTL_EXCHANGE_EXPORT_H
#define WTL_EXCHANGE_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <wattle/error.h>

#include "exchange/row_writer.h"
#include "trace/reader.h"
#include "trace/regions/event_labels.h"

enum wtl_export_what {
    WTL_EXPORT_SAMPLES = 0,
    WTL_EXPORT_REGIONS = 1,
    WTL_EXPORT_EVENTS = 2,
    WTL_EXPORT_GAPS = 3,
    WTL_EXPORT_METADATA = 4,
    WTL_EXPORT_TASKS = 5
};

/* "samples", ...: in the order of the enum; terminated by NULL. */
extern const char *const wtl_export_names[];

/* Columns, each list terminated by NULL; for samples: in long form. */
extern const char *const wtl_sample_columns[], *const wtl_gap_columns[];
extern const char *const wtl_region_columns[], *const wtl_event_columns[];
extern const char *const wtl_metadata_columns[], *const wtl_task_columns[];

struct wtl_export {
    enum wtl_row_writer_form form;
    enum wtl_export_what what;
    bool comments;        /* CSV: describe the columns in comment lines */
    bool long_form;       /* samples: a row for each value instead of a column for each channel */
    const char *channels; /* names or patterns ("powercap:*"), separated by commas; NULL = all */
    bool has_from, has_until; /* limits in nanoseconds relative to the start of the window,
                               * inclusive */
    int64_t from_ns, until_ns;
};

/*
 * Write the export to out. Returns 0; -EINVAL for a pattern that matches no channel; -ENOMEM; the
 * reader's error; or the negative errno of a failed write (such as a full disk, or a closed pipe).
 */
int wtl_export_write(struct wtl_trace_reader *reader,
                     const struct wtl_export *options,
                     FILE *out,
                     struct wattle_error *err);

/* The ids, ascending, of the channels that a list of names and patterns selects; NULL = all. *ret_ids: to be freed. 0; -EINVAL for a
 * pattern that matches none; -ENOMEM. */
int wtl_export_choose(const struct wtl_trace_reader *reader,
                      const char *list,
                      uint32_t **ret_ids,
                      size_t *ret_count,
                      struct wattle_error *err);

#endif
