/* SPDX-License-Identifier: BSD-3-Clause */
/* Prolog and Epilog of Slurm: see slurm_hook.h. */
#define _GNU_SOURCE
#include "cli/jobs/node/slurm_hook.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "account/process_stat.h"
#include "base/fail.h"
#include "base/parse.h"
#include "cli/jobs/node/kept_end.h"
#include "cli/jobs/node/node_record.h"
#include "cli/jobs/node/slurm_job.h"
#include "cli/node/wattled_link.h"

/* WAIT_MS: of Slurm for us, from the start. The work goes on without it: on a node that is overloaded, nothing is lost. */
enum { ASK_MS = 4000, SWEEP_MS = 300, WAIT_MS = 800, WORK_S = 30 };
static const uint64_t SWEEP_NS = 600000000; /* from the start: what is left after that waits */
static const int64_t SILENT_NS = 1000000000;
static const int64_t LATE_NS = 60 * INT64_C(1000000000); /* after its epilog, others may have run */
/* So long the prolog of a job that has ended may still come: the program ends it after a minute, or half a minute after it has begun to work. */
static const int64_t PROLOG_NS = 90 * INT64_C(1000000000);

static uint64_t started_ns;
static int64_t called_ns; /* when Slurm's script called this program, CLOCK_REALTIME; 0 = unknown */

/* What the worker says goes to standard error as long as Slurm waits. */
static void relay(int from)
{
    char text[512];
    for (;;) {
        uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
        uint64_t spent_ms = (now_ns - started_ns) / 1000000;
        struct pollfd ready = {.fd = from, .events = POLLIN};
        if (spent_ms >= WAIT_MS || poll(&ready, 1, (int)(WAIT_MS - spent_ms)) <= 0)
            return;
        ssize_t got = read(from, text, sizeof text);
        if (got <= 0)
            return;                                     /* it has ended */
        (void)!write(STDERR_FILENO, text, (size_t)got); /* nobody may be there */
    }
}

/* Out of the script's session, with nothing open that Slurm waits for. */
static void detach(int said)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)setsid();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(said, STDERR_FILENO);
    (void)close(said);
    (void)alarm(WORK_S); /* a disk that hangs: nothing more can be done */
}

/* On a node that is overloaded, loading the program takes longer than the work, and so may what Slurm's script does before: it tells since
 * when it runs, in seconds since boot. */
static int64_t find_call(const struct wtl_world *world)
{
    const char *told = getenv("WATTLE_CALLED");
    const int64_t now_ns = (int64_t)world->ops->now_ns(world, CLOCK_BOOTTIME);
    char text[1024];
    struct wtl_process_stat stat;
    double since_s;
    if (wtl_process_read(world, "self", "stat", text, sizeof text) < 0 ||
        wtl_process_stat_parse(text, &stat) < 0)
        return 0;
    int64_t age_ns = now_ns - (int64_t)(stat.start_ticks * WTL_PROCESS_TICK_NS);
    if (told && wtl_parse_double(told, &since_s) == 0 && since_s >= 0 && since_s < 1e9) {
        int64_t told_ns = now_ns - (int64_t)(since_s * 1e9);
        if (told_ns > age_ns && told_ns < PROLOG_NS)
            age_ns = told_ns;
    }
    return (int64_t)world->ops->now_ns(world, CLOCK_REALTIME) - age_ns;
}

/* Do it in a process that Slurm does not wait for; return when it is done, or Slurm has waited long enough. */
static int work(void (*todo)(const char *, const char *), const char *cgroup, const char *reserved)
{
    int pipe_of[2] = {-1, -1};
    started_ns = wtl_world_monotonic(wtl_world_real());
    called_ns = find_call(wtl_world_real());
    if (pipe2(pipe_of, O_CLOEXEC) < 0)
        return 0; /* no descriptors: nothing can be done */
    pid_t worker = fork();
    if (worker == 0) {
        (void)close(pipe_of[0]);
        detach(pipe_of[1]);
        todo(cgroup, reserved);
        _exit(0);
    }
    (void)close(pipe_of[1]);
    if (worker > 0)
        relay(pipe_of[0]);
    (void)close(pipe_of[0]);
    return 0;
}

/* Slurm does not wait for what comes now. */
static void let_go(void)
{
    (void)dup2(STDIN_FILENO, STDERR_FILENO); /* /dev/null: it sees the end of what is said */
}

/*
 * A file beside the spool says since when somebody has asked wattled; who gets an answer removes it. When nobody has had one
 * for a second, wattled hangs, and Slurm does not wait for it again: the worker goes on by itself.
 */
static void name_asking(char *path, size_t size)
{
    (void)snprintf(path, size, "%s.asking", wtl_node_spool().folder);
}

static void begin_asking(void)
{
    char path[300];
    struct stat about;
    int64_t age_ns = -1;
    name_asking(path, sizeof path);
    if (lstat(path, &about) == 0)
        age_ns = (int64_t)wtl_world_real()->ops->now_ns(wtl_world_real(), CLOCK_REALTIME) -
                 ((int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec);
    if (age_ns >= SILENT_NS && age_ns < LATE_NS) {
        let_go();
        return;
    }
    if (age_ns < 0 || age_ns >= LATE_NS) { /* none, or of one that was killed */
        (void)unlink(path);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0)
            (void)close(fd);
    }
}

static void end_asking(int rc)
{
    char path[300];
    name_asking(path, sizeof path);
    if (rc != -ETIMEDOUT)
        (void)unlink(path);
}

/* Once an hour, so that a node without wattled does not fill the log. */
static void say(const struct wtl_slurm_job *job, const char *what, const char *why)
{
    if (!wtl_node_record_may_log())
        return;
    (void)fprintf(stderr, "wattle: job %s: %s: %s\n", job->id_text, what, why);
    openlog("wattle", LOG_PID, LOG_DAEMON);
    syslog(LOG_WARNING, "job %s: %s: %s", job->id_text, what, why);
    closelog();
}

/* ---- the end of a job ---- */

static int write_record(const struct wtl_slurm_job *job, const struct wtl_job_record *record)
{
    const struct wtl_job_spool spool = wtl_node_spool();
    struct wattle_error err = {""};
    bool log = false;
    int rc = wtl_job_spool_append(&spool, record, &log, &err);
    if (rc < 0 && log)
        say(job, "its record is lost", err.text);
    return rc;
}

/* The exit status is the environment's, which the prolog did not have. */
static void take_outcome(struct wtl_job_record *record, const struct wtl_job_record *now)
{
    if (now->exit_status >= 0)
        record->exit_status = now->exit_status;
    if (now->exit_signal >= 0)
        record->exit_signal = now->exit_signal;
    if (!record->account[0])
        (void)wtl_job_text_set(record->account, sizeof record->account, now->account);
}

/* After a requeue the epilog of the first time may already have the unit of the second; but one that a stop of the node has cut has had
 * no other epilog. */
static bool is_of(const struct wtl_node_job *job,
                  const struct wtl_job_record *record,
                  const struct wtl_job_record *now)
{
    return strcmp(record->unit, now->unit) == 0 || strcmp(job->state, "cut") == 0;
}

/* It ended long after its epilog, or even began after it: then it stays unknown. */
static bool is_late(const struct wtl_job_record *record, const struct wtl_job_record *epilog)
{
    return epilog->end_ns > 0 &&
           (record->end_ns - epilog->end_ns > LATE_NS || record->begin_ns > epilog->end_ns);
}

/* A reply to `end` or `job`: its record is in the spool, and wattled knows it. -ESTALE: it is of an earlier job with this ID. */
static int take_ended(const struct wtl_slurm_job *job,
                      const struct wtl_job_record *now,
                      char *lines,
                      bool must_match)
{
    char request[80], reply[WTL_WATTLED_REPLY], *rest;
    struct wtl_node_job_list list = {.count = 0};
    struct wtl_job_record record = *now;
    struct wattle_error err;
    int rc = wtl_node_job_list_parse_ended(&list, job->id_text, lines);
    bool noted = rc == 0 && wtl_node_record_take_note(&record, list.jobs->note);
    if (rc == 0 && must_match && (!noted || !is_of(list.jobs, &record, now)))
        rc = -ESTALE;
    if (rc == 0)
        rc = wtl_node_record_fill(&record, &list);
    take_outcome(&record, now);
    if (rc == 0 && !is_late(&record, now) && !(must_match && list.jobs->fetched > 0))
        rc = write_record(job, &record);
    if (noted || record.channels)
        wtl_job_record_fini(&record);
    wtl_node_job_list_fini(&list);
    if (rc < 0)
        return rc;
    (void)snprintf(request, sizeof request, "fetched %s", job->id_text);
    (void)wtl_wattled_ask_within(request, ASK_MS, reply, &rest, &err); /* else it is sent twice */
    return 0;
}

/* A job that is not open: it was cut, or ended by an epilog that was killed before it wrote its record. Or by none: false. */
static bool end_again(const struct wtl_slurm_job *job, const struct wtl_job_record *now)
{
    char request[80], reply[WTL_WATTLED_REPLY], *lines;
    const struct wtl_job_spool spool = wtl_node_spool();
    struct wattle_error err;
    int turn = wtl_job_spool_turn(&spool, WTL_NODE_TURN_MS);
    (void)snprintf(request, sizeof request, "job %s", job->id_text);
    bool done = wtl_wattled_ask_within(request, ASK_MS, reply, &lines, &err) == 0 &&
                take_ended(job, now, lines, true) == 0;
    if (turn >= 0)
        (void)close(turn);
    return done;
}

/* ended_ns: when its epilog was called, since others may have run then; 0 = now. */
static int end_job(const struct wtl_slurm_job *job,
                   const struct wtl_job_record *now,
                   int64_t ended_ns,
                   struct wattle_error *err)
{
    char request[80], reply[WTL_WATTLED_REPLY], *lines;
    size_t used = (size_t)snprintf(request, sizeof request, "end %s\n", job->id_text);
    if (ended_ns > 0)
        (void)snprintf(request + used, sizeof request - used, "ended=%.9f",
                       (double)ended_ns * 1e-9);
    int rc = wtl_wattled_ask_within(request, ASK_MS, reply, &lines, err);
    if (rc == -ENOENT)
        return end_again(job, now) ? 0 : rc;
    if (rc < 0)
        return rc;
    rc = take_ended(job, now, lines, false);
    if (rc == -EBADMSG)
        return wtl_fail(err, rc,
                        "wattled on this node has another version; install the same version of "
                        "wattle and wattled");
    return rc == -ENOMEM ? wtl_no_memory(err)
                         : 0; /* other failures were said, and wait in wattled */
}

/* After an `end` that failed: wattled did not get it, or could not write the file. */
static bool may_be_open(int rc)
{
    return rc < 0 && rc != -ENOENT && rc != -EBADMSG && rc != -EPERM;
}

/* When the prolog of a job was called, or else when the job began in wattled. */
static int64_t prolog_ns(const struct wtl_node_job *job)
{
    struct wtl_job_record record;
    wtl_job_record_init(&record);
    (void)wtl_node_record_take_note(&record, job->note);
    int64_t called = record.begin_ns;
    wtl_job_record_fini(&record);
    return called > 0 ? called : (int64_t)llround(job->begin_s * 1e9);
}

/* Does wattled have a job whose prolog was called before this epilog, or one that has ended? 1, 0, or why it does not say. */
static int has_job(const struct wtl_slurm_job *job, const struct wtl_job_record *epilog)
{
    char request[80], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    struct wattle_error err;
    (void)snprintf(request, sizeof request, "job %s", job->id_text);
    int rc = wtl_wattled_ask_within(request, SWEEP_MS, reply, &lines, &err);
    if (rc < 0)
        return rc;
    rc = wtl_node_job_list_parse_ended(&list, job->id_text, lines);
    bool later =
        rc == 0 && strcmp(list.jobs->state, "open") == 0 && prolog_ns(list.jobs) > epilog->end_ns;
    wtl_node_job_list_fini(&list);
    return rc < 0 ? rc : !later;
}

/* Its job has not begun yet, and still may. */
static bool may_begin(int rc, const struct wtl_job_record *epilog)
{
    const struct wtl_world *world = wtl_world_real();
    return rc == -ENOENT &&
           (int64_t)world->ops->now_ns(world, CLOCK_REALTIME) - epilog->end_ns < PROLOG_NS;
}

/* An epilog that wattled did not answer, or whose prolog comes after it. False: wattled still does not answer. */
static bool end_kept(unsigned slot)
{
    struct wtl_slurm_job job = {.id = 0};
    struct wtl_job_record epilog;
    struct wattle_error err;
    if (!wtl_kept_end_get(slot, &epilog))
        return true;
    (void)snprintf(job.id_text, sizeof job.id_text, "%llu", (unsigned long long)epilog.raw_job_id);
    int rc = has_job(&job, &epilog);
    if (rc > 0)
        rc = end_job(&job, &epilog, epilog.end_ns, &err);
    bool silent = may_be_open(rc);
    if (!silent && !may_begin(rc, &epilog))
        wtl_kept_end_drop(slot);
    wtl_job_record_fini(&epilog);
    return !silent;
}

/*
 * What wattled did not answer may still be open in it. wattled may just be starting again; else the next prolog or epilog goes on.
 * A job that has not begun may begin yet, on a node so overloaded that its prolog is still at work: the prolog looks for this epilog after its
 * begin, and this one for the job after it was put there, so that one of them sees the other.
 */
static void keep_trying(const struct wtl_job_record *epilog, int rc)
{
    static const unsigned pauses_s[] = {1, 3, 8};
    wtl_kept_end_put(epilog);
    bool done = !may_be_open(rc) && end_kept(wtl_kept_end_slot(epilog->raw_job_id));
    for (size_t i = 0; i < sizeof pauses_s / sizeof *pauses_s && !done; i++) {
        (void)sleep(pauses_s[i]);
        done = end_kept(wtl_kept_end_slot(epilog->raw_job_id));
    }
}

/* The epilog that is kept of a job with this ID: when it was called; 0 = none. */
static int64_t kept_end_ns(const struct wtl_slurm_job *job)
{
    struct wtl_job_record epilog;
    if (!wtl_kept_end_get(wtl_kept_end_slot(job->id), &epilog))
        return 0;
    int64_t end_ns = epilog.raw_job_id == job->id ? epilog.end_ns : 0;
    wtl_job_record_fini(&epilog);
    return end_ns;
}

/* On a node so overloaded that this prolog comes after the epilog of its job, which has said that its energy is unknown. */
static bool has_ended(const struct wtl_slurm_job *job)
{
    return called_ns > 0 && kept_end_ns(job) > called_ns;
}

/* Its own prolog has come first: what is kept is of the time before, when the job had this ID too. */
static void end_before(const struct wtl_slurm_job *job)
{
    unsigned slot = wtl_kept_end_slot(job->id);
    if (kept_end_ns(job) > 0) {
        (void)end_kept(slot);
        wtl_kept_end_drop(slot);
    }
}

/* The epilogs that are kept. */
static void end_all_kept(uint64_t until_ns)
{
    const struct wtl_world *world = wtl_world_real();
    for (unsigned slot = 0; slot < WTL_KEPT_ENDS && wtl_world_monotonic(world) < until_ns; slot++) {
        if (!end_kept(slot))
            break;
    }
}

int wtl_slurm_hook_left(uint64_t until_ns, struct wattle_error *err)
{
    end_all_kept(until_ns);
    return wtl_node_record_sweep(until_ns, err);
}

/* What others have left: those that a stop of the node has cut, and those whose epilog wattled did not answer. */
static void sweep(void)
{
    struct wattle_error err;
    (void)wtl_slurm_hook_left(started_ns + SWEEP_NS, &err); /* the next prolog or epilog tries */
}

static void do_end(const char *cgroup, const char *reserved)
{
    (void)cgroup;
    (void)reserved;
    struct wtl_slurm_job job;
    struct wtl_job_record now;
    struct wattle_error err = {""};
    wtl_job_record_init(&now);
    if (wtl_slurm_job_read(wtl_world_real(), &job, &now, &err) < 0) {
        say(&job, "not measured", err.text);
        return;
    }
    const int64_t end_ns =
        called_ns > 0 ? called_ns
                      : (int64_t)wtl_world_real()->ops->now_ns(wtl_world_real(), CLOCK_REALTIME);
    begin_asking();
    int rc = end_job(&job, &now, end_ns, &err);
    end_asking(rc);
    if (rc < 0) {
        say(&job, "its energy is unknown", err.text);
        now.state = WTL_JOB_UNKNOWN;
        now.end_ns = end_ns;
        (void)wtl_job_text_set(now.problem, sizeof now.problem, err.text);
        (void)write_record(&job, &now); /* it gives way to what wattled says later */
        let_go();
        if (may_be_open(rc) || rc == -ENOENT)
            keep_trying(&now, rc);
    } else {
        sweep();
    }
    wtl_job_record_fini(&now);
}

int wtl_slurm_hook_end(void)
{
    return work(do_end, NULL, NULL);
}

/* ---- its begin ---- */

static int ask_begin(const struct wtl_slurm_job *job,
                     const char *note,
                     const char *cgroup,
                     const char *reserved,
                     struct wattle_error *err)
{
    char message[2100], part[40], reply[WTL_WATTLED_REPLY], *lines;
    (void)snprintf(part, sizeof part, "%.9g", job->reserved);
    int n =
        snprintf(message, sizeof message, "begin %s\ncgroup=%s\nslurm=%s\nreserved=%s%s%s\nnote=%s",
                 job->id_text, cgroup ? cgroup : job->cgroup, job->id_text,
                 reserved ? reserved : part, job->gpus[0] ? "\ngpus=" : "", job->gpus, note);
    if (n < 0 || n > 2048)
        return wtl_fail(err, -EINVAL, "what is said about the job is longer than 2048 bytes");
    return wtl_wattled_ask_within(message, ASK_MS, reply, &lines, err);
}

/* Is the job that is open under this ID this one? Its prolog ran before, such as when slurmd starts again. */
static bool has_begun(const struct wtl_slurm_job *job, const char *note)
{
    char request[80], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    struct wtl_job_record open, now;
    struct wattle_error err;
    (void)snprintf(request, sizeof request, "job %s", job->id_text);
    if (wtl_wattled_ask_within(request, ASK_MS, reply, &lines, &err) < 0)
        return false;
    wtl_job_record_init(&open);
    wtl_job_record_init(&now);
    bool same = wtl_node_job_list_parse_ended(&list, job->id_text, lines) == 0 &&
                wtl_node_record_take_note(&open, list.jobs->note) &&
                wtl_node_record_take_note(&now, note) && strcmp(open.unit, now.unit) == 0;
    wtl_job_record_fini(&open);
    wtl_job_record_fini(&now);
    wtl_node_job_list_fini(&list);
    return same;
}

/* A job whose epilog never ran is still open under this ID: it ends now, with the record of its note. */
static void end_earlier(const struct wtl_slurm_job *job)
{
    struct wtl_job_record none;
    struct wattle_error err;
    wtl_job_record_init(&none);
    (void)end_job(job, &none, 0, &err);
    wtl_job_record_fini(&none);
}

static int begin_job(const struct wtl_slurm_job *job,
                     const char *note,
                     const char *cgroup,
                     const char *reserved,
                     struct wattle_error *err)
{
    if (has_ended(job))
        return 0;
    end_before(job);
    wtl_node_record_rescue(job->id_text);
    int rc = ask_begin(job, note, cgroup, reserved, err);
    if (rc == -EEXIST && has_begun(job, note))
        return 0;
    if (rc == -EEXIST) {
        end_earlier(job);
        rc = ask_begin(job, note, cgroup, reserved, err);
    }
    if (rc == 0 && has_ended(job))
        (void)end_kept(wtl_kept_end_slot(job->id));
    return rc;
}

static void do_begin(const char *cgroup, const char *reserved)
{
    struct wtl_slurm_job job;
    struct wtl_job_record record;
    struct wattle_error err = {""};
    char *note = NULL;
    wtl_job_record_init(&record);
    int rc = wtl_slurm_job_read(wtl_world_real(), &job, &record, &err);
    record.begin_ns = called_ns;
    rc = rc < 0 ? rc : wtl_node_record_note(&record, &note, &err);
    wtl_job_record_fini(&record);
    if (rc == 0) {
        begin_asking();
        end_all_kept(started_ns + SWEEP_NS); /* else they share the node with this one */
        rc = begin_job(&job, note, cgroup, reserved, &err);
        end_asking(rc);
    }
    free(note);
    if (rc < 0)
        say(&job, "its energy will be unknown", err.text);
    else
        sweep();
}

int wtl_slurm_hook_begin(const char *cgroup, const char *reserved)
{
    return work(do_begin, cgroup, reserved);
}
