/* SPDX-License-Identifier: BSD-3-Clause */
/* One "wattle run" among many: see job.h. */
#define _GNU_SOURCE
#include "cli/run/job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/usage.h"
#include "base/whole.h"
#include "measure/takeover.h"
#include "model/flag.h"
#include "model/meta_key.h"

static const uint64_t NOTE_NS = 60000000000;    /* for the measuring process to open its sensors */
static const uint64_t ARRIVE_NS = 3000000000;   /* for the launcher to start another one ... */
static const uint64_t ARRIVED_NS = 20000000000; /* ... and all of them */
static const uint64_t FAILED_NS = 500000000;    /* for the others if the command has failed */
static const uint64_t SIGNAL_NS = 100000000;    /* after a signal: SIGKILL may follow */
static const uint64_t LOOK_NS = 10000000;       /* between checks of them */
static const uint64_t TAKE_OVER_NS = 300000000; /* between checks of the measuring process */
static const uint64_t CLOSE_NS = 1000000000;    /* for the trace of a dead process to be closed */

/* ---- environment ---- */

static int add_variable(struct wtl_job *job,
                        const char *name,
                        const char *first,
                        const char *second)
{
    size_t n = 0;
    while (job->environment[n])
        n++;
    if (asprintf(&job->environment[n], "%s=%s%s%s", name, first, second ? ":" : "",
                 second ? second : "") < 0) {
        job->environment[n] = NULL;
        return -ENOMEM;
    }
    return 0;
}

int wtl_job_init(struct wtl_job *job,
                 const struct wtl_world *world,
                 const struct wtl_tools *tools,
                 struct wattle_error *err)
{
    *job = (struct wtl_job){.world = world};
    int rc = wtl_seat_key_of(world, &job->key);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot get the name of this node: %s", wtl_strerror(rc));
    wtl_launcher_of(world, &job->launcher);
    rc = add_variable(job, "WATTLE_SPOOL_NODE", job->key.node, NULL);
    if (rc == 0) /* after the node */
        rc = wtl_tools_environment(tools, world, job->launcher.job[0] != '\0', job->environment + 1,
                                   err);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}

void wtl_job_fini(struct wtl_job *job)
{
    wtl_seat_close(job->seat);
    wtl_energy_link_close(&job->page);
    for (size_t i = 0; job->environment[i]; i++)
        free(job->environment[i]);
    *job = (struct wtl_job){0};
}

char *const *wtl_job_environment(const struct wtl_job *job)
{
    return job->environment;
}

/* ---- which process measures ---- */

int wtl_job_join(struct wtl_job *job, enum wtl_job_role *ret_role, struct wattle_error *err)
{
    uint64_t start = wtl_world_monotonic(job->world);
    *ret_role = WTL_JOB_MEASURE;
    if (!job->key.job[0])
        return 0;
    int rc = wtl_seat_open(job->world, &job->key, &job->seat, err);
    while (rc == 0) {
        int mine = wtl_seat_try(job->seat);
        bool said = wtl_seat_look(job->seat, mine == 1 ? 0 : LOOK_NS, &job->note) == 0;
        if (mine < 0)
            rc = wtl_fail(err, mine, "cannot acquire the lock of the job on this node: %s",
                          wtl_strerror(mine));
        if (mine == 1 && !said)
            return 0;
        if (said || wtl_world_monotonic(job->world) - start > NOTE_NS) {
            job->followed = said;
            *ret_role = WTL_JOB_FOLLOW;
            return 0;
        }
    }
    wtl_seat_close(job->seat);
    job->seat = NULL;
    return rc;
}

int wtl_job_without_trace(struct wtl_job *job, struct wattle_error *err)
{
    int rc = add_variable(job, "WATTLE_MEASURED", job->key.node, NULL);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

/* ---- the measuring process ---- */

void wtl_job_await(struct wtl_job *job)
{
    uint64_t start = wtl_world_monotonic(job->world), came = start, now = start;
    struct wtl_seat_usage usage = {.members = 0};
    uint32_t members = 0;
    while (job->seat && wtl_seat_usage(job->seat, &usage) == 0 &&
           (int)usage.members < job->launcher.ranks_here && now - came < ARRIVE_NS &&
           now - start < ARRIVED_NS) {
        (void)usleep(1000);
        now = wtl_world_monotonic(job->world);
        came = usage.members > members ? now : came; /* on a busy machine, one after the other */
        members = usage.members;
    }
}

void wtl_job_publish(struct wtl_job *job, const char *trace, const char *spool)
{
    struct wtl_seat_note note = {.trace = ""};
    if (!job->seat)
        return;
    char *absolute = trace ? realpath(trace, NULL) : NULL;
    if (absolute && strlen(absolute) < sizeof note.trace)
        memcpy(note.trace, absolute, strlen(absolute) + 1);
    if (spool && strlen(spool) < sizeof note.spool)
        memcpy(note.spool, spool, strlen(spool) + 1);
    free(absolute);
    wtl_seat_run_id(job->world, note.run_id);
    /* Without the note they time out and run without regions. */
    (void)wtl_seat_publish(job->seat, &note);
}

bool wtl_job_gather(struct wtl_job *job, const struct wtl_child *child, struct wtl_signals *signals)
{
    struct wtl_child none = wtl_child_none();
    uint64_t start = wtl_world_monotonic(job->world);
    bool waited = false, failed = wtl_child_exit_code(child) != 0;
    if (!job->seat)
        return false;
    while (wtl_seat_wait_members(job->seat, 0) == -ETIMEDOUT) {
        uint64_t now = wtl_world_monotonic(job->world);
        waited = true;
        job->others_went_on =
            (failed || signals->came) && now - start >= (signals->came ? SIGNAL_NS : FAILED_NS);
        if (job->others_went_on)
            break;
        (void)wtl_child_wait(&none, signals, NULL, now + LOOK_NS);
    }
    job->has_usage = wtl_seat_usage(job->seat, &job->usage) == 0;
    return waited;
}

void wtl_job_add_usage(const struct wtl_job *job, struct wtl_child *child)
{
    if (!job->has_usage || job->usage.told == 0)
        return;
    uint64_t us = wtl_whole_u64(job->usage.cpu_s * 1e6);
    child->usage.ru_utime.tv_sec += (time_t)(us / 1000000);
    child->usage.ru_utime.tv_usec += (suseconds_t)(us % 1000000);
    long kib = (long)(job->usage.max_rss_bytes / 1024);
    if (kib > child->usage.ru_maxrss)
        child->usage.ru_maxrss = kib;
}

void wtl_job_flag(const struct wtl_job *job, struct wtl_result *result)
{
    uint32_t others = job->usage.members ? job->usage.members - 1 : 0;
    char missing[160];
    if (!job->seat)
        return;
    if (job->has_usage &&
        wtl_launcher_missing(&job->launcher, job->usage.members, missing, sizeof missing))
        (void)wtl_result_flag(result, WTL_FLAG_RANKS_MISSING, "%s", missing);
    if (job->others_went_on)
        (void)wtl_result_flag(result, WTL_FLAG_RANKS_WENT_ON,
                              "the command of the measuring process failed while others of the job "
                              "on this node were still running: the measurement ends there");
    if (job->has_usage && job->usage.told < others)
        (void)wtl_result_flag(result, WTL_FLAG_RANKS_WITHOUT_WORD,
                              "%" PRIu32 " of %" PRIu32
                              " other processes of the job on this node did not report their CPU "
                              "time: the time shown is a lower bound",
                              others - job->usage.told, others);
}

/* ---- the others ---- */

/* Start the command with the spool of the measuring process. */
static int start_command(struct wtl_job *job,
                         char *const argv[],
                         const struct wtl_signals *signals,
                         struct wtl_child *child,
                         struct wattle_error *err)
{
    int rc = 0;
    if (job->followed && job->note.spool[0])
        rc = add_variable(job, "WATTLE_SPOOL", job->note.spool, NULL);
    else if (job->followed)
        rc = wtl_job_without_trace(job, err);
    if (rc < 0)
        return wtl_no_memory(err);
    rc = wtl_child_fork(child, argv, (const char *const *)job->environment, WTL_STDIO_PASS, true,
                        signals, err);
    if (rc < 0)
        return rc;
    wtl_child_release(child);
    rc = wtl_child_confirm(child);
    return rc < 0 ? wtl_child_tell_exec(argv[0], rc, err) : 0;
}

/* The measuring process has died: do we own its seat now? Not if it ended regularly. */
static bool inherit(struct wtl_job *job)
{
    if (job->note.spool[0])
        wtl_energy_link_hold(job->note.spool, &job->page);
    if (wtl_seat_try(job->seat) != 1)
        return false;
    if (wtl_seat_look(job->seat, 0, &job->note) == 0)
        return true;
    (void)wtl_seat_leave(job->seat);
    job->followed = false; /* no process left to follow */
    return false;
}

static void warn(const struct wtl_measurement_options *measure, const char *sentence)
{
    if (measure->teller.warn)
        measure->teller.warn(measure->teller.context, sentence);
}

/* NULL: it failed, or is to be retried if the job is still followed. */
static struct wtl_takeover *take_over(struct wtl_job *job,
                                      const struct wtl_measurement_options *measure,
                                      const struct wtl_child *child)
{
    struct wtl_takeover *takeover = NULL;
    struct wattle_error why = {""};
    char sentence[sizeof why.text + 128];
    struct wtl_takeover_options options = {.world = measure->world,
                                           .settings = measure->settings,
                                           .sensors = measure->sensors,
                                           .trace = job->note.trace,
                                           .spool = job->note.spool,
                                           .interval_ns = measure->interval_ns,
                                           .sampler_cpu = measure->sampler_cpu,
                                           .command = child->ended ? 0 : child->pid,
                                           .died = job->note.pid,
                                           .page = &job->page};
    job->followed = false;
    if (!job->note.trace[0]) {
        (void)wtl_seat_leave(job->seat);
        return NULL; /* nothing to continue: the measurement was lost with its process */
    }
    int rc = wtl_takeover_begin(&options, &takeover, &why);
    if (rc == -EBUSY) {
        job->followed = true; /* the file of the dead process is still being closed */
        return NULL;
    }
    if (rc < 0) {
        (void)wtl_seat_leave(job->seat); /* another process may succeed */
        (void)snprintf(sentence, sizeof sentence,
                       "the measuring process was killed and this one cannot take over: %s",
                       why.text);
        warn(measure, sentence);
        return NULL;
    }
    (void)wtl_seat_publish(job->seat,
                           &job->note); /* otherwise no process could take over from us */
    return takeover;
}

/* Wait for the other commands, then finish the trace. */
static const char *finish(struct wtl_job *job,
                          const struct wtl_measurement_options *measure,
                          struct wtl_takeover *takeover,
                          struct wtl_child *child,
                          struct wtl_signals *signals)
{
    struct wattle_error why = {""};
    struct wtl_trace_writer *writer = wtl_takeover_writer(takeover);
    uint64_t end_ns = child->end_ns;
    if (wtl_job_gather(job, child, signals))
        end_ns = wtl_world_monotonic(job->world);
    (void)wtl_trace_writer_meta(writer, WTL_META_RUN_TARGET,
                                "command"); /* sticky: reported at the end */
    if (wtl_takeover_end(takeover, end_ns, &why) < 0)
        warn(measure, why.text);
    return job->note.trace;
}

static void tell_usage(struct wtl_job *job, const struct rusage *usage)
{
    double cpu_s = wtl_usage_s(usage);
    double max_rss_bytes = (double)usage->ru_maxrss * 1024;
    const char *spool = job->world->ops->getenv(job->world, "WATTLE_SPOOL");
    /* Nested in a command of the job, whose usage includes its children. */
    if (spool && spool[0] && strcmp(spool, job->note.spool) == 0)
        cpu_s = max_rss_bytes = 0;
    /* Usage that cannot be sent counts as not reported. */
    (void)wtl_seat_tell_usage(job->seat, cpu_s, max_rss_bytes);
}

/* The command has ended, and this process leaves the others. When it is the last one, and the one that measured has died or handed
 * over since the last look, there is a trace to be finished; else NULL. */
static struct wtl_takeover *part(struct wtl_job *job,
                                 const struct wtl_measurement_options *measure,
                                 const struct wtl_child *child)
{
    struct wtl_takeover *takeover = NULL;
    uint64_t end_ns = wtl_world_monotonic(job->world) + CLOSE_NS;
    if (wtl_seat_part(job->seat, wtl_seat_linger_ns(job->world), &job->note) != 1) {
        job->seat = NULL;
        return NULL;
    }
    do {
        takeover = take_over(job, measure, child);
    } while (job->followed && wtl_world_monotonic(job->world) < end_ns && usleep(10000) == 0);
    return takeover;
}

int wtl_job_follow(struct wtl_job *job,
                   char *const *argv,
                   const struct wtl_measurement_options *measure,
                   struct wtl_signals *signals,
                   struct wtl_child *ret_child,
                   const char **ret_trace,
                   struct wattle_error *err)
{
    struct wtl_takeover *takeover = NULL;
    *ret_trace = NULL;
    if (!job->followed)
        warn(measure, "the measuring process of the job has not begun for a minute; this command "
                      "runs without it, and its regions are lost");
    int rc = start_command(job, argv, signals, ret_child, err);
    if (rc < 0)
        return rc;
    while (!ret_child->ended) {
        if (job->followed && inherit(job))
            takeover = take_over(job, measure, ret_child);
        uint64_t until = wtl_world_monotonic(job->world) + TAKE_OVER_NS;
        (void)wtl_child_wait(ret_child, signals, NULL, job->followed ? until : UINT64_MAX);
    }
    tell_usage(job, &ret_child->usage);
    if (!takeover)
        takeover = part(job, measure, ret_child);
    if (takeover)
        *ret_trace = finish(job, measure, takeover, ret_child, signals);
    return 0;
}
