/* SPDX-License-Identifier: BSD-3-Clause */
/* Within phases: where each phase begins, as each method finds it; phase.c makes phases of it. */
#ifndef WTL_ANALYSIS_PHASE_BOUNDS_H
#define WTL_ANALYSIS_PHASE_BOUNDS_H

#include "analysis/phases/phase.h"

struct wtl_phase_bounds {
    struct wtl_phase *list; /* first and last; the paper's method sets relevance, too; owned */
    size_t count;
};

/* A phase that begins with row `first` and lasts until the next one, or the end. 0 or -ENOMEM. */
int wtl_phase_bounds_add(struct wtl_phase_bounds *bounds, size_t first);

/* Each: 0, or an error with its message. */
int wtl_phase_find_paper(const struct wtl_counter_rows *rows,
                         const struct wtl_phase_options *options,
                         struct wtl_phase_bounds *bounds,
                         struct wattle_error *err);
int wtl_phase_find_online(const struct wtl_counter_rows *rows,
                          const struct wtl_phase_options *options,
                          struct wtl_phase_bounds *bounds,
                          struct wattle_error *err);
/* Better boundaries from those that are given: the second pass over a stored recording. */
int wtl_phase_second_pass(const struct wtl_counter_rows *rows,
                          const struct wtl_phase_options *options,
                          struct wtl_phase_bounds *bounds,
                          struct wattle_error *err);
int wtl_phase_find_pelt(const struct wtl_counter_rows *rows,
                        const struct wtl_phase_options *options,
                        struct wtl_phase_bounds *bounds,
                        struct wattle_error *err);

/* Move the boundaries to the most likely rows (not those of the paper's method), and fill in everything else. 0 or
 * -ENOMEM. */
int wtl_phases_fill(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_bounds *bounds);

/* How much of the variance of the power is between phases. */
double wtl_phases_explained(const struct wtl_counter_rows *rows,
                            const struct wtl_phase_bounds *bounds);

#endif
