/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of exact regions (<wattle/exact.h>), by name, from the events that they left in a
 * trace. */
#ifndef WTL_ANALYSIS_EXACT_ROWS_H
#define WTL_ANALYSIS_EXACT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "model/energy.h"
#include "trace/own_event.h"
#include "trace/reader.h"

/* Sums over the visits of a name. */
struct wtl_exact_sum {
    struct wtl_energy_sum visits;
    double wait_s; /* waiting for ticks, at both borders */
};

/* Number of visits; 0 = none. */
size_t wtl_exact_count(const struct wtl_exact_sum *sum);

/* Energy of all visits. Part of their errors has the same sign in each, so half widths add
 * linearly. */
struct wtl_energy wtl_exact_energy(const struct wtl_exact_sum *sum);

/*
 * Add each visit to the sum of its name: ret_sums[i] for names[i] (any bytes, borrowed); the sums
 * are zeroed first. Reads all marks: call it only if there is a region WTL_EXACT_WAIT. Returns 0,
 * -ENOMEM, or the reader's error.
 */
int wtl_exact_sums(struct wtl_trace_reader *reader,
                   const char *const *names,
                   size_t count,
                   struct wtl_exact_sum *ret_sums,
                   struct wattle_error *err);

#endif
