/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public recorder: a selection, a session and perhaps a trace. See <wattle/recorder.h>. The
 * times of start and stop are atomic, since any thread may ask for energies meanwhile.
 */
#define _GNU_SOURCE
#include <wattle/recorder.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/sized.h"
#include "counters/machine.h"
#include "measure/judge.h"
#include "model/public_summary.h"
#include "profiler/own_regions.h"
#include "record/replay.h"
#include "record/seat.h"
#include "record/session.h"
#include "source/registry.h"

enum { EDGES_BEFORE = 3, EDGES_AFTER = 3 };

struct wattle_recorder {
    pid_t owner; /* the process that has its threads: not a child of fork */
    const struct wtl_world *world;
    struct wtl_selection *selection;
    struct wtl_trace_writer *writer;
    struct wtl_session *session;
    struct wtl_own_regions *regions; /* NULL = recorded elsewhere, or not at all */
    char *trace;                     /* its path; NULL = none */
    struct wtl_judge judge;
    double cpu_start_s;                /* CPU time of this process at the start */
    _Atomic uint64_t start_ns, end_ns; /* 0 = not yet */
    atomic_bool finished;              /* all samples up to end_ns are in */
};

static const uint64_t DEFAULT_INTERVAL_NS = 100000000;
static const uint64_t INTERVAL_MIN_NS =
    10000; /* less takes a whole core, and no sensor is as fast */
static const uint64_t INTERVAL_MAX_NS = UINT64_C(3600000000000);

static const struct wtl_sized options_sized = {
    "struct wattle_recorder_options", sizeof(struct wattle_recorder_options),
    offsetof(struct wattle_recorder_options, wait_for_edges) + sizeof(int)};

/* Threads inherit the signal mask: those of the recorder take no signal from the program. */
static int create_session(struct wattle_recorder *r,
                          const struct wattle_recorder_options *options,
                          struct wattle_error *err)
{
    struct wtl_session_options session = {.world = r->world,
                                          .selection = r->selection,
                                          .writer = r->writer,
                                          .interval_ns = options->interval_ns,
                                          .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
                                          .edges_before =
                                              options->wait_for_edges ? EDGES_BEFORE : 0,
                                          .edges_after = options->wait_for_edges ? EDGES_AFTER : 0,
                                          .looks = options->wait_for_edges};
    sigset_t all, old;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    int rc = wtl_session_create(&session, &r->session, err);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

static void put(void *writer, const char *key, const char *value)
{
    (void)wtl_trace_writer_meta(writer, key, value); /* sticky: finish tells */
}

static int create_trace(struct wattle_recorder *r,
                        const struct wattle_recorder_options *options,
                        struct wattle_error *err)
{
    struct wtl_trace_options trace = {.force = options->replace_trace != 0};
    char text[24];
    if (!options->trace)
        return 0;
    int rc = wtl_trace_writer_create(options->trace, &trace, &r->writer, err);
    if (rc == -EEXIST)
        return wtl_fail(err, rc,
                        "%s: exists; set options.replace_trace to replace it, or give "
                        "another path in options.trace",
                        options->trace);
    if (rc < 0 && rc != -EINVAL && rc != -EBUSY) /* these say more than their number */
        return wtl_fail(err, rc, "%s: %s; give another path in options.trace", options->trace,
                        wtl_strerror(rc));
    if (rc < 0)
        return rc;
    r->trace = strdup(options->trace);
    if (!r->trace)
        return wtl_fail(err, -ENOMEM, "recorder: not enough memory");
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)options->interval_ns);
    put(r->writer, "wattle.version", WATTLE_VERSION);
    put(r->writer, "run.target", "machine");
    put(r->writer, "sampler.interval_ns", text);
    if (options->sensors)
        put(r->writer, "run.sensors", options->sensors);
    wtl_seat_describe(r->world, put, r->writer);
    wtl_machine_describe(r->world, put, r->writer);
    return 0;
}

/* Undo a create that failed: a trace without a measurement is not left behind. */
static void cancel(struct wattle_recorder *r, const char *trace)
{
    if (r->writer) {
        wtl_trace_writer_abandon(r->writer);
        (void)unlink(trace); /* made a moment ago, and empty */
        r->writer = NULL;
    }
    wattle_recorder_destroy(r);
}

static int check_options(const struct wattle_recorder_options *options, struct wattle_error *err)
{
    uint64_t interval_ns = options->interval_ns;
    if (interval_ns && (interval_ns < INTERVAL_MIN_NS || interval_ns > INTERVAL_MAX_NS))
        return wtl_fail(
            err, -EINVAL,
            "recorder: options.interval_ns is %llu; give nanoseconds, from %llu (10 us) to "
            "%llu (an hour), or 0 for 100 ms",
            (unsigned long long)interval_ns, (unsigned long long)INTERVAL_MIN_NS,
            (unsigned long long)INTERVAL_MAX_NS);
    if (options->trace && !options->trace[0])
        return wtl_fail(err, -EINVAL,
                        "recorder: options.trace is \"\"; give a path, or NULL for no "
                        "trace");
    return 0;
}

int wattle_recorder_create(const struct wattle_recorder_options *options,
                           struct wattle_recorder **ret_recorder,
                           struct wattle_error *err)
{
    struct wattle_recorder_options given;
    if (!ret_recorder)
        return wtl_fail(err, -EINVAL,
                        "recorder: ret_recorder is NULL; give the address of a "
                        "struct wattle_recorder *");
    int rc = wtl_sized_take(&options_sized, options, &given, err);
    rc = rc < 0 ? rc : check_options(&given, err);
    if (rc < 0)
        return rc;
    if (given.interval_ns == 0)
        given.interval_ns = DEFAULT_INTERVAL_NS;
    struct wattle_recorder *r = calloc(1, sizeof *r);
    if (!r)
        return wtl_fail(err, -ENOMEM, "recorder: not enough memory");
    r->owner = getpid();
    r->world = wtl_world_library();
    struct wtl_request request = {.drivers = wtl_drivers, .which = given.sensors};
    rc = wtl_replay_or_select(&request, r->world, &r->selection, err);
    rc = rc < 0 ? rc : wtl_selection_check(r->selection, err);
    rc = rc < 0 ? rc : create_trace(r, &given, err);
    rc = rc < 0 ? rc : create_session(r, &given, err);
    if (rc < 0) {
        cancel(r, given.trace);
        return rc;
    }
    *ret_recorder = r;
    return 0;
}

/* Locks and threads of a recorder stay behind in the process that made it. */
static int check_owner(const struct wattle_recorder *recorder, struct wattle_error *err)
{
    if (!recorder)
        return wtl_fail(err, -EINVAL, "recorder: NULL was given; create one first");
    if (recorder->owner != getpid())
        return wtl_fail(err, -EINVAL,
                        "recorder: it belongs to the process before fork; create "
                        "another one in this process");
    return 0;
}

void wattle_recorder_destroy(struct wattle_recorder *recorder)
{
    if (!recorder || recorder->owner != getpid())
        return;
    if (recorder->start_ns && !recorder->end_ns)
        (void)wattle_recorder_stop(recorder, NULL); /* the caller gave up the right to know */
    wtl_session_destroy(recorder->session);
    wtl_trace_writer_abandon(recorder->writer);
    wtl_selection_close(recorder->selection);
    free(recorder->trace);
    free(recorder);
}

int wattle_recorder_start(struct wattle_recorder *recorder, struct wattle_error *err)
{
    int rc = check_owner(recorder, err);
    if (rc < 0)
        return rc;
    if (recorder->start_ns)
        return wtl_fail(err, -EALREADY, "recorder: it can be started once; create another one");
    if (recorder->writer) /* else wattle_recording() says no; the energies do not need them */
        (void)wtl_own_regions_start(recorder->trace, recorder->writer, &recorder->regions);
    wtl_session_prepare(recorder->session);
    wtl_judge_begin(&recorder->judge, recorder->world);
    recorder->cpu_start_s = wtl_judge_cpu_s();
    uint64_t start_ns = wtl_world_monotonic(recorder->world);
    recorder->start_ns = start_ns;
    wtl_session_begin(recorder->session, start_ns);
    return 0;
}

/* Flags, regions, footer; the first failure is told. What this process used says nothing of a machine that is recorded. */
static int finish_trace(struct wattle_recorder *r, struct wattle_error *err)
{
    const struct wtl_judge_facts facts = {.selection = r->selection,
                                          .session = r->session,
                                          .window_ns = r->end_ns - r->start_ns,
                                          .tree_cpu_s = wtl_judge_cpu_s() - r->cpu_start_s};
    if (!r->world->virtual_time)
        wtl_judge_end(&r->judge, &facts, r->writer);
    int regions = wtl_own_regions_write(r->regions, r->writer, err);
    int rc = wtl_trace_writer_finish(r->writer, regions < 0 ? NULL : err);
    r->writer = NULL;
    wtl_own_regions_close(r->regions, regions == 0 && rc == 0);
    r->regions = NULL;
    return regions < 0 ? regions : rc;
}

int wattle_recorder_stop(struct wattle_recorder *recorder, struct wattle_error *err)
{
    int rc = check_owner(recorder, err);
    if (rc < 0)
        return rc;
    if (!recorder->start_ns)
        return wtl_fail(err, -EINVAL,
                        "recorder: it was not started; call wattle_recorder_start() "
                        "first");
    if (recorder->end_ns)
        return wtl_fail(err, -EALREADY, "recorder: it was stopped before; its summaries stand");
    uint64_t end_ns = wtl_world_monotonic(recorder->world);
    recorder->end_ns = end_ns;
    wtl_session_end(recorder->session, end_ns);
    recorder->finished = true;
    return recorder->writer ? finish_trace(recorder, err) : 0;
}

size_t wattle_recorder_channel_count(const struct wattle_recorder *recorder)
{
    return recorder ? recorder->selection->recorded_count : 0;
}

const struct wattle_channel *wattle_recorder_channel(const struct wattle_recorder *recorder,
                                                     size_t channel)
{
    return channel < wattle_recorder_channel_count(recorder)
               ? &recorder->selection->channels[channel]
               : NULL;
}

/* From start to stop, or to the newest sample that is in; samples are taken beyond the stop, too. */
static uint64_t window_ns(const struct wattle_recorder *recorder,
                          const struct wtl_summary *summary,
                          bool finished)
{
    uint64_t start_ns = recorder->start_ns, end_ns = recorder->end_ns;
    if (!start_ns)
        return 0;
    if (!finished && (!end_ns || summary->last_ns < end_ns))
        end_ns = summary->last_ns;
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static struct wattle_summary summary_of(struct wattle_recorder *recorder, size_t channel)
{
    struct wtl_summary s;
    bool finished = recorder->finished; /* before the summary: then that one is whole, too */
    wtl_session_summary(recorder->session, channel, &s);
    return wtl_public_summary(&recorder->selection->channels[channel], &s,
                              window_ns(recorder, &s, finished));
}

int wattle_recorder_summary(struct wattle_recorder *recorder,
                            size_t channel,
                            struct wattle_summary *ret_summary,
                            struct wattle_error *err)
{
    int rc = check_owner(recorder, err);
    rc = rc < 0 ? rc : wtl_sized_check(&wtl_public_summary_sized, ret_summary, err);
    if (rc < 0)
        return rc;
    size_t count = recorder->selection->recorded_count;
    if (channel >= count)
        return wtl_fail(err, -EINVAL, "recorder: no channel %zu; there are %zu, from 0", channel,
                        count);
    struct wattle_summary summary = summary_of(recorder, channel);
    wtl_sized_give(&wtl_public_summary_sized, &summary, ret_summary);
    return 0;
}

int wattle_recorder_total(struct wattle_recorder *recorder,
                          struct wattle_summary *ret_summary,
                          const char **ret_contains,
                          const char **ret_excludes,
                          struct wattle_error *err)
{
    int rc = check_owner(recorder, err);
    rc = rc < 0 ? rc : wtl_sized_check(&wtl_public_summary_sized, ret_summary, err);
    if (rc < 0)
        return rc;
    const struct wtl_selection *selection = recorder->selection;
    struct wattle_summary total = {0};
    if (selection->total.count == 0)
        return wtl_fail(err, -ENODATA,
                        "recorder: none of the channels may be added up to a total; "
                        "take them one by one");
    for (size_t i = 0; i < selection->recorded_count; i++) {
        if (!(selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        struct wattle_summary one = summary_of(recorder, i);
        wtl_public_summary_add(&total, &selection->channels[i], &one);
    }
    wtl_sized_give(&wtl_public_summary_sized, &total, ret_summary);
    if (ret_contains)
        *ret_contains = selection->total.contains;
    if (ret_excludes)
        *ret_excludes = selection->total.excludes;
    return 0;
}
