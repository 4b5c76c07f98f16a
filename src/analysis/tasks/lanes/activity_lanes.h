/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Activity lanes: the activities of a trace (activity.h), ready to be drawn: a lane for each thread, and for
 * each core if the marks say on which core the threads were, with the pieces of its time and their pyramid.
 */
#ifndef WTL_ANALYSIS_ACTIVITY_LANES_H
#define WTL_ANALYSIS_ACTIVITY_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/tasks/activity.h"
#include "analysis/tasks/lanes/activity_pyramid.h"
#include "trace/reader.h"

struct wtl_activity_lane {
    uint32_t pid, tid; /* 0 = unknown; of a core: 0 */
    int32_t rank;      /* MPI rank; -1 = none */
    int32_t core;      /* -1 = a thread */
    const char
        *name; /* of the thread, or the command of its process; owned by the reader; NULL = none */
};

struct wtl_activity_lanes {
    enum wtl_activity_by by;
    struct wtl_activity_lane *lanes; /* by the lanes of the store: threads, then cores */
    size_t lane_count, thread_count;
    struct wtl_activity_type
        *types; /* names owned by the reader; never more than WTL_PIECE_TYPES */
    size_t type_count;
    struct wtl_activity_faults faults;
    uint64_t
        summary_ns; /* longest bin of a summary: inside it the order is invented; 0 = no summary */
    struct wtl_piece_store *store;
    struct wtl_activity_pyramid pyramid;
};

/*
 * Read a whole trace: tasks and states if it has any, otherwise regions. No lanes: it has neither.
 * The reader must stay open as long as the lanes are used. 0, -ENOMEM, or an error with a sentence.
 */
int wtl_activity_lanes_read(struct wtl_trace_reader *reader,
                            struct wtl_activity_lanes *ret_lanes,
                            struct wattle_error *err);
void wtl_activity_lanes_fini(struct wtl_activity_lanes *lanes);

/* Does a thread that does this work? Regions do, except for that of MPI. */
bool wtl_activity_type_works(const struct wtl_activity_type *type);

#endif
