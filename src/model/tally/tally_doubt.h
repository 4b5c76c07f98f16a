/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doubt: a border of the window that was found by following the power outside of it, held against the growth of the tick that it lies
 * in. Where the power changed between the edges outside and the border, the interval reaches as far as that growth allows.
 */
#ifndef WTL_MODEL_TALLY_DOUBT_H
#define WTL_MODEL_TALLY_DOUBT_H

#include "model/tally/tally_edge.h"

/* The border as it is, or with a wider interval. There are two edges on its side. start: the other border. */
struct wtl_border wtl_tally_doubt_start(const struct wtl_tally *tally, struct wtl_border border);
struct wtl_border wtl_tally_doubt_end(const struct wtl_tally *tally,
                                      struct wtl_border start,
                                      struct wtl_border border);

#endif
