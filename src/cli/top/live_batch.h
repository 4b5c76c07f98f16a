/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live view as lines, for programs and plain terminals: a face of top_loop.h. Text has a line for
 * each look; JSON an object of the schema wattle.top/1 on a line of its own (docs/format/json.md); CSV a
 * row for each value (docs/format/csv.md). Each look is flushed, so that a pipe sees it at once.
 */
#ifndef WTL_CLI_LIVE_BATCH_H
#define WTL_CLI_LIVE_BATCH_H

#include "cli/top/live_view.h"
#include "exchange/row_writer.h"
#include "report/report.h"

struct wtl_live_batch {
    FILE *out;
    enum wtl_format format;
    size_t processes; /* how many of them, at most */
    size_t lines;     /* written so far */
    struct wtl_row_writer sheet;
    size_t columns; /* of it */
};

/* Show a look; the context is the batch. 0 or -errno with a sentence. */
int wtl_live_batch_show(void *batch, struct wtl_live_view *view, struct wattle_error *err);

/* The parts. 0, or -ENOMEM. */
int wtl_live_batch_json(struct wtl_live_batch *batch, struct wtl_live_view *view);
void wtl_live_batch_csv(struct wtl_live_batch *batch, struct wtl_live_view *view);

#endif
