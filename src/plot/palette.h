/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Palette: distinguishes the series of a figure by colours that are safe for colour-blind readers
 * (Okabe and Ito 2008, "Color Universal Design"), and by dashes and markers, for grey prints.
 */
#ifndef WTL_PLOT_PALETTE_H
#define WTL_PLOT_PALETTE_H

#include <stddef.h>

#include "plot/canvas.h"

enum wtl_marker {
    WTL_MARKER_CIRCLE = 0,
    WTL_MARKER_SQUARE,
    WTL_MARKER_TRIANGLE,
    WTL_MARKER_DIAMOND,
    WTL_MARKER_CROSS,
    WTL_MARKER_COUNT
};

/* Colours of axes and texts, of secondary texts, and of grids. */
#define WTL_INK       UINT32_C(0x000000)
#define WTL_INK_FAINT UINT32_C(0x595959)
#define WTL_INK_GRID  UINT32_C(0xdddddd)
#define WTL_INK_GAP   UINT32_C(0x8c8c8c)

struct wtl_look {
    uint32_t color;
    enum wtl_dash dash;
    enum wtl_marker marker;
};

enum { WTL_PALETTE_COLORS = 7, WTL_PALETTE_LOOKS = 28 };

/* The look of series i; distinct for the first WTL_PALETTE_LOOKS, then they repeat. */
struct wtl_look wtl_palette_look(size_t i);

/* The colour mixed with white: 0 = white, 1 = the colour. */
uint32_t wtl_palette_tint(uint32_t color, double strength);

/* Draw its marker, anywhere on the sheet; size is about half its width, in points. */
void wtl_plot_marker(struct wtl_canvas *canvas,
                     double x,
                     double y,
                     double size,
                     const struct wtl_look *look);

#endif
