/* SPDX-License-Identifier: BSD-3-Clause */
/* How text is shown. */
#ifndef WTL_REPORT_STYLE_H
#define WTL_REPORT_STYLE_H

#include <stdbool.h>
#include <stdio.h>

struct wtl_style {
    bool color;   /* escape sequences for a terminal */
    bool verbose; /* -v: everything, not only what most readers need */
    int width;    /* columns of a line; 0 = 80 */
};

/* Colour when the stream is a terminal that can, and NO_COLOR is not set. The width is COLUMNS, else the terminal's, else 80;
 * 60 at least and 200 at most. */
struct wtl_style wtl_style_of(FILE *out);

/* The columns of a line; style may be NULL. */
int wtl_style_width(const struct wtl_style *style);

#endif
