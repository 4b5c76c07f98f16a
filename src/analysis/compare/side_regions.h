/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions that both sides have, as rows of their comparison: time and inclusive energy. */
#ifndef WTL_ANALYSIS_SIDE_REGIONS_H
#define WTL_ANALYSIS_SIDE_REGIONS_H

#include "analysis/compare/side_rows.h"

/* Two rows for each region of A's first run that all runs have; the traces are opened one at a time.
 * A region too short to be resolved in any run has no energy. 0; -ENOMEM; what the reader said. */
int wtl_side_regions_add(struct wtl_sides *sides,
                         const struct wtl_sides_options *options,
                         struct wattle_error *err);

#endif
