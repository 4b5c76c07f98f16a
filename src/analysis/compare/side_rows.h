/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a comparison of two sides: what wtl_sides_compare() is made of. */
#ifndef WTL_ANALYSIS_SIDE_ROWS_H
#define WTL_ANALYSIS_SIDE_ROWS_H

#include "analysis/compare/sides.h"

/* Append a row with room for the values of all runs, which are NaN. Valid until the next. NULL without
 * memory. */
struct wtl_side_row *wtl_side_row_add(struct wtl_sides *sides,
                                      enum wtl_row_group group,
                                      const char *name,
                                      const char *quantity,
                                      const char *unit);

/* Compare its values, or say in row->why why not. 0 or -ENOMEM. */
int wtl_side_row_compare(const struct wtl_sides *sides,
                         const struct wtl_sides_options *options,
                         struct wtl_side_row *row);

/* The headline and the channels that both have. 0; -EINVAL: no common channel; -ENOMEM. */
int wtl_side_rows_add(struct wtl_sides *sides,
                      const struct wtl_sides_options *options,
                      struct wattle_error *err);

#endif
