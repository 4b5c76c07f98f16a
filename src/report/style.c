/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "report/style.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/wrap.h"

int wtl_style_width(const struct wtl_style *style)
{
    return style && style->width > 0 ? style->width : WTL_PAGE_WIDTH;
}

struct wtl_style wtl_style_of(FILE *out)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    bool can = term && strcmp(term, "dumb") != 0 && isatty(fileno(out));
    return (struct wtl_style){.color = can && !(off && off[0]), .width = wtl_page_width(out)};
}
