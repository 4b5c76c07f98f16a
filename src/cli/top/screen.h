/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The screen of a terminal, with ncurses: shows cells, reads keys, and always restores the terminal, also when a signal that cannot be waited for (SEGV, ABRT, ...) ends the program. Without ncurses at build time, opening fails with a message.
 *
 * One at a time in a process; the thread that opens it does all.
 */
#ifndef WTL_CLI_SCREEN_H
#define WTL_CLI_SCREEN_H

#include <stdbool.h>

#include <wattle/error.h>

#include "cli/top/live_view.h"

struct wtl_screen {
    bool color, unicode;
};

/* Can stdin and stdout show a screen? Returns 0, or -ENOTTY or -ENOTSUP with a message. */
int wtl_screen_check(struct wattle_error *err);

/* ascii: use ASCII even if the locale supports more. Returns 0 or -errno with a message. */
int wtl_screen_open(struct wtl_screen *screen, bool ascii, struct wattle_error *err);
void wtl_screen_close(struct wtl_screen *screen); /* accepts one that is closed */

/* An output of top_loop.h; the context is the screen. */
int wtl_screen_show(void *screen, struct wtl_live_view *view, struct wattle_error *err);
int wtl_screen_key(void *screen);

#endif
