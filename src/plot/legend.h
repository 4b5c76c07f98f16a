/* SPDX-License-Identifier: BSD-3-Clause */
/* The legend of a figure: entries in rows above its panels. */
#ifndef WTL_PLOT_LEGEND_H
#define WTL_PLOT_LEGEND_H

#include "plot/axes.h"

/* Points that it takes with the space below; 0 without entries. At most a third of the figure: what has no
 * room is counted in a last entry. */
double wtl_legend_height(const struct wtl_axes *axes);

/* Of so many rows. */
double wtl_legend_rows_height(const struct wtl_axes *axes, size_t rows);

/* Draw it. axes->x0 and x1 are known. */
void wtl_legend_draw(const struct wtl_axes *axes, double top);

#endif
