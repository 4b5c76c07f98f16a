/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Track source: a run as tracks (exchange/tracks/tracks.h), for the formats of trace viewers. Node by node, what the trace
 * has is converted to records on the clock of the run.
 */
#ifndef WTL_CLI_TRACK_SOURCE_H
#define WTL_CLI_TRACK_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/cluster/run.h"
#include "exchange/tracks/track_sort.h"
#include "exchange/tracks/tracks.h"
#include "options/options.h"
#include "trace/string_set.h"

struct wtl_track_choice {
    const char *channels; /* as for wtl_export_choose(); NULL = all of energy and power */
    bool has_from, has_until;
    int64_t from_ns, until_ns; /* since the begin of the run's window */
};

/* What the formats cannot contain, for messages. */
struct wtl_track_losses {
    uint64_t no_duration;       /* activities of less than a nanosecond */
    uint64_t messages_unpaired; /* sends or receives without the other side in the trace */
    uint64_t ends_missing, begins_missing, cut_processes;
    bool simulated, estimated, part_time;
    bool summary; /* tasks were recorded as sums only */
};

struct wtl_track_source {
    struct wtl_tracks tracks;
    struct wtl_track_sort *records;
    struct wtl_track_losses losses;
    /* ---- own ---- */
    struct wtl_track_sort *sends, *receives; /* until they are paired */
    struct wtl_string_set texts;             /* what the tables borrow */
    size_t type_room, event_room, label_room, meter_room, process_room, thread_room;
    int64_t begin_ns, end_ns; /* in the time of the run */
    const char *folder;       /* for temporary files */
    const struct wtl_command *command;
    char creator[64], alignment[256];
};

/* Where records of one node go, and its clock. */
struct wtl_track_place {
    struct wtl_track_source *source;
    struct wtl_trace_reader *reader;
    const struct wtl_run_clock *clock;
    uint32_t node;
    uint32_t
        *threads; /* by thread of the trace: its number in the tracks; UINT32_MAX = none; owned */
    size_t thread_count;
    size_t first_process; /* of the node */
};

/* command: says what traces lack. folder: for temporary files. 0, or -errno with a message. Call fini in either case. */
int wtl_track_source_open(struct wtl_track_source *source,
                          const struct wtl_command *command,
                          const struct wtl_run *run,
                          const struct wtl_track_choice *choice,
                          const char *folder,
                          struct wattle_error *err);
void wtl_track_source_fini(struct wtl_track_source *source);

/* ---- shared by the files of this folder ---- */

/* A copy of a text that lives as long as the source; NULL if out of memory. */
static inline const char *wtl_track_text(struct wtl_track_source *source, const char *text)
{
    bool fresh;
    int id = wtl_string_set_add(&source->texts, text, &fresh);
    return id < 0 ? NULL : source->texts.texts[id - 1];
}

/* A time of the node in the tracks, cut to their begin and end. */
static inline uint64_t wtl_track_time(const struct wtl_track_place *place, uint64_t node_ns)
{
    const struct wtl_track_source *source = place->source;
    int64_t time_ns = wtl_run_clock_time(place->clock, node_ns);
    if (time_ns <= source->begin_ns)
        return 0;
    time_ns = time_ns < source->end_ns ? time_ns : source->end_ns;
    return (uint64_t)time_ns - (uint64_t)source->begin_ns;
}

/* What its threads did. */
int wtl_track_activities(struct wtl_track_place *place, struct wattle_error *err);

/* Once all nodes are read: events without a name get one, labels are sorted; */
int wtl_track_name_events(struct wtl_track_source *source, struct wattle_error *err);

/* sends and receives become messages. */
int wtl_track_pair_messages(struct wtl_track_source *source, struct wattle_error *err);

#endif
