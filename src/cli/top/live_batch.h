/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live view as lines, for programs and plain terminals: an output of top_loop.h. Text has one line per
 * update; JSON one object of schema wattle.top/1 per line (docs/format/json.md); CSV one row per value
 * (docs/format/csv.md). Each update is flushed, so that a pipe receives it immediately.
 */
#ifndef WTL_CLI_LIVE_BATCH_H
#define WTL_CLI_LIVE_BATCH_H

#include "cli/top/live_view.h"
#include "exchange/row_writer.h"
#include "report/report.h"

struct wtl_live_batch {
    FILE *out;
    enum wtl_format format;
    size_t processes; /* maximum number of them */
    size_t lines;     /* written so far */
    struct wtl_row_writer sheet;
    size_t columns; /* of it */
};

/* Show an update; the context is the batch. Returns 0 or -errno with a message. */
int wtl_live_batch_show(void *batch, struct wtl_live_view *view, struct wattle_error *err);

#endif
