/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Axes: the frame of a figure as a paper wants it: panels one above the other with a common x axis,
 * ticks and units, a legend above them. Layout first, then the series (plot.h):
 *
 *     struct wtl_panel panel = {.y = {.label = "Power", .unit = "W", .high = 120, .widen = true}};
 *     struct wtl_axes axes = {.canvas = canvas, .width = w, .height = h, .panels = &panel, .panel_count = 1,
 *                             .x = {.kind = WTL_AXIS_TIME, .label = "Time", .high = 60}};
 *     wtl_axes_draw(&axes);
 *     wtl_plot_line(&axes, &panel, points, n, &paint);
 *
 * Several axes may share a sheet: left and top say where. docs/dev/report.md shows how a figure is made.
 */
#ifndef WTL_PLOT_AXES_H
#define WTL_PLOT_AXES_H

#include "plot/canvas.h"
#include "plot/palette.h"
#include "plot/ticks.h"

enum wtl_axis_kind {
    WTL_AXIS_NUMBERS = 0,
    WTL_AXIS_TIME = 1, /* in seconds, shown in ms, s, min, h or d */
    WTL_AXIS_NAMES = 2 /* names[i] stands at i + 0.5; on a y axis, 0 is at the top */
};

struct wtl_chart_axis {
    enum wtl_axis_kind kind;
    double low, high;  /* of what is drawn, in the unit without prefix; of names: ignored */
    const char *label; /* "Power": becomes "Power (kW)"; NULL = none */
    const char *unit;  /* "W"; NULL or "" = none */
    bool widen;        /* let it end on ticks */
    bool grid;
    bool bare; /* neither line nor ticks nor numbers */
    const char *const *names;
    size_t name_count;
    struct wtl_ticks ticks; /* filled by wtl_axes_draw() */
};

struct wtl_panel {
    struct wtl_chart_axis y;
    double height;      /* points; 0 = a share of what is left, by weight */
    double weight;      /* 0 = 1 */
    double top, bottom; /* filled by wtl_axes_draw() */
};

/* One entry of the legend: a line, a filled box, or a marker, as the paint and marker say. */
struct wtl_legend {
    const char *label;
    struct wtl_paint paint; /* with a fill: a box; else a line, if it has a stroke */
    uint32_t below;         /* of a hatched box: the colour under the hatch; 0 = none */
    bool new_row;           /* begin a row with it */
    bool has_marker;
    struct wtl_look look; /* of the marker */
};

struct wtl_axes {
    struct wtl_canvas *canvas;
    double left, top, width, height; /* its place on the sheet, with all its texts; points */
    const char *title;               /* NULL = none: in a paper, the caption says it */
    struct wtl_chart_axis x;         /* of all panels */
    struct wtl_panel *panels;        /* from the top down */
    size_t panel_count;
    const struct wtl_legend *legend;
    size_t legend_count;
    double font_size; /* of labels; 0 = 7 points. Other texts are half a point smaller */
    double x0, x1;    /* filled by wtl_axes_draw(): borders of the panels */
};

/* Lay it out, fill what is to be filled, draw all but the series. */
void wtl_axes_draw(struct wtl_axes *axes);

/* Where a value stands on the sheet. */
double wtl_axes_x(const struct wtl_axes *axes, double value);
double wtl_axes_y(const struct wtl_panel *panel, double value);

/* The font of labels, and of all other texts. */
struct wtl_font wtl_axes_label_font(const struct wtl_axes *axes);
struct wtl_font wtl_axes_text_font(const struct wtl_axes *axes);

/* From these follows how high a sheet must be: the height that a names axis needs for each name; and that of
 * all but the panels, with labels on the x axis and so many rows of legend. */
double wtl_axes_row_height(const struct wtl_axes *axes);
double wtl_axes_frame_height(const struct wtl_axes *axes, size_t legend_rows);

/* Points that a legend of so many rows takes with the space below. */
double wtl_legend_rows_height(const struct wtl_axes *axes, size_t rows);

/* Draw the legend, for axes that draw nothing else. x0 and x1 are known. */
void wtl_legend_draw(const struct wtl_axes *axes, double top);

#endif
