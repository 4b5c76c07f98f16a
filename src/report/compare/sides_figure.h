/* SPDX-License-Identifier: BSD-3-Clause */
/* The figure of a comparison: the power of both sides over time, and each run's time, energy, power
 * and energy x time as a dot, with the means and their 95 % intervals. */
#ifndef WTL_REPORT_SIDES_FIGURE_H
#define WTL_REPORT_SIDES_FIGURE_H

#include "analysis/compare/sides.h"
#include "plot/canvas.h"
#include "report/redact.h"

/*
 * Draw it, as wide as a page's text; with a redactor, without what identifies people and machines. caption (n bytes) gets the caption. If
 * power over time is unknown or the totals differ, only the known parts are drawn. 0; what
 * wtl_canvas_open() or the reader said; -ENOMEM.
 */
int wtl_sides_figure_draw(const struct wtl_sides *sides,
                          enum wtl_picture picture,
                          struct wtl_redactor *redactor,
                          FILE *out,
                          char *caption,
                          size_t n,
                          struct wattle_error *err);

#endif
