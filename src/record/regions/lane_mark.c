/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes (wattle_lane_spans()): what a device did, told when it is over. A lane is like a thread in the spool, with a place of its
 * own, into which the calling thread writes for a moment. Its times are past, so the lane's clock pairs are made: one before
 * the first mark of a call and one at its last, on the line through now. Between them a reader finds exactly the times that
 * were told.
 */
#define _GNU_SOURCE
#include <wattle/task.h>

#include <stdlib.h>

#include "base/grow.h"
#include "base/whole.h"
#include "record/regions/region_call.h"
#include "record/regions/region_place.h"
#include "trace/blocks/entries.h"

enum {
    PAIR = 2,        /* records of a clock pair, and of a mark */
    MOST = 5 * PAIR, /* of a span, with pairs around it, and a cut */
    LANES = 1024
};

struct lane {
    uint32_t name;
    uint64_t end_ns; /* of its last span */
    struct wtl_place place;
};

static struct {
    const void *file; /* of which these are lanes */
    struct lane *list;
    size_t count, room;
} lanes;

/* The lanes of a parent, or of a recording that has ended, are none of this file. */
static struct lane *lane_of(uint32_t name)
{
    if (lanes.file != wtl_place_file()) {
        lanes.count = 0;
        lanes.file = wtl_place_file();
    }
    for (size_t i = 0; i < lanes.count; i++)
        if (lanes.list[i].name == name)
            return &lanes.list[i];
    if (lanes.count == LANES ||
        wtl_reserve(&lanes.list, &lanes.room, lanes.count + 1, sizeof(*lanes.list)) < 0)
        return NULL;
    lanes.list[lanes.count] = (struct lane){.name = name};
    return &lanes.list[lanes.count++];
}

/* The line from past times to the clock of the spool. */
struct line {
    struct wtl_spool_pair now;
    double ticks_per_ns;
};

static struct line line_now(void)
{
    return (struct line){wtl_place_now(), (double)wtl_place_ticks(1000000000u) * 1e-9};
}

static struct wtl_spool_pair pair_at(const struct line *line, uint64_t ns)
{
    uint64_t ago = ns < line->now.monotonic_ns ? line->now.monotonic_ns - ns : 0;

    return (struct wtl_spool_pair){line->now.time - wtl_whole_u64((double)ago * line->ticks_per_ns),
                                   ns};
}

static void store_mark(uint32_t kind, uint32_t name, uint64_t value, struct wtl_spool_pair at)
{
    uintptr_t slot = wtl_place_reserve(&wtl_place, PAIR * WTL_PLACE_RECORD);

    wtl_place_store(slot + WTL_PLACE_RECORD, value, WTL_SPOOL_VALUE, 0);
    wtl_place_store(slot, at.time, (enum wtl_spool_kind)kind, name);
}

static void store_clock(struct wtl_spool_pair at)
{
    uintptr_t slot = wtl_place_reserve(&wtl_place, PAIR * WTL_PLACE_RECORD);

    wtl_place_store_two(slot, at, WTL_SPOOL_CLOCK, 0, 0);
}

static bool fits(const struct lane *lane, const struct wattle_lane_span *span, uint64_t now_ns)
{
    return span->begin_ns >= lane->end_ns && span->end_ns >= span->begin_ns &&
           span->end_ns <= now_ns && span->task != 0;
}

/* Into the lane's place, which is this thread's for now. Returns how many. */
static unsigned store_spans(struct lane *lane, const struct wattle_lane_span *spans, unsigned count)
{
    const struct line line = line_now();
    struct wtl_place_lane about = {.tid = WTL_THREAD_LANE | lane->name};
    unsigned done = 0;
    bool cut = false;

    for (unsigned i = 0; i < count && !cut; i++) {
        const struct wattle_lane_span *span = &spans[i];

        if (!fits(lane, span, line.now.monotonic_ns))
            continue;
        about.pair = pair_at(&line, span->begin_ns);
        if (!wtl_place_find_lane(&about, MOST))
            return done;
        if (done == 0)
            store_clock(about.pair);
        store_mark(WATTLE_TASK_RUN, span->name, span->task, about.pair);
        store_mark(WATTLE_TASK_DONE, span->name, span->task, pair_at(&line, span->end_ns));
        lane->end_ns = span->end_ns;
        done++;
        cut = wtl_place_over_limit(); /* room for its mark was asked for */
    }
    if (cut)
        store_mark(WATTLE_TASK_CUT, 0, 0, pair_at(&line, lane->end_ns));
    if (done > 0)
        store_clock(pair_at(&line, lane->end_ns));
    return done;
}

unsigned wattle_lane_spans(uint32_t name, const struct wattle_lane_span *spans, unsigned count)
{
    struct wtl_place_held held;
    unsigned done = 0;

    if (wattle_task_recording() != 1 || name == 0 || wtl_place.busy)
        return 0;
    wtl_place_hold(&held);
    struct lane *lane =
        wtl_region_state() == WTL_REGION_ON && wtl_task_state_now == 1 ? lane_of(name) : NULL;

    if (lane) {
        struct wtl_place own = wtl_place;

        lane->place.busy = 1;
        wtl_place = lane->place;
        done = store_spans(lane, spans, count);
        lane->place = wtl_place;
        wtl_place = own;
    }
    wtl_place_release(&held);
    return done;
}
