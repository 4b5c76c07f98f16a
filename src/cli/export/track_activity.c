/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads did, as records: stays become an enter and a leave, segments a state, events themselves. Of one thread at one
 * time, what ends comes before what begins, inner ends before outer ones, outer begins before inner ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/activity.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"
#include "cli/export/track_source.h"
#include "trace/own_event.h"

/* Ranks of records: power, states, leaves from the inner ones, enters from the outer ones, events, messages. */
enum {
    RANK_STATE = 1,
    RANK_ENTER = 0x8000,
    RANK_EVENT = 0xC001,
    RANK_MESSAGE = 0xC002,
    DEEPEST = 0x3FFF
};

struct activities {
    struct wtl_track_place *place;
    struct wtl_activities *from;
    uint32_t *types; /* of the tracks, by type of the trace; UINT32_MAX = not yet */
    size_t type_count, type_room;
};

static uint16_t depth_of(const struct wtl_activity *activity)
{
    return (uint16_t)(activity->depth < DEEPEST ? activity->depth : DEEPEST);
}

static enum wtl_track_class class_of(int kind)
{
    static const enum wtl_track_class classes[] = {
        [WATTLE_STATE_PARALLEL] = WTL_TRACK_PARALLEL, [WATTLE_STATE_WORK] = WTL_TRACK_WORK,
        [WATTLE_STATE_SYNC] = WTL_TRACK_SYNC,         [WATTLE_STATE_IDLE] = WTL_TRACK_IDLE,
        [WATTLE_STATE_MPI] = WTL_TRACK_MPI,           [WATTLE_STATE_IO] = WTL_TRACK_IO,
        [WATTLE_STATE_LOCK] = WTL_TRACK_LOCK,         [WATTLE_STATE_JOIN] = WTL_TRACK_JOIN,
        [WATTLE_STATE_GPU] = WTL_TRACK_GPU,           [WATTLE_STATE_FUNCTION] = WTL_TRACK_FUNCTION,
        [WATTLE_STATE_OTHER] = WTL_TRACK_OTHER};
    if (kind == WTL_ACTIVITY_TASK)
        return WTL_TRACK_TASK;
    if (kind == WTL_ACTIVITY_REGION)
        return WTL_TRACK_REGION;
    return kind >= 0 && (size_t)kind < sizeof classes / sizeof *classes ? classes[kind]
                                                                        : WTL_TRACK_OTHER;
}

/* ---- types ---- */

static int find_type(struct wtl_track_source *source,
                     const struct wtl_activity_type *type,
                     uint32_t *ret_type,
                     struct wattle_error *err)
{
    struct wtl_tracks *tracks = &source->tracks;
    const enum wtl_track_class kind = class_of(type->kind);
    const char *name = type->name ? type->name : "";
    for (size_t i = 0; i < tracks->type_count; i++) {
        if (tracks->types[i].kind == kind && strcmp(tracks->types[i].name, name) == 0) {
            *ret_type = (uint32_t)i;
            return 0;
        }
    }
    name = wtl_track_text(source, name);
    if (!name || wtl_reserve(&tracks->types, &source->type_room, tracks->type_count + 1,
                             sizeof *tracks->types) < 0)
        return wtl_no_memory(err);
    *ret_type = (uint32_t)tracks->type_count;
    tracks->types[tracks->type_count++] = (struct wtl_track_type){kind, name};
    return 0;
}

static int type_of(struct activities *all,
                   const struct wtl_activity *activity,
                   uint32_t *ret_type,
                   struct wattle_error *err)
{
    if (wtl_reserve(&all->types, &all->type_room, (size_t)activity->type + 1, sizeof *all->types) <
        0)
        return wtl_no_memory(err);
    while (all->type_count <= activity->type)
        all->types[all->type_count++] = UINT32_MAX;
    const struct wtl_activity_type *type = wtl_activities_type(all->from, activity->type);
    if (all->types[activity->type] == UINT32_MAX && type) {
        int rc = find_type(all->place->source, type, &all->types[activity->type], err);
        if (rc < 0)
            return rc;
    }
    *ret_type = all->types[activity->type];
    return *ret_type == UINT32_MAX;
}

/* event_count if no event has this number. */
static uint32_t event_index(const struct wtl_tracks *tracks, uint32_t number)
{
    size_t i = 0;
    while (i < tracks->event_count && tracks->events[i].number != number)
        i++;
    return (uint32_t)i;
}

static int find_event(struct activities *all,
                      uint32_t number,
                      uint32_t *ret_event,
                      struct wattle_error *err)
{
    struct wtl_track_source *source = all->place->source;
    struct wtl_tracks *tracks = &source->tracks;
    *ret_event = event_index(tracks, number);
    if (*ret_event < tracks->event_count)
        return 0;
    if (wtl_reserve(&tracks->events, &source->event_room, tracks->event_count + 1,
                    sizeof *tracks->events) < 0)
        return wtl_no_memory(err);
    tracks->events[tracks->event_count++] = (struct wtl_track_event){.number = number};
    return 0;
}

/* What this node calls its events and their values: known at the end only, since programs may define them at any time. */
static int take_labels(struct activities *all, struct wattle_error *err)
{
    const struct wtl_event_labels *labels = wtl_activities_labels(all->from);
    struct wtl_track_source *source = all->place->source;
    struct wtl_tracks *tracks = &source->tracks;
    for (size_t i = 0; i < labels->count; i++) {
        const struct wtl_event_label *label = &labels->labels[i];
        const uint32_t event = event_index(tracks, label->type);
        const char *text = wtl_trace_reader_string(all->place->reader, label->name);
        if (event == tracks->event_count || !text || !*text)
            continue;
        text = wtl_track_text(source, text);
        if (!text || wtl_reserve(&tracks->labels, &source->label_room, tracks->label_count + 1,
                                 sizeof *tracks->labels) < 0)
            return wtl_no_memory(err);
        if (label->of_value)
            tracks->labels[tracks->label_count++] =
                (struct wtl_track_label){event, label->value, text};
        else if (!tracks->events[event].name)
            tracks->events[event].name = text;
    }
    return 0;
}

static int compare_labels(const void *a, const void *b)
{
    return wtl_track_label_order(a, b);
}

int wtl_track_name_events(struct wtl_track_source *source, struct wattle_error *err)
{
    struct wtl_tracks *tracks = &source->tracks;
    size_t kept = 0;
    char name[32];
    for (size_t i = 0; i < tracks->event_count; i++) {
        struct wtl_track_event *event = &tracks->events[i];
        (void)snprintf(name, sizeof name, "event %lu", (unsigned long)event->number);
        event->name = event->name ? event->name : wtl_track_text(source, name);
        if (!event->name)
            return wtl_no_memory(err);
    }
    wtl_sort(tracks->labels, tracks->label_count, sizeof *tracks->labels, compare_labels);
    for (size_t i = 0; i < tracks->label_count; i++) {
        if (kept == 0 || compare_labels(&tracks->labels[kept - 1], &tracks->labels[i]) != 0)
            tracks->labels[kept++] = tracks->labels[i];
    }
    tracks->label_count = kept;
    return 0;
}

/* ---- records ---- */

static int put_stay(struct activities *all,
                    const struct wtl_activity *activity,
                    uint32_t thread,
                    struct wattle_error *err)
{
    struct wtl_track_source *source = all->place->source;
    const uint64_t begin_ns = wtl_track_time(all->place, activity->begin_ns);
    const uint64_t end_ns = wtl_track_time(all->place, activity->end_ns);
    uint32_t type;
    if (begin_ns == end_ns) {
        source->losses.no_duration += activity->begin_ns == activity->end_ns;
        return 0;
    }
    int rc = type_of(all, activity, &type, err);
    if (rc)
        return rc < 0 ? rc : 0;
    const struct wtl_track_record enter = {.time_ns = begin_ns,
                                           .track = thread,
                                           .type = type,
                                           .kind = WTL_TRACK_ENTER,
                                           .rank = (uint16_t)(RANK_ENTER + depth_of(activity))};
    const struct wtl_track_record leave = {.time_ns = end_ns,
                                           .track = thread,
                                           .type = type,
                                           .kind = WTL_TRACK_LEAVE,
                                           .rank = (uint16_t)(RANK_ENTER - 1 - depth_of(activity))};
    rc = wtl_track_sort_add(source->records, &enter, err);
    return rc < 0 ? rc : wtl_track_sort_add(source->records, &leave, err);
}

static int put_state(struct activities *all,
                     const struct wtl_activity *activity,
                     uint32_t thread,
                     struct wattle_error *err)
{
    const uint64_t begin_ns = wtl_track_time(all->place, activity->begin_ns);
    const uint64_t end_ns = wtl_track_time(all->place, activity->end_ns);
    uint32_t type;
    int rc = begin_ns == end_ns ? 1 : type_of(all, activity, &type, err);
    if (rc)
        return rc < 0 ? rc : 0;
    const struct wtl_track_record record = {.time_ns = begin_ns,
                                            .value = end_ns,
                                            .track = thread,
                                            .type = type,
                                            .kind = WTL_TRACK_STATE,
                                            .rank = RANK_STATE};
    return wtl_track_sort_add(all->place->source->records, &record, err);
}

static bool is_inside(const struct wtl_track_place *place, uint64_t node_ns)
{
    int64_t run_ns = wtl_run_clock_time(place->clock, node_ns);
    return run_ns >= place->source->begin_ns && run_ns <= place->source->end_ns;
}

static int put_event(struct activities *all,
                     const struct wtl_activity *activity,
                     uint32_t thread,
                     struct wattle_error *err)
{
    uint32_t event = 0;
    if (activity->task >= WTL_EVENT_OWN || !is_inside(all->place, activity->begin_ns))
        return 0;
    int rc = find_event(all, (uint32_t)activity->task, &event, err);
    const struct wtl_track_record record = {.time_ns =
                                                wtl_track_time(all->place, activity->begin_ns),
                                            .value = activity->bytes,
                                            .track = thread,
                                            .type = event,
                                            .kind = WTL_TRACK_EVENT,
                                            .rank = RANK_EVENT};
    return rc < 0 ? rc : wtl_track_sort_add(all->place->source->records, &record, err);
}

/* ---- messages ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15) ^ (hash >> 29);
}

/* Sends and receives wait for each other, those of one sender, receiver, tag and communicator together: they are sorted by that
 * instead of the time. */
static int put_message(struct activities *all,
                       const struct wtl_activity *activity,
                       uint32_t thread,
                       struct wattle_error *err)
{
    struct wtl_track_source *source = all->place->source;
    const bool receives = activity->flags & WTL_ACTIVITY_RECEIVED;
    const int32_t own = source->tracks.processes[source->tracks.threads[thread].process].rank;
    if (activity->tag < 0)
        return 0; /* a part of a collective */
    if (own < 0 || activity->peer < 0 || !is_inside(all->place, activity->end_ns)) {
        source->losses.messages_unpaired++;
        return 0;
    }
    uint64_t key = mix(activity->comm, (uint64_t)(receives ? activity->peer : own));
    key = mix(key, (uint64_t)(receives ? own : activity->peer));
    const struct wtl_track_record record = {
        .time_ns = mix(key, (uint64_t)(int64_t)activity->tag),
        .value = wtl_track_time(all->place, activity->begin_ns),
        .more = receives ? wtl_track_time(all->place, activity->end_ns) : activity->bytes,
        .track = thread,
        .type = (uint32_t)activity->peer,
        .tag = wtl_whole_int((double)activity->tag),
        .kind = receives ? WTL_TRACK_RECEIVE : WTL_TRACK_SEND};
    struct wtl_track_sort *sort = receives ? source->receives : source->sends;
    return wtl_track_sort_add(sort, &record, err);
}

static int put_pair(struct wtl_track_source *source,
                    const struct wtl_track_record *send,
                    const struct wtl_track_record *receive,
                    struct wattle_error *err)
{
    const struct wtl_track_record records[] = {{.time_ns = send->value,
                                                .value = send->more,
                                                .track = send->track,
                                                .type = receive->track,
                                                .tag = send->tag,
                                                .kind = WTL_TRACK_SEND,
                                                .rank = RANK_MESSAGE},
                                               {.time_ns = send->value,
                                                .value = receive->value,
                                                .more = receive->more,
                                                .track = send->track,
                                                .type = receive->track,
                                                .kind = WTL_TRACK_ARRIVAL,
                                                .rank = RANK_MESSAGE},
                                               {.time_ns = receive->more,
                                                .value = send->more,
                                                .track = receive->track,
                                                .type = send->track,
                                                .tag = send->tag,
                                                .kind = WTL_TRACK_RECEIVE,
                                                .rank = RANK_MESSAGE}};
    int rc = 0;
    for (size_t i = 0; i < 3 && rc == 0; i++)
        rc = wtl_track_sort_add(source->records, &records[i], err);
    return rc;
}

/* Which of two sorted streams is the earlier: -1 the first, 1 the second, 0 both are at the same key. */
static int earlier(bool has_first,
                   const struct wtl_track_record *first,
                   bool has_second,
                   const struct wtl_track_record *second)
{
    if (!has_first || !has_second)
        return has_first ? -1 : 1;
    return (first->time_ns > second->time_ns) - (first->time_ns < second->time_ns);
}

/* The next record, if there is one. 0 or -errno. */
static int take_next(struct wtl_track_sort *sort,
                     bool *ret_has,
                     struct wtl_track_record *ret_record,
                     struct wattle_error *err)
{
    int rc = wtl_track_sort_next(sort, ret_record, err);
    *ret_has = rc > 0;
    return rc < 0 ? rc : 0;
}

int wtl_track_pair_messages(struct wtl_track_source *source, struct wattle_error *err)
{
    struct wtl_track_record send = {.time_ns = 0}, receive = {.time_ns = 0};
    bool sends = false, receives = false;
    if (!source->sends || !source->receives)
        return 0;
    int rc = take_next(source->sends, &sends, &send, err);
    rc = rc < 0 ? rc : take_next(source->receives, &receives, &receive, err);
    while (rc == 0 && (sends || receives)) {
        int order = earlier(sends, &send, receives, &receive);
        rc = order == 0 ? put_pair(source, &send, &receive, err) : 0;
        source->losses.messages_unpaired += order != 0;
        if (rc == 0 && order <= 0)
            rc = take_next(source->sends, &sends, &send, err);
        if (rc == 0 && order >= 0)
            rc = take_next(source->receives, &receives, &receive, err);
    }
    return rc;
}

/* ---- all ---- */

static int put_activity(struct activities *all,
                        const struct wtl_activity *activity,
                        struct wattle_error *err)
{
    const struct wtl_track_place *place = all->place;
    uint32_t thread =
        activity->thread < place->thread_count ? place->threads[activity->thread] : UINT32_MAX;
    if (activity->what == WTL_ACTIVITY_BIN)
        place->source->losses.summary = true;
    if (thread == UINT32_MAX)
        return 0;
    switch (activity->what) {
    case WTL_ACTIVITY_STAY:
        return put_stay(all, activity, thread, err);
    case WTL_ACTIVITY_SEGMENT:
        return put_state(all, activity, thread, err);
    case WTL_ACTIVITY_EVENT:
        return put_event(all, activity, thread, err);
    case WTL_ACTIVITY_MESSAGE:
        return put_message(all, activity, thread, err);
    default:
        return 0;
    }
}

int wtl_track_activities(struct wtl_track_place *place, struct wattle_error *err)
{
    const struct wtl_activity_options options = {.by = WTL_BY_REGION,
                                                 .what = WTL_ACTIVITY_STAY | WTL_ACTIVITY_SEGMENT |
                                                         WTL_ACTIVITY_EVENT | WTL_ACTIVITY_MESSAGE |
                                                         WTL_ACTIVITY_BIN};
    struct activities all = {.place = place};
    struct wtl_track_source *source = place->source;
    struct wtl_activity activity;
    int rc = 0;
    if (!source->sends)
        rc = wtl_track_sort_create(source->folder, 0, &source->sends, err);
    if (rc == 0 && !source->receives)
        rc = wtl_track_sort_create(source->folder, 0, &source->receives, err);
    rc = rc < 0 ? rc : wtl_activities_open(place->reader, &options, &all.from, err);
    while (rc >= 0 && (rc = wtl_activities_next(all.from, &activity, err)) > 0)
        rc = put_activity(&all, &activity, err);
    rc = rc < 0 ? rc : take_labels(&all, err);
    if (rc == 0) {
        const struct wtl_activity_faults *faults = wtl_activities_faults(all.from);
        source->losses.ends_missing += faults->ends_missing;
        source->losses.begins_missing += faults->begins_missing;
        source->losses.cut_processes += faults->cut_processes;
    }
    wtl_activities_close(all.from);
    free(all.types);
    return rc;
}
