/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace as a source of the live view: one that is being written is followed until it has a footer; a
 * complete one is shown at its end, with its history. */
#ifndef WTL_CLI_LIVE_TRACE_H
#define WTL_CLI_LIVE_TRACE_H

#include "cli/top/top_loop.h"
#include "trace/reader.h"

struct wtl_live_trace {
    const char *path;
    struct wtl_trace_reader *reader;
    uint64_t bytes;      /* seen so far */
    uint64_t changed_ns; /* when it last grew, by our clock, or when it was opened */
    uint64_t age_ns;     /* time without growth before that */
    bool started;
};

int wtl_live_trace_open(struct wtl_live_trace *trace, const char *path, struct wattle_error *err);
void wtl_live_trace_close(struct wtl_live_trace *trace);

struct wtl_top_source wtl_live_trace_source(struct wtl_live_trace *trace);

#endif
