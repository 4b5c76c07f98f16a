/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lane: one thread that reads some channels at one interval and puts the raw readings into its own
 * ring. Energy counters have a lane, activity has one, each slow sensor has one; so a sensor that
 * takes a second to answer delays nobody. In virtual time a lane has no thread: the session steps
 * it.
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

enum { WTL_RUN_MAX = 32 }; /* channels read at once; longer runs are split */
enum { WTL_RECORD_WORDS = 3 + WTL_RUN_MAX };

/* First word of a record in the ring: kind | run << 8. */
enum wtl_record_kind {
    WTL_RECORD_ROW, /* time_ns, bits of failed channels | half the time in ns that the read took << 32,
                          a raw value or errno for each */
    WTL_RECORD_EDGE,   /* of one channel (run = its number in the session): old_ns, new_ns, old raw,
                          new raw */
    WTL_RECORD_BEGIN,  /* of the window: time_ns */
    WTL_RECORD_END,    /* of the window: time_ns */
    WTL_RECORD_LOOK,   /* as a row, of runs with counters that tick: just after the start */
    WTL_RECORD_CLOCKS, /* monotonic, boottime, realtime */
    WTL_RECORD_LOST    /* how many records found no room in the ring here */
};

/* Neighbouring channels of one source that one call reads. */
struct wtl_batch {
    struct wtl_source *source;
    size_t first, n;          /* in the source */
    size_t channel;           /* number of the first one in the session */
    unsigned number;          /* of the run in the session */
    uint64_t shortest_ns;     /* that a read of it took so far; 0 = none yet */
    bool ticks, ticks_slowly; /* it has a counter whose ticks can be seen, or awaited (edges.h) */
};

enum wtl_lane_state {
    WTL_LANE_WAITING,   /* for its first deadline */
    WTL_LANE_PREPARING, /* it reads once, and waits again */
    WTL_LANE_RUNNING,   /* asleep between deadlines */
    WTL_LANE_READING,
    WTL_LANE_STOPPED, /* it was told to stop, and may not have noticed */
    WTL_LANE_PARKED,  /* it reads no more; the lane is its owner's */
    WTL_LANE_ENDING,  /* it reads a last time, and ends */
    WTL_LANE_DONE,    /* it ends */
    WTL_LANE_GONE     /* it has ended */
};

struct wtl_lane {
    const struct wtl_world *world;
    uint64_t interval_ns;
    struct wtl_batch *runs;
    size_t run_count;
    bool keeps_clocks;                /* pushes clock pairs with its rows */
    int cpu;                          /* to pin the thread to; -1 = none */
    struct wtl_energy_writer *energy; /* the page to be told what was read; NULL = none */
    struct wtl_ring ring;
    size_t border_words, edge_words; /* of the ring, kept for the borders and for edges */
    uint64_t held[WTL_RECORD_WORDS]; /* of the consumer: taken from the ring, and too new as yet */
    size_t held_words;               /* 0 = none */
    uint64_t lost;                   /* records refused since the ring last took one */
    bool ended;                      /* the end of the window is in the ring */
    struct wtl_lateness lateness;
    uint64_t next_ns; /* deadline of the next collection, or look */
    /* Where a row comes much later than a tick, its counters are looked at twice just after the start: the tick that the start
     * lies in shows whether the power had changed before it. 0 = they are not; else their refresh. */
    uint64_t look_ns;
    /* Counters that tick more slowly are looked at until the first tick after the start. 0 = there is none, or rows come often
     * enough; else the least of their refreshes. */
    uint64_t slow_ns;
    uint64_t start_ns, row_ns;  /* row_ns: deadline of the next collection */
    uint64_t due_ns, began_ns;  /* of the last one: its deadline, and when it began; 0 = none yet */
    unsigned looks, slow_looks; /* still to come */
    uint64_t collections;
    _Atomic uint32_t state;  /* enum wtl_lane_state; a futex */
    bool has_thread, asleep; /* asleep: was so when it was stopped, and reads no more */
    _Atomic uint32_t away;   /* of the session's first lane: see wtl_session_watch() */
    atomic_bool abandoned;  /* a read did not return: nothing of the thread's is touched any more */
    _Atomic size_t reading; /* the run that is read, or was last */
    struct wtl_silence silence;         /* of that run's driver, once abandoned */
    unsigned edges_before, edges_after; /* ticks to be waited for at the borders; 0 = none */
    uint64_t end_ns;                    /* of the window, for a thread that reads a last time */
    pthread_t thread;
    uint64_t cpu_ns; /* processor time of the thread, once it has ended */
};

/* Room for the ring according to the runs and the interval. 0 or -ENOMEM. */
int wtl_lane_init(struct wtl_lane *lane);
void wtl_lane_fini(struct wtl_lane *lane);

/* Start the thread; it waits until wtl_lane_go(). 0 or -errno. Not in virtual time. */
int wtl_lane_start(struct wtl_lane *lane);
/* First deadline: one interval after now_ns, but for looks. */
void wtl_lane_go(struct wtl_lane *lane, uint64_t now_ns);
/* Before that: one collection, by the thread where there is one. */
void wtl_lane_prepare(struct wtl_lane *lane, unsigned *patience);
/* Tell the thread to stop. One that sleeps is not woken: it might run in the place of the caller, who has ticks to see. */
void wtl_lane_stop(struct wtl_lane *lane);
/* After a stop: the lane is the caller's from now on. Waits for a thread that reads, not for one that sleeps, which on a
 * busy machine may take longer than a tick to wake and end. */
void wtl_lane_seize(struct wtl_lane *lane, unsigned *patience);
/* After a stop: the thread marks the end of the window, collects a last time and ends; without a thread the caller does. */
void wtl_lane_finish(struct wtl_lane *lane, uint64_t end_ns);
/* After that: since when its thread should have read and did not run, up to end_ns, in ns; 0 = it ran. Whoever waited for the
 * end did not run either, it must be feared. */
uint64_t wtl_lane_overdue_ns(const struct wtl_lane *lane, uint64_t end_ns);
/* Wait until the thread has ended. */
void wtl_lane_join(struct wtl_lane *lane, unsigned *patience);

/* The lane was read by another thread than its own, which is left in the driver: that thread alone sets silence.is_over. */
void wtl_lane_abandon(struct wtl_lane *lane, unsigned *patience);

/*
 * A sensor may never answer. What waits for a thread that reads does so for at most *patience slices of a tenth of a second, which
 * it counts down (all lanes of a session share them: see base/errand.h), and then abandons the lane: its thread goes on
 * in the driver, so that nothing it might use may be freed or closed: lane, runs, sources.
 */

/* Read every run, now; the hot path. A read that was interrupted is made again, since nobody knows
 * to which moment of the interruption its values belong. The caller is the lane's thread, or its owner while the
 * thread does not run. */
void wtl_lane_collect(struct wtl_lane *lane);

/* Collect, or look, at the lane's deadline (which must have come) and set the next one. */
void wtl_lane_tick(struct wtl_lane *lane, uint64_t now_ns);

/* A record of kind BEGIN or END. */
void wtl_lane_mark(struct wtl_lane *lane, enum wtl_record_kind kind, uint64_t time_ns);

/* Into the ring. When the consumer is held up, rows are the first to go: they leave room for the
 * edges and the borders of the window. What found no room is told by a record LOST in its place. */
void wtl_lane_push(struct wtl_lane *lane, const uint64_t *record, size_t n);

#endif
