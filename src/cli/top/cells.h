/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells: a screen in memory, so that the output of "wattle top" can be produced and tested without a
 * terminal. A cell is one column of one line: a character and its look. All output is clipped to the screen,
 * and text of unknown origin is sanitised.
 */
#ifndef WTL_CLI_CELLS_H
#define WTL_CLI_CELLS_H

#include <stdbool.h>
#include <stddef.h>

enum wtl_look {
    WTL_LOOK_PLAIN,
    WTL_LOOK_STRONG,
    WTL_LOOK_FAINT,
    WTL_LOOK_CAUTION, /* estimated, a gap, a flag; also shown in words */
    WTL_LOOK_TITLE,   /* reverse */
    WTL_LOOK_BAR,
    WTL_LOOK_HISTORY,
    WTL_LOOK_KEY, /* a key to press, reverse */
    WTL_LOOK_COUNT
};

struct wtl_cell_mark {
    char text[5];       /* one character in UTF-8; "" = the right half of a wide one */
    unsigned char look; /* enum wtl_look */
};

struct wtl_cells {
    int width, height;
    bool unicode;                /* otherwise ASCII only: other characters are shown as "?" */
    struct wtl_cell_mark *cells; /* [height][width] */
};

/* Blank ones. 0, or -ENOMEM. */
int wtl_cells_init(struct wtl_cells *cells, int width, int height, bool unicode);
void wtl_cells_fini(struct wtl_cells *cells);

/* Put text at column x, at most `width` columns; longer text ends in an ellipsis. Returns the columns used.
 * Wide characters take two, characters without width are skipped. */
int wtl_cells_text(struct wtl_cells *cells,
                   int x,
                   int y,
                   int width,
                   enum wtl_look look,
                   const char *text);

/* The same, right-aligned in the field. */
void wtl_cells_right(struct wtl_cells *cells,
                     int x,
                     int y,
                     int width,
                     enum wtl_look look,
                     const char *text);

/* Formatted text; returns the columns used. */
int wtl_cells_print(struct wtl_cells *cells,
                    int x,
                    int y,
                    int width,
                    enum wtl_look look,
                    const char *format,
                    ...) __attribute__((format(printf, 6, 7)));

/* A bar, value of full (NaN, or full not > 0: an empty one). Eighths of a column with Unicode. */
void wtl_cells_bar(struct wtl_cells *cells, int x, int y, int width, double value, double full);

/* A history, newest at the right: values[n] of full, NaN = a gap ("x"); before the first: blank. */
void wtl_cells_history(struct wtl_cells *cells,
                       int x,
                       int y,
                       int width,
                       const float *values,
                       size_t n,
                       double full);

/* Columns of a sanitised text. */
int wtl_cells_width(const struct wtl_cells *cells, const char *text);

/* A line as text, without trailing blanks; malloc'ed for the caller to free. NULL if out of memory. */
char *wtl_cells_line(const struct wtl_cells *cells, int y);

#endif
