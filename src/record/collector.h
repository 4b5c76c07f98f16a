/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intake, the consumer's side: turns the raw records of the lanes into unwrapped ticks, gaps with
 * reasons, tallies and trace rows, in one place for all drivers. Single-threaded.
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

/* The collector's state of a channel. */
struct wtl_collector_channel {
    struct wtl_collector *collector; /* the owner */
    struct wtl_continuity continuity;
    struct wtl_tally tally;
    uint32_t id;         /* in the trace */
    bool has_origin;     /* the trace has its first reading */
    uint32_t edge_group; /* in the trace; UINT32_MAX = none */
};

struct wtl_collector_batch {
    size_t channel, n; /* first channel and number of channels */
    uint32_t group;    /* in the trace */
};

struct wtl_collector {
    struct wtl_collector_channel *channels;
    size_t channel_count;
    struct wtl_collector_batch *runs;
    size_t run_count;
    struct wtl_trace_writer *writer; /* NULL = no trace; borrowed */
    int writer_error;                /* first error of the writer */
    struct wtl_clock_pair clocks;    /* the last pair */
    uint64_t clocks_written_ns;
    uint64_t suspended_ns;       /* time suspended during the measurement */
    uint64_t lost;               /* records that did not fit into a ring */
    bool started, ended;         /* the border is in the trace */
    bool looked;                 /* looks were taken since the last row; see take_look() */
    atomic_uint_fast64_t end_ns; /* end of the window; 0 = not yet */
};

/* Channels and runs are numbered as in the session; with a writer, its channels and groups are
 * created here. Returns 0 or -errno. */
int wtl_collector_init(struct wtl_collector *collector,
                       const struct wattle_channel *channels,
                       size_t count,
                       const struct wtl_batch *const *runs,
                       size_t run_count,
                       struct wtl_trace_writer *writer);
void wtl_collector_fini(struct wtl_collector *collector);

/* Consume the records in the lane's ring up to the first one later than until_ns, which waits for
 * the next call: very recent records may turn out to be after the end of the window. */
void wtl_collector_drain(struct wtl_collector *collector, struct wtl_lane *lane, uint64_t until_ns);

/* The window has ended, so rows still to come may be later than it. Safe from any thread; does not
 * wait for a thread that is writing to a hung disk. */
void wtl_collector_end(struct wtl_collector *collector, uint64_t end_ns);

/* The sensors of this lane have stopped answering: the ring has been drained and no more records
 * will arrive. Its channels get a gap from their last value on: "read failed", ETIMEDOUT. */
void wtl_collector_abandon(struct wtl_collector *collector,
                           const struct wtl_lane *lane,
                           uint64_t start_ns,
                           uint64_t end_ns);

/* No more records: open gaps end at now_ns. */
void wtl_collector_finish(struct wtl_collector *collector, uint64_t now_ns);

#endif
