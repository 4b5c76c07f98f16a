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

/* "1:02:03", "0:07" */
char *wtl_live_clock(char *text, size_t n, uint64_t ns);

#endif
