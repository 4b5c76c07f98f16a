/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures: one picture of one trace, as wide as a column of a paper, with its caption. The same trace gives
 * the same bytes.
 */
#ifndef WTL_REPORT_FIGURE_H
#define WTL_REPORT_FIGURE_H

#include "model/result.h"
#include "plot/canvas.h"
#include "trace/reader.h"

enum wtl_figure_kind {
    WTL_FIGURE_POWER = 0,        /* over time, with gaps and regions */
    WTL_FIGURE_ENERGY = 1,       /* of each channel, with its interval */
    WTL_FIGURE_DISTRIBUTION = 2, /* of power */
    WTL_FIGURE_REGIONS = 3       /* energy of each region */
};

/* "power", "energy", "distribution", "regions", NULL: in the order of the enum. */
extern const char *const wtl_figure_names[];

enum { WTL_CAPTION_MAX = 1536 };

struct wtl_figure_options {
    enum wtl_figure_kind kind;
    double width_mm, height_mm; /* 0 = 85, a column; as high as the contents need */
    double dpi;                 /* of a PNG; 0 = 300 */
    const char *title;          /* above the figure; NULL = none, as in papers */
    bool redact;                /* leave out what identifies people and machines (redact.h) */
};

/*
 * Draw the figure of a trace with this result to out. caption (NULL, or WTL_CAPTION_MAX bytes) gets the
 * caption: what is shown, from which sensors, and the meaning of marks. Returns 0; -ENODATA if there is
 * nothing to draw (with a message); the errors of wtl_canvas_open() or the reader; -ENOMEM.
 */
int wtl_figure_draw(struct wtl_trace_reader *reader,
                    const struct wtl_result *result,
                    const struct wtl_figure_options *options,
                    enum wtl_picture picture,
                    FILE *out,
                    char *caption,
                    struct wattle_error *err);

#endif
