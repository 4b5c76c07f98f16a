/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places labels so that they hide nothing: each is put next to its point, where it covers the least
 * of the lines, markers and labels known so far, or farther away, with a line to the point, if
 * there is no room. All lengths are points of the sheet.
 *
 *     struct wtl_label_field field = {.canvas = canvas, .x0 = .., .y0 = .., .x1 = .., .y1 = ..};
 *     wtl_label_avoid_line(&field, curve, n, 1);
 *     wtl_label_avoid_box(&field, x, y, 2, 2, 1);
 *     wtl_label_draw(&field, at, 3, "A", &font);
 *     wtl_label_field_fini(&field);
 */
#ifndef WTL_PLOT_LABEL_PLACE_H
#define WTL_PLOT_LABEL_PLACE_H

#include "plot/canvas.h"

/* Half the width and height of a box, and the cost of covering it. */
struct wtl_label_box {
    double x, y, half_width, half_height, cost;
};

struct wtl_label_field {
    struct wtl_canvas *canvas;
    double x0, y0, x1, y1;       /* bounds for labels */
    double lead_pt;              /* beyond this distance a line leads from label to point; 0 = 11 */
    struct wtl_label_box *boxes; /* owned */
    size_t count, room;
};
void wtl_label_field_fini(struct wtl_label_field *field);

/* Add something that labels should not cover. A line counts by its length. NaN is a gap. */
void wtl_label_avoid_box(struct wtl_label_field *field,
                         double x,
                         double y,
                         double half_width,
                         double half_height,
                         double cost);
void wtl_label_avoid_line(struct wtl_label_field *field,
                          const struct wtl_xy *points,
                          size_t n,
                          double cost);

/* The cost of a box at a position: 0 = it covers nothing. */
double wtl_label_cost(const struct wtl_label_field *field,
                      double x,
                      double y,
                      double half_width,
                      double half_height);

/*
 * Draw a label next to a point, at least `clear` from it, where it covers the least; later labels
 * avoid it. font.anchor is ignored. Returns the start of the base line.
 */
struct wtl_xy wtl_label_draw(struct wtl_label_field *field,
                             struct wtl_xy at,
                             double clear,
                             const char *text,
                             const struct wtl_font *font);

#endif
