/* SPDX-License-Identifier: BSD-3-Clause */
/* A screen in memory: see cells.h. Widths of characters are those of wcwidth(3) in the locale. */
#define _GNU_SOURCE
#include "cli/top/cells.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

enum { TEXT_MOST = 1200 };

int wtl_cells_init(struct wtl_cells *cells, int width, int height, bool unicode)
{
    size_t count = (size_t)(width > 0 ? width : 0) * (size_t)(height > 0 ? height : 0);
    *cells = (struct wtl_cells){.width = width, .height = height, .unicode = unicode};
    cells->cells = calloc(count + 1, sizeof *cells->cells);
    if (!cells->cells)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        cells->cells[i].text[0] = ' ';
    return 0;
}

void wtl_cells_fini(struct wtl_cells *cells)
{
    free(cells->cells);
    *cells = (struct wtl_cells){0};
}

static struct wtl_cell_mark *cell_at(const struct wtl_cells *cells, int x, int y)
{
    if (x < 0 || y < 0 || x >= cells->width || y >= cells->height)
        return NULL;
    return &cells->cells[(size_t)y * (size_t)cells->width + (size_t)x];
}

static uint32_t decode(const char *text, size_t length)
{
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t code = (unsigned char)text[0] & masks[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    return code;
}

/* The next character of a text as shown: its bytes in shown[5]; returns its columns (0: not shown);
 * *ret_used is the number of bytes consumed. */
static int next_character(bool unicode, const char *text, char *shown, size_t *ret_used)
{
    size_t length = wtl_utf8_length(text, strlen(text));
    *ret_used = length ? length : 1;
    memcpy(shown, "?", 2);
    if (length == 0)
        return 1;
    size_t all;
    uint32_t code = decode(text, length);
    if (wtl_utf8_printable(text, length, &all) == 0)
        return 1;
    if (length > 1 && !unicode)
        return 1;
    int width = length == 1 ? 1 : wcwidth((wchar_t)code);
    if (width < 0)
        return 1;
    memcpy(shown, text, length);
    shown[length] = '\0';
    return width;
}

int wtl_cells_width(const struct wtl_cells *cells, const char *text)
{
    char shown[5];
    int width = 0;
    size_t used;
    for (; *text; text += used)
        width += next_character(cells->unicode, text, shown, &used);
    return width;
}

/* Put one character of `columns` columns at x; wide characters cut by it are blanked. */
static void set_cell(struct wtl_cells *cells,
                     int x,
                     int y,
                     enum wtl_look look,
                     const char *c,
                     int columns)
{
    struct wtl_cell_mark *cell = cell_at(cells, x, y), *next = cell_at(cells, x + 1, y);
    struct wtl_cell_mark *before = cell_at(cells, x - 1, y);
    if (!cell || (columns == 2 && !next))
        return;
    if (!cell->text[0] && before)
        memcpy(before->text, " ", 2);
    (void)snprintf(cell->text, sizeof cell->text, "%s", c);
    cell->look = (unsigned char)look;
    if (columns == 2) {
        next->text[0] = '\0';
        next->look = (unsigned char)look;
    } else if (next && !next->text[0]) {
        memcpy(next->text, " ", 2);
    }
}

int wtl_cells_text(struct wtl_cells *cells,
                   int x,
                   int y,
                   int width,
                   enum wtl_look look,
                   const char *text)
{
    char shown[5];
    size_t used;
    int at = 0;
    bool fits = wtl_cells_width(cells, text) <= width;
    int most = fits ? width : width - 1;
    for (; *text && width > 0; text += used) {
        int columns = next_character(cells->unicode, text, shown, &used);
        if (columns == 0)
            continue;
        if (at + columns > most)
            break;
        set_cell(cells, x + at, y, look, shown, columns);
        at += columns;
    }
    if (!fits && width > 0)
        set_cell(cells, x + at++, y, look, cells->unicode ? "…" : "~", 1);
    return at;
}

void wtl_cells_right(struct wtl_cells *cells,
                     int x,
                     int y,
                     int width,
                     enum wtl_look look,
                     const char *text)
{
    int columns = wtl_cells_width(cells, text);
    int pad = columns < width ? width - columns : 0;
    (void)wtl_cells_text(cells, x + pad, y, width - pad, look, text);
}

int wtl_cells_print(struct wtl_cells *cells,
                    int x,
                    int y,
                    int width,
                    enum wtl_look look,
                    const char *format,
                    ...)
{
    char text[TEXT_MOST];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return wtl_cells_text(cells, x, y, width, look, text);
}

void wtl_cells_bar(struct wtl_cells *cells, int x, int y, int width, double value, double full)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int steps = cells->unicode ? 8 : 1;
    double part = full > 0 && value > 0 ? fmin(value / full, 1) : 0;
    int filled = isfinite(part) ? (int)lround(part * width * steps) : 0;
    for (int i = 0; i < width; i++) {
        bool whole = (i + 1) * steps <= filled;
        int rest = filled - i * steps;
        if (whole)
            set_cell(cells, x + i, y, WTL_LOOK_BAR, cells->unicode ? "█" : "#", 1);
        else if (rest > 0 && rest < 8)
            set_cell(cells, x + i, y, WTL_LOOK_BAR, eighths[rest], 1);
        else
            set_cell(cells, x + i, y, WTL_LOOK_FAINT, cells->unicode ? "·" : "-", 1);
    }
}

void wtl_cells_history(struct wtl_cells *cells,
                       int x,
                       int y,
                       int width,
                       const float *values,
                       size_t n,
                       double full)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ",", "-", "=", "+", "*", "#"};
    for (int i = 0; i < width; i++) {
        size_t back = (size_t)(width - i);
        if (back > n) {
            set_cell(cells, x + i, y, WTL_LOOK_PLAIN, " ", 1);
            continue;
        }
        double value = (double)values[n - back];
        if (isnan(value)) {
            set_cell(cells, x + i, y, WTL_LOOK_CAUTION, "x", 1);
            continue;
        }
        double part = full > 0 && value > 0 ? fmin(value / full, 1) : 0;
        int level = (int)lround(part * 7);
        set_cell(cells, x + i, y, WTL_LOOK_HISTORY, cells->unicode ? blocks[level] : plain[level],
                 1);
    }
}

char *wtl_cells_line(const struct wtl_cells *cells, int y)
{
    char *line = malloc((size_t)cells->width * sizeof cells->cells->text + 1);
    size_t used = 0;
    for (int x = 0; line && x < cells->width; x++) {
        const struct wtl_cell_mark *cell = cell_at(cells, x, y);
        size_t n = cell ? strlen(cell->text) : 0;
        for (size_t i = 0; i < n; i++)
            line[used++] = cell->text[i];
    }
    while (line && used > 0 && line[used - 1] == ' ')
        used--;
    if (line)
        line[used] = '\0';
    return line;
}
