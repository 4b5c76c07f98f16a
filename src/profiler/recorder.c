/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public recorder: a selection, a session and optionally a trace. See <wattle/recorder.h>. The
 * times of start and stop are atomic, since any thread may query energies at the same time.
 */
#define _GNU_SOURCE
#include <wattle/recorder.h>

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/sized.h"
#include "base/usage.h"
#include "measure/measurement.h"
#include "model/public_summary.h"
#include "record/regions/region_place.h"

struct wattle_recorder {
    pid_t owner; /* the process that has its threads: not a child of fork */
    struct wtl_measurement m;
    bool regions;                      /* the regions of this process are recorded for it */
    double cpu_start_s;                /* CPU time of this process at the start */
    _Atomic uint64_t start_ns, end_ns; /* 0 = not yet */
    atomic_bool finished;              /* all samples up to end_ns have been processed */
};

static const uint64_t DEFAULT_INTERVAL_NS = 100000000;
static const uint64_t INTERVAL_MIN_NS =
    10000; /* less would use a whole core, and no sensor is as fast */
static const uint64_t INTERVAL_MAX_NS = UINT64_C(3600000000000);

static const struct wtl_sized options_sized = {
    "struct wattle_recorder_options", sizeof(struct wattle_recorder_options),
    offsetof(struct wattle_recorder_options, wait_for_edges) + sizeof(int)};

/* The writer's message is for a command line. */
static int say_no_trace(const char *path, int rc, struct wattle_error *err)
{
    if (rc == -EEXIST)
        return wtl_fail(err, rc,
                        "%s already exists; set options.replace_trace to overwrite it, or give "
                        "another path in options.trace",
                        path);
    if (rc != -EINVAL && rc != -EBUSY) /* these have more specific messages */
        (void)wtl_fail(err, rc, "%s: %s; give another path in options.trace", path,
                       wtl_strerror(rc));
    return rc;
}

static int check_options(const struct wattle_recorder_options *options, struct wattle_error *err)
{
    uint64_t interval_ns = options->interval_ns;
    if (interval_ns && (interval_ns < INTERVAL_MIN_NS || interval_ns > INTERVAL_MAX_NS))
        return wtl_fail(
            err, -EINVAL,
            "recorder: options.interval_ns is %llu ns; must be %llu (10 us) to %llu (an "
            "hour), or 0 for 100 ms",
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
        return wtl_no_memory_for(err, "the recorder");
    r->owner = getpid();
    const struct wtl_measurement_options what = {
        .world = wtl_world_library(),
        .sensors = given.sensors,
        .sensors_required = true,
        .inside = true,
        .trace_path = given.trace,
        .trace = {.force = given.replace_trace != 0, .need = WTL_TRACE_MUST},
        .interval_ns = given.interval_ns,
        .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
        .edges = given.wait_for_edges ? WTL_MEASUREMENT_EDGES : 0,
        .work = NAN};
    rc = wtl_measurement_init(&r->m, &what, err);
    rc = rc < 0 ? rc : wtl_measurement_open(&r->m, err);
    if (rc < 0) {
        if (r->m.trace.refused < 0)
            rc = say_no_trace(given.trace, rc, err);
        wattle_recorder_destroy(r);
        return rc;
    }
    *ret_recorder = r;
    return 0;
}

/* Locks and threads of a recorder stay in the process that created it. */
static int check_owner(const struct wattle_recorder *recorder, struct wattle_error *err)
{
    if (!recorder)
        return wtl_fail(err, -EINVAL, "recorder: NULL was given; create one first");
    if (recorder->owner != getpid())
        return wtl_fail(
            err, -EINVAL,
            "recorder: belongs to the process before fork; create another one in this process");
    return 0;
}

void wattle_recorder_destroy(struct wattle_recorder *recorder)
{
    if (!recorder || recorder->owner != getpid())
        return;
    if (recorder->start_ns && !recorder->end_ns)
        (void)wattle_recorder_stop(recorder, NULL); /* the caller is not interested in errors */
    wtl_measurement_discard(&recorder->m);          /* leave no trace without a measurement */
    free(recorder);
}

/* Record the regions of this process, and of its children by fork, into its trace, unless they are
 * already recorded, by "wattle run" or for another trace. */
static void record_regions(struct wattle_recorder *r)
{
    struct wtl_run_trace *trace = &r->m.trace;
    if (trace->writer) /* else wattle_recording() returns false; the energies do not need regions */
        wtl_run_trace_spool(trace);
    const char *folder = wtl_run_trace_folder(trace);
    r->regions = folder && wtl_region_record(folder) == 0;
    if (!r->regions)
        wtl_run_trace_no_spool(trace);
}

int wattle_recorder_start(struct wattle_recorder *recorder, struct wattle_error *err)
{
    int rc = check_owner(recorder, err);
    if (rc < 0)
        return rc;
    if (recorder->start_ns)
        return wtl_fail(err, -EALREADY, "recorder: can be started only once; create another one");
    record_regions(recorder);
    recorder->cpu_start_s = wtl_usage_own_s(true);
    (void)wtl_measurement_prepare(&recorder->m); /* on a thread that is never given up */
    wtl_measurement_start(&recorder->m);
    recorder->start_ns = recorder->m.start_ns;
    wtl_measurement_begin(&recorder->m);
    wtl_run_trace_begun(&recorder->m.trace);
    return 0;
}

/* Flags, regions, footer; reports the first failure. */
static int finish_trace(struct wattle_recorder *r, struct wattle_error *err)
{
    struct wtl_result result;
    const struct wtl_measurement_used used = {
        .cpu_s = wtl_usage_own_s(true) - r->cpu_start_s, .max_rss_bytes = NAN, .exit_code = -1};
    if (r->regions)
        wtl_region_stop();
    wtl_measurement_result(&r->m, &used, &result);
    int regions = wtl_measurement_fill_trace(&r->m, &result, err);
    int rc = wtl_run_trace_finish(&r->m.trace, &result, regions < 0 ? NULL : err);
    wtl_result_fini(&result);
    return regions < 0 ? regions : rc;
}

int wattle_recorder_stop(struct wattle_recorder *recorder, struct wattle_error *err)
{
    int rc = check_owner(recorder, err);
    if (rc < 0)
        return rc;
    if (!recorder->start_ns)
        return wtl_fail(err, -EINVAL, "recorder: not started; call wattle_recorder_start() first");
    if (recorder->end_ns)
        return wtl_fail(err, -EALREADY, "recorder: already stopped; its summaries are final");
    uint64_t end_ns = wtl_world_monotonic(recorder->m.options.world);
    recorder->end_ns = end_ns;
    wtl_measurement_end(&recorder->m, end_ns);
    recorder->finished = true;
    return recorder->m.trace.writer ? finish_trace(recorder, err) : 0;
}

size_t wattle_recorder_channel_count(const struct wattle_recorder *recorder)
{
    return recorder ? recorder->m.selection->recorded_count : 0;
}

const struct wattle_channel *wattle_recorder_channel(const struct wattle_recorder *recorder,
                                                     size_t channel)
{
    return channel < wattle_recorder_channel_count(recorder)
               ? &recorder->m.selection->channels[channel]
               : NULL;
}

/* From start to stop, or to the newest sample so far; samples are taken after the stop, too. */
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
    bool finished = recorder->finished; /* read before the summary: then the summary is final,
                                         * too */
    wtl_session_summary(recorder->m.session, channel, &s);
    return wtl_public_summary(&recorder->m.selection->channels[channel], &s,
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
    size_t count = recorder->m.selection->recorded_count;
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
    const struct wtl_selection *selection = recorder->m.selection;
    struct wattle_summary total = {0};
    if (selection->total.count == 0)
        return wtl_fail(err, -ENODATA,
                        "recorder: the channels cannot be summed to a total; use them one by one");
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
