/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers of a node with phases to two requests (live_node.h), as text:
 *
 *   phases               ok T0, then FROM TO LETTER WATTS lines (ns; mean W of the letter), also of those to come
 *   counts [FROM [TO]]   ok FROM TO, then NAME COUNT lines: exact events
 */
#ifndef WTL_SIM_PHASE_ANSWERS_H
#define WTL_SIM_PHASE_ANSWERS_H

#include <stdio.h>

#include "sim/node.h"

/* 0, or -EINVAL with the remedy. The two instants are from the start of the node on, in order. */
int wtl_phase_answer_phases(const struct wtl_node *of, FILE *out, struct wattle_error *err);
int wtl_phase_answer_counts(const struct wtl_node *of,
                            const uint64_t limits[2],
                            FILE *out,
                            struct wattle_error *err);

#endif
