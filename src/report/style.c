/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "report/style.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/parse.h"

enum { NARROWEST = 60, USUAL = 80, WIDEST = 200 };

static int width_of(FILE *out)
{
    const char *given = getenv("COLUMNS");
    struct winsize size = {0};
    uint64_t columns = 0;
    if (!given || wtl_parse_u64(given, &columns) < 0 || columns == 0)
        columns = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    if (columns == 0)
        return USUAL;
    return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : (int)columns;
}

int wtl_style_width(const struct wtl_style *style)
{
    return style && style->width > 0 ? style->width : USUAL;
}

struct wtl_style wtl_style_of(FILE *out)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    bool can = term && strcmp(term, "dumb") != 0 && isatty(fileno(out));
    return (struct wtl_style){.color = can && !(off && off[0]), .width = width_of(out)};
}
