/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of "wattle top": reads a source, updates the view, shows it on an output, and applies keys, until
 * ended.
 */
#ifndef WTL_CLI_TOP_LOOP_H
#define WTL_CLI_TOP_LOOP_H

#include <wattle/error.h>

#include "cli/run/child.h"
#include "cli/top/live_view.h"

/* Where results come from: the machine (cmd_top.c) or a trace (live_trace.h). */
struct wtl_top_source {
    /* Read and update the view; sets view->ended when there is no more data. Returns 0 or -errno. */
    int (*look)(void *context, struct wtl_live_view *view, struct wattle_error *err);
    /* Virtual time: advance to this instant. NULL in real time. */
    void (*advance)(void *context, uint64_t time_ns);
    uint64_t sample_ns; /* between samples of the machine; 0 = not live */
    void *context;
    const struct wtl_world *world; /* its clock */
};

/* An output: a screen (screen.h) or lines (live_batch.h). */
struct wtl_top_face {
    /* 0 or -errno. */
    int (*show)(void *context, struct wtl_live_view *view, struct wattle_error *err);
    /* The next key pressed, -1 = none. NULL: no keys; ends with its source. */
    int (*key)(void *context);
    int fd; /* becomes readable when there may be keys */
    void *context;
    uint64_t count;  /* updates to show; 0 = unlimited */
    bool with_first; /* also show the first update, which has no power */
};

/* Run until the count is reached, q is pressed, a signal arrives (see signals->came) or, without keys, the
 * source ends. Returns 0 or -errno with a message. */
int wtl_top_loop(const struct wtl_top_source *source,
                 const struct wtl_top_face *face,
                 struct wtl_live_view *view,
                 struct wtl_signals *signals,
                 struct wattle_error *err);

#endif
