/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The small records of a trace, as accepted by the writer and returned by the reader: groups, clock pairs,
 * the window, processes, threads. Marks are in mark.h. docs/format/trace.md describes their form in the file.
 */
#ifndef WTL_TRACE_ENTRIES_H
#define WTL_TRACE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

#define WTL_TRACE_CHANNELS_MAX 65536 /* channels per trace */
#define WTL_TRACE_GROUPS_MAX   65536 /* groups per trace */
#define WTL_TRACE_META_MAX     4096  /* metadata keys per trace */

struct wtl_meta {
    const char *key;
    const char *value;
    uint32_t check; /* of the key */
};

enum wtl_trace_group_flags {
    WTL_GROUP_EDGE = 1u << 0 /* rows are polls for a counter's tick; one channel only */
};

/* Channels that are read together and share one time per row. */
struct wtl_trace_group {
    const uint32_t *channels; /* ids, in the order of a row's values */
    size_t count;
    unsigned flags; /* enum wtl_trace_group_flags */
};

/* A channel of the trace: its description from the sensor, and where its count began. */
struct wtl_trace_channel {
    struct wattle_channel channel;
    bool has_origin;    /* counters: first_raw is known */
    uint64_t first_raw; /* raw value of the first reading: raw = (first_raw + ticks) mod modulus */
};

/* One instant on three clocks. */
struct wtl_clock_pair {
    uint64_t monotonic_ns;
    uint64_t boottime_ns;
    uint64_t realtime_ns; /* since 1970-01-01 UTC */
};

/* The window of the measurement: from the child's release to exec until wait returned. */
struct wtl_trace_window {
    bool started, ended;
    uint64_t start_monotonic_ns, end_monotonic_ns;
};

/* One end of it, as stored in the file. */
struct wtl_trace_border {
    unsigned is_end; /* 0 start, 1 end */
    uint64_t time_ns;
};

struct wtl_trace_process {
    uint32_t pid;
    int32_t rank;        /* in the job; -1 = none */
    uint64_t start_ns;   /* CLOCK_MONOTONIC when it was first seen */
    const char *command; /* UTF-8 */
};

struct wtl_trace_thread {
    uint32_t process; /* id of its process in this trace */
    uint32_t tid;
    const char *name; /* UTF-8, may be "" */
};

/* In tid: it is a lane of a device (wattle_lane_spans()), not a thread. Linux has no such ids. */
#define WTL_THREAD_LANE UINT32_C(0x40000000)

static inline bool wtl_thread_is_lane(const struct wtl_trace_thread *thread)
{
    return (thread->tid & WTL_THREAD_LANE) != 0;
}

#endif
