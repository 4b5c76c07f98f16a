/* SPDX-License-Identifier: BSD-3-Clause */
/* Plot: converts data units to points of the sheet, and draws on the canvas. */
#include "plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "plot/canvas_back.h"

#define CAP    1.6 /* half the length of a whisker's cap */
#define MARKER 2.2 /* half the space that a marker takes, for labels */

static struct wtl_xy place(const struct wtl_axes *axes,
                           const struct wtl_panel *panel,
                           double x,
                           double y)
{
    return (struct wtl_xy){wtl_axes_x(axes, x), wtl_axes_y(panel, y)};
}

static void clip(const struct wtl_axes *axes, const struct wtl_panel *panel)
{
    /* Lines on the border keep their full width. */
    wtl_canvas_clip(axes->canvas, axes->x0, panel->top - 0.5, axes->x1 - axes->x0 + 0.5,
                    panel->bottom - panel->top + 1);
}

/* Allocate n points; if out of memory, NULL and the canvas fails. */
static struct wtl_xy *points_new(const struct wtl_axes *axes, size_t n)
{
    struct wtl_xy *points = malloc((n ? n : 1) * sizeof *points);
    if (!points)
        axes->canvas->failed = -ENOMEM;
    return points;
}

/* Draw points of the sheet as lines or as an area. */
static void draw(const struct wtl_axes *axes,
                 const struct wtl_panel *panel,
                 const struct wtl_xy *points,
                 size_t n,
                 bool area,
                 const struct wtl_paint *paint)
{
    if (n == 0)
        return;
    clip(axes, panel);
    if (area)
        wtl_canvas_area(axes->canvas, points, n, paint);
    else
        wtl_canvas_lines(axes->canvas, points, n, paint);
    wtl_canvas_clip_end(axes->canvas);
}

static void draw_placed(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        const struct wtl_xy *points,
                        size_t n,
                        bool area,
                        const struct wtl_paint *paint)
{
    struct wtl_xy *placed = points_new(axes, n);
    for (size_t i = 0; placed && i < n; i++)
        placed[i] = place(axes, panel, points[i].x, points[i].y);
    if (placed)
        draw(axes, panel, placed, n, area, paint);
    free(placed);
}

void wtl_plot_line(const struct wtl_axes *axes,
                   const struct wtl_panel *panel,
                   const struct wtl_xy *points,
                   size_t n,
                   const struct wtl_paint *paint)
{
    draw_placed(axes, panel, points, n, false, paint);
}

void wtl_plot_area(const struct wtl_axes *axes,
                   const struct wtl_panel *panel,
                   const struct wtl_xy *corners,
                   size_t n,
                   const struct wtl_paint *paint)
{
    draw_placed(axes, panel, corners, n, true, paint);
}

void wtl_plot_steps(const struct wtl_axes *axes,
                    const struct wtl_panel *panel,
                    const struct wtl_plot_step *stretches,
                    size_t n,
                    const struct wtl_paint *paint)
{
    struct wtl_xy *points = points_new(axes, 3 * n);
    size_t k = 0;
    for (size_t i = 0; points && i < n; i++) {
        const struct wtl_plot_step *at = &stretches[i];
        if (k > 0 && i > 0 && at->begin > stretches[i - 1].end)
            points[k++] = (struct wtl_xy){NAN, NAN};
        points[k++] = place(axes, panel, at->begin, at->value);
        points[k++] = place(axes, panel, at->end, at->value);
    }
    if (points)
        draw(axes, panel, points, k, false, paint);
    free(points);
}

/* The band of stretches i .. end-1, which have no gap, as one polygon: forward along the top, back
 * along the bottom. */
static size_t band_outline(const struct wtl_axes *axes,
                           const struct wtl_panel *panel,
                           const struct wtl_plot_step *stretches,
                           size_t i,
                           size_t end,
                           struct wtl_xy *points)
{
    size_t k = 0;
    for (size_t j = i; j < end; j++) {
        points[k++] = place(axes, panel, stretches[j].begin, stretches[j].high);
        points[k++] = place(axes, panel, stretches[j].end, stretches[j].high);
    }
    for (size_t j = end; j-- > i;) {
        points[k++] = place(axes, panel, stretches[j].end, stretches[j].low);
        points[k++] = place(axes, panel, stretches[j].begin, stretches[j].low);
    }
    points[k++] = (struct wtl_xy){NAN, NAN};
    return k;
}

void wtl_plot_band(const struct wtl_axes *axes,
                   const struct wtl_panel *panel,
                   const struct wtl_plot_step *stretches,
                   size_t n,
                   const struct wtl_paint *paint)
{
    struct wtl_xy *points = points_new(axes, 5 * n);
    size_t k = 0;
    for (size_t i = 0; points && i < n;) {
        size_t end = i;
        while (end < n && isfinite(stretches[end].low) && isfinite(stretches[end].high) &&
               (end == i || stretches[end].begin <= stretches[end - 1].end))
            end++;
        if (end > i)
            k += band_outline(axes, panel, stretches, i, end, points + k);
        i = end > i ? end : i + 1;
    }
    if (points)
        draw(axes, panel, points, k, true, paint);
    free(points);
}

void wtl_plot_bar(const struct wtl_axes *axes,
                  const struct wtl_panel *panel,
                  size_t row,
                  double part,
                  double from,
                  double to,
                  const struct wtl_paint *paint)
{
    double top = wtl_axes_y(panel, (double)row + 0.5 - part / 2);
    double bottom = wtl_axes_y(panel, (double)row + 0.5 + part / 2);
    double x0 = wtl_axes_x(axes, from), x1 = wtl_axes_x(axes, to);
    if (!isfinite(x0) || !isfinite(x1))
        return;
    clip(axes, panel);
    wtl_canvas_rectangle(axes->canvas, x0, top, x1 - x0, bottom - top, paint);
    wtl_canvas_clip_end(axes->canvas);
}

void wtl_plot_whisker_x(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        double low,
                        double high,
                        double y,
                        const struct wtl_paint *paint)
{
    struct wtl_xy a = place(axes, panel, low, y), b = place(axes, panel, high, y);
    const struct wtl_xy points[] = {{a.x, a.y - CAP}, {a.x, a.y + CAP}, {NAN, NAN},      a, b,
                                    {NAN, NAN},       {b.x, b.y - CAP}, {b.x, b.y + CAP}};
    if (isfinite(a.x) && isfinite(b.x))
        draw(axes, panel, points, sizeof points / sizeof *points, false, paint);
}

void wtl_plot_whisker_y(const struct wtl_axes *axes,
                        const struct wtl_panel *panel,
                        double x,
                        double low,
                        double high,
                        const struct wtl_paint *paint)
{
    struct wtl_xy a = place(axes, panel, x, low), b = place(axes, panel, x, high);
    const struct wtl_xy points[] = {{a.x - CAP, a.y}, {a.x + CAP, a.y}, {NAN, NAN},      a, b,
                                    {NAN, NAN},       {b.x - CAP, b.y}, {b.x + CAP, b.y}};
    if (isfinite(a.y) && isfinite(b.y))
        draw(axes, panel, points, sizeof points / sizeof *points, false, paint);
}

void wtl_plot_markers(const struct wtl_axes *axes,
                      const struct wtl_panel *panel,
                      const struct wtl_xy *points,
                      size_t n,
                      double size,
                      const struct wtl_look *look)
{
    for (size_t i = 0; i < n; i++) {
        struct wtl_xy at = place(axes, panel, points[i].x, points[i].y);
        bool inside = at.x >= axes->x0 - 0.1 && at.x <= axes->x1 + 0.1 &&
                      at.y >= panel->top - 0.1 && at.y <= panel->bottom + 0.1;
        if (inside) /* false for NaN, too */
            wtl_plot_marker(axes->canvas, at.x, at.y, size, look);
    }
}

struct box {
    double left, right, top, bottom;
};

/* Where a label of this width goes, kept within the panel; the text's base line is at `bottom`. */
static struct box label_box(const struct wtl_axes *axes,
                            const struct wtl_panel *panel,
                            struct wtl_xy at,
                            double right,
                            double above,
                            double width,
                            double size)
{
    struct wtl_xy placed = place(axes, panel, at.x, at.y);
    double x = right < 0 ? placed.x + right - width : placed.x + right;
    double y = above < 0 ? placed.y - above + 0.7 * size : placed.y - above;
    x = fmax(axes->x0 + 1, fmin(x, axes->left + axes->width - 1 - width));
    y = fmax(panel->top + 0.8 * size, fmin(y, panel->bottom - 1));
    return (struct box){.left = x, .right = x + width, .top = y - 0.75 * size, .bottom = y};
}

void wtl_plot_label(const struct wtl_axes *axes,
                    const struct wtl_panel *panel,
                    struct wtl_xy at,
                    double right,
                    double above,
                    const char *text)
{
    struct wtl_font font = wtl_axes_text_font(axes);
    double width = wtl_canvas_text_width(axes->canvas, text, &font);
    struct box box = label_box(axes, panel, at, right, above, width, font.size);
    wtl_canvas_text(axes->canvas, box.left, box.bottom, text, &font);
}

static bool overlaps(const struct box *a, const struct box *b)
{
    return a->left < b->right + 1 && b->left < a->right + 1 && a->top < b->bottom + 1 &&
           b->top < a->bottom + 1;
}

/* Is the box free of the markers of all points, and of the first `count` boxes? */
static bool is_free(const struct wtl_axes *axes,
                    const struct wtl_panel *panel,
                    const struct box *box,
                    const struct wtl_xy *points,
                    size_t n,
                    const struct box *boxes,
                    size_t count)
{
    for (size_t i = 0; i < n; i++) {
        struct wtl_xy at = place(axes, panel, points[i].x, points[i].y);
        struct box marker = {at.x - MARKER, at.x + MARKER, at.y - MARKER, at.y + MARKER};
        if (!isnan(at.y) && overlaps(box, &marker))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (overlaps(box, &boxes[i]))
            return false;
    }
    return true;
}

void wtl_plot_point_labels(const struct wtl_axes *axes,
                           const struct wtl_panel *panel,
                           const struct wtl_xy *points,
                           const char *const *texts,
                           size_t n)
{
    /* Near first, then farther away; to the right first. */
    static const struct wtl_xy offsets[] = {{3, 3},  {3, -3},  {-3, 3},  {-3, -3},
                                            {3, 11}, {3, -11}, {-3, 11}, {-3, -11}};
    struct wtl_font font = wtl_axes_text_font(axes);
    struct box *boxes = malloc((n ? n : 1) * sizeof *boxes);
    size_t count = 0;
    if (!boxes) {
        axes->canvas->failed = -ENOMEM;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!texts[i] || isnan(points[i].y))
            continue;
        double width = wtl_canvas_text_width(axes->canvas, texts[i], &font);
        for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
            struct box box =
                label_box(axes, panel, points[i], offsets[k].x, offsets[k].y, width, font.size);
            if (!is_free(axes, panel, &box, points, n, boxes, count))
                continue;
            wtl_canvas_text(axes->canvas, box.left, box.bottom, texts[i], &font);
            boxes[count++] = box;
            break;
        }
    }
    free(boxes);
}

void wtl_plot_vertical(const struct wtl_axes *axes,
                       const struct wtl_panel *panel,
                       double x,
                       const struct wtl_paint *paint)
{
    double at = wtl_axes_x(axes, x);
    if (at >= axes->x0 - 0.01 && at <= axes->x1 + 0.01)
        wtl_canvas_line(axes->canvas, at, panel->top, at, panel->bottom, paint);
}

void wtl_plot_horizontal(const struct wtl_axes *axes,
                         const struct wtl_panel *panel,
                         double y,
                         const struct wtl_paint *paint)
{
    double at = wtl_axes_y(panel, y);
    if (at >= panel->top - 0.01 && at <= panel->bottom + 0.01)
        wtl_canvas_line(axes->canvas, axes->x0, at, axes->x1, at, paint);
}
