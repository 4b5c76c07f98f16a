/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node rows: what channels of a trace counted in equal steps of its window, from its start on; the last step ends with
 * the window. Unlike cells (cluster/run_cells.h) each row says for how much of its step it is known, so that the sum of
 * the rows is what is known of the whole.
 *
 *     wtl_node_rows_read(reader, ids, n, begin_ns, end_ns, step_ns, &rows, err);
 *     for (size_t k = 0; k < rows.count; k++)
 *         if (rows.known_s[k] > 0) ... rows.amount[k] / rows.known_s[k] is the mean power ...
 *     wtl_node_rows_fini(&rows);
 *
 * The amount of several channels is their sum over the time that all of them know: if a gap of one covers part of a
 * step, the others count with their mean rate. Counters begin and end with their values at the borders of the window
 * as in the result of the run, so that without gaps the rows add up to its energy.
 */
#ifndef WTL_ANALYSIS_NODE_ROWS_H
#define WTL_ANALYSIS_NODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "model/result.h"
#include "trace/reader.h"

/* The most rows; 16 bytes each. */
#define WTL_NODE_ROWS_MAX ((size_t)1 << 24)

struct wtl_node_rows {
    uint64_t begin_ns, end_ns, step_ns;
    size_t count;
    double *amount;  /* [count]: joules, CPU seconds; of gauges: value times seconds; owned */
    double *known_s; /* [count]: seconds of the step for which it is known; 0 = unknown */
};

/* Returns 0; -ERANGE if there would be too many rows; -ENOMEM; or the reader's error; with a message. */
int wtl_node_rows_read(struct wtl_trace_reader *reader,
                       const uint32_t *ids,
                       size_t id_count,
                       uint64_t begin_ns,
                       uint64_t end_ns,
                       uint64_t step_ns,
                       struct wtl_node_rows *ret_rows,
                       struct wattle_error *err);
/* The channels of the total of a run over its window: the rows add up to its energy. -ENODATA if there is no total. */
int wtl_node_rows_of_total(struct wtl_trace_reader *reader,
                           const struct wtl_result *result,
                           uint64_t step_ns,
                           struct wtl_node_rows *ret_rows,
                           struct wattle_error *err);
void wtl_node_rows_fini(struct wtl_node_rows *rows);

/* End of row k, at most that of the window. */
uint64_t wtl_node_rows_end(const struct wtl_node_rows *rows, size_t k);

#endif
