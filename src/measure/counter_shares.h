/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The share of the measured processes by hardware counters (account/share_looks.h): cycles, instructions and cache misses of the
 * processes and of the machine, read when energy is sampled, from a thread of its own. What the machine shows more than the processes is of
 * all others. Where this is not possible, there is a reason.
 */
#ifndef WTL_MEASURE_COUNTER_SHARES_H
#define WTL_MEASURE_COUNTER_SHARES_H

#include "measure/measurement_state.h"

struct wtl_counter_shares;

/* Begin to count, before the window; NULL: it is not possible, and m->counter_note says why. */
struct wtl_counter_shares *wtl_counter_shares_start(struct wtl_measurement *m);

/* Divide the energy of the interval between the processes and all others: shares_j[2], and half widths of their intervals. 0, or below 0 with the reason in note. shares may be
 * NULL: -ENOENT, and the note stays. */
int wtl_counter_shares_divide(struct wtl_counter_shares *shares,
                              const struct wtl_share_interval *interval,
                              double *shares_j,
                              double *halves_j,
                              struct wtl_share_rest *ret_rest,
                              char *note,
                              size_t n);

void wtl_counter_shares_end(
    struct wtl_counter_shares *shares); /* accepts NULL; before the session ends */

#endif
