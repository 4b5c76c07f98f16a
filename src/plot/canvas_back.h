/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the canvas's back ends: one table of functions for each kind of file. */
#ifndef WTL_PLOT_CANVAS_BACK_H
#define WTL_PLOT_CANVAS_BACK_H

#include "plot/canvas.h"

/* Every canvas begins with it; a back end appends its own fields. */
struct wtl_canvas {
    const struct wtl_canvas_ops *ops;
    FILE *out;
    double width, height;
    double wider; /* the viewer's font may be this factor wider than text_width(); 0: exact */
    int failed;   /* the first -errno */
};

struct wtl_canvas_ops {
    /* Finish and write, unless drop; free. */
    int (*close)(struct wtl_canvas *canvas, bool drop, struct wattle_error *err);
    /* points[0..n-1] with NaN where the pen lifts; closed: areas. */
    void (*path)(struct wtl_canvas *canvas,
                 const struct wtl_xy *points,
                 size_t n,
                 bool closed,
                 const struct wtl_paint *paint);
    void (*circle)(struct wtl_canvas *canvas,
                   double x,
                   double y,
                   double radius,
                   const struct wtl_paint *paint);
    /* text is clean UTF-8. */
    void (*text)(struct wtl_canvas *canvas,
                 double x,
                 double y,
                 const char *text,
                 const struct wtl_font *font);
    double (*text_width)(struct wtl_canvas *canvas, const char *text, const struct wtl_font *font);
    /* title may be NULL; both are clean UTF-8. */
    void (*group)(struct wtl_canvas *canvas, const char *name, const char *title);
    void (*group_end)(struct wtl_canvas *canvas);
    void (*clip)(struct wtl_canvas *canvas, double x, double y, double width, double height);
    void (*clip_end)(struct wtl_canvas *canvas);
};

int wtl_canvas_svg_open(FILE *out,
                        const struct wtl_sheet_size *sheet,
                        struct wtl_canvas **ret_canvas,
                        struct wattle_error *err);
int wtl_canvas_cairo_open(enum wtl_picture picture,
                          FILE *out,
                          const struct wtl_sheet_size *sheet,
                          struct wtl_canvas **ret_canvas,
                          struct wattle_error *err);

/* Lengths of a dash pattern in points for a stroke of that width: returns their number, at most
 * 4. */
size_t wtl_dash_lengths(enum wtl_dash dash, double width, double lengths[4]);

/* Width of clean UTF-8 text in Helvetica of size 1. */
double wtl_font_width(const char *text, bool bold);

/* Distance between the lines of a hatch, and their width, in points. */
#define WTL_HATCH_STEP  3.0
#define WTL_HATCH_WIDTH 0.5

#endif
