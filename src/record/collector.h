/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intake: the consumer's side. Raw records of the lanes become, once for all drivers, unwrapped
 * ticks, gaps with reasons, tallies and rows of the trace. One thread.
 */
#ifndef WTL_RECORD_COLLECTOR_H
#define WTL_RECORD_COLLECTOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tally/tally.h"
#include "record/continuity.h"
#include "record/lane.h"
#include "trace/writer.h"

/* What the collector knows of a channel. */
struct wtl_collector_channel {
    struct wtl_collector *collector; /* that it belongs to */
    struct wtl_continuity continuity;
    struct wtl_tally tally;
    uint32_t id;         /* in the trace */
    bool has_origin;     /* the trace knows its first reading */
    uint32_t edge_group; /* of the trace; UINT32_MAX = none */
};

struct wtl_collector_batch {
    size_t channel, n; /* first channel and number */
    uint32_t group;    /* of the trace */
};

struct wtl_collector {
    struct wtl_collector_channel *channels;
    size_t channel_count;
    struct wtl_collector_batch *runs;
    size_t run_count;
    struct wtl_trace_writer *writer; /* NULL = no trace; borrowed */
    int writer_error;                /* the first failure of the writer */
    struct wtl_clock_pair clocks;    /* the last pair */
    uint64_t clocks_written_ns;
    uint64_t suspended_ns;       /* time the machine slept while measured */
    uint64_t lost;               /* records that did not fit into a ring */
    bool started, ended;         /* the trace has the border */
    bool looked;                 /* there were looks since the last row; see take_look() */
    atomic_uint_fast64_t end_ns; /* of the window; 0 = not yet */
};

/* Channels and runs as the session numbers them; with a writer its channels and groups are made
 * here. 0, or -errno. */
int wtl_collector_init(struct wtl_collector *collector,
                       const struct wattle_channel *channels,
                       size_t count,
                       const struct wtl_batch *const *runs,
                       size_t run_count,
                       struct wtl_trace_writer *writer);
void wtl_collector_fini(struct wtl_collector *collector);

/* Take what is in the lane's ring, up to the first record of a time after until_ns: it waits for the
 * next call. What is too new may turn out to lie behind the end of the window. */
void wtl_collector_drain(struct wtl_collector *collector, struct wtl_lane *lane, uint64_t until_ns);

/* The window is over: rows that are still to come may be of a later time. Safe from any thread, and
 * does not wait for one that writes to a disk that hangs. */
void wtl_collector_end(struct wtl_collector *collector, uint64_t end_ns);

/* The sensors of this lane have not answered: what its ring holds has been taken, and no more comes. Its channels have a gap from
 * their last value on, "read failed" with ETIMEDOUT. */
void wtl_collector_abandon(struct wtl_collector *collector,
                           const struct wtl_lane *lane,
                           uint64_t start_ns,
                           uint64_t end_ns);

/* No more comes: gaps that are open end at now_ns. */
void wtl_collector_finish(struct wtl_collector *collector, uint64_t now_ns);

#endif
