/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sides: the results of two groups of runs, A and B, compared quantity by quantity. Time, energy,
 * power and energy x time are the headline: each has a verdict, and the four comparisons
 * share 5 % by Holm's correction. A change has one interval: comparison.ratio of a row is that of its
 * verdict. Channels and regions are descriptive: each has a separate 95 % interval and no verdict; about one in twenty
 * excludes 1 by chance.
 */
#ifndef WTL_ANALYSIS_SIDES_H
#define WTL_ANALYSIS_SIDES_H

#include "analysis/compare/side_rows.h"

/*
 * Compare. Both sides are sorted by the time at which they ran, in place, if all have one (not
 * when paired: pairs are in the order given). a and b must outlive the result. 0; -EINVAL with a
 * sentence (no run left, pairs that do not match, nothing common); -ENOMEM; what a trace's reader said.
 */
int wtl_sides_compare(struct wtl_result *a,
                      size_t a_n,
                      struct wtl_result *b,
                      size_t b_n,
                      const struct wtl_sides_options *options,
                      struct wtl_sides *ret_sides,
                      struct wattle_error *err);
void wtl_sides_fini(struct wtl_sides *sides);

#endif
