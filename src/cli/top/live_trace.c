/* SPDX-License-Identifier: BSD-3-Clause */
/* Following a trace: see live_trace.h. Summaries continue from block to block; nothing is read twice. */
#define _GNU_SOURCE
#include "cli/top/live_trace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/cluster/run_result.h"
#include "base/fail.h"
#include "base/whole.h"
#include "cli/top/live_draw.h"

/* A writer adds a block each second; after this time without one, it has died or is stopped. */
static const uint64_t QUIET_NS = 5000000000;

enum { PAST = 120 }; /* points of history to begin with */

int wtl_live_trace_open(struct wtl_live_trace *trace, const char *path, struct wattle_error *err)
{
    struct stat file;
    struct timespec now;
    *trace =
        (struct wtl_live_trace){.path = path, .changed_ns = wtl_world_monotonic(wtl_world_real())};
    /* A trace not written to for long is recognised immediately. */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (stat(path, &file) == 0 && now.tv_sec > file.st_mtim.tv_sec) {
        trace->age_ns = (uint64_t)(now.tv_sec - file.st_mtim.tv_sec) * 1000000000u;
        trace->bytes = (uint64_t)file.st_size;
    }
    return wtl_trace_reader_open(path, &trace->reader, err);
}

void wtl_live_trace_close(struct wtl_live_trace *trace)
{
    wtl_trace_reader_close(trace->reader);
    trace->reader = NULL;
}

/* Earlier data: the last updates of a live trace, all of a complete one. */
static void take_past(struct wtl_live_trace *trace, struct wtl_live_view *view, bool whole)
{
    for (size_t i = 0; i < view->channel_count; i++) {
        struct wtl_history *history = &view->channels[i].history;
        struct wtl_power_point *points = NULL;
        struct wattle_error ignored;
        uint64_t end_ns = view->now_ns, stretch_ns = 0, past_ns = PAST * view->every_ns;
        uint64_t begin_ns = view->result.start_monotonic_ns;
        if (!whole && end_ns - begin_ns > past_ns)
            begin_ns = end_ns - past_ns;
        struct wtl_trace_range range = {.begin_ns = begin_ns, .end_ns = end_ns};
        int id = wtl_trace_reader_find_channel(trace->reader, view->channels[i].name);
        int n = id < 0 ? id
                       : wtl_trace_reader_power(trace->reader, (uint32_t)id, &range, PAST, &points,
                                                &stretch_ns, &ignored);
        double step_ns = (double)(end_ns - begin_ns) / PAST;
        int at = 0;
        for (int column = 0; column < PAST && n > 0; column++) {
            double until_ns = (double)begin_ns + step_ns * (column + 1), sum = 0, weight = 0;
            for (; at < n && (double)points[at].begin_ns < until_ns; at++) {
                double span = (double)(points[at].end_ns - points[at].begin_ns);
                if (isnan(points[at].mean_w))
                    continue;
                sum += (double)points[at].mean_w * span;
                weight += span;
            }
            wtl_history_past(history, weight > 0 ? sum / weight : (double)NAN);
        }
        if (history->history_count > 0)
            wtl_history_lately(history, (double)history->history_w[history->history_count - 1],
                               wtl_whole_u64(step_ns));
        free(points);
    }
}

static void sum_past(struct wtl_live_view *view)
{
    for (size_t k = 0; k < PAST; k++) {
        double sum = 0;
        bool any = false;
        for (size_t i = 0; i < view->channel_count; i++) {
            const struct wtl_history *history = &view->channels[i].history;
            if (!(view->result.channels[i].channel.flags & WATTLE_CHANNEL_IN_TOTAL))
                continue;
            any = true;
            sum += k < history->history_count ? (double)history->history_w[k] : (double)NAN;
        }
        if (any)
            wtl_history_past(&view->total, sum);
        if (any && k + 1 == PAST)
            wtl_history_lately(&view->total, sum, view->every_ns);
    }
}

/* The state of the trace as text. */
static void describe(struct wtl_live_trace *trace,
                     struct wtl_live_view *view,
                     const struct wtl_trace_reader_status *status)
{
    char age[32];
    uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
    if (status->bytes != trace->bytes) {
        trace->changed_ns = now_ns;
        trace->age_ns = 0;
    }
    trace->bytes = status->bytes;
    uint64_t quiet_ns = now_ns - trace->changed_ns + trace->age_ns;
    if (status->has_footer)
        (void)snprintf(view->note, sizeof view->note,
                       "the measurement has ended; the trace is complete");
    else if (quiet_ns > QUIET_NS) {
        (void)snprintf(view->note, sizeof view->note,
                       "no new data for %s: the writer has died or is stopped; complete the trace "
                       "with \"wattle repair\"",
                       wtl_live_clock(age, sizeof age, quiet_ns));
        wtl_live_view_silence(view);
    } else
        (void)snprintf(view->note, sizeof view->note, "following a trace that is being written");
}

/* Read new data; once there is a footer the trace is reopened, since a reader keeps the footer state it started with. */
static int refresh(struct wtl_live_trace *trace, struct wattle_error *err)
{
    struct wtl_trace_reader_status status;
    struct wtl_trace_reader *whole = NULL;
    int rc = wtl_trace_reader_refresh(trace->reader, err);
    if (rc < 0)
        return rc;
    wtl_trace_reader_status(trace->reader, &status);
    if (!status.footer_came || wtl_trace_reader_open(trace->path, &whole, err) < 0)
        return 0; /* it was removed: continue with the open file */
    wtl_trace_reader_close(trace->reader);
    trace->reader = whole;
    return 0;
}

static int look(void *context, struct wtl_live_view *view, struct wattle_error *err)
{
    struct wtl_live_trace *trace = context;
    struct wtl_trace_reader_status status;
    struct wtl_result result;
    uint64_t first_ns, last_ns = 0;
    int rc = refresh(trace, err);
    rc = rc < 0 ? rc : wtl_run_result_read(trace->reader, trace->path, &result, err);
    if (rc < 0)
        return rc;
    wtl_trace_reader_status(trace->reader, &status);
    if (wtl_trace_reader_span(trace->reader, &first_ns, &last_ns) < 0 ||
        last_ns < result.start_monotonic_ns || status.has_footer)
        last_ns = result.end_monotonic_ns;
    view->is_trace = true;
    view->subject = trace->path;
    if (wtl_trace_reader_realtime(trace->reader, last_ns, &view->realtime_ns) < 0)
        view->realtime_ns = 0;
    rc = wtl_live_view_look(view, &result, last_ns, false);
    wtl_result_fini(&result);
    if (rc < 0)
        return wtl_no_memory_for(err, "the live view");
    if (!trace->started && view->channel_count > 0) {
        trace->started = true;
        take_past(trace, view, status.has_footer);
        sum_past(view);
    }
    if (status.has_footer)
        wtl_live_view_end(view);
    describe(trace, view, &status);
    return 0;
}

struct wtl_top_source wtl_live_trace_source(struct wtl_live_trace *trace)
{
    return (struct wtl_top_source){.look = look, .context = trace, .world = wtl_world_real()};
}
