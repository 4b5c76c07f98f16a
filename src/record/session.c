/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A measurement: lanes, collector, edges at the borders. See session.h for the order of calls. The
 * collector thread runs five times a second; rings hold most of a second.
 */
#define _GNU_SOURCE
#include "record/session.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "model/bound.h"
#include "model/reading.h"
#include "record/collector.h"
#include "record/edges.h"
#include "record/lane.h"
#include "record/placement.h"
#include "record/replay.h"

static const uint64_t DRAIN_EVERY_NS = 200 * 1000 * 1000;

/* Maximum time from the end of the window until the session is notified of it, except on an
 * extremely busy machine: samples are held this long so that none from after the end counts as one
 * inside. */
static const uint64_t HOLD_NS = 50 * 1000 * 1000;

static const uint64_t ACTIVITY_EVERY_NS = 1000 * 1000 * 1000, SLOW_EVERY_NS = 100 * 1000 * 1000,
                      COUNTERS_EVERY_NS = 100 * 1000 * 1000, PACE_POLL_NS = 200 * 1000;

struct wtl_session {
    const struct wtl_world *world;
    struct wtl_selection *selection;
    struct wtl_session_options options;
    struct wtl_lane
        *lanes; /* one for energy, one for activity, one for counters, one for each slow source */
    size_t lane_count;
    struct wtl_batch *runs;
    size_t run_count;
    struct wtl_collector collector;
    pthread_mutex_t lock; /* protects the collector: its thread and summaries */
    pthread_cond_t wake;
    bool stopping, running, stopped, has_thread;
    pthread_t thread;
    uint64_t start_ns, end_ns;
    unsigned patience;         /* with sensors that do not answer; see lane.h */
    struct wtl_errand *errand; /* reads around the borders */
    bool is_watched;           /* the caller reads them */
    struct wtl_lane *polled;
    uint64_t intake_cpu_ns;
    int sampler_cpu;
};

enum lane_kind { LANE_ENERGY, LANE_ACTIVITY, LANE_SLOW, LANE_COUNTERS };
enum { LANE_KINDS = 4 };

static enum lane_kind kind_of(const struct wtl_batch *run)
{
    if (run->source->driver->flags & WTL_DRIVER_COUNTERS)
        return LANE_COUNTERS;
    if (run->source->driver->flags & WTL_DRIVER_ACTIVITY)
        return LANE_ACTIVITY;
    return run->source->channels[run->first].flags & WATTLE_CHANNEL_SLOW ? LANE_SLOW : LANE_ENERGY;
}

/* Cut the recorded channels into runs that one call can read. */
static int make_runs(struct wtl_session *session)
{
    struct wtl_selection *selection = session->selection;
    session->runs = calloc(selection->recorded_count + 1, sizeof *session->runs);
    if (!session->runs)
        return -ENOMEM;
    for (size_t i = 0; i < selection->recorded_count;) {
        size_t n = wtl_selection_run(selection, i);
        n = n > WTL_RUN_MAX ? WTL_RUN_MAX : n;
        session->runs[session->run_count] =
            (struct wtl_batch){.source = selection->picks[i].source,
                               .first = selection->picks[i].at,
                               .n = n,
                               .channel = i,
                               .number = (unsigned)session->run_count};
        session->run_count++;
        i += n;
    }
    return 0;
}

/* A slow sensor is not read more often than its fastest channel is known to change, and at most every SLOW_EVERY_NS unless
 * its driver is brisk. */
static uint64_t slow_interval_ns(const struct wtl_session *session, const struct wtl_lane *lane)
{
    uint64_t fastest_ns = UINT64_MAX, wanted_ns = session->options.interval_ns;
    for (size_t i = 0; i < lane->run_count; i++) {
        const struct wtl_batch *run = &lane->runs[i];
        for (size_t k = 0; k < run->n; k++) {
            uint64_t refresh_ns = run->source->channels[run->first + k].refresh_ns;
            if (refresh_ns && refresh_ns < fastest_ns)
                fastest_ns = refresh_ns;
        }
    }
    if (!(lane->runs[0].source->driver->flags & WTL_DRIVER_BRISK) && wanted_ns < SLOW_EVERY_NS)
        wanted_ns = SLOW_EVERY_NS;
    return fastest_ns != UINT64_MAX && wanted_ns < fastest_ns ? fastest_ns : wanted_ns;
}

/* The first lane of the first kind that exists. */
static struct wtl_lane *first_lane(const struct wtl_session *session,
                                   const enum lane_kind order[LANE_KINDS])
{
    for (size_t k = 0; k < LANE_KINDS; k++) {
        for (size_t i = 0; i < session->lane_count; i++) {
            if (kind_of(&session->lanes[i].runs[0]) == order[k])
                return &session->lanes[i];
        }
    }
    return NULL; /* nothing is recorded: create() rejects that */
}

/* Clock pairs are taken by the least time-critical lane; a slow one may be delayed by its
 * sensor. */
static const enum lane_kind clocks_order[LANE_KINDS] = {LANE_ACTIVITY, LANE_COUNTERS, LANE_ENERGY,
                                                        LANE_SLOW};

/* The lane whose pace is reported. */
static const enum lane_kind pace_order[LANE_KINDS] = {LANE_ENERGY, LANE_SLOW, LANE_ACTIVITY,
                                                      LANE_COUNTERS};

/* Does a run belong to this lane, whose kind it has? A slow source has one of its own, or each. */
static bool shares(const struct wtl_session *session,
                   const struct wtl_lane *lane,
                   const struct wtl_batch *run)
{
    enum lane_kind kind = kind_of(run);
    bool apart = kind == LANE_SLOW || (kind == LANE_ENERGY && session->options.apart);
    return !apart || lane->runs[0].source == run->source;
}

/* The lane for a run: an existing one, or a new one. */
static struct wtl_lane *lane_for(struct wtl_session *session, const struct wtl_batch *run)
{
    assert(run->source); /* set by make_runs() */
    enum lane_kind kind = kind_of(run);
    for (size_t i = 0; i < session->lane_count; i++) {
        struct wtl_lane *lane = &session->lanes[i];
        assert(lane->runs); /* a lane is counted with its first run */
        if (kind_of(&lane->runs[0]) == kind && shares(session, lane, run))
            return lane;
    }
    struct wtl_lane *lane = &session->lanes[session->lane_count];
    lane->runs = calloc(session->run_count, sizeof *lane->runs);
    if (!lane->runs)
        return NULL;
    session->lane_count++;
    lane->world = session->world;
    lane->cpu = session->sampler_cpu;
    lane->energy = kind == LANE_ACTIVITY || kind == LANE_COUNTERS ? NULL : session->options.energy;
    lane->interval_ns = session->options.interval_ns;
    if (kind == LANE_ACTIVITY)
        lane->interval_ns = session->options.activity_interval_ns;
    if (kind == LANE_COUNTERS)
        lane->interval_ns = session->options.counters_interval_ns;
    return lane;
}

/* A counter that wattled reads about as often as it ticks: looking at its page costs nothing. */
static bool is_relayed_tick(const struct wattle_channel *channel)
{
    return channel->flags & WATTLE_CHANNEL_RELAYED && channel->kind == WATTLE_COUNTER &&
           channel->refresh_ns > 0 && !wtl_ticks_slowly(channel);
}

/* Whether a read is usually quick, so that a few more of them cost little. */
static bool is_quick(const struct wtl_lane *lane)
{
    enum lane_kind kind = kind_of(&lane->runs[0]);
    return kind == LANE_ENERGY ||
           (kind == LANE_SLOW && lane->runs[0].source->driver->flags & WTL_DRIVER_BRISK);
}

/* Choose the channels to look at just after the start. */
static void plan_looks(struct wtl_lane *lane)
{
    for (size_t r = 0; r < lane->run_count && is_quick(lane); r++) {
        struct wtl_batch *run = &lane->runs[r];
        for (size_t k = 0; k < run->n; k++) {
            const struct wattle_channel *channel = &run->source->channels[run->first + k];
            uint64_t refresh_ns = channel->refresh_ns;
            if (wtl_edges_visible(channel) || is_relayed_tick(channel)) {
                run->ticks = true;
                lane->look_ns = refresh_ns;
            } else if (wtl_edges_awaited(channel)) {
                run->ticks_slowly = true;
                if (lane->slow_ns == 0 || refresh_ns < lane->slow_ns)
                    lane->slow_ns = refresh_ns;
            }
        }
    }
}

static int make_lanes(struct wtl_session *session)
{
    session->lanes = calloc(session->run_count, sizeof *session->lanes);
    if (!session->lanes)
        return -ENOMEM;
    for (size_t i = 0; i < session->run_count; i++) {
        struct wtl_lane *lane = lane_for(session, &session->runs[i]);
        if (!lane)
            return -ENOMEM;
        lane->runs[lane->run_count++] = session->runs[i];
    }
    for (size_t i = 0; i < session->lane_count; i++) {
        struct wtl_lane *lane = &session->lanes[i];
        if (kind_of(&lane->runs[0]) == LANE_SLOW)
            lane->interval_ns = slow_interval_ns(session, lane);
        if (kind_of(&lane->runs[0]) == LANE_ENERGY) {
            lane->edges_before = session->options.edges_before;
            lane->edges_after = session->options.edges_after;
        }
    }
    first_lane(session, clocks_order)->keeps_clocks = true;
    for (size_t i = 0; i < session->lane_count && session->options.looks; i++)
        plan_looks(&session->lanes[i]);
    int rc = 0;
    for (size_t i = 0; i < session->lane_count && rc == 0; i++)
        rc = wtl_lane_init(&session->lanes[i]);
    return rc;
}

static int make_intake(struct wtl_session *session)
{
    const struct wtl_batch **runs = calloc(session->run_count, sizeof(struct wtl_batch *));
    if (!runs)
        return -ENOMEM;
    for (size_t i = 0; i < session->run_count; i++)
        runs[i] = &session->runs[i];
    int rc = wtl_collector_init(&session->collector, session->selection->channels,
                                session->selection->recorded_count, runs, session->run_count,
                                session->options.writer);
    free(runs);
    return rc;
}

/* Drain what is not newer than until_ns. */
static void drain(struct wtl_session *session, uint64_t until_ns)
{
    (void)pthread_mutex_lock(&session->lock);
    for (size_t i = 0; i < session->lane_count; i++)
        wtl_collector_drain(&session->collector, &session->lanes[i], until_ns);
    if (session->options.writer &&
        session->collector.started) { /* until then the creator owns it */
        int rc =
            wtl_trace_writer_poll(session->options.writer, wtl_world_monotonic(session->world));
        if (rc < 0 && session->collector.writer_error == 0)
            session->collector.writer_error = rc;
    }
    (void)pthread_mutex_unlock(&session->lock);
}

/* Merge marks before the rows of the same time: this keeps the amount held back to a minimum. */
static void follow_marks(struct wtl_session *session)
{
    const struct wtl_session_options *options = &session->options;
    if (options->merge && options->writer && session->collector.started)
        wtl_spool_merge_follow(options->merge, options->writer,
                               wtl_world_monotonic(session->world));
}

static void *intake_main(void *arg)
{
    struct wtl_session *session = arg;
    bool stopping = false;
    (void)prctl(PR_SET_NAME, "wattle-intake");
    while (!stopping) {
        follow_marks(session);
        drain(session, wtl_world_monotonic(session->world) - HOLD_NS);
        uint64_t when_ns = wtl_world_monotonic(session->world) + DRAIN_EVERY_NS;
        struct timespec when = {.tv_sec = (time_t)(when_ns / 1000000000u),
                                .tv_nsec = (long)(when_ns % 1000000000u)};
        (void)pthread_mutex_lock(&session->lock);
        if (!session->stopping)
            (void)pthread_cond_timedwait(&session->wake, &session->lock, &when);
        stopping = session->stopping;
        (void)pthread_mutex_unlock(&session->lock);
    }
    session->intake_cpu_ns = session->world->ops->now_ns(session->world, CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static int start_threads(struct wtl_session *session)
{
    if (session->world->virtual_time)
        return 0;
    int rc = -pthread_create(&session->thread, NULL, intake_main, session);
    session->has_thread = rc == 0;
    for (size_t i = 0; rc == 0 && i < session->lane_count; i++)
        rc = wtl_lane_start(&session->lanes[i]);
    return rc;
}

static int init_lock(struct wtl_session *session)
{
    pthread_condattr_t attr;
    int rc = -pthread_condattr_init(&attr);
    if (rc < 0)
        return rc;
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    rc = -pthread_cond_init(&session->wake, &attr);
    (void)pthread_condattr_destroy(&attr);
    return rc < 0 ? rc : -pthread_mutex_init(&session->lock, NULL);
}

int wtl_session_create(const struct wtl_session_options *options,
                       struct wtl_session **ret_session,
                       struct wattle_error *err)
{
    if (options->interval_ns == 0)
        return wtl_fail(err, -EINVAL, "the sampling interval must be greater than 0");
    if (options->selection->recorded_count == 0)
        return wtl_fail(err, -EINVAL, "no channel to record");
    struct wtl_session *session = calloc(1, sizeof *session);
    if (!session)
        return wtl_no_memory_for(err, "the recorder");
    session->world = options->world;
    session->selection = options->selection;
    session->options = *options;
    if (session->options.activity_interval_ns == 0)
        session->options.activity_interval_ns = ACTIVITY_EVERY_NS;
    if (session->options.counters_interval_ns == 0)
        session->options.counters_interval_ns = COUNTERS_EVERY_NS;
    session->patience = options->patience ? options->patience : WTL_PATIENCE;
    session->sampler_cpu = wtl_placement_cpu(options->sampler_cpu);
    int rc = init_lock(session);
    rc = rc < 0 ? rc : make_runs(session);
    rc = rc < 0 ? rc : make_lanes(session);
    rc = rc < 0 ? rc : make_intake(session);
    rc = rc < 0 ? rc : start_threads(session);
    if (rc < 0) {
        wtl_session_destroy(session);
        return wtl_fail(err, rc, "cannot set up the recorder: %s", wtl_strerror(rc));
    }
    *ret_session = session;
    return 0;
}

static void stop_intake(struct wtl_session *session)
{
    if (!session->has_thread)
        return;
    (void)pthread_mutex_lock(&session->lock);
    session->stopping = true;
    (void)pthread_cond_signal(&session->wake);
    (void)pthread_mutex_unlock(&session->lock);
    (void)pthread_join(session->thread, NULL); /* joinable and ours: cannot fail */
    session->has_thread = false;
}

/* A thread stuck in a driver uses its lane and its source when it returns: both stay until the
 * process ends. */
static void hold_what_is_read(struct wtl_session *session)
{
    for (size_t i = 0; session->lanes && i < session->lane_count; i++)
        if (session->lanes[i].abandoned)
            session->selection->held = session->lanes;
}

void wtl_session_destroy(struct wtl_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; session->lanes && i < session->lane_count; i++) {
        wtl_lane_stop(&session->lanes[i]);
        wtl_lane_join(&session->lanes[i], &session->patience);
    }
    wtl_errand_end(session->errand);
    stop_intake(session);
    hold_what_is_read(session);
    for (size_t i = 0; session->lanes && i < session->lane_count && !session->selection->held;
         i++) {
        wtl_lane_fini(&session->lanes[i]);
        free(session->lanes[i].runs);
    }
    wtl_collector_fini(&session->collector);
    if (!session->selection->held)
        free(session->lanes);
    free(session->runs);
    (void)pthread_mutex_destroy(&session->lock);
    (void)pthread_cond_destroy(&session->wake);
    free(session);
}

static void poll_before(void *context)
{
    struct wtl_lane *lane = context;
    wtl_edges_poll(lane, lane->edges_before, false);
}

/* For a lane that ticks: not on its own thread, which would first have to wake on the sampler's
 * CPU. */
static void poll_behind(void *context)
{
    struct wtl_lane *lane = context;
    (void)wtl_lane_follow(lane); /* the newest before the end */
    wtl_lane_mark(lane, WTL_RECORD_END, lane->end_ns);
    if (lane->edges_after > 0)
        wtl_edges_poll(lane, lane->edges_after, true);
    if (!atomic_load_explicit(&lane->abandoned, memory_order_acquire))
        wtl_lane_collect(lane);
    if (lane->edges_after > 0 && !atomic_load_explicit(&lane->abandoned, memory_order_acquire))
        wtl_edges_await(lane);
    wtl_edges_follow(lane);
}

static void come_late(void *context)
{
    struct wtl_lane *lane = context;
    atomic_store_explicit(&lane->silence.is_over, true, memory_order_release);
}

static const struct wtl_errand_work before = {poll_before, come_late},
                                    behind = {poll_behind, come_late};

/* The word is in the first lane, which stays as long as a thread may return. */
_Atomic uint32_t *wtl_session_watch(struct wtl_session *session)
{
    session->is_watched = true;
    return &session->lanes[0].away;
}

void wtl_session_leave(struct wtl_session *session)
{
    session->is_watched = false;
    wtl_lane_abandon(session->polled, &session->patience);
}

static bool poll_watched(struct wtl_session *session,
                         struct wtl_lane *lane,
                         const struct wtl_errand_work *work)
{
    _Atomic uint32_t *away = &session->lanes[0].away;
    session->polled = lane;
    wtl_away_begin(away);
    work->run(lane);
    if (wtl_away_end(away))
        return true;
    work->late(lane);
    return false;
}

/* With a time limit. false: called by a thread that was given up, which must not touch the
 * session. */
static bool poll_lane(struct wtl_session *session,
                      struct wtl_lane *lane,
                      const struct wtl_errand_work *work)
{
    if (session->is_watched)
        return poll_watched(session, lane, work);
    if (session->world->virtual_time)
        work->run(lane);
    else if (!wtl_errand_do(&session->errand, work, lane, &session->patience))
        wtl_lane_abandon(lane, &session->patience);
    return true;
}

/* The energy lane last: nothing happens between its edges and the start. */
bool wtl_session_prepare(struct wtl_session *session)
{
    for (size_t i = 0; i < session->lane_count; i++)
        wtl_lane_prepare(&session->lanes[i], &session->patience);
    for (size_t i = 0; i < session->lane_count; i++) {
        if (session->lanes[i].edges_before > 0 && !session->lanes[i].abandoned &&
            !poll_lane(session, &session->lanes[i], &before))
            return false;
    }
    return true;
}

void wtl_session_begin(struct wtl_session *session, uint64_t start_ns)
{
    session->start_ns = start_ns;
    for (size_t i = 0; i < session->lane_count; i++) {
        if (!session->lanes[i].abandoned)
            wtl_lane_mark(&session->lanes[i], WTL_RECORD_BEGIN, start_ns);
    }
    session->running = true;
    if (session->options.energy)
        wtl_energy_page_begin(session->options.energy, start_ns);
    for (size_t i = 0; i < session->lane_count; i++) {
        if (!session->lanes[i].abandoned)
            wtl_lane_go(&session->lanes[i], start_ns);
    }
}

int wtl_session_pace(struct wtl_session *session, uint64_t interval_ns, uint64_t patience_ns)
{
    uint64_t until_ns = wtl_world_monotonic(session->world) + patience_ns, now_ns = 0;
    bool asked = false, done = false;
    session->options.interval_ns = interval_ns;
    while (!done && now_ns < until_ns) {
        if (asked)
            (void)session->world->ops->sleep_until(session->world, now_ns + PACE_POLL_NS);
        done = true;
        for (size_t i = 0; i < session->lane_count; i++) {
            struct wtl_lane *lane = &session->lanes[i];
            enum lane_kind kind = kind_of(&lane->runs[0]);
            uint64_t wanted_ns = kind == LANE_SLOW ? slow_interval_ns(session, lane) : interval_ns;
            if (kind != LANE_ACTIVITY)
                done = wtl_lane_pace(lane, asked ? 0 : wanted_ns) && done;
        }
        asked = true;
        now_ns = wtl_world_monotonic(session->world);
    }
    return done ? 0 : -ETIMEDOUT;
}

/* The lane with the next deadline. */
static struct wtl_lane *next_lane(struct wtl_session *session)
{
    struct wtl_lane *next = &session->lanes[0];
    for (size_t i = 1; i < session->lane_count; i++) {
        if (session->lanes[i].next_ns < next->next_ns)
            next = &session->lanes[i];
    }
    return next;
}

void wtl_session_advance(struct wtl_session *session, uint64_t time_ns)
{
    struct wtl_lane *lane;
    while ((lane = next_lane(session))->next_ns < time_ns) {
        (void)session->world->ops->sleep_until(session->world, lane->next_ns);
        wtl_lane_tick(lane, wtl_world_monotonic(session->world));
        drain(session, UINT64_MAX);
    }
    (void)session->world->ops->sleep_until(session->world, time_ns);
}

static bool end_lane(struct wtl_session *session, struct wtl_lane *lane, uint64_t end_ns)
{
    wtl_lane_seize(lane, &session->patience);
    lane->end_ns = end_ns;
    return lane->abandoned || poll_lane(session, lane, &behind);
}

/* What was not read from an unresponsive sensor is a gap. */
static void take_abandoned(struct wtl_session *session, uint64_t end_ns)
{
    for (size_t i = 0; i < session->lane_count; i++) {
        if (session->lanes[i].abandoned)
            wtl_collector_abandon(&session->collector, &session->lanes[i], session->start_ns,
                                  end_ns);
    }
}

bool wtl_session_stop(struct wtl_session *session, uint64_t end_ns)
{
    if (!session->running)
        return true;
    session->running = false;
    session->stopped = true;
    session->end_ns = end_ns;
    wtl_collector_end(&session->collector, end_ns);
    for (size_t i = 0; i < session->lane_count; i++)
        wtl_lane_stop(&session->lanes[i]);
    for (size_t i = 0; i < session->lane_count; i++) {
        if (kind_of(&session->lanes[i].runs[0]) == LANE_ENERGY &&
            !end_lane(session, &session->lanes[i], end_ns))
            return false;
    }
    return true;
}

void wtl_session_end(struct wtl_session *session, uint64_t end_ns)
{
    (void)wtl_session_stop(session, end_ns); /* not watched */
    if (!session->stopped)
        return;
    session->stopped = false;
    for (size_t i = 0; i < session->lane_count; i++) {
        if (kind_of(&session->lanes[i].runs[0]) != LANE_ENERGY)
            wtl_lane_finish(&session->lanes[i], end_ns);
    }
    for (size_t i = 0; i < session->lane_count; i++)
        wtl_lane_join(&session->lanes[i], &session->patience);
    stop_intake(session);
    drain(session, UINT64_MAX);
    take_abandoned(session, end_ns);
    wtl_collector_finish(&session->collector, wtl_world_monotonic(session->world));
}

void wtl_session_collect(struct wtl_session *session)
{
    if (session->has_thread && !session->options.writer)
        drain(session, wtl_world_monotonic(session->world));
}

void wtl_session_summary(struct wtl_session *session, size_t i, struct wtl_summary *ret_summary)
{
    (void)pthread_mutex_lock(&session->lock);
    wtl_tally_summary(&session->collector.channels[i].tally, ret_summary);
    (void)pthread_mutex_unlock(&session->lock);
}

bool wtl_session_too_fast(const struct wtl_selection *selection,
                          uint64_t interval_ns,
                          char *buf,
                          size_t n)
{
    const struct wattle_channel *fastest = NULL;
    if (wtl_replay_of(selection))
        return false; /* its refresh is the spacing of its samples */
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        if (!wtl_channel_is_energy(channel) || channel->flags & WATTLE_CHANNEL_SLOW)
            continue; /* a slow one is read at its own pace */
        if (channel->refresh_ns == 0)
            return false; /* unknown */
        if (!fastest || channel->refresh_ns < fastest->refresh_ns)
            fastest = channel;
    }
    if (!fastest || interval_ns >= fastest->refresh_ns)
        return false;
    (void)snprintf(buf, n,
                   "the interval of %s ms is shorter than the update interval of %s (%s ms): "
                   "repeated values are marked stale",
                   WTL_IN_FIGURES((double)interval_ns * 1e-6, 4), fastest->name,
                   WTL_IN_FIGURES((double)fastest->refresh_ns * 1e-6, 4));
    return true;
}

double wtl_session_jump_w(struct wtl_session *session, size_t i)
{
    (void)pthread_mutex_lock(&session->lock);
    double jump_w = wtl_tally_jump_w(&session->collector.channels[i].tally);
    (void)pthread_mutex_unlock(&session->lock);
    return jump_w;
}

bool wtl_session_edges_lost(struct wtl_session *session, size_t i)
{
    const struct wtl_collector_channel *ch = &session->collector.channels[i];
    if (session->options.edges_after == 0 || !wtl_edges_visible(ch->continuity.channel))
        return false;
    (void)pthread_mutex_lock(&session->lock);
    bool lost = wtl_tally_edges_lost(&ch->tally);
    (void)pthread_mutex_unlock(&session->lock);
    return lost;
}

uint64_t wtl_session_refresh_ns(struct wtl_session *session, size_t i, uint64_t *ret_stood_ns)
{
    const struct wtl_tally *tally = &session->collector.channels[i].tally;
    (void)pthread_mutex_lock(&session->lock);
    uint64_t refresh_ns = wtl_tally_channel(tally).refresh_ns;
    *ret_stood_ns = wtl_tally_poll_stood_ns(tally);
    (void)pthread_mutex_unlock(&session->lock);
    return refresh_ns;
}

void wtl_session_stats(struct wtl_session *session, struct wtl_session_stats *ret_stats)
{
    const struct wtl_lane *leading = first_lane(session, pace_order);
    *ret_stats = (struct wtl_session_stats){
        .interval_ns = session->options.interval_ns,
        .sampler_cpu = session->sampler_cpu,
    };
    (void)pthread_mutex_lock(&session->lock);
    ret_stats->suspended_ns = session->collector.suspended_ns;
    ret_stats->dropped = session->collector.lost;
    ret_stats->writer_error = session->collector.writer_error;
    (void)pthread_mutex_unlock(&session->lock);
    if (session->running)
        return; /* the threads do the rest */
    ret_stats->collections = leading->collections;
    ret_stats->missed = leading->lateness.missed;
    ret_stats->late_p50_ns = wtl_lateness_quantile(&leading->lateness, 0.5);
    ret_stats->late_p99_ns = wtl_lateness_quantile(&leading->lateness, 0.99);
    ret_stats->late_max_ns = leading->lateness.max_ns;
    ret_stats->overdue_ns = wtl_lane_overdue_ns(leading, session->end_ns);
    if (leading->asleep) { /* rows that it missed */
        ret_stats->missed += ret_stats->overdue_ns / leading->interval_ns;
        if (ret_stats->late_max_ns < ret_stats->overdue_ns)
            ret_stats->late_max_ns = ret_stats->overdue_ns;
    }
    ret_stats->cpu_ns = session->intake_cpu_ns;
    for (size_t i = 0; i < session->lane_count; i++)
        ret_stats->cpu_ns += session->lanes[i].cpu_ns;
}
