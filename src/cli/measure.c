/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One measurement from end to end: see measure.h. The order matters: fork first (so that counters
 * can follow the child from its exec on), then sensors, trace, edges; nothing but the release and
 * two clock readings lies between the last edge and the start of the window.
 */
#define _GNU_SOURCE
#include "cli/measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errand.h"
#include "base/fail.h"
#include "cli/job.h"
#include "cli/outcome.h"
#include "cli/provenance.h"
#include "model/reading.h"
#include "record/energy_page.h"
#include "record/replay.h"
#include "record/session.h"
#include "report/report.h"
#include "source/registry.h"

/* Ticks of each counter to wait for before and after (docs/decisions/0003). */
enum { EDGES_BEFORE = 3, EDGES_AFTER = 3 };

/* What a process used since the last look is lost when it ends, unless its end is ours to see. */
static const uint64_t PID_ACTIVITY_NS = 100 * 1000 * 1000;

/* Everything that lives as long as one measurement. */
struct wtl_measurement {
    const struct wtl_measure_options *options;
    struct wtl_signals *signals;
    struct wtl_child *child;
    struct wtl_selection *selection;
    struct wtl_run_trace trace;
    struct wtl_energy_writer *energy; /* for programs that ask while they run; NULL = none */
    struct wtl_session *session;
    struct wtl_outcome outcome;
    struct wtl_watch watch; /* of -p */
    uint64_t start_ns, end_ns;
    uint64_t realtime_offset_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC at the start */
    double own_cpu_start_s;
    int rc; /* of the start */
};

static void warn(const struct wtl_measurement *m, const char *sentence)
{
    if (m->options->teller.warn)
        m->options->teller.warn(m->options->teller.context, sentence);
}

static double own_cpu_s(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage); /* cannot fail */
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6 +
           (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
}

static int start_child(struct wtl_measurement *m, struct wattle_error *err)
{
    if (!m->options->argv)
        return 0;
    const char *environment[7] = {NULL};
    size_t n = 0;
    char *const *more = m->options->job ? wtl_job_environment(m->options->job) : NULL;
    for (size_t i = 0; more && more[i] && n < 5; i++)
        environment[n++] = more[i];
    environment[n] = m->trace.spool;
    bool bound = m->options->job && m->options->job->key.job[0];
    return wtl_child_fork(m->child, m->options->argv, environment, m->options->stdio, bound,
                          m->signals, err);
}

static int check_cgroup(const struct wtl_measure_options *o, struct wattle_error *err)
{
    struct stat status;
    if (!o->cgroup || (stat(o->cgroup, &status) == 0 && S_ISDIR(status.st_mode)))
        return 0;
    return wtl_fail(err, -ENOENT,
                    "--cgroup %s: there is no such folder; it is a control group's own, as "
                    "/sys/fs/cgroup/NAME",
                    o->cgroup);
}

/* Is a channel of this offer in the total? */
static bool is_in_total(const struct wtl_measurement *m, const struct wtl_offer *offer)
{
    for (size_t i = 0; i < m->selection->recorded_count; i++) {
        if (m->selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL &&
            m->selection->picks[i].source == &offer->source)
            return true;
    }
    return false;
}

/* What keeps the total from being more than it is, with the remedy: sensors that do not answer; parts of a sensor in it that
 * cannot be used; where there is only an estimate, the first sensor that is merely forbidden. */
static void warn_of_sensors(struct wtl_measurement *m)
{
    bool measured = m->selection->total.quality != WATTLE_ESTIMATED;
    char sentence[sizeof m->selection->offers->why.text + 64];
    const char *silent;
    for (size_t at = 0; (silent = wtl_selection_silent(m->selection, &at));)
        warn(m, silent);
    for (size_t i = 0; i < m->selection->offer_count; i++) {
        const struct wtl_offer *offer = &m->selection->offers[i];
        bool partial = measured && offer->status == 0 && is_in_total(m, offer);
        bool forbidden = !measured && offer->status == -EACCES;
        if (!offer->why.text[0] || !(partial || forbidden))
            continue;
        if (partial)
            (void)snprintf(sentence, sizeof sentence, "%s: %s%s", offer->driver->name,
                           offer->why.text,
                           offer->source.note_count > 1 ? " (more in wattle sensors)" : "");
        else
            (void)snprintf(sentence, sizeof sentence, "only an estimate: %s", offer->why.text);
        warn(m, sentence);
        if (forbidden)
            return;
    }
}

static int open_sensors(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_measure_options *o = m->options;
    struct wtl_target target = {.cgroup = o->cgroup};
    target.pid = o->argv ? m->child->pid : o->pid;
    target.inherit = o->argv != NULL;
    struct wtl_request request = {.drivers = wtl_drivers,
                                  .which = o->sensors,
                                  .settings = o->settings,
                                  .target = &target,
                                  .activity = true};
    int rc = wtl_replay_or_select(&request, o->world, &m->selection, err);
    if (rc < 0)
        return rc;
    struct wattle_error why = {""};
    rc = wtl_selection_check(m->selection, &why);
    if (rc < 0 && (o->require_measured || o->sensors))
        return wtl_fail(err, rc, "%s", why.text);
    if (rc < 0)
        warn(m, why.text);
    else if (!o->require_measured || m->selection->total.quality != WATTLE_ESTIMATED)
        warn_of_sensors(m);
    if (o->require_measured && m->selection->total.quality == WATTLE_ESTIMATED)
        return wtl_fail(
            err, -ENODEV,
            "--require measured: no sensor of this machine can be read, there is only an "
            "estimate; \"wattle sensors\" says what each of them lacks");
    return 0;
}

static int open_session(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_measure_options *o = m->options;
    if (m->selection->recorded_count == 0)
        return 0;
    char sentence[200];
    if (wtl_session_too_fast(m->selection, o->interval_ns, sentence, sizeof sentence))
        warn(m, sentence);
    if (m->trace.fold &&
        wtl_energy_page_open_writer(wtl_run_trace_folder(&m->trace), NULL, m->selection->channels,
                                    m->selection->recorded_count, o->interval_ns, &m->energy) < 0)
        m->energy =
            NULL; /* the command's own readings are not known; the measurement does not need them */
    struct wtl_session_options options = {.world = o->world,
                                          .selection = m->selection,
                                          .writer = m->trace.writer,
                                          .fold = m->trace.fold,
                                          .energy = m->energy,
                                          .interval_ns = o->interval_ns,
                                          .activity_interval_ns = o->pid ? PID_ACTIVITY_NS : 0,
                                          .sampler_cpu = o->sampler_cpu,
                                          .edges_before = o->edges ? EDGES_BEFORE : 0,
                                          .edges_after = o->edges ? EDGES_AFTER : 0,
                                          .looks = o->edges};
    return wtl_session_create(&options, &m->session, err);
}

static int set_up(struct wtl_measurement *m, struct wattle_error *err)
{
    const struct wtl_trace_options trace = {.force = m->options->force, .sync = m->options->sync};
    int rc = wtl_run_trace_init(&m->trace, m->options->trace_path, &m->options->teller);
    if (rc < 0)
        return wtl_fail(err, rc, "not enough memory for the trace");
    if (m->options->argv || m->options->regions)
        wtl_run_trace_spool(&m->trace);
    if (m->options->pid)
        rc = wtl_watch_open(m->options->pid, &m->watch, err);
    rc = rc < 0 ? rc : check_cgroup(m->options, err);
    rc = rc < 0 ? rc : start_child(m, err);
    rc = rc < 0 ? rc : open_sensors(m, err);
    rc = rc < 0 ? rc : wtl_run_trace_create(&m->trace, &trace, m->options->trace_required, err);
    if (rc < 0)
        return rc;
    wtl_provenance_before(m->trace.writer, m->options, m->selection);
    rc = open_session(m, err);
    if (rc == 0 && m->options->job)
        wtl_job_publish(m->options->job, m->trace.writer ? m->trace.path : NULL,
                        m->trace.writer ? wtl_run_trace_folder(&m->trace) : NULL);
    return rc;
}

/* With a delay the command runs before the window opens. 0, or why it could not be executed. */
static int delay(struct wtl_measurement *m)
{
    if (m->options->delay_ns == 0)
        return 0;
    if (m->options->argv) {
        int rc = 0;
        wtl_child_release(m->child);
        if ((rc = wtl_child_confirm(m->child)) < 0)
            return rc;
    }
    uint64_t until_ns = wtl_world_monotonic(m->options->world) + m->options->delay_ns;
    (void)wtl_child_wait(m->child, m->signals, &m->watch, until_ns);
    return 0;
}

/* Release the child and begin. */
static int begin(struct wtl_measurement *m)
{
    const struct wtl_world *world = m->options->world;
    bool delayed = m->options->delay_ns > 0;
    int rc = 0;
    m->own_cpu_start_s = own_cpu_s();
    m->realtime_offset_ns = world->ops->now_ns(world, CLOCK_REALTIME) - wtl_world_monotonic(world);
    m->start_ns = wtl_world_monotonic(world);
    if (m->options->argv && !delayed)
        wtl_child_release(m->child);
    if (m->session)
        wtl_session_begin(m->session, m->start_ns);
    if (m->options->argv && !delayed)
        rc = wtl_child_confirm(m->child);
    return rc;
}

static void fill(struct wtl_measurement *m, struct wtl_result *result)
{
    result->start_monotonic_ns = m->start_ns;
    result->end_monotonic_ns = m->end_ns;
    result->start_realtime_ns = m->start_ns + m->realtime_offset_ns;
    result->wall_time_s = (double)(m->end_ns - m->start_ns) * 1e-9;
    result->own_cpu_s = own_cpu_s() - m->own_cpu_start_s;
    if (wtl_outcome_fill(&m->outcome, m->options, m->selection, m->session, m->child, result) < 0)
        warn(m, "not enough memory for the whole result: what is missing is unknown");
    wtl_run_trace_flag(&m->trace, result);
    if (m->options->job)
        wtl_job_flag(m->options->job, result);
}

void wtl_measurement_so_far(struct wtl_measurement *m, struct wtl_result *ret_result)
{
    *ret_result = wtl_result_unknown();
    m->end_ns = wtl_world_monotonic(m->options->world);
    m->outcome.going_on = true;
    fill(m, ret_result);
    m->outcome.going_on = false;
}

double wtl_measurement_idle_w(const struct wtl_measurement *m, double *ret_cpus)
{
    return wtl_outcome_idle_w(m->selection, ret_cpus);
}

const char *wtl_measurement_trace(const struct wtl_measurement *m)
{
    return m->trace.writer ? m->trace.path : NULL;
}

const char *wtl_measurement_spool(const struct wtl_measurement *m)
{
    return m->trace.writer && m->trace.spool ? strchr(m->trace.spool, '=') + 1 : NULL;
}

void wtl_measurement_advance(struct wtl_measurement *m, uint64_t time_ns)
{
    if (!m->options->world->virtual_time)
        return;
    if (m->session)
        wtl_session_advance(m->session, time_ns);
    else
        (void)m->options->world->ops->sleep_until(m->options->world, time_ns);
}

static void show_progress(struct wtl_measurement *m)
{
    struct wtl_result so_far;
    wtl_measurement_so_far(m, &so_far);
    (void)wtl_report_progress(stderr, &so_far, NULL); /* the final result is what counts */
    wtl_result_fini(&so_far);
}

/* The window lasts until the commands of all of the job on this node have ended. */
static void wait_for_others(struct wtl_measurement *m)
{
    struct wtl_job *job = m->options->job;
    if (!job || !m->child->ended)
        return;
    if (wtl_job_gather(job, m->child, m->signals))
        m->end_ns = wtl_world_monotonic(m->options->world);
    wtl_job_add_usage(job, m->child);
}

static void wait_for_end(struct wtl_measurement *m)
{
    const struct wtl_measure_options *o = m->options;
    uint64_t stop_ns = o->duration_ns ? m->start_ns + o->duration_ns : UINT64_MAX;
    uint64_t print_ns = o->print_ns ? m->start_ns + o->print_ns : UINT64_MAX;
    if (o->attendant.attend) {
        o->attendant.attend(o->attendant.context, m);
        m->end_ns = wtl_world_monotonic(o->world);
        return;
    }
    if (o->world->virtual_time) {
        if (m->session)
            wtl_session_advance(m->session, stop_ns);
        m->end_ns = wtl_world_monotonic(o->world);
        return;
    }
    for (;;) {
        uint64_t until_ns = print_ns < stop_ns ? print_ns : stop_ns;
        enum wtl_wait why = m->child->ended
                                ? WTL_WAIT_CHILD_ENDED
                                : wtl_child_wait(m->child, m->signals, &m->watch, until_ns);
        if (why != WTL_WAIT_TIME || until_ns == stop_ns)
            break;
        show_progress(m);
        print_ns += o->print_ns;
    }
    m->end_ns = m->child->ended ? m->child->end_ns : wtl_world_monotonic(o->world);
    wait_for_others(m);
    if (m->end_ns < m->start_ns)
        m->end_ns = m->start_ns; /* it ended during the delay */
}

/* From the start to the ticks behind the end. */
static void measure_window(struct wtl_measurement *m)
{
    m->rc = begin(m);
    if (m->rc < 0)
        return;
    wtl_run_trace_begun(&m->trace);
    wait_for_end(m);
    if (m->session)
        (void)wtl_session_stop(m->session, m->end_ns); /* nothing behind it: m may be gone */
}

static void measure_all(void *context)
{
    struct wtl_measurement *m = context;
    wtl_outcome_before(&m->outcome, m->options->world);
    if (!m->session || wtl_session_prepare(m->session))
        measure_window(m);
}

static void come_late(void *context)
{
    (void)context; /* long gone */
}

/* A sensor that hangs in the ticks around the window keeps the thread that reads them; this one goes on. An attendant may have
 * children that are bound to its thread, and signals of its own: it stays on this one. */
static void measure_watched(struct wtl_measurement *m)
{
    static const struct wtl_errand_work work = {measure_all, come_late};
    struct wtl_errand *errand = NULL;
    unsigned patience = WTL_PATIENCE;
    if (!m->session || m->options->attendant.attend || m->options->world->virtual_time) {
        measure_all(m);
        return;
    }
    bool done = wtl_errand_watch(&errand, &work, m, wtl_session_watch(m->session), &patience);
    wtl_errand_end(errand);
    if (done)
        return;
    wtl_session_leave(m->session);
    if (m->start_ns == 0) /* it was before the start */
        measure_window(m);
}

/* What the trace holds beside samples, as far as it is known at the end of the window. */
static void fill_trace(struct wtl_measurement *m, struct wtl_result *result)
{
    wtl_energy_page_close_writer(m->energy); /* the session has ended */
    m->energy = NULL;
    wtl_run_trace_fold(&m->trace, result);
    wtl_provenance_after(m->trace.writer, m->options, result);
    if (m->trace.writer)
        (void)wtl_trace_writer_flush(m->trace.writer); /* a failure is told by its finish */
}

static void tear_down(struct wtl_measurement *m)
{
    wtl_session_destroy(m->session);
    wtl_energy_page_close_writer(m->energy);
    wtl_selection_close(m->selection);
    wtl_watch_close(&m->watch);
}

/* Nothing has been measured. */
static void discard(struct wtl_measurement *m)
{
    tear_down(m);
    wtl_run_trace_discard(&m->trace);
    wtl_run_trace_fini(&m->trace);
}

int wtl_measure_tell_exec(const char *name, int code, struct wattle_error *err)
{
    bool is_path = strchr(name, '/') != NULL;
    struct stat status;
    bool here = stat(name, &status) == 0;
    if (code == -ENOENT && !is_path)
        return wtl_fail(err, code, "cannot run \"%s\": there is none in PATH%s%s", name,
                        here ? "; the one of this folder is ./" : "", here ? name : "");
    if (code == -ENOENT && here)
        return wtl_fail(
            err, code,
            "cannot run \"%s\": the interpreter that it names in its first line, or its "
            "loader, is not there",
            name);
    if (code == -EACCES && here && S_ISDIR(status.st_mode))
        return wtl_fail(err, code, "cannot run \"%s\": it is a folder", name);
    if (code == -EACCES && here && S_ISREG(status.st_mode) && !(status.st_mode & 0111))
        return wtl_fail(err, code,
                        "cannot run \"%s\": Permission denied; \"chmod +x\" makes a program of it",
                        name);
    return wtl_fail(err, code, "cannot run \"%s\": %s", name, wtl_strerror(code));
}

int wtl_measure(const struct wtl_measure_options *options,
                struct wtl_signals *signals,
                struct wtl_child *ret_child,
                struct wtl_result *ret_result,
                struct wtl_run_trace *ret_trace,
                struct wattle_error *err)
{
    struct wtl_measurement m = {
        .options = options, .signals = signals, .child = ret_child, .watch = wtl_watch_none()};
    *ret_child = wtl_child_none();
    int rc = set_up(&m, err);
    if (rc < 0) {
        wtl_child_cancel(ret_child);
        discard(&m);
        return rc;
    }
    m.rc = delay(&m);
    if (m.rc == 0)
        measure_watched(&m);
    if (m.rc < 0) {
        discard(&m);
        return wtl_measure_tell_exec(options->argv[0], m.rc, err);
    }
    if (m.session)
        wtl_session_end(m.session, m.end_ns);
    struct wtl_result result = wtl_result_unknown();
    fill(&m, &result);
    fill_trace(&m, &result);
    tear_down(&m);
    *ret_result = result;
    *ret_trace = m.trace;
    return 0;
}
