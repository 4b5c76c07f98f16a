/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes of a trace: see activity_lanes.h. A piece waits until it is known whether what it belongs to ends with it. */
#include "analysis/tasks/lanes/activity_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "trace/id_map.h"

struct waiting {
    struct wtl_piece piece;
    bool is;
    int32_t core;
    uint64_t bin_ns, filled_ns; /* summary: begin of the bin, and up to where it is filled */
};

struct pass {
    struct wtl_trace_reader *reader;
    struct wtl_activity_lanes *lanes;
    struct wtl_piece_store *cores; /* until the number of threads is known */
    struct waiting *waiting;       /* by lane */
    size_t waiting_room;
    uint32_t *threads; /* by lane: of the trace */
    size_t threads_room;
    struct wtl_id_map map, core_map;
    struct wattle_error *err;
};

bool wtl_activity_type_works(const struct wtl_activity_type *type)
{
    if (type->kind == WTL_ACTIVITY_REGION)
        return strcmp(type->name, "MPI") != 0;
    return wtl_activity_is_work(type->kind);
}

/* ---- pieces ---- */

static int give(struct pass *pass, size_t lane)
{
    struct waiting *waiting = &pass->waiting[lane];
    if (!waiting->is)
        return 0;
    waiting->is = false;
    int rc = wtl_piece_store_add(pass->lanes->store, lane, &waiting->piece, pass->err);
    if (rc < 0 || waiting->core < 0)
        return rc;
    int64_t core = wtl_id_map_index(&pass->core_map, (uint32_t)waiting->core + 1);
    return core < 0 ? -ENOMEM
                    : wtl_piece_store_add(pass->cores, (size_t)core, &waiting->piece, pass->err);
}

static int64_t lane_of(struct pass *pass, uint32_t thread)
{
    int64_t lane = wtl_id_map_index(&pass->map, thread + 1);
    if (lane < 0)
        return -ENOMEM;
    size_t wanted = (size_t)lane + 1;
    if (wtl_reserve_zeroed(&pass->waiting, &pass->waiting_room, wanted, sizeof *pass->waiting) <
            0 ||
        wtl_reserve(&pass->threads, &pass->threads_room, wanted, sizeof *pass->threads) < 0)
        return -ENOMEM;
    pass->threads[lane] = thread;
    return lane;
}

static int take_segment(struct pass *pass, size_t lane, const struct wtl_activity *activity)
{
    int rc = give(pass, lane);
    struct waiting *waiting = &pass->waiting[lane];
    waiting->piece =
        (struct wtl_piece){.begin_ns = activity->begin_ns,
                           .end_ns = activity->end_ns,
                           .task = activity->kind == WTL_ACTIVITY_TASK ? activity->task : 0,
                           .type = activity->type,
                           .flags = activity->flags & WTL_ACTIVITY_CUT ? WTL_PIECE_CUT : 0};
    waiting->is = true;
    waiting->core = activity->core;
    return rc;
}

/* It ends with the segment before it, unless something else ended at the same time. */
static int take_stay(struct pass *pass, size_t lane, const struct wtl_activity *activity)
{
    struct waiting *waiting = &pass->waiting[lane];
    if (activity->flags & WTL_ACTIVITY_PAUSED)
        return 0;
    if (waiting->is && waiting->piece.type == activity->type &&
        waiting->piece.end_ns == activity->end_ns && !(waiting->piece.flags & WTL_PIECE_ENDS)) {
        waiting->piece.flags |= WTL_PIECE_ENDS;
        return 0;
    }
    struct wtl_activity end = *activity;
    end.begin_ns = end.end_ns;
    int rc = take_segment(pass, lane, &end);
    pass->waiting[lane].piece.flags |= WTL_PIECE_ENDS;
    return rc;
}

/* The parts of a bin of the summary, one after the other. */
static int take_bin(struct pass *pass, size_t lane, const struct wtl_activity *activity)
{
    struct waiting *waiting = &pass->waiting[lane];
    uint64_t length_ns = activity->end_ns - activity->begin_ns;
    if (waiting->bin_ns != activity->begin_ns || waiting->filled_ns < activity->begin_ns)
        waiting->filled_ns = activity->begin_ns;
    waiting->bin_ns = activity->begin_ns;
    if (length_ns > pass->lanes->summary_ns && activity->bytes < length_ns)
        pass->lanes->summary_ns = length_ns;
    uint64_t room_ns = activity->end_ns - waiting->filled_ns;
    struct wtl_activity part = *activity;
    part.begin_ns = waiting->filled_ns;
    part.end_ns = part.begin_ns + (activity->bytes < room_ns ? activity->bytes : room_ns);
    waiting->filled_ns = part.end_ns;
    int rc = take_segment(pass, lane, &part);
    pass->waiting[lane].piece.flags |= WTL_PIECE_ENDS | WTL_PIECE_MANY;
    pass->waiting[lane].piece.task = activity->other;
    return rc;
}

static int add_activity(struct pass *pass, const struct wtl_activity *activity)
{
    int64_t lane = lane_of(pass, activity->thread);
    if (lane < 0)
        return -ENOMEM;
    if (activity->what == WTL_ACTIVITY_SEGMENT)
        return take_segment(pass, (size_t)lane, activity);
    if (activity->what == WTL_ACTIVITY_STAY)
        return take_stay(pass, (size_t)lane, activity);
    return take_bin(pass, (size_t)lane, activity);
}

/* ---- after the end ---- */

struct copy {
    struct pass *pass;
    size_t lane;
};

static int copy_piece(void *context, const struct wtl_piece *piece)
{
    const struct copy *copy = (const struct copy *)context;
    return wtl_piece_store_add(copy->pass->lanes->store, copy->lane, piece, copy->pass->err);
}

/* The lanes of cores behind those of the threads. */
static int add_cores(struct pass *pass)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < wtl_piece_store_lanes(pass->cores); i++) {
        struct copy copy = {pass, pass->lanes->thread_count + i};
        rc = wtl_piece_store_walk(pass->cores, i, 0, UINT64_MAX, copy_piece, &copy, pass->err);
    }
    return rc;
}

static void describe_thread(struct pass *pass, size_t at)
{
    const struct wtl_trace_thread *thread =
        wtl_trace_reader_thread(pass->reader, pass->threads[at]);
    const struct wtl_trace_process *process =
        thread ? wtl_trace_reader_process(pass->reader, thread->process) : NULL;
    const char *name = thread && thread->name && thread->name[0] ? thread->name
                       : process                                 ? process->command
                                                                 : NULL;
    pass->lanes->lanes[at] = (struct wtl_activity_lane){.name = name && name[0] ? name : NULL,
                                                        .pid = process ? process->pid : 0,
                                                        .tid = thread ? thread->tid : 0,
                                                        .rank = process ? process->rank : -1,
                                                        .core = -1};
}

static int describe(struct pass *pass, const struct wtl_activities *activities)
{
    struct wtl_activity_lanes *lanes = pass->lanes;
    size_t types = wtl_activities_type_count(activities);
    lanes->type_count = types < WTL_PIECE_TYPES ? types : WTL_PIECE_TYPES;
    lanes->thread_count = pass->map.count;
    lanes->lane_count = lanes->thread_count + pass->core_map.count;
    lanes->types = calloc(lanes->type_count + 1, sizeof *lanes->types);
    lanes->lanes = calloc(lanes->lane_count + 1, sizeof *lanes->lanes);
    if (!lanes->types || !lanes->lanes)
        return -ENOMEM;
    for (size_t i = 0; i < lanes->type_count; i++)
        lanes->types[i] = *wtl_activities_type(activities, i);
    for (size_t i = 0; i < lanes->thread_count; i++)
        describe_thread(pass, i);
    for (uint32_t i = 0; pass->core_map.slots && i <= pass->core_map.mask; i++) {
        const struct wtl_id_slot *slot = &pass->core_map.slots[i];
        if (slot->index_1)
            lanes->lanes[lanes->thread_count + slot->index_1 - 1] =
                (struct wtl_activity_lane){.rank = -1, .core = (int32_t)slot->id - 1};
    }
    lanes->faults = *wtl_activities_faults(activities);
    return 0;
}

static int read_all(struct pass *pass)
{
    struct wtl_activities *activities = NULL;
    struct wtl_activity activity;
    const struct wtl_activity_options options = {
        .by = pass->lanes->by, .what = WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_STAY | WTL_ACTIVITY_BIN};
    int rc = wtl_activities_open(pass->reader, &options, &activities, pass->err);
    while (rc >= 0 && (rc = wtl_activities_next(activities, &activity, pass->err)) > 0)
        rc = add_activity(pass, &activity);
    for (size_t i = 0; rc >= 0 && i < pass->map.count; i++)
        rc = give(pass, i);
    rc = rc < 0 ? rc : describe(pass, activities);
    wtl_activities_close(activities);
    return rc < 0 ? rc : add_cores(pass);
}

int wtl_activity_lanes_read(struct wtl_trace_reader *reader,
                            struct wtl_activity_lanes *ret_lanes,
                            struct wattle_error *err)
{
    struct wtl_activity_lanes lanes = {.store = wtl_piece_store_create()};
    struct pass pass = {
        .reader = reader, .lanes = &lanes, .cores = wtl_piece_store_create(), .err = err};
    int rc = wtl_trace_reader_tables(reader, err);
    if (rc == 0) {
        lanes.by = wtl_activities_present(reader) ? WTL_BY_TASK : WTL_BY_REGION;
        rc = lanes.store && pass.cores ? read_all(&pass) : -ENOMEM;
    }
    if (rc == 0)
        rc = wtl_activity_pyramid_init(&lanes.pyramid, lanes.store, lanes.type_count,
                                       lanes.thread_count);
    for (size_t i = 0; rc == 0 && i < lanes.type_count; i++)
        lanes.pyramid.works[i] = wtl_activity_type_works(&lanes.types[i]);
    wtl_piece_store_destroy(pass.cores);
    free(pass.waiting);
    free(pass.threads);
    free(pass.map.slots);
    free(pass.core_map.slots);
    if (rc < 0) {
        wtl_activity_lanes_fini(&lanes);
        return rc == -ENOMEM ? wtl_no_memory_for(err, "the tasks") : rc;
    }
    *ret_lanes = lanes;
    return 0;
}

void wtl_activity_lanes_fini(struct wtl_activity_lanes *lanes)
{
    wtl_activity_pyramid_fini(&lanes->pyramid);
    wtl_piece_store_destroy(lanes->store);
    free(lanes->types);
    free(lanes->lanes);
    *lanes = (struct wtl_activity_lanes){0};
}
