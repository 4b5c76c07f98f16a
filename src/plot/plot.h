/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plot: draws into the panels of axes (axes.h), in data units. Points are {x, y}; a NaN point is a
 * gap. What is outside the panel is clipped.
 */
#ifndef WTL_PLOT_PLOT_H
#define WTL_PLOT_PLOT_H

#include "plot/axes.h"

/* Connect the points. */
void wtl_plot_line(const struct wtl_axes *axes,
                   const struct wtl_panel *panel,
                   const struct wtl_xy *points,
                   size_t n,
                   const struct wtl_paint *paint);

/* A value that is valid for an interval of x, with its extremes; NaN = unknown. */
struct wtl_plot_step {
    double begin, end;
    double low, value, high;
};

/* The values as a step line; low to high as an area. */
void wtl_plot_steps(const struct wtl_axes *axes,
                    const struct wtl_panel *panel,
                    const struct wtl_plot_step *stretches,
                    size_t n,
                    const struct wtl_paint *paint);
void wtl_plot_band(const struct wtl_axes *axes,
                   const struct wtl_panel *panel,
                   const struct wtl_plot_step *stretches,
                   size_t n,
                   const struct wtl_paint *paint);

/* The polygon with these corners: a shaded region, or part of an area. */
void wtl_plot_area(const struct wtl_axes *axes,
                   const struct wtl_panel *panel,
                   const struct wtl_xy *corners,
                   size_t n,
                   const struct wtl_paint *paint);

/* A bar from value 0 (or from) to value `to`, in row i of a names axis of the panel (y), over the
 * fraction `part` of its height. */
void wtl_plot_bar(const struct wtl_axes *axes,
                  const struct wtl_panel *panel,
                  size_t row,
                  double part,
                  double from,
                  double to,
                  const struct wtl_paint *paint);

/* The interval low .. high of x at y, with caps; and of y at x. */
void wtl_plot_whisker_x(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        double low,
                        double high,
                        double y,
                        const struct wtl_paint *paint);
void wtl_plot_whisker_y(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        double x,
                        double low,
                        double high,
                        const struct wtl_paint *paint);

/* Markers at the points; size is about half their width, in points. */
void wtl_plot_markers(const struct wtl_axes *axes,
                      const struct wtl_panel *panel,
                      const struct wtl_xy *points,
                      size_t n,
                      double size,
                      const struct wtl_look *look);

/* A text next to a point, offset right and up by these points of the sheet (negative: left, down);
 * kept within the panel. */
void wtl_plot_label(const struct wtl_axes *axes,
                    const struct wtl_panel *panel,
                    struct wtl_xy at,
                    double right,
                    double above,
                    const char *text);

/* A text next to each point (NULL = none), where it covers no point and no text before it; left out if there is no such
 * place. */
void wtl_plot_point_labels(const struct wtl_axes *axes,
                           const struct wtl_panel *panel,
                           const struct wtl_xy *points,
                           const char *const *texts,
                           size_t n);

/* A line across the panel at x or at y. */
void wtl_plot_vertical(const struct wtl_axes *axes,
                       const struct wtl_panel *panel,
                       double x,
                       const struct wtl_paint *paint);
void wtl_plot_horizontal(const struct wtl_axes *axes,
                         const struct wtl_panel *panel,
                         double y,
                         const struct wtl_paint *paint);

#endif
