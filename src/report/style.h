/* SPDX-License-Identifier: BSD-3-Clause */
/* How text is shown. */
#ifndef WTL_REPORT_STYLE_H
#define WTL_REPORT_STYLE_H

#include <stdbool.h>
#include <stdio.h>

struct wtl_style {
    bool color; /* escape sequences for a terminal */
};

/* Colour when the stream is a terminal that can, and NO_COLOR is not set. */
struct wtl_style wtl_style_of(FILE *out);

#endif
