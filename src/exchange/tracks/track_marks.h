/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks of a trace for classes of activity: what imports of other traces write. */
#ifndef WTL_EXCHANGE_TRACK_MARKS_H
#define WTL_EXCHANGE_TRACK_MARKS_H

#include <stdint.h>

#include <wattle/task.h>

#include "exchange/tracks/tracks.h"
#include "trace/blocks/mark.h"

static inline uint32_t wtl_track_begin_mark(enum wtl_track_class kind)
{
    switch (kind) {
    case WTL_TRACK_TASK:
        return WATTLE_TASK_RUN;
    case WTL_TRACK_PARALLEL:
        return WATTLE_STATE_ENTER + WATTLE_STATE_PARALLEL;
    case WTL_TRACK_WORK:
        return WATTLE_STATE_ENTER + WATTLE_STATE_WORK;
    case WTL_TRACK_SYNC:
        return WATTLE_STATE_ENTER + WATTLE_STATE_SYNC;
    case WTL_TRACK_IDLE:
        return WATTLE_STATE_ENTER + WATTLE_STATE_IDLE;
    case WTL_TRACK_MPI:
        return WATTLE_STATE_ENTER + WATTLE_STATE_MPI;
    case WTL_TRACK_IO:
        return WATTLE_STATE_ENTER + WATTLE_STATE_IO;
    case WTL_TRACK_LOCK:
        return WATTLE_STATE_ENTER + WATTLE_STATE_LOCK;
    case WTL_TRACK_JOIN:
        return WATTLE_STATE_ENTER + WATTLE_STATE_JOIN;
    case WTL_TRACK_GPU:
        return WATTLE_STATE_ENTER + WATTLE_STATE_GPU;
    case WTL_TRACK_OTHER:
        return WATTLE_STATE_ENTER + WATTLE_STATE_OTHER;
    default:
        return WTL_MARK_BEGIN;
    }
}

static inline uint32_t wtl_track_end_mark(enum wtl_track_class kind)
{
    uint32_t begin = wtl_track_begin_mark(kind);
    return begin == WTL_MARK_BEGIN    ? (uint32_t)WTL_MARK_END
           : begin == WATTLE_TASK_RUN ? (uint32_t)WATTLE_TASK_DONE
                                      : begin - WATTLE_STATE_ENTER + WATTLE_STATE_LEAVE;
}

#endif
