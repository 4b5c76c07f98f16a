/* SPDX-License-Identifier: BSD-3-Clause */
/* A prediction: as text, as JSON "wattle.prediction/1" (docs/format/json.md), as CSV with one row (docs/format/csv.md), and as
 * a figure. What is predicted is called so, and what follows from counters is called derived. */
#ifndef WTL_REPORT_PREDICT_REPORT_H
#define WTL_REPORT_PREDICT_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/predict/prediction.h"
#include "analysis/predict/subject.h"
#include "plot/canvas.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_prediction, wtl_noun_prediction_row;

/* All is borrowed. */
struct wtl_prediction_report {
    const char *model, *trace, *platform;
    double part; /* of the trace that was used; 1 = all */
    const struct wtl_subject *subject;
    const struct wtl_prediction *prediction;
};

/* Write it and flush. style matters for text and may be NULL. 0; -ENOMEM; or the negative errno of the write that failed,
 * with a sentence. */
int wtl_report_prediction(FILE *out,
                          enum wtl_format format,
                          const struct wtl_prediction_report *report,
                          const struct wtl_style *style,
                          struct wattle_error *err);

/* The parts. Errors of the stream stay in it. */
int wtl_text_prediction(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_prediction_report *report);
/* One line, for a run that is being followed. */
void wtl_line_prediction(FILE *out, const struct wtl_prediction_report *report);
json_t *wtl_json_prediction(const struct wtl_prediction_report *report); /* a new reference */
void wtl_csv_prediction(FILE *out, const struct wtl_prediction_report *report);

/* Energy over time: so far, to the end with its interval, and what came, if the trace has it. caption (n bytes) gets the
 * caption. 0; -ENODATA if there is no energy to draw; what wtl_canvas_open() said. */
int wtl_prediction_figure_draw(const struct wtl_prediction_report *report,
                               enum wtl_picture picture,
                               FILE *out,
                               char *caption,
                               size_t n,
                               struct wattle_error *err);

#endif
