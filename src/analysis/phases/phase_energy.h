/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of phases. A phase begins and ends between two readings of the power, and how the energy between these two is
 * divided is an assumption. So a phase is a stretch like any other (stretch_energy.h): its energy is what the readings around
 * its borders make most likely, its interval what they leave open, together with what the uncertain borders may move
 * (phase_fill.c). The energies still add up to that of the rows: what all phases miss or have too much goes to those that
 * are least certain.
 */
#ifndef WTL_ANALYSIS_PHASE_ENERGY_H
#define WTL_ANALYSIS_PHASE_ENERGY_H

#include "analysis/phases/counter_rows.h"
#include "analysis/phases/phase.h"
#include "trace/reader.h"

/* Set energy, power and interval of the phases, which are of these rows of the trace. A phase in which no two readings lie
 * has the energy of its rows without a number that may be shown (is_unresolved). 0, -ENOMEM, or the reader's error. */
int wtl_phases_weigh(struct wtl_trace_reader *reader,
                     const struct wtl_counter_rows *rows,
                     struct wtl_phase_list *phases,
                     struct wattle_error *err);

#endif
