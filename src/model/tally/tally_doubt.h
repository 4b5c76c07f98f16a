/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doubt: checks a border of the window that was found by extrapolating the power outside it, against the
 * growth of the tick that contains it. If the power changed between the edges outside and the border, the
 * interval is widened as far as that growth permits.
 */
#ifndef WTL_MODEL_TALLY_DOUBT_H
#define WTL_MODEL_TALLY_DOUBT_H

#include "model/tally/tally_edge.h"

/* Returns the border unchanged, or with a wider interval. Requires two edges on its side. start: the other
 * border. */
struct wtl_border wtl_tally_doubt_start(const struct wtl_tally *tally, struct wtl_border border);
struct wtl_border wtl_tally_doubt_end(const struct wtl_tally *tally,
                                      struct wtl_border start,
                                      struct wtl_border border);

#endif
