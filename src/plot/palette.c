/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours, dashes and markers in the order in which series take them; see palette.h. */
#include "plot/palette.h"

#include <math.h>

struct wtl_look wtl_palette_look(size_t i)
{
    /* Okabe and Ito's, but for black, which is the ink, and with a yellow dark enough for a line on white. */
    static const uint32_t colors[WTL_PALETTE_COLORS] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                        0xe69f00, 0x56b4e9, 0x9c8a00};
    /* 7 colours and 4 dashes have no common divisor, so 28 pairs differ. */
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
