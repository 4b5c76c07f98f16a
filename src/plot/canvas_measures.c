/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lengths that the back ends of the canvas share: widths of text, and dashes.
 *
 * Advance widths of Helvetica in thousandths of its size, for layout without the actual font: Adobe
 * Core 14 AFM, Helvetica.afm and Helvetica-Bold.afm, characters 32 to 126. Arial, Liberation Sans
 * and Nimbus Sans are metric-compatible.
 */
#include <stdint.h>

#include "base/utf8.h"
#include "plot/canvas_back.h"

#include <string.h>

enum { FIRST = 32, LAST = 126, OTHER = 600 };

static const uint16_t regular[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};
static const uint16_t bold[] = {
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584};
_Static_assert(sizeof regular == (LAST - FIRST + 1) * sizeof *regular, "one for each character");
_Static_assert(sizeof bold == (LAST - FIRST + 1) * sizeof *bold, "one for each character");

double wtl_font_width(const char *text, bool is_bold)
{
    const uint16_t *widths = is_bold ? bold : regular;
    unsigned sum = 0;
    for (size_t n = strlen(text), i = 0; i < n;) {
        unsigned char c = (unsigned char)text[i];
        size_t length = wtl_utf8_length(text + i, n - i);
        sum += c >= FIRST && c <= LAST ? widths[c - FIRST] : OTHER;
        i += length ? length : 1;
    }
    return sum / 1000.0;
}

size_t wtl_dash_lengths(enum wtl_dash dash, double width, double lengths[4])
{
    /* In stroke widths, but no shorter than for a stroke of 0.6 points. */
    static const struct {
        size_t n;
        double lengths[4];
    } dashes[WTL_DASH_COUNT] = {
        [WTL_SOLID] = {0, {0}},
        [WTL_DASHED] = {2, {4.5, 2.2}},
        [WTL_DOTTED] = {2, {1.2, 1.6}},
        [WTL_DASH_DOT] = {4, {6, 1.8, 1.2, 1.8}},
    };
    double unit = width > 0.6 ? width : 0.6;
    for (size_t i = 0; i < dashes[dash].n; i++)
        lengths[i] = unit * dashes[dash].lengths[i];
    return dashes[dash].n;
}
