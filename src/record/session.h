/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Session: one measurement from the first edge to the last. It owns the lanes and the collector,
 * and borrows the world, the selection of channels and the trace writer.
 *
 *     wtl_session_create(&options, &session, err);
 *     wtl_session_prepare(session);             edges before: blocks for up to a few ticks
 *     start_ns = now; release the child
 *     wtl_session_begin(session, start_ns);
 *     wait for the child; end_ns = now
 *     wtl_session_end(session, end_ns);         edges after, lanes joined, all drained
 *     wtl_session_summary(session, i, &summary);
 *     wtl_session_destroy(session);
 *
 * One thread makes these calls; the session has threads of its own: one per lane and one collector.
 * In virtual time it has none, and wtl_session_advance() takes their place.
 */
#ifndef WTL_RECORD_SESSION_H
#define WTL_RECORD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "model/tally/tally.h"
#include "record/lateness.h"
#include "record/spool/spool_merge.h"
#include "source/select.h"
#include "trace/writer.h"

struct wtl_session;

enum { WTL_SAMPLER_CPU_AUTO = -1, WTL_SAMPLER_CPU_ANY = -2 };

struct wtl_session_options {
    const struct wtl_world *world;
    struct wtl_selection *selection;
    struct wtl_trace_writer *writer;    /* NULL = no trace */
    struct wtl_spool_merge *merge;      /* spools to merge into it; NULL = none */
    struct wtl_energy_writer *energy;   /* page for the selection's recorded channels; NULL =
                                         * none */
    uint64_t interval_ns;               /* interval of the energy lane */
    uint64_t activity_interval_ns;      /* interval of the activity lane; 0 = 1 s */
    uint64_t counters_interval_ns;      /* of the lane of a counter set; 0 = 100 ms */
    int sampler_cpu;                    /* >= 0, or WTL_SAMPLER_CPU_* */
    unsigned edges_before, edges_after; /* ticks to wait for; 0 = do not wait */
    bool looks; /* with edges: if rows come much later than ticks, look at counters just after the
                * start */
    bool apart; /* a lane for each source, so that one that hangs stops no other; without edges */
    unsigned patience; /* tenths of a second to wait for unresponsive sensors; 0 = WTL_PATIENCE */
};

/* Statistics of the sampling itself. */
struct wtl_session_stats {
    uint64_t interval_ns;
    int sampler_cpu;       /* CPU that the sampler is pinned to; -1 = none */
    uint64_t dropped;      /* records that did not fit into a ring */
    uint64_t suspended_ns; /* so far */
    int writer_error;      /* 0, or why the trace is incomplete */
    /* 0 before the end: */
    uint64_t collections; /* in the energy lane; else in a slow lane, else in the activity lane */
    uint64_t missed;      /* deadlines */
    uint64_t overdue_ns;  /* how long before its end it should have read but did not run */
    uint64_t late_p50_ns, late_p99_ns, late_max_ns;
    uint64_t cpu_ns; /* CPU time of the session's threads */
};

/* 0, -EINVAL (interval 0, nothing recorded), -ENOMEM, -EAGAIN (no thread). */
int wtl_session_create(const struct wtl_session_options *options,
                       struct wtl_session **ret_session,
                       struct wattle_error *err);
void wtl_session_destroy(struct wtl_session *session); /* accepts NULL; stops a running session */

/* Prepare and stop: false if the thread was given up, see wtl_session_watch(); it must not touch
 * the session any more. */
bool wtl_session_prepare(struct wtl_session *session);
void wtl_session_begin(struct wtl_session *session, uint64_t start_ns);
/* The first part of the end, up to the ticks after it; wtl_session_end() does the rest, on any
 * thread. */
bool wtl_session_stop(struct wtl_session *session, uint64_t end_ns);
void wtl_session_end(struct wtl_session *session, uint64_t end_ns);

/*
 * A thread of the session reads the ticks around the borders, so that a sensor that hangs there
 * does not block the caller; waking it takes time. If all calls from prepare to stop are one
 * errand, watched with this word (wtl_errand_watch()), the errand's thread reads them without that
 * delay. If it is given up, the watching thread calls wtl_session_leave() and continues after the
 * prepare or stop in which it was.
 */
_Atomic uint32_t *wtl_session_watch(struct wtl_session *session);
void wtl_session_leave(struct wtl_session *session);

/*
 * Between begin and stop, not in virtual time: read all sensors at once, and from then on at this
 * interval, which is not shorter than the one at creation (slow sensors as often as they change). Waits until all have answered, at most patience_ns: 0, or -ETIMEDOUT.
 */
int wtl_session_pace(struct wtl_session *session, uint64_t interval_ns, uint64_t patience_ns);

/* Virtual time: advance the clock to time_ns, sampling on the way. */
void wtl_session_advance(struct wtl_session *session, uint64_t time_ns);

/* Take what has been read up to now into the summaries, which else have it up to a quarter of a second later. Not where there is a trace: its rows wait for each
 * other. */
void wtl_session_collect(struct wtl_session *session);

/* Summary of recorded channel i of the selection: final after end, so far before. Safe from any
 * thread. */
void wtl_session_summary(struct wtl_session *session, size_t i, struct wtl_summary *ret_summary);

/* Is the interval shorter than the refresh of the fastest sensor of a selection, so that samples
 * only repeat? Then true, and a message in buf (200 bytes are enough). */
bool wtl_session_too_fast(const struct wtl_selection *selection,
                          uint64_t interval_ns,
                          char *buf,
                          size_t n);

/* wtl_tally_jump_w() of the same channel. */
double wtl_session_jump_w(struct wtl_session *session, size_t i);

/* wtl_tally_edges_lost() of the same channel, if its ticks were waited for. */
bool wtl_session_edges_lost(struct wtl_session *session, size_t i);

/* The refresh of the same channel as its samples show it (wtl_tally_channel()), and
 * wtl_tally_poll_stood_ns(), if its ticks were waited for. */
uint64_t wtl_session_refresh_ns(struct wtl_session *session, size_t i, uint64_t *ret_stood_ns);

void wtl_session_stats(struct wtl_session *session, struct wtl_session_stats *ret_stats);

#endif
