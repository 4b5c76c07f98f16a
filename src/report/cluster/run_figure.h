/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures of runs of many nodes: one picture as wide as a column of a paper, with its caption, or a gnuplot
 * script with its data. The same run gives the same bytes.
 */
#ifndef WTL_REPORT_RUN_FIGURE_H
#define WTL_REPORT_RUN_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#include <wattle/error.h>

#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_study.h"
#include "plot/canvas.h"
#include "report/figures/figure.h"

enum wtl_run_figure_kind {
    WTL_RUN_FIGURE_POWER = 0, /* of one run: the sum of each part, and the spread of the nodes */
    WTL_RUN_FIGURE_DOMAINS,   /* of one run: shares of the total */
    WTL_RUN_FIGURE_BOXES,     /* node power: of nodes, or of the cases of several runs */
    WTL_RUN_FIGURE_NODES,     /* of one run: nodes over time, a heat map */
    WTL_RUN_FIGURE_TAGS,      /* of one run: power of the nodes while inside regions */
    WTL_RUN_FIGURE_SCALING,   /* of several: time, energy and node power of the cases */
    WTL_RUN_FIGURE_KINDS
};

/* "power", "domains", "boxes", "nodes", "tags", "scaling", NULL: in the order of the enum. */
extern const char *const wtl_run_figure_names[];

struct wtl_run_figure_options {
    enum wtl_run_figure_kind kind;
    double width_mm, height_mm; /* 0 = 85, a column; as high as the contents need */
    double dpi;                 /* of a PNG; 0 = 300 */
    const char *title;          /* NULL = none */
    const char *part;           /* power: of this part only; NULL = all */
    bool by_energy;             /* nodes: their order; else by name */
    double reference_w;         /* boxes: a line; NaN = none */
};

/* What is drawn: one run's profile, or the study of several; the other is NULL. Borrowed. */
struct wtl_run_figure_data {
    const struct wtl_run_profile *profile;
    const struct wtl_study *study;
};

/*
 * Draw to out. caption (NULL, or WTL_CAPTION_MAX bytes) gets the caption. Returns 0; -ENODATA if there is
 * nothing to draw, -EINVAL if the kind does not fit (one run or several), -ENOENT for an unknown part, each
 * with a message; the errors of wtl_canvas_open(); -ENOMEM.
 */
int wtl_run_figure_draw(const struct wtl_run_figure_data *data,
                        const struct wtl_run_figure_options *options,
                        enum wtl_picture picture,
                        FILE *out,
                        char *caption,
                        struct wattle_error *err);

/*
 * The same as a gnuplot script that reads data_name, and its data: columns with a header, "?" for unknown.
 * Errors of the streams stay in them. Returns as wtl_run_figure_draw().
 */
int wtl_run_gnuplot(const struct wtl_run_figure_data *data,
                    const struct wtl_run_figure_options *options,
                    const char *data_name,
                    FILE *script,
                    FILE *table,
                    struct wattle_error *err);

#endif
