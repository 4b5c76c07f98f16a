/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lane: one thread that reads some channels at one interval and puts the raw readings into its own
 * ring. Energy counters share a lane, activity has one, and each slow sensor has one, so that a
 * sensor that takes a second to answer delays no other. In virtual time a lane has no thread: the
 * session steps it.
 */
#ifndef WTL_RECORD_LANE_H
#define WTL_RECORD_LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/errand.h"
#include "record/energy_page.h"
#include "record/lateness.h"
#include "record/ring.h"
#include "source/driver.h"
#include "source/silence.h"

enum { WTL_RUN_MAX = 32 }; /* channels per read; longer runs are split */
enum { WTL_RECORD_WORDS = 3 + WTL_RUN_MAX };

/* First word of a record in the ring: kind | run << 8. */
enum wtl_record_kind {
    WTL_RECORD_ROW, /* time_ns, bits of failed channels | half the duration of the read in ns << 32,
                     * a raw value or errno for each */
    WTL_RECORD_EDGE,   /* one channel (run = its number in the session): old_ns, new_ns, old raw,
                        * new raw */
    WTL_RECORD_BEGIN,  /* start of the window: time_ns */
    WTL_RECORD_END,    /* end of the window: time_ns */
    WTL_RECORD_LOOK,   /* like a row, for runs with counters that tick: just after the start */
    WTL_RECORD_CLOCKS, /* monotonic, boottime, realtime */
    WTL_RECORD_LOST    /* how many records did not fit into the ring at this point */
};

/* Adjacent channels of one source, read by one call. */
struct wtl_batch {
    struct wtl_source *source;
    size_t first, n;          /* in the source */
    size_t channel;           /* number of the first one in the session */
    unsigned number;          /* number of the run in the session */
    uint64_t time_ns;         /* WTL_DRIVER_TIMED: of the newest reading */
    uint64_t shortest_ns;     /* shortest duration of a read so far; 0 = none yet */
    bool ticks, ticks_slowly; /* it has a counter whose ticks can be seen, or waited for
                               * (edges.h); or it may be looked at like one */
};

enum wtl_lane_state {
    WTL_LANE_WAITING,   /* for its first deadline */
    WTL_LANE_PREPARING, /* reads once, then waits again */
    WTL_LANE_RUNNING,   /* asleep between deadlines */
    WTL_LANE_READING,
    WTL_LANE_STOPPED, /* told to stop, may not have noticed yet */
    WTL_LANE_PARKED,  /* no longer reading; the lane belongs to its owner */
    WTL_LANE_ENDING,  /* reads a last time, then ends */
    WTL_LANE_DONE,    /* about to end */
    WTL_LANE_GONE     /* ended */
};

struct wtl_lane {
    const struct wtl_world *world;
    uint64_t interval_ns;
    struct wtl_batch *runs;
    size_t run_count;
    bool keeps_clocks;                /* writes clock pairs with its rows */
    int cpu;                          /* to pin the thread to; -1 = none */
    struct wtl_energy_writer *energy; /* page to publish readings to; NULL = none */
    struct wtl_ring ring;
    size_t border_words, edge_words; /* ring space reserved for borders and edges */
    uint64_t border_ns;              /* the last border: earlier readings come too late */
    uint64_t held[WTL_RECORD_WORDS]; /* consumer's: taken from the ring, but still too new */
    size_t held_words;               /* 0 = none */
    uint64_t lost;                   /* records dropped since the ring last accepted one */
    bool ended;                      /* the end of the window is in the ring */
    struct wtl_lateness lateness;
    uint64_t next_ns; /* deadline of the next collection or look */
    /* If a row comes much later than a tick, its counters are looked at twice just after the start:
     * the tick that contains the start shows whether the power had changed before it. 0 = no looks;
     * else the counters' refresh. */
    uint64_t look_ns;
    /* Slower counters are looked at until the second tick after the start. 0 = there are none, or
     * rows are frequent enough; else the shortest of their refreshes. */
    uint64_t slow_ns;
    uint64_t start_ns, row_ns;  /* row_ns: deadline of the next collection */
    uint64_t due_ns, began_ns;  /* last collection: its deadline and when it began; 0 = none yet */
    unsigned looks, slow_looks; /* still to do */
    uint64_t collections;
    _Atomic uint32_t state;  /* enum wtl_lane_state; a futex */
    _Atomic uint32_t calls;  /* for the thread, so far; a futex, on which it sleeps between reads */
    bool has_thread, asleep; /* asleep: was so when stopped, and reads no more */
    _Atomic uint32_t away;   /* in the session's first lane: see wtl_session_watch() */
    atomic_bool abandoned;   /* a read did not return: nothing that the thread uses may be touched
                             * any more */
    _Atomic size_t reading;  /* the run being read, or read last */
    _Atomic uint64_t
        wanted_ns; /* interval to use from now on, after reading at once; 0 = as it is */
    struct wtl_silence silence;         /* that run's driver, once abandoned */
    unsigned edges_before, edges_after; /* ticks to wait for at the borders; 0 = none */
    uint64_t end_ns;                    /* end of the window, for a thread that reads a last time */
    pthread_t thread;
    uint64_t cpu_ns; /* CPU time of the thread, once it has ended */
};

/* Allocates a ring sized for the runs and the interval. 0 or -ENOMEM. */
int wtl_lane_init(struct wtl_lane *lane);
void wtl_lane_fini(struct wtl_lane *lane);

/* Start the thread; it waits until wtl_lane_go(). 0 or -errno. Not in virtual time. */
int wtl_lane_start(struct wtl_lane *lane);
/* Set the first deadline: one interval after now_ns, apart from looks. */
void wtl_lane_go(struct wtl_lane *lane, uint64_t now_ns);
/* While it runs: read at once, and then at this interval. Does not wait; call again, with 0, to wake
 * the thread in case it was about to sleep, until true: it has read. */
bool wtl_lane_pace(struct wtl_lane *lane, uint64_t interval_ns);
/* Before that: one collection, by the thread if there is one. */
void wtl_lane_prepare(struct wtl_lane *lane, unsigned *patience);
/* Tell the thread to stop. A sleeping thread is not woken: it might take the CPU of the caller,
 * which is about to poll ticks. */
void wtl_lane_stop(struct wtl_lane *lane);
/* After a stop: the caller owns the lane from now on. Waits for a thread that is reading, but not
 * for one that sleeps, which on a busy machine may take longer than a tick to wake and end. */
void wtl_lane_seize(struct wtl_lane *lane, unsigned *patience);
/* After a stop: the thread marks the end of the window, collects a last time and ends; without a
 * thread the caller does this. */
void wtl_lane_finish(struct wtl_lane *lane, uint64_t end_ns);
/* After that: for how many ns before end_ns its thread should have read but did not run; 0 = it
 * ran. Whatever waited for the end probably did not run either. */
uint64_t wtl_lane_overdue_ns(const struct wtl_lane *lane, uint64_t end_ns);
/* Wait until the thread has ended. */
void wtl_lane_join(struct wtl_lane *lane, unsigned *patience);

/* The lane was read by a thread other than its own, which is stuck in the driver: only that thread
 * sets silence.is_over. */
void wtl_lane_abandon(struct wtl_lane *lane, unsigned *patience);

/*
 * A sensor may never answer. A wait for a reading thread takes at most *patience slices of a tenth
 * of a second, counted down (shared by all lanes of a session: see base/errand.h); then the lane is
 * abandoned: its thread continues in the driver, so nothing that it might use (lane, runs, sources)
 * may be freed or closed.
 */

/* Read every run now; the hot path. An interrupted read is repeated, since it is unknown to which
 * moment of the interruption its values belong. The caller is the lane's thread, or its owner while
 * the thread does not run. */
void wtl_lane_collect(struct wtl_lane *lane);

/* Read the runs that have their own times (WTL_DRIVER_TIMED). Returns true if each has shown a time after
 * the last border. */
bool wtl_lane_follow(struct wtl_lane *lane);

/* Collect or look, at the lane's deadline (which must have passed), and set the next one. */
void wtl_lane_tick(struct wtl_lane *lane, uint64_t now_ns);

/* Push a record of kind BEGIN or END. */
void wtl_lane_mark(struct wtl_lane *lane, enum wtl_record_kind kind, uint64_t time_ns);

/* Push a record into the ring. When the consumer is delayed, rows are dropped first, to leave room
 * for the edges and borders of the window. A LOST record marks where records were dropped. */
void wtl_lane_push(struct wtl_lane *lane, const uint64_t *record, size_t n);

#endif
