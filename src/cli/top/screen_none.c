/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces screen_curses.c if ncurses was missing at build time. */
#include <errno.h>

#include "base/fail.h"
#include "cli/top/screen.h"

int wtl_screen_check(struct wattle_error *err)
{
    return wtl_fail(err, -ENOTSUP, "this wattle was built without ncurses (libncurses-dev)");
}

int wtl_screen_open(struct wtl_screen *screen, bool ascii, struct wattle_error *err)
{
    (void)screen;
    (void)ascii;
    return wtl_screen_check(err);
}

void wtl_screen_close(struct wtl_screen *screen)
{
    (void)screen;
}

int wtl_screen_show(void *screen, struct wtl_live_view *view, struct wattle_error *err)
{
    (void)screen;
    (void)view;
    return wtl_screen_check(err);
}

int wtl_screen_key(void *screen)
{
    (void)screen;
    return -1;
}
