/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of a run: as text, as JSON "wattle.phases/1" (docs/format/json.md), as CSV with one row for each phase and
 * node (docs/format/csv.md), and as a figure. */
#ifndef WTL_REPORT_PHASES_REPORT_H
#define WTL_REPORT_PHASES_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/phases/phase_study.h"
#include "plot/canvas.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_phases;    /* struct wtl_phase_study */
extern const struct wtl_noun wtl_noun_phase_row; /* of its CSV */

/* Write a study and flush. style matters for text and may be NULL. 0; -ENOMEM; or the negative errno of the write that
 * failed, with a sentence. */
int wtl_report_phases(FILE *out,
                      enum wtl_format format,
                      const struct wtl_phase_study *study,
                      const struct wtl_style *style,
                      struct wattle_error *err);

/* The parts. Errors of the stream stay in it. */
int wtl_text_phases(FILE *out, const struct wtl_style *style, const struct wtl_phase_study *study);
json_t *wtl_json_phases(
    const struct wtl_phase_study *study); /* a new reference; NULL without memory */
void wtl_csv_phases(FILE *out, const struct wtl_phase_study *study);

/* "A" of a letter's index; "?": none. */
const char *wtl_phase_letter_name(const struct wtl_phase_study *study, int letter);

struct wtl_phases_figure {
    enum wtl_picture picture;
    double width_mm, height_mm; /* 0 = 120; as high as its nodes need */
    double dpi;                 /* of a PNG; 0 = 300 */
    const char *title;          /* NULL = none */
};

enum { WTL_PHASES_FIGURE_NODES = 8 };

/* Power over time of each node, over bands in the colour of the letter. caption (n bytes) gets the caption. Returns 0;
 * -E2BIG for more than WTL_PHASES_FIGURE_NODES nodes; or what wtl_canvas_open() said. */
int wtl_phases_figure_draw(const struct wtl_phase_study *study,
                           const struct wtl_phases_figure *figure,
                           FILE *out,
                           char *caption,
                           size_t n,
                           struct wattle_error *err);

#endif
