/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle sweep" has found: as text, as JSON "wattle.sweep/1" (docs/format/json.md), as CSV with one row for each
 * sensor and setting (docs/format/csv.md), as a figure, and as a table of candidates for "wattle pose". */
#ifndef WTL_REPORT_SWEEP_REPORT_H
#define WTL_REPORT_SWEEP_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/sweep/sweep.h"
#include "plot/canvas.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_sweep, wtl_noun_sweep_row;

/* Write a judged sweep and flush. style matters for text and may be NULL. 0; -ENOMEM; or the negative errno of the write
 * that failed, with a sentence. */
int wtl_report_sweep(FILE *out,
                     enum wtl_format format,
                     const struct wtl_sweep *sweep,
                     const struct wtl_style *style,
                     struct wattle_error *err);

/* The parts. Errors of the stream stay in it. */
int wtl_text_sweep(FILE *out, const struct wtl_style *style, const struct wtl_sweep *sweep);
json_t *wtl_json_sweep(const struct wtl_sweep *sweep); /* a new reference; NULL without memory */
void wtl_csv_sweep(FILE *out, const struct wtl_sweep *sweep);

/* time_s,energy_j,label: the settings of a curve's whole blocks, one row each, for wattle pose --candidate. */
void wtl_pose_table_sweep(FILE *out,
                          const struct wtl_sweep *sweep,
                          const struct wtl_sweep_curve *curve);

/* Energy against time, a panel for each curve (at most four): settings with their 95 % intervals, the Pareto front, and the
 * group that cannot be told from the least energy. caption (n bytes) gets the caption. 0; what wtl_canvas_open() said. */
int wtl_sweep_figure_draw(const struct wtl_sweep *sweep,
                          enum wtl_picture picture,
                          FILE *out,
                          char *caption,
                          size_t n,
                          struct wattle_error *err);

#endif
