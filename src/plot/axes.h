/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Axes: the frame of a figure for a paper: panels one above the other with a common x axis, ticks
 * and units, a legend above them. Layout first, then the series (plot.h):
 *
 *     struct wtl_panel panel = {.y = {.label = "Power", .unit = "W", .high = 120, .widen = true}};
 *     struct wtl_axes axes = {.canvas = canvas, .width = w, .height = h, .panels = &panel, .panel_count = 1,
 *                             .x = {.kind = WTL_AXIS_TIME, .label = "Time", .high = 60}};
 *     wtl_axes_draw(&axes);
 *     wtl_plot_line(&axes, &panel, points, n, &paint);
 *
 * Several axes may share a sheet: left and top give their position. docs/dev/report.md shows how a
 * figure is made.
 */
#ifndef WTL_PLOT_AXES_H
#define WTL_PLOT_AXES_H

#include "plot/canvas.h"
#include "plot/palette.h"
#include "plot/ticks.h"

enum wtl_axis_kind {
    WTL_AXIS_NUMBERS = 0,
    WTL_AXIS_TIME = 1, /* in seconds, shown in ms, s, min, h or d */
    WTL_AXIS_NAMES = 2 /* names[i] is at i + 0.5; on a y axis, 0 is at the top */
};

struct wtl_chart_axis {
    enum wtl_axis_kind kind;
    double low, high;  /* range of the data, in the unit without prefix; ignored for names */
    const char *label; /* "Power": becomes "Power (kW)"; NULL = none */
    const char *unit;  /* "W"; NULL or "" = none */
    bool widen;        /* extend it to end on ticks */
    bool grid;
    bool bare; /* no line, ticks or numbers */
    const char *const *names;
    size_t name_count;
    struct wtl_ticks ticks; /* filled by wtl_axes_draw() */
};

struct wtl_panel {
    struct wtl_chart_axis y;
    double height;      /* points; 0 = a share of the remaining height, by weight */
    double weight;      /* 0 = 1 */
    double top, bottom; /* filled by wtl_axes_draw() */
};

/* One entry of the legend: a line, a filled box, or a marker, depending on paint and marker. */
struct wtl_legend {
    const char *label;
    struct wtl_paint paint; /* with a fill: a box; else a line, if it has a stroke */
    uint32_t below;         /* for a hatched box: the colour under the hatch; 0 = none */
    bool new_row;           /* start a new row with it */
    bool has_marker;
    struct wtl_look look; /* look of the marker */
};

struct wtl_axes {
    struct wtl_canvas *canvas;
    double left, top, width, height; /* its position and size on the sheet, including all texts;
                                      * points */
    const char *title;               /* NULL = none: in a paper, the caption serves as title */
    struct wtl_chart_axis x;         /* shared by all panels */
    struct wtl_panel *panels;        /* from top to bottom */
    size_t panel_count;
    const struct wtl_legend *legend;
    size_t legend_count;
    double font_size; /* size of labels; 0 = 7 points. Other texts are half a point smaller */
    double x0, x1;    /* filled by wtl_axes_draw(): borders of the panels */
};

/* Compute the layout, fill in the output fields, draw everything except the series. */
void wtl_axes_draw(struct wtl_axes *axes);

/* Convert a value to a position on the sheet. */
double wtl_axes_x(const struct wtl_axes *axes, double value);
double wtl_axes_y(const struct wtl_panel *panel, double value);

/* The font of labels, and of all other texts. */
struct wtl_font wtl_axes_label_font(const struct wtl_axes *axes);
struct wtl_font wtl_axes_text_font(const struct wtl_axes *axes);

/* For computing the height of a sheet: the height that a names axis needs per name; and that of
 * everything except the panels, with labels on the x axis and this many rows of legend. */
double wtl_axes_row_height(const struct wtl_axes *axes);
double wtl_axes_frame_height(const struct wtl_axes *axes, size_t legend_rows);

/* Height in points of a legend with this many rows, including the space below. */
double wtl_legend_rows_height(const struct wtl_axes *axes, size_t rows);

/* Draw the legend for axes that draw nothing else. x0 and x1 must be set. */
void wtl_legend_draw(const struct wtl_axes *axes, double top);

#endif
