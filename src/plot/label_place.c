/* SPDX-License-Identifier: BSD-3-Clause */
/* Greedy: each label takes the cheapest of several positions around its point, and is an obstacle
 * from then on. */
#include "plot/label_place.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "plot/canvas_back.h"

#define LINE_STEP  1.5 /* between the boxes of a line */
#define LINE_HALF  0.6
#define LABEL_COST 40.0
#define HEIGHT     0.72 /* height of capitals, relative to the font size; descenders are ignored */
#define GAP        1.2
#define NEAR       11.0 /* beyond this distance a line connects a label with its point */
#define HALO       0.75

void wtl_label_field_fini(struct wtl_label_field *field)
{
    free(field->boxes);
    field->boxes = NULL;
    field->count = field->room = 0;
}

void wtl_label_avoid_box(struct wtl_label_field *field,
                         double x,
                         double y,
                         double half_width,
                         double half_height,
                         double cost)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    if (wtl_reserve(&field->boxes, &field->room, field->count + 1, sizeof *field->boxes) < 0) {
        field->canvas->failed = -ENOMEM;
        return;
    }
    field->boxes[field->count++] = (struct wtl_label_box){x, y, half_width, half_height, cost};
}

void wtl_label_avoid_line(struct wtl_label_field *field,
                          const struct wtl_xy *points,
                          size_t n,
                          double cost)
{
    for (size_t i = 1; i < n; i++) {
        struct wtl_xy a = points[i - 1], b = points[i];
        double length = hypot(b.x - a.x, b.y - a.y);
        if (!isfinite(length) || length > 1e5)
            continue;
        size_t steps = (size_t)(length / LINE_STEP) + 1;
        for (size_t k = 0; k <= steps; k++) {
            double part = (double)k / (double)steps;
            wtl_label_avoid_box(field, a.x + part * (b.x - a.x), a.y + part * (b.y - a.y),
                                LINE_HALF, LINE_HALF, cost * length / (double)steps);
        }
    }
}

double wtl_label_cost(const struct wtl_label_field *field,
                      double x,
                      double y,
                      double half_width,
                      double half_height)
{
    double cost = 0;
    if (x - half_width < field->x0 || x + half_width > field->x1 || y - half_height < field->y0 ||
        y + half_height > field->y1)
        cost += 1e6;
    for (size_t i = 0; i < field->count; i++) {
        const struct wtl_label_box *box = &field->boxes[i];
        if (fabs(box->x - x) < box->half_width + half_width &&
            fabs(box->y - y) < box->half_height + half_height)
            cost += box->cost;
    }
    return cost;
}

/* The cheapest position of a box around a point. Directions in order of preference; then rings. */
static struct wtl_xy cheapest(const struct wtl_label_field *field,
                              struct wtl_xy at,
                              double clear,
                              double half_width,
                              double half_height)
{
    static const double rings[] = {0, 3, 7, 13, 21, 32};
    static const struct wtl_xy ways[] = {{1, -1},   {-1, -1},   {1, 1},   {-1, 1},
                                         {1, 0},    {-1, 0},    {0, -1},  {0, 1},
                                         {1, -0.5}, {-1, -0.5}, {1, 0.5}, {-1, 0.5}};
    enum { WAYS = sizeof ways / sizeof *ways, RINGS = sizeof rings / sizeof *rings };
    struct wtl_xy best = at;
    double least = INFINITY;
    for (int i = 0; i < RINGS * WAYS; i++) {
        int ring = i / WAYS, way = i % WAYS;
        struct wtl_xy to = ways[way];
        double reach = clear + GAP + rings[ring];
        /* Diagonal positions need not keep the whole distance in both directions. */
        double slant = to.x != 0 && to.y != 0 ? 0.65 : 1;
        struct wtl_xy place = {at.x + to.x * (slant * reach + half_width),
                               at.y + to.y * (slant * reach + half_height)};
        double cost = wtl_label_cost(field, place.x, place.y, half_width, half_height) +
                      0.02 * way + 1.2 * rings[ring];
        if (cost < least) {
            least = cost;
            best = place;
        }
    }
    return best;
}

/* From the border of the box to the point, up to a distance of `clear`. */
static void draw_leader(const struct wtl_label_field *field,
                        struct wtl_xy at,
                        double clear,
                        struct wtl_xy box,
                        double half_width,
                        double half_height)
{
    struct wtl_paint line = {.stroke = 0x595959, .fill = WTL_NO_COLOR, .width = 0.35};
    double x = fmin(fmax(at.x, box.x - half_width), box.x + half_width);
    double y = fmin(fmax(at.y, box.y - half_height), box.y + half_height);
    double length = hypot(x - at.x, y - at.y);
    double near = field->lead_pt > 0 ? field->lead_pt : NEAR;
    clear = field->lead_pt > 0 ? 0 : clear;
    if (length > near - clear && length > clear)
        wtl_canvas_line(field->canvas, x, y, at.x + (x - at.x) * clear / length,
                        at.y + (y - at.y) * clear / length, &line);
}

struct wtl_xy wtl_label_draw(struct wtl_label_field *field,
                             struct wtl_xy at,
                             double clear,
                             const char *text,
                             const struct wtl_font *font)
{
    struct wtl_font own = *font;
    struct wtl_paint halo = {.stroke = WTL_NO_COLOR, .fill = 0xffffff, .opacity = HALO};
    own.anchor = WTL_ANCHOR_START;
    double half_width = wtl_canvas_text_width(field->canvas, text, &own) / 2;
    double half_height = HEIGHT * own.size / 2;
    struct wtl_xy box = cheapest(field, at, clear, half_width, half_height);
    struct wtl_xy start = {box.x - half_width, box.y + half_height};
    draw_leader(field, at, clear, box, half_width, half_height);
    wtl_canvas_rectangle(field->canvas, box.x - half_width - 0.5, box.y - half_height - 0.5,
                         2 * half_width + 1, 2 * half_height + 1, &halo);
    wtl_canvas_text(field->canvas, start.x, start.y, text, &own);
    wtl_label_avoid_box(field, box.x, box.y, half_width + 0.5, half_height + 0.5, LABEL_COST);
    return start;
}
