/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Border: the value of a counter, in ticks, at the start or at the end of the window, and its uncertainty.
 * tally.h describes the method, tally_edge.h the parts it uses.
 */
#ifndef WTL_MODEL_TALLY_BORDER_H
#define WTL_MODEL_TALLY_BORDER_H

#include <stdbool.h>

#include "model/tally/tally_edge.h"

/* At the start and at the end of the window, for a counter that was sampled. */
struct wtl_border wtl_tally_start_border(const struct wtl_tally *tally);
struct wtl_border wtl_tally_end_border(const struct wtl_tally *tally);

/* Whether it stands still in this stand although its domain always draws power. Then it may have stalled,
 * and what it shows belongs to an earlier time. */
bool wtl_tally_stands(const struct wtl_tally *tally, const struct wtl_stand *stand);

/* Whether, after a loss, it shows the value of this stand, and then more than its maximum power explains:
 * it had not resumed counting yet. */
bool wtl_tally_leaps(const struct wtl_tally *tally,
                     const struct wtl_stand *stand,
                     struct wtl_point now);

#endif
