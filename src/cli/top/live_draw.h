/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws the live view on a screen of any size: the most important parts are kept when space is limited. Pure
 * except for lookups of user names; independent of a terminal.
 */
#ifndef WTL_CLI_LIVE_DRAW_H
#define WTL_CLI_LIVE_DRAW_H

#include "cli/top/cells.h"
#include "cli/top/live_view.h"

/* Below this size, only a message is shown. */
enum { WTL_DRAW_LEAST_WIDTH = 24, WTL_DRAW_LEAST_HEIGHT = 6 };

void wtl_live_draw(struct wtl_live_view *view, struct wtl_cells *cells);

/* The parts (from line y, at most `height` lines; returns the lines used). */
int wtl_live_draw_channels(struct wtl_live_view *view, struct wtl_cells *cells, int y, int height);
int wtl_live_draw_processes(struct wtl_live_view *view, struct wtl_cells *cells, int y, int height);
void wtl_live_draw_help(const struct wtl_live_view *view, struct wtl_cells *cells);

/* Lines that all channels and the total would take. */
int wtl_live_draw_channels_want(const struct wtl_live_view *view);

/* Power of channel i or the total as "104.2 W", or a word for why it is unknown. */
char *wtl_live_watts(char *text, size_t n, const struct wtl_live_view *view, size_t i);

/* "1:02:03", "0:07" */
char *wtl_live_clock(char *text, size_t n, uint64_t ns);

#endif
