/* SPDX-License-Identifier: BSD-3-Clause */
/* What exact regions (<wattle/exact.h>) found, by name, from the events that they left in a trace. */
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
    double wait_s; /* for ticks, at both borders */
};

/* How many there were; 0 = none. */
size_t wtl_exact_count(const struct wtl_exact_sum *sum);

/* Of all of them. Part of their errors has the same sign in each, so half widths add up whole. */
struct wtl_energy wtl_exact_energy(const struct wtl_exact_sum *sum);

/*
 * Add each visit to the sum of its name, which is that of names[i] (any bytes, borrowed) for ret_sums[i]; these are zeroed first. Reads all
 * marks: to be called where there is a region WTL_EXACT_WAIT. Returns 0, -ENOMEM, or what the reader said.
 */
int wtl_exact_sums(struct wtl_trace_reader *reader,
                   const char *const *names,
                   size_t count,
                   struct wtl_exact_sum *ret_sums,
                   struct wattle_error *err);

#endif
