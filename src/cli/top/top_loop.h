/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of "wattle top": a source is looked at, the view takes what it gives, a face shows it, and
 * keys change the view, until somebody ends it.
 */
#ifndef WTL_CLI_TOP_LOOP_H
#define WTL_CLI_TOP_LOOP_H

#include <wattle/error.h>

#include "cli/run/child.h"
#include "cli/top/live_view.h"

/* Where results come from: the machine (cmd_top.c) or a trace (live_trace.h). */
struct wtl_top_source {
    /* Look, and tell the view; view->ended when nothing more will come. 0 or -errno. */
    int (*look)(void *context, struct wtl_live_view *view, struct wattle_error *err);
    /* Virtual time: let it pass up to this instant. NULL in real time. */
    void (*advance)(void *context, uint64_t time_ns);
    void *context;
    const struct wtl_world *world; /* its clock */
};

/* Who shows it: a screen (screen.h) or lines (live_batch.h). */
struct wtl_top_face {
    /* 0 or -errno. */
    int (*show)(void *context, struct wtl_live_view *view, struct wattle_error *err);
    /* The next key that was pressed, -1 = none. NULL: it has no keys, and ends with its source. */
    int (*key)(void *context);
    int fd; /* becomes readable when there may be keys */
    void *context;
    uint64_t count;  /* looks to show; 0 = no end */
    bool with_first; /* the first look is shown, too, though it knows no power */
};

/* Until the count is reached, q is pressed, a signal comes (signals->came says which) or, without
 * keys, the source ends. 0 or -errno with a sentence. */
int wtl_top_loop(const struct wtl_top_source *source,
                 const struct wtl_top_face *face,
                 struct wtl_live_view *view,
                 struct wtl_signals *signals,
                 struct wattle_error *err);

#endif
