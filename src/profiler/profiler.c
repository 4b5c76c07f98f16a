/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiler's calls: see <wattle/profiler.h>. The state of the process is global, since two
 * lines in a program have no other place to keep it. Everything except wattle_measuring() runs
 * under one lock.
 */
#define _GNU_SOURCE
#include <wattle/profiler.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <wattle/region.h>
#include <wattle/trace.h>

#include "base/environment.h"
#include "base/fail.h"
#include "base/usage.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "measure/measurement.h"
#include "measure/takeover.h"
#include "measure/trace_name.h"
#include "model/flag.h"
#include "model/gap.h"
#include "profiler/profiler_last.h"
#include "profiler/profiler_node.h"
#include "profiler/profiler_settings.h"
#include "profiler/profiler_standby.h"
#include "record/energy_page.h"
#include "record/launcher.h"
#include "record/regions/region_open.h"
#include "record/regions/region_place.h"
#include "record/seat.h"
#include "record/session.h"

/* How long a process waits for the measuring process to say where its trace is, and how long that
 * one waits at the end for the others. */
static const uint64_t JOIN_WAIT_NS = 5000000000, MEMBERS_WAIT_NS = 1000000000;
static const uint64_t DEAD_WAIT_NS = 1000000000; /* wait for a dead process's trace to be closed */
enum { FORK_WAIT_MS = 100 };                     /* wait of a fork for another thread's call */

enum state {
    STATE_NEW,
    STATE_DISABLED,
    STATE_JOINED,    /* another process measures this node */
    STATE_MEASURING, /* this process measures */
    STATE_FORKED,    /* the parent takes part, or did when it forked */
    STATE_ENDED
};

/* What a child of fork leaves alone, kept here so that leak checkers find it. */
struct of_parent {
    const struct wtl_measurement *node;
    const struct wtl_takeover *takeover;
    const struct wtl_profiler_standby *standby;
};

static struct {
    pthread_mutex_t lock;
    struct of_parent of_parent;
    enum state state;
    atomic_int measuring;
    bool hooked;   /* exit is hooked */
    pid_t process; /* owner of this state; 0 = forks are not hooked yet */
    bool named;    /* we set WATTLE_SPOOL, and regions go there */
    struct wtl_profiler_settings settings;
    struct wtl_measurement *node;  /* NULL = another process measures */
    struct wtl_takeover *takeover; /* takeover from a process that died; else NULL */
    struct wtl_seat_note note;     /* note of what was taken over */
    struct wtl_seat_key key;
    struct wtl_seat *seat;       /* NULL = not part of a job, or a child of fork */
    struct wtl_energy_link page; /* page of the measuring process, to continue in */
    double cpu_start_s;          /* CPU time of this process when it joined */
    struct wtl_profiler_standby *standby;
    char run_id[64];
} profiler = {.lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP};

/* The result when this thread, in a fork, requested the lock. */
static __thread int fork_rc __attribute__((tls_model("initial-exec")));

/* A message to a closed pipe, or a file at its size limit, must not raise a signal. */
static void write_unsignalled(const char *line, size_t size)
{
    static const int raised[] = {SIGPIPE, SIGXFSZ};
    const struct timespec at_once = {0};
    sigset_t mask, old, before;
    sigemptyset(&mask);
    (void)sigpending(&before);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        if (sigismember(&before, raised[i]) == 0)
            sigaddset(&mask,
                      raised[i]); /* those already pending belong to the program, and are blocked */
    }
    (void)pthread_sigmask(SIG_BLOCK, &mask, &old);
    if (write(STDERR_FILENO, line, size) < 0) /* no way to report that */
        (void)sigtimedwait(&mask, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The only place in the library that prints: the program has no other way to learn what was
 * measured and where it is. One write, so that lines of many processes do not mix. */
static void print_sentence(const char *sentence)
{
    char line[PATH_MAX + 600];
    if (snprintf(line, sizeof line, "wattle: %s\n", sentence) < 0)
        return;
    wtl_utf8_clean(line); /* the environment can set names of files and nodes */
    write_unsignalled(line, strlen(line));
}

static void warn(void *context, const char *sentence)
{
    (void)context;
    print_sentence(sentence);
}

/* If it stayed open in the child of fork, the trace would stay locked when the parent is killed,
 * and no process could continue it. Caller must hold the lock: what is being freed must not be
 * accessed. */
static void let_trace_go(void)
{
    if (profiler.node)
        wtl_run_trace_forget(&profiler.node->trace);
    wtl_takeover_forget(profiler.takeover);
}

/* Without the lock, which another call holds: the state may be inconsistent. */
static void abandon(void)
{
    profiler.settings = (struct wtl_profiler_settings){0};
    profiler.page = (struct wtl_energy_link){.fd = -1};
    if (profiler.state == STATE_NEW)
        profiler.state = STATE_FORKED;
}

/* Only the forking thread survives in the child. It records its regions as a process of its own,
 * into the same folder; the measurement stays with the parent, with its threads and locks, and so
 * does the seat. whole: it has the lock. */
static void live_as_child(bool whole)
{
    static const pthread_mutex_t fresh = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    profiler.lock = fresh;
    if (whole) {
        let_trace_go();
        wtl_seat_forget(profiler.seat);
        wtl_energy_link_close(&profiler.page);
    } else {
        abandon();
    }
    profiler.seat = NULL;
    /* not freed: their locks may be held */
    profiler.of_parent = (struct of_parent){profiler.node, profiler.takeover, profiler.standby};
    profiler.node = NULL;
    profiler.takeover = NULL;
    profiler.standby = NULL;
    profiler.measuring = 0;
    profiler.process = getpid();
    if (profiler.state == STATE_MEASURING || profiler.state == STATE_JOINED)
        profiler.state = STATE_FORKED;
}

/* _Fork() and bare clone() run no hooks: the child detects it here. */
static void notice_fork(void)
{
    if (profiler.process && profiler.process != getpid())
        live_as_child(pthread_mutex_trylock(&profiler.lock) == 0);
}

/* The forking thread may hold the lock. */
static void fork_child(void)
{
    live_as_child(fork_rc == 0);
    fork_rc = 0;
}

/* A call of another thread may be waiting for a hanging sensor; a call of this thread, whose
 * handler forks, continues only after it. */
static void fork_prepare(void)
{
    const struct timespec past = {0}, pause = {.tv_nsec = 1000000};
    int rc = ETIMEDOUT, cancel;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    for (int i = 0; rc == ETIMEDOUT && i < FORK_WAIT_MS; i++) {
        rc = pthread_mutex_timedlock(&profiler.lock, &past);
        if (rc == ETIMEDOUT)
            (void)nanosleep(&pause, NULL);
    }
    (void)pthread_setcancelstate(cancel, NULL);
    fork_rc = rc;
}

static void fork_parent(void)
{
    if (fork_rc == 0)
        (void)pthread_mutex_unlock(&profiler.lock);
    fork_rc = 0;
}

/* When the library is loaded: a fork concurrent with the first call must not copy the lock held. */
static __attribute__((constructor)) void watch_forks(void)
{
    if (profiler.process)
        return;
    profiler.process = getpid();
    wtl_region_hook_fork();
    (void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static void finish_at_exit(void);

static void hook(void)
{
    if (profiler.hooked)
        return;
    profiler.hooked = true;
    watch_forks();                       /* another constructor may have made a call before ours */
    (void)atexit(finish_at_exit);        /* out of memory: as after _exit */
    (void)at_quick_exit(finish_at_exit); /* the same */
    wtl_profiler_last_watch(finish_at_exit);
}

/* Record the regions of this process and its children next to the trace. */
static void record_regions(const char *spool)
{
    if (!spool || !spool[0] || wtl_region_record(spool) < 0)
        return; /* already recorded elsewhere: for a recorder in the program itself */
    profiler.named = true;
    (void)setenv("WATTLE_SPOOL", spool, 1); /* out of memory: children are not recorded */
    (void)setenv("WATTLE_SPOOL_NODE", profiler.key.node, 1);
}

static void stop_regions(void)
{
    if (!profiler.named)
        return;
    profiler.named = false;
    (void)unsetenv("WATTLE_SPOOL");
    (void)unsetenv("WATTLE_SPOOL_NODE");
    wtl_region_stop();
}

/* Publish what the other processes on this node need. */
static void publish(void)
{
    struct wtl_seat_note note = {.pid = 0};
    const char *trace = wtl_run_trace_path(&profiler.node->trace);
    const char *spool = wtl_run_trace_folder(&profiler.node->trace);
    if (!profiler.seat)
        return;
    (void)snprintf(note.trace, sizeof note.trace, "%s", trace ? trace : "");
    (void)snprintf(note.spool, sizeof note.spool, "%s", spool ? spool : "");
    (void)snprintf(note.run_id, sizeof note.run_id, "%s", profiler.run_id);
    if (wtl_seat_publish(profiler.seat, &note) < 0 && !profiler.settings.quiet)
        print_sentence(
            "cannot announce the trace to the other processes on this node: their regions will not "
            "be recorded");
}

static void name_run(const struct wtl_world *world)
{
    if (profiler.settings.run_id)
        (void)snprintf(profiler.run_id, sizeof profiler.run_id, "%s", profiler.settings.run_id);
    else
        wtl_seat_run_id(world, profiler.run_id);
}

/* The path of the trace from WATTLE_OUTPUT, NULL = no trace; -errno if it comes from an option. */
static int place_trace(char *path, size_t n, const char **ret_trace, struct wattle_error *err)
{
    const struct wtl_profiler_settings *s = &profiler.settings;
    *ret_trace = NULL;
    if (s->no_trace)
        return 0;
    int rc = wtl_trace_path(s->output, profiler.key.name, path, n);
    if (rc < 0 && s->output_is_option)
        return wtl_fail(err, rc, "profiler: %s: %s; give a file or a folder in options.output",
                        s->output, wtl_strerror(rc));
    if (rc == 0)
        *ret_trace = path;
    else if (!s->quiet) {
        (void)snprintf(path, n,
                       "%.500s: %s; measuring without a trace: give a new file, or a folder, in "
                       "WATTLE_OUTPUT",
                       s->output, wtl_strerror(rc));
        print_sentence(path);
    }
    return 0;
}

/* Did it fail because of an invalid WATTLE_SENSOR? Then use what is available. */
static bool drop_sensors(int rc, const struct wattle_error *why)
{
    char sentence[sizeof why->text + 60];
    struct wtl_profiler_settings *s = &profiler.settings;
    if (rc != -EINVAL || !s->sensors || s->sensors_is_option)
        return false;
    (void)snprintf(sentence, sizeof sentence, "WATTLE_SENSOR: %s; using all available sensors",
                   why->text);
    if (!s->quiet)
        print_sentence(sentence);
    free(s->sensors);
    s->sensors = NULL;
    return true;
}

static int measure(struct wattle_error *err)
{
    char path[PATH_MAX];
    struct wattle_error why = {""};
    name_run(wtl_world_library());
    struct wtl_profiler_plan plan = {.world = wtl_world_library(),
                                     .settings = &profiler.settings,
                                     .node_name = profiler.key.name,
                                     .node_key = profiler.key.node,
                                     .run_id = profiler.run_id,
                                     .teller = {.warn = profiler.settings.quiet ? NULL : warn}};
    int rc = place_trace(path, sizeof path, &plan.trace, err);
    if (rc < 0)
        return rc;
    rc = wtl_profiler_node_open(&plan, &profiler.node, &why);
    if (drop_sensors(rc, &why))
        rc = wtl_profiler_node_open(&plan, &profiler.node, &why);
    if (rc < 0)
        return wtl_fail(err, rc, "%s", why.text);
    record_regions(wtl_run_trace_folder(&profiler.node->trace));
    profiler.state = STATE_MEASURING;
    profiler.measuring = 1;
    publish();
    return 0;
}

/* So that readers' mappings stay current when this process takes over. */
static void hold_page(void)
{
    char folder[PATH_MAX];
    if (wtl_region_folder(folder, sizeof folder) == 0)
        wtl_energy_link_hold(folder, &profiler.page);
}

/* Record into the spools of the measuring process, once it has published them. */
static bool join(uint64_t wait_ns)
{
    struct wtl_seat_note note;
    if (!profiler.named && wtl_seat_look(profiler.seat, wait_ns, &note) == 0)
        record_regions(note.spool);
    if (profiler.named)
        hold_page();
    return profiler.named;
}

/* Continue in the trace of the process that measured before. -EBUSY = still locked. */
static int go_on(struct wattle_error *err)
{
    struct wattle_error why = {""};
    struct wtl_takeover_options options = {.world = wtl_world_library(),
                                           .sensors = profiler.settings.sensors,
                                           .trace = profiler.note.trace,
                                           .spool = profiler.note.spool,
                                           .interval_ns = profiler.settings.interval_ns,
                                           .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
                                           .died = profiler.note.pid,
                                           .page = &profiler.page};
    int rc = wtl_takeover_begin(&options, &profiler.takeover, &why);
    if (drop_sensors(rc, &why)) {
        options.sensors = NULL;
        rc = wtl_takeover_begin(&options, &profiler.takeover, &why);
    }
    if (rc < 0)
        return wtl_fail(err, rc, "%s", why.text);
    (void)join(0);
    profiler.state = STATE_MEASURING;
    profiler.measuring = 1;
    (void)wtl_seat_publish(profiler.seat, &profiler.note); /* else none can continue */
    return 0;
}

/* Did the measuring process leave a trace to continue? If so, its note is in profiler.note. */
static bool is_left(void)
{
    return wtl_seat_look(profiler.seat, 0, &profiler.note) == 0 && profiler.note.trace[0];
}

static void tell_failure(const char *what, const struct wattle_error *why)
{
    char sentence[sizeof why->text + 100];
    (void)snprintf(sentence, sizeof sentence, "%s: %s", what, why->text);
    if (!profiler.settings.quiet)
        print_sentence(sentence);
}

/* The seat was free, and this process, which had joined, has it now: the measuring process is gone.
 * Returns whether to look again. */
static bool take_over(void)
{
    struct wattle_error why = {""};
    int rc = is_left() ? go_on(&why) : measure(&why);
    if (rc == 0)
        return false;
    (void)wtl_seat_leave(profiler.seat); /* for another process, or for the next look */
    if (rc != -EBUSY)
        tell_failure("the measuring process has died, and this one cannot take over", &why);
    return rc == -EBUSY;
}

/* On the standby's thread. Does not wait for the lock: finalize holds it and waits for us. */
static bool look_after(void)
{
    if (pthread_mutex_trylock(&profiler.lock) != 0)
        return true;
    bool again = profiler.state == STATE_JOINED;
    if (again && wtl_seat_try(profiler.seat) == 1)
        again = take_over();
    else if (again)
        (void)join(0);
    (void)pthread_mutex_unlock(&profiler.lock);
    return again;
}

/* This process has the seat from the beginning: no other process measures. */
static int take_seat(struct wattle_error *err)
{
    struct wattle_error why = {""};
    if (!is_left())
        return measure(err);
    int rc = go_on(&why);
    if (rc == 0 || rc == -EBUSY)
        return rc;
    tell_failure("the measuring process has died, and its trace cannot be continued", &why);
    return measure(err);
}

/* Join other processes of the job on this node: one of them measures. */
static int take_part(struct wattle_error *err)
{
    int rc = wtl_seat_try(profiler.seat);
    if (rc < 0)
        return wtl_fail(err, rc, "profiler: %s: cannot acquire the lock of this node",
                        wtl_strerror(rc));
    if (rc == 1) {
        rc = take_seat(err);
        if (rc != -EBUSY)
            return rc;
        (void)wtl_seat_leave(profiler.seat);
    }
    profiler.state = STATE_JOINED;
    (void)join(JOIN_WAIT_NS); /* else the standby keeps looking */
    if (wtl_profiler_standby_start(look_after, &profiler.standby) < 0)
        profiler.standby = NULL; /* then another process takes over */
    return 0;
}

/* A program that measured and then exec'ed this one blocks the seat: its sampler is gone. */
static bool was_this_process(void)
{
    char folder[PATH_MAX];
    pid_t pid;
    return wtl_region_folder(folder, sizeof folder) == 0 &&
           wtl_energy_link_pid(folder, &pid) == 0 && pid == getpid();
}

/* Is this process measured by "wattle run", even without a trace, or by an ancestor? */
static bool is_recorded(const struct wtl_world *world)
{
    const char *measured = world->ops->getenv(world, "WATTLE_MEASURED");
    if (measured && measured[0] && strcmp(measured, profiler.key.node) == 0)
        return true;
    if (!wattle_recording())
        return false;
    if (!was_this_process())
        return true;
    wtl_region_stop();
    return false;
}

static int start(const struct wattle_profiler_options *options, struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_library();
    struct wattle_error why = {""};
    char sentence[sizeof why.text + 80];
    if (wtl_is_privileged()) {
        print_sentence(
            "this program runs with more privileges than its caller (setuid, setgid, file "
            "capabilities): "
            "nothing is measured");
        profiler.state = STATE_DISABLED;
        return 0;
    }
    if (wtl_profiler_is_disabled(world, print_sentence)) {
        profiler.state = STATE_DISABLED;
        return 0;
    }
    int rc = wtl_profiler_settings_take(options, world, print_sentence, &profiler.settings, err);
    if (rc < 0)
        return rc;
    hook();
    profiler.cpu_start_s = wtl_usage_own_s(true);
    wtl_region_open_want();
    if (wtl_seat_key_of(world, &profiler.key) < 0)
        profiler.key = (struct wtl_seat_key){.name = "node"};
    if (is_recorded(world)) {
        profiler.state = STATE_JOINED;
        return 0;
    }
    if (profiler.key.job[0] && wtl_seat_open(world, &profiler.key, &profiler.seat, &why) < 0) {
        profiler.seat = NULL;
        (void)snprintf(sentence, sizeof sentence, "%s; each process measures for itself", why.text);
        if (!profiler.settings.quiet)
            print_sentence(sentence);
    }
    rc = profiler.seat ? take_part(err) : measure(err);
    if (rc < 0) {
        wtl_seat_close(profiler.seat);
        profiler.seat = NULL;
        wtl_profiler_settings_fini(&profiler.settings);
    }
    return rc;
}

/* Where to store the error message, if the caller provided it. */
static struct wattle_error *errors_of(const struct wattle_profiler_options *options)
{
    size_t least = offsetof(struct wattle_profiler_options, err) + sizeof(struct wattle_error *);
    return options && options->size >= least ? options->err : NULL;
}

int wattle_init(const struct wattle_profiler_options *options)
{
    struct wattle_error why = {""}, *given = errors_of(options);
    int rc = -EALREADY;
    notice_fork();
    if (pthread_mutex_lock(&profiler.lock) != 0)
        return -EBUSY; /* a signal handler, within a call of its own thread */
    if (profiler.state == STATE_NEW)
        rc = start(options, &why);
    else if (profiler.state == STATE_FORKED) { /* regions go where the parent's do */
        profiler.state = STATE_JOINED;
        rc = 0;
    } else if (given)
        (void)wtl_fail(given, rc,
                       "profiler: wattle_init() was already called; this call has no effect");
    (void)pthread_mutex_unlock(&profiler.lock);
    if (rc < 0 && rc != -EALREADY && given)
        *given = why;
    else if (rc < 0 && rc != -EALREADY)
        print_sentence(why.text);
    return rc;
}

/* As many decimals as give the half width two digits. */
static int decimals(double half)
{
    if (!(half > 0) || half >= 10)
        return half > 0 ? 0 : 3;
    int n = 1 - wtl_whole_int(floor(log10(half)));
    return n < 9 ? n : 9;
}

static void tell_result(const struct wtl_result *result, const char *trace)
{
    char sentence[PATH_MAX + 512], energy[200], incomplete[64];
    double low, high, half = wtl_energy_half(&result->energy);
    if (isnan(result->energy.j)) {
        (void)snprintf(energy, sizeof energy, "energy unknown");
    } else {
        int n = decimals(half);
        wtl_energy_ends(&result->energy, &low, &high);
        (void)snprintf(energy, sizeof energy, "%.*f J (%.*f to %.*f; %.100s%s%s)", n,
                       result->energy.j, n, low, n, high, result->total.contains,
                       result->total.quality == WATTLE_ESTIMATED ? "; estimated" : "",
                       wtl_world_library()->simulated ? "; simulated" : "");
    }
    (void)snprintf(sentence, sizeof sentence, "%s: %s in %.3f s%s%s%s", profiler.key.name, energy,
                   result->wall_time_s,
                   wtl_gap_incomplete(incomplete, sizeof incomplete,
                                      isnan(result->energy.j) ? 0 : result->total_unknown_ns),
                   trace ? ", trace " : "", trace ? trace : "");
    print_sentence(sentence);
}

/* CPU time of the job on this node since its start; NaN = some have not reported theirs. */
static double job_cpu_s(void)
{
    struct wtl_seat_usage others = {.members = 1};
    double own_s = wtl_usage_own_s(true) - profiler.cpu_start_s;
    if (profiler.seat && wtl_seat_usage(profiler.seat, &others) < 0)
        return NAN;
    return others.told + 1 < others.members ? (double)NAN : own_s + others.cpu_s;
}

/* One rank may have ended before another started: each trace then has its own regions only. */
static void flag_missing_ranks(void)
{
    struct wtl_launcher launcher;
    struct wtl_seat_usage usage;
    char text[160];
    wtl_launcher_of(wtl_world_library(), &launcher);
    if (profiler.seat && wtl_seat_usage(profiler.seat, &usage) == 0 &&
        wtl_launcher_missing(&launcher, usage.members, text, sizeof text))
        wtl_measurement_flag(profiler.node, WTL_FLAG_RANKS_MISSING, text);
}

static int end_measuring(void)
{
    struct wtl_result result;
    stop_regions();
    profiler.measuring = 0;
    flag_missing_ranks();
    int rc = wtl_profiler_node_end(profiler.node, job_cpu_s(), &result);
    if (!profiler.settings.quiet)
        tell_result(&result, wtl_run_trace_path(&profiler.node->trace));
    wtl_result_fini(&result);
    wtl_seat_close(profiler.seat); /* after the trace: a process that starts now finds it
                                    * complete */
    return rc;
}

/* Report that what was taken over is in the file, together with what came before. */
static void tell_whole(const char *path)
{
    struct wattle_trace *trace;
    struct wattle_summary total = {.size = sizeof total};
    struct wtl_result result = wtl_result_unknown();
    const char *contains;
    if (wattle_trace_open(path, &trace, NULL) < 0)
        return; /* its end has reported why */
    if (wattle_trace_total(trace, &total, &contains, NULL, NULL) == 0) {
        /* The result has separate limits for its interval, as for an estimate. */
        result.energy = (struct wtl_energy){.j = total.energy_j,
                                            .low_j = total.low_j,
                                            .high_j = total.high_j,
                                            .quality = WATTLE_ESTIMATED};
        (void)snprintf(result.total.contains, sizeof result.total.contains, "%s", contains);
        result.total_unknown_ns = total.unknown_ns;
    }
    result.wall_time_s = (double)total.window_ns * 1e-9;
    tell_result(&result, path);
    wattle_trace_close(trace);
}

/* Finish the trace that was taken over. */
static int end_takeover(void)
{
    struct wattle_error err = {""};
    stop_regions();
    profiler.measuring = 0;
    int rc = wtl_takeover_end(profiler.takeover, wtl_world_monotonic(wtl_world_library()), &err);
    if (rc < 0 && !profiler.settings.quiet)
        print_sentence(err.text);
    if (!profiler.settings.quiet)
        tell_whole(profiler.note.trace);
    wtl_seat_close(profiler.seat);
    return rc;
}

/* The last process on the node, with none measuring, finishes what the measuring one left. */
static int finish_left(void)
{
    struct wattle_error why = {""};
    uint64_t end_ns = wtl_world_monotonic(wtl_world_real()) + DEAD_WAIT_NS;
    struct timespec pause = {.tv_nsec = 10000000};
    int rc = -ENODATA;
    while (profiler.note.trace[0] && (rc = go_on(&why)) == -EBUSY &&
           wtl_world_monotonic(wtl_world_real()) < end_ns)
        (void)nanosleep(&pause, NULL); /* a dead process's file is still being closed */
    if (rc == 0)
        return end_takeover();
    if (rc != -ENODATA && rc != -EALREADY)
        tell_failure("the measuring process has died, and this one cannot complete its trace",
                     &why);
    wtl_seat_close(profiler.seat);
    return rc == -ENODATA || rc == -EALREADY ? 0 : rc;
}

/* Another process continues measuring in the trace, which is released first: the next holder of the
 * seat finds it unlocked. If all have left in the meantime, this process finishes it. */
static int hand_over(void)
{
    stop_regions();
    profiler.measuring = 0;
    if (profiler.takeover) {
        wtl_takeover_leave(profiler.takeover);
    } else {
        wtl_measurement_leave(profiler.node);
        wtl_profiler_node_close(profiler.node);
        profiler.node = NULL;
    }
    profiler.takeover = NULL;
    return wtl_seat_hand_over(profiler.seat, &profiler.note) == 1 ? finish_left() : 0;
}

/* Are other processes left after that time? Without a trace there is nothing to hand over. */
static bool is_to_hand_over(uint64_t wait_ns)
{
    bool others = profiler.seat && wtl_seat_wait_members(profiler.seat, wait_ns) == -ETIMEDOUT;
    return others && (profiler.takeover || wtl_run_trace_path(&profiler.node->trace));
}

static int finish_measuring(uint64_t wait_ns)
{
    int rc = 0;
    if (is_to_hand_over(wait_ns))
        rc = hand_over();
    else
        rc = profiler.takeover ? end_takeover() : end_measuring();
    wtl_profiler_node_close(profiler.node);
    profiler.takeover = NULL;
    profiler.node = NULL;
    profiler.seat = NULL;
    return rc;
}

static int leave_others(uint64_t linger_ns)
{
    stop_regions();
    if (profiler.seat) /* what cannot be reported is a flag of the trace */
        (void)wtl_seat_tell_usage(profiler.seat, wtl_usage_own_s(true) - profiler.cpu_start_s, 0);
    /* The measuring process may be waiting for this. */
    int rc = wtl_seat_part(profiler.seat, linger_ns, &profiler.note) == 1 ? finish_left() : 0;
    profiler.takeover = NULL;
    profiler.seat = NULL;
    return rc;
}

static int finalize(uint64_t wait_ns, uint64_t linger_ns)
{
    int rc = 0;
    wtl_profiler_standby_stop(profiler.standby); /* it may just have taken over */
    profiler.standby = NULL;
    if (profiler.state == STATE_MEASURING)
        rc = finish_measuring(wait_ns);
    else
        rc = leave_others(linger_ns);
    wtl_energy_link_close(&profiler.page);
    wtl_profiler_settings_fini(&profiler.settings);
    profiler.state = STATE_ENDED;
    return rc;
}

static int finalize_once(uint64_t wait_ns, uint64_t linger_ns)
{
    int rc = 0;
    notice_fork();
    if (pthread_mutex_lock(&profiler.lock) != 0)
        return -EBUSY; /* a signal handler, within a call of its own thread */
    switch (profiler.state) {
    case STATE_NEW:
        rc = -EINVAL;
        break;
    case STATE_ENDED:
        rc = -EALREADY;
        break;
    case STATE_MEASURING:
    case STATE_JOINED:
        rc = finalize(wait_ns, linger_ns);
        break;
    case STATE_FORKED: /* the parent finishes */
    case STATE_DISABLED:
        break;
    }
    (void)pthread_mutex_unlock(&profiler.lock);
    return rc;
}

int wattle_finalize(void)
{
    return finalize_once(MEMBERS_WAIT_NS, 0);
}

int wattle_finalize_now(void)
{
    return finalize_once(0, 0);
}

int wattle_measuring(void)
{
    return profiler.measuring;
}

/* Without a preceding call: an MPI program that ends so has not told its launcher either. */
static void finish_at_exit(void)
{
    if (profiler.state == STATE_JOINED || profiler.state == STATE_MEASURING)
        (void)finalize_once(MEMBERS_WAIT_NS,
                            wtl_seat_linger_ns(wtl_world_real())); /* has reported the problem */
}
