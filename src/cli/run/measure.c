/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One measurement with its command: see measure.h. The order matters: fork first (so that counters follow the
 * child from its exec on), then sensors, trace, edges; only the release and two clock readings happen between
 * the last edge and the start of the window.
 */
#define _GNU_SOURCE
#include "cli/run/measure.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/errand.h"
#include "base/fail.h"
#include "base/usage.h"
#include "cli/inputs.h"
#include "cli/run/job.h"
#include "counters/columns/counters.h"
#include "measure/counted.h"
#include "model/reading.h"

/* The usage of a process since the last reading is lost when it ends, unless we can wait for its end. */
static const uint64_t PID_ACTIVITY_NS = 100 * 1000 * 1000;

/* State of one measurement. */
struct measure {
    const struct wtl_measure_options *options;
    const struct wtl_world *world;
    struct wtl_signals *signals;
    struct wtl_child *child;
    struct wtl_measurement m;
    struct wtl_watch watch; /* of -p */
    uint64_t end_ns;
    double corrected_j; /* of which lines have told; see wtl_result_flag_corrected() */
    int rc;             /* of the start */
};

static int start_child(struct measure *run, struct wattle_error *err)
{
    const struct wtl_measure_options *o = run->options;
    if (!o->argv)
        return 0;
    const char *environment[WTL_JOB_ENVIRONMENT + 2] = {NULL}; /* the spool and the end, too */
    size_t n = 0;
    char *const *more = o->job ? wtl_job_environment(o->job) : NULL;
    for (size_t i = 0; more && more[i]; i++)
        environment[n++] = more[i];
    environment[n] = run->m.trace.spool;
    bool bound = o->job && o->job->key.job[0];
    int rc = wtl_child_fork(run->child, o->argv, environment, o->stdio, bound, run->signals, err);
    run->m.options.target.pid = run->child->pid;
    run->m.options.target.inherit = true;
    run->m.options.more_commands = bound && o->job->launcher.ranks_here != 1;
    return rc;
}

static int check_cgroup(const char *cgroup, struct wattle_error *err)
{
    char procs[PATH_MAX];
    if (!cgroup)
        return 0;
    /* Every control group of version 1 and 2 has this file, in a file system of its own. */
    struct statfs about;
    int length = snprintf(procs, sizeof procs, "%s/cgroup.procs", cgroup);
    if (length < (int)sizeof procs && statfs(procs, &about) == 0 &&
        (about.f_type == CGROUP2_SUPER_MAGIC || about.f_type == CGROUP_SUPER_MAGIC))
        return 0;
    return wtl_fail(err, -ENOENT,
                    "--cgroup %s: not a control group (no file cgroup.procs of the kernel); use a "
                    "folder such as "
                    "/sys/fs/cgroup/NAME",
                    cgroup);
}

static int init(struct measure *run, struct wattle_error *err)
{
    const struct wtl_measurement_options *what = &run->options->what;
    int rc = wtl_measurement_init(&run->m, what, err);
    if (rc == 0 && what->trace_path && what->trace.force)
        rc = wtl_input_spare(what->trace_path, err);
    if (what->target.pid)
        run->m.options.activity_interval_ns = PID_ACTIVITY_NS;
    return rc;
}

/* The command has ended, and /proc still shows what it has read and written. */
static void note_ending(void *context)
{
    const struct measure *run = context;
    wtl_counters_ending(wtl_measurement_counters(&run->m));
}

static int set_up(struct measure *run, struct wattle_error *err)
{
    const struct wtl_measure_options *o = run->options;
    struct wtl_run_trace *trace = &run->m.trace;
    int rc = init(run, err);
    if (rc < 0)
        return rc;
    if (o->argv || o->regions)
        wtl_run_trace_spool(trace);
    if (o->what.target.pid)
        rc = wtl_watch_open(o->what.target.pid, &run->watch, err);
    rc = rc < 0 ? rc : check_cgroup(o->what.target.cgroup, err);
    rc = rc < 0 ? rc : start_child(run, err);
    rc = rc < 0 ? rc : wtl_measurement_open(&run->m, err);
    if (rc == 0 && o->argv && wtl_measurement_counters(&run->m)) {
        run->child->ending = note_ending;
        run->child->ending_context = run;
    }
    if (rc == 0 && o->job)
        wtl_job_await(o->job);
    return rc == 0 && o->ready ? o->ready(o->ready_context, err) : rc;
}

/* The commands of the others start, too. */
static void release_others(const struct measure *run)
{
    const struct wtl_run_trace *trace = &run->m.trace;
    if (run->options->job)
        wtl_job_publish(run->options->job, wtl_run_trace_path(trace), wtl_run_trace_folder(trace));
}

/* With a delay the command runs before the window starts. Returns 0, or why it could not be executed. */
static int delay(struct measure *run)
{
    const struct wtl_measure_options *o = run->options;
    if (o->delay_ns == 0)
        return 0;
    if (o->argv) {
        int rc = 0;
        wtl_child_release(run->child);
        if ((rc = wtl_child_confirm(run->child)) < 0)
            return rc;
    }
    release_others(run);
    uint64_t until_ns = wtl_world_monotonic(run->world) + o->delay_ns;
    (void)wtl_child_wait(run->child, run->signals, &run->watch, until_ns);
    return 0;
}

/* Release the child and start. */
static int begin(struct measure *run)
{
    bool held = run->options->argv && run->options->delay_ns == 0;
    wtl_measurement_start(&run->m);
    if (held)
        wtl_child_release(run->child);
    if (run->options->delay_ns == 0)
        release_others(run);
    wtl_measurement_begin(&run->m);
    return held ? wtl_child_confirm(run->child) : 0;
}

void wtl_measure_advance(struct wtl_measurement *m, uint64_t time_ns)
{
    const struct wtl_world *world = m->options.world;
    if (!world->virtual_time)
        return;
    if (m->session)
        wtl_session_advance(m->session, time_ns);
    else
        (void)world->ops->sleep_until(world, time_ns);
}

static void show_progress(struct measure *run)
{
    struct wtl_result so_far;
    wtl_measurement_so_far(&run->m, &so_far);
    (void)wtl_result_flag_corrected(&so_far, &run->corrected_j); /* else the line lacks the word */
    run->options->progress(&so_far);
    wtl_result_fini(&so_far);
}

/* The window ends when the commands of all processes of the job on this node have ended. */
static void wait_for_others(struct measure *run)
{
    struct wtl_job *job = run->options->job;
    if (!job || !run->child->ended)
        return;
    if (wtl_job_gather(job, run->child, run->signals))
        run->end_ns = wtl_world_monotonic(run->world);
    wtl_job_add_usage(job, run->child);
}

static void wait_for_command(struct measure *run, uint64_t stop_ns)
{
    const struct wtl_measure_options *o = run->options;
    uint64_t print_ns = o->print_ns ? run->m.start_ns + o->print_ns : UINT64_MAX;
    for (;;) {
        uint64_t until_ns = print_ns < stop_ns ? print_ns : stop_ns;
        enum wtl_wait why = run->child->ended
                                ? WTL_WAIT_CHILD_ENDED
                                : wtl_child_wait(run->child, run->signals, &run->watch, until_ns);
        if (why != WTL_WAIT_TIME || until_ns == stop_ns)
            break;
        show_progress(run);
        print_ns += o->print_ns;
    }
    run->end_ns = run->child->ended ? run->child->end_ns : wtl_world_monotonic(run->world);
    wait_for_others(run);
    if (run->end_ns < run->m.start_ns)
        run->end_ns = run->m.start_ns; /* it ended during the delay */
}

/* In virtual time; wtl_measure_options.print_ns as above. */
static void advance_to_end(struct measure *run, uint64_t stop_ns)
{
    const struct wtl_measure_options *o = run->options;
    uint64_t print_ns = o->print_ns ? run->m.start_ns + o->print_ns : UINT64_MAX;
    for (; print_ns < stop_ns; print_ns += o->print_ns) {
        wtl_session_advance(run->m.session, print_ns);
        show_progress(run);
    }
    wtl_session_advance(run->m.session, stop_ns);
}

static void wait_for_end(struct measure *run)
{
    const struct wtl_measure_options *o = run->options;
    uint64_t stop_ns = o->duration_ns ? run->m.start_ns + o->duration_ns : UINT64_MAX;
    if (!o->attendant.attend && !run->world->virtual_time) {
        wait_for_command(run, stop_ns);
        return;
    }
    if (o->attendant.attend)
        o->attendant.attend(o->attendant.context, &run->m);
    else if (run->m.session)
        advance_to_end(run, stop_ns);
    run->end_ns = wtl_world_monotonic(run->world);
}

/* From the start to the ticks after the end. */
static void measure_window(struct measure *run)
{
    run->rc = begin(run);
    if (run->rc < 0)
        return;
    wtl_run_trace_begun(&run->m.trace);
    wait_for_end(run);
    if (run->m.session)
        (void)wtl_session_stop(run->m.session,
                               run->end_ns); /* nothing after it: run may be freed */
}

static void measure_all(void *context)
{
    struct measure *run = context;
    if (wtl_measurement_prepare(&run->m))
        measure_window(run);
}

static void come_late(void *context)
{
    (void)context; /* long gone */
}

/* A sensor that hangs while ticks are read blocks that thread, not this one. An attendant may have children
 * bound to its thread, and its own signals, so it stays on this thread. */
static void measure_watched(struct measure *run)
{
    static const struct wtl_errand_work work = {measure_all, come_late};
    struct wtl_session *session = run->m.session;
    struct wtl_errand *errand = NULL;
    unsigned patience = WTL_PATIENCE;
    if (!session || run->options->attendant.attend || run->world->virtual_time) {
        measure_all(run);
        return;
    }
    bool done = wtl_errand_watch(&errand, &work, run, wtl_session_watch(session), &patience);
    wtl_errand_end(errand);
    if (done)
        return;
    wtl_session_leave(session);
    if (run->m.start_ns == 0) /* it was before the start */
        measure_window(run);
}

/* Record how the command ended. */
static struct wtl_measurement_used used_by(const struct measure *run)
{
    const struct wtl_child *child = run->child;
    struct wtl_measurement_used used = {.cpu_s = NAN, .max_rss_bytes = NAN, .exit_code = -1};
    if (!child->ended)
        return used;
    if (run->options->delay_ns == 0)
        used.cpu_s = wtl_usage_s(&child->usage);
    used.max_rss_bytes = (double)child->usage.ru_maxrss * 1024;
    used.exit_code = wtl_child_exit_code(child);
    return used;
}

static void fill(struct measure *run, struct wtl_result *ret_result)
{
    struct wtl_measurement_used used = used_by(run);
    wtl_measurement_end(&run->m, run->end_ns);
    wtl_measurement_result(&run->m, &used, ret_result);
    if (run->options->job)
        wtl_job_flag(run->options->job, ret_result);
    (void)wtl_measurement_fill_trace(&run->m, ret_result, NULL); /* what fails is a flag */
}

int wtl_measure(const struct wtl_measure_options *options,
                struct wtl_signals *signals,
                struct wtl_child *ret_child,
                struct wtl_result *ret_result,
                struct wtl_run_trace *ret_trace,
                struct wattle_error *err)
{
    struct measure run = {.options = options,
                          .world = options->what.world,
                          .signals = signals,
                          .child = ret_child,
                          .watch = wtl_watch_none()};
    *ret_child = wtl_child_none();
    int rc = set_up(&run, err);
    if (rc < 0) {
        wtl_child_cancel(ret_child);
    } else {
        run.rc = delay(&run);
        if (run.rc == 0)
            measure_watched(&run);
        if (run.rc < 0)
            rc = wtl_child_tell_exec(options->argv[0], run.rc, err);
    }
    if (rc == 0) {
        fill(&run, ret_result);
        *ret_trace = run.m.trace;
        run.m.trace = (struct wtl_run_trace){0};
    }
    wtl_measurement_discard(&run.m); /* what is still owned */
    wtl_watch_close(&run.watch);
    return rc;
}
