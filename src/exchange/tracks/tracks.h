/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks: what trace viewers show, independent of the format of their files. A run has nodes; a node has meters (power
 * channels) and processes with threads. What happens on threads and meters are records; they are given in any order to a
 * sorter (track_sort.h), from which the writers of the formats (paraver_write.h, otf2_write.h, perfetto_write.h) take them
 * in the order of their times.
 *
 * Times are nanoseconds since the begin of the tracks, on one clock for all nodes, and never negative. The texts of the
 * tables are borrowed.
 */
#ifndef WTL_EXCHANGE_TRACKS_H
#define WTL_EXCHANGE_TRACKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a type of activity is; the formats have their own classes, to which their writers map these. */
enum wtl_track_class {
    WTL_TRACK_REGION = 0, /* of the program */
    WTL_TRACK_TASK,
    WTL_TRACK_PARALLEL,
    WTL_TRACK_WORK, /* worksharing */
    WTL_TRACK_SYNC,
    WTL_TRACK_IDLE,
    WTL_TRACK_MPI,
    WTL_TRACK_IO,
    WTL_TRACK_LOCK,
    WTL_TRACK_JOIN,
    WTL_TRACK_GPU,
    WTL_TRACK_FUNCTION,
    WTL_TRACK_OTHER,
    WTL_TRACK_CLASSES
};

struct wtl_track_node {
    const char *name;
    unsigned cpus; /* 0 = unknown */
    uint64_t
        clock_error_ns; /* of its times against those of the other nodes; UINT64_MAX = unknown */
};

struct wtl_track_process {
    uint32_t node;
    int32_t rank; /* -1 = none */
    uint32_t pid; /* 0 = unknown */
    const char *name;
};

struct wtl_track_thread {
    uint32_t process;
    uint32_t tid; /* 0 = unknown */
    const char *name;
};

struct wtl_track_meter {
    uint32_t node;
    uint32_t number;    /* the same for channels of the same name on all nodes, from 0 */
    const char *name;   /* of the channel: "powercap:package-0" */
    const char *unit;   /* "W" */
    const char *about;  /* quality: "measured", "estimated", ... */
    const char *traits; /* as in channel_traits.h; "" = none */
};

struct wtl_track_type {
    enum wtl_track_class kind;
    const char *name; /* "dgemm", "MPI_Recv" */
};

/* Numbered events of the program, and counters. */
struct wtl_track_event {
    uint32_t number; /* Paraver's type */
    const char *name;
};

/* The text of a value of an event; sorted by these. */
struct wtl_track_label {
    uint32_t event; /* index */
    uint64_t value;
    const char *text;
};

struct wtl_tracks {
    struct wtl_track_node *nodes;
    struct wtl_track_process *processes; /* by node */
    struct wtl_track_thread *threads;    /* by process */
    struct wtl_track_meter *meters;      /* by node */
    struct wtl_track_type *types;
    struct wtl_track_event *events;
    struct wtl_track_label *labels;
    size_t node_count, process_count, thread_count, meter_count, type_count, event_count,
        label_count;
    uint64_t length_ns;
    uint64_t begin_realtime_ns; /* since 1970; 0 = unknown */
    const char *command;        /* of the run; "" = unknown */
    const char *creator;        /* "wattle 0.1.0" */
    const char *alignment;      /* sentence on the clocks of several nodes; "" = one node */
};

static inline int wtl_track_label_order(const struct wtl_track_label *a,
                                        const struct wtl_track_label *b)
{
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* NULL = it has no text. */
static inline const char *wtl_track_label_of(const struct wtl_tracks *tracks,
                                             uint32_t event,
                                             uint64_t value)
{
    const struct wtl_track_label wanted = {.event = event, .value = value};
    size_t begin = 0, end = tracks->label_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        int order = wtl_track_label_order(&tracks->labels[middle], &wanted);
        if (order == 0)
            return tracks->labels[middle].text;
        if (order < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

enum wtl_track_kind {
    WTL_TRACK_ENTER = 0, /* track: thread; type */
    WTL_TRACK_LEAVE,     /* likewise */
    WTL_TRACK_STATE,     /* the thread does only `type` from time to `value` */
    WTL_TRACK_EVENT,     /* track: thread; type: index of the event; value */
    WTL_TRACK_POWER, /* track: meter; value: a double, which holds until the next record of the meter */
    WTL_TRACK_NO_POWER, /* track: meter; unknown from here on */
    WTL_TRACK_SEND, /* track: sending thread; type: receiving thread; value: bytes; tag; ARRIVAL follows */
    WTL_TRACK_ARRIVAL, /* of this message: value: begin of the receive; more: its end */
    WTL_TRACK_RECEIVE  /* track: receiving thread; type: sending thread; value: bytes; tag */
};

struct wtl_track_record {
    uint64_t time_ns;
    uint64_t order; /* set by the sorter: as they were given */
    uint64_t value, more;
    uint32_t track, type;
    int32_t tag;
    uint16_t kind; /* enum wtl_track_kind */
    uint16_t rank; /* order among records of one time: lower first */
};

static inline uint64_t wtl_track_pack(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double wtl_track_unpack(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
