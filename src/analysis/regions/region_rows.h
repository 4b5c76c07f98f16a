/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a trace with their energy on the channels of the total, for a table. */
#ifndef WTL_ANALYSIS_REGION_ROWS_H
#define WTL_ANALYSIS_REGION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/regions/exact_rows.h"
#include "model/result.h"
#include "trace/reader.h"
#include "trace/regions/region_joined.h"

struct wtl_region_row {
    const char *name; /* "" = outside all regions; borrowed from the reader */
    uint64_t count;
    double thread_s;    /* summed over threads; 0 for the time outside */
    double union_s;     /* at least one thread inside */
    double exclusive_s; /* innermost on at least one thread */
    uint64_t unbalanced, crossing;
    struct wtl_energy inclusive, exclusive; /* for an estimate: with an asymmetric interval like the
                                             * total's */
    struct wtl_exact_sum
        exact; /* results of its visits that waited for ticks; count 0 = none did */
};

/*
 * The rows, outside first, then by first appearance: returns their number, *ret_rows malloc'ed for
 * the caller to free; 0 if the trace has no regions. `result` is that of the same trace.
 */
int wtl_region_rows(struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    struct wtl_region_row **ret_rows,
                    struct wattle_error *err);

#endif
