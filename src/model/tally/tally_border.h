/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Border: how many ticks a counter had at the start or at the end of the window, and how sure that is. tally.h has the method,
 * tally_edge.h what it is made of.
 */
#ifndef WTL_MODEL_TALLY_BORDER_H
#define WTL_MODEL_TALLY_BORDER_H

#include <stdbool.h>

#include "model/tally/tally_edge.h"

/* At the start and at the end of the window, of a counter that was sampled. */
struct wtl_border wtl_tally_start_border(const struct wtl_tally *tally);
struct wtl_border wtl_tally_end_border(const struct wtl_tally *tally);

/* Does it stand still in this stand, though its domain always draws power? Then it may have stalled, and what it
 * shows is of some time before. */
bool wtl_tally_stands(const struct wtl_tally *tally, const struct wtl_stand *stand);

/* After a loss it shows the value of this stand, and then more than its greatest power explains: it had not counted on yet. */
bool wtl_tally_leaps(const struct wtl_tally *tally,
                     const struct wtl_stand *stand,
                     struct wtl_point now);

#endif
