/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours, dashes and markers in the order in which series use them; see palette.h. */
#include "plot/palette.h"

#include <math.h>

struct wtl_look wtl_palette_look(size_t i)
{
    /* The colours of Okabe and Ito without black, which is the ink, and with a yellow dark enough
     * for a line on white. */
    static const uint32_t colors[WTL_PALETTE_COLORS] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                        0xe69f00, 0x56b4e9, 0x9c8a00};
    /* 7 colours and 4 dashes are coprime, so 28 pairs differ. */
    return (struct wtl_look){
        .color = colors[i % WTL_PALETTE_COLORS],
        .dash = (enum wtl_dash)(i % WTL_DASH_COUNT),
        .marker = (enum wtl_marker)(i % WTL_MARKER_COUNT),
    };
}

uint32_t wtl_palette_tint(uint32_t color, double strength)
{
    uint32_t tint = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double part = (double)(color >> shift & 255);
        tint |= (uint32_t)lround(255 + (part - 255) * strength) << shift;
    }
    return tint;
}

void wtl_plot_marker(struct wtl_canvas *canvas,
                     double x,
                     double y,
                     double size,
                     const struct wtl_look *look)
{
    struct wtl_paint paint = {.stroke = look->color, .fill = look->color, .width = 0.4};
    struct wtl_paint stroke = {.stroke = look->color, .fill = WTL_NO_COLOR, .width = 0.9};
    double s = size;
    switch (look->marker) {
    case WTL_MARKER_SQUARE:
        wtl_canvas_rectangle(canvas, x - 0.9 * s, y - 0.9 * s, 1.8 * s, 1.8 * s, &paint);
        break;
    case WTL_MARKER_TRIANGLE:
        wtl_canvas_area(
            canvas, (struct wtl_xy[]){{x, y - 1.1 * s}, {x + s, y + 0.8 * s}, {x - s, y + 0.8 * s}},
            3, &paint);
        break;
    case WTL_MARKER_DIAMOND:
        wtl_canvas_area(canvas,
                        (struct wtl_xy[]){
                            {x, y - 1.3 * s}, {x + 1.1 * s, y}, {x, y + 1.3 * s}, {x - 1.1 * s, y}},
                        4, &paint);
        break;
    case WTL_MARKER_CROSS:
        wtl_canvas_line(canvas, x - s, y - s, x + s, y + s, &stroke);
        wtl_canvas_line(canvas, x - s, y + s, x + s, y - s, &stroke);
        break;
    default:
        wtl_canvas_circle(canvas, x, y, s, &paint);
        break;
    }
}
