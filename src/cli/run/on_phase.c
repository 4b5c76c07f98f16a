/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process that watches phases: see on_phase.h. The writer adds a block to the trace each second, so it looks once a
 * second; reading the rows again costs more as the run goes on, so it rests at least REST times as long as that took.
 */
#define _GNU_SOURCE
#include "cli/run/on_phase.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/predict/phase_watch.h"
#include "base/fail.h"
#include "base/standard_streams.h"
#include "base/usage.h"
#include "base/whole.h"
#include "base/world/world.h"
#include "cli/run/child.h"
#include "report/table.h"
#include "trace/reader.h"

enum { LOOK_MS = 1000, STEP_MS = 100, REST = 20, PATIENCE_MS = 5000, NICE = 10 };
static const uint64_t MS = 1000000;
static const uint64_t BLOCK_NS = 1300000000;

struct wtl_on_phase_caller {
    const char *command;
    const char *trace;
    const struct wtl_signals *signals; /* restored in the command */
    uint64_t least_ns;
    pid_t pid;        /* of the call in progress, which leads its process group; 0 = none */
    uint64_t last_ns; /* when the last call began; 0 = never */
    bool ending;      /* the call in progress was asked to end */
    bool waiting;     /* a call is due: */
    enum wtl_phase_event event;
    struct wtl_phase_present phase;
    size_t calls, merged,
        failed; /* merged: calls that a later one replaced before they were made */
};

struct follower {
    const struct wtl_on_phase_options *options;
    const char *trace;
    int stop_fd;
    struct wtl_phase_model model;
    struct wtl_trace_reader *reader;
    struct wtl_counter_rows rows;
    size_t next; /* row that the watch has not seen */
    struct wtl_phase_watch *watch;
    struct wtl_on_phase_caller caller;
    bool called_ahead; /* for the next phase, with this letter: */
    char ahead[8];
};

static uint64_t now_ns(void)
{
    return wtl_world_monotonic(wtl_world_real());
}

/* ---- rows ---- */

/* The values of a row come in different blocks, at most BLOCK_NS apart, and are unknown until then: a row is used when nothing
 * more will come, so that the watch sees the same values as a reader of the finished trace. */
static bool is_ready(const struct wtl_counter_rows *rows, size_t k)
{
    return rows->end_ns >= wtl_counter_rows_end(rows, k) + BLOCK_NS;
}

/* A complete trace is an older one, which ours is about to replace. */
static int open_trace(struct follower *f, struct wattle_error *err)
{
    struct wtl_trace_reader_status status;
    int rc = wtl_trace_reader_open(f->trace, &f->reader, err);
    if (rc < 0)
        return rc;
    wtl_trace_reader_status(f->reader, &status);
    if (!status.has_footer)
        return 0;
    wtl_trace_reader_close(f->reader);
    f->reader = NULL;
    return -EAGAIN;
}

static int read_rows(struct follower *f, struct wattle_error *err)
{
    struct wtl_counter_rows rows;
    int rc = f->reader ? wtl_trace_reader_refresh(f->reader, err) : open_trace(f, err);
    rc = rc < 0 ? rc : wtl_counter_rows_read(f->reader, 0, &rows, err);
    if (rc < 0)
        return rc;
    wtl_counter_rows_fini(&f->rows);
    f->rows = rows;
    return 0;
}

/* ---- calls of the command: one at a time, not too often, ended when the next one is due ---- */

/* ---- the environment of a call ---- */

static void set_text(const char *name, const char *value)
{
    (void)setenv(name, value, 1); /* out of memory: it is not set */
}

static void set_number(const char *name, double value, int decimals)
{
    char text[64] = "";
    if (isfinite(value))
        (void)snprintf(text, sizeof text, "%.*f", decimals, value);
    set_text(name, text);
}

/* "WATTLE_RATE_NET_SENT_BYTES". */
static void set_rate(const char *counter, double rate)
{
    char name[WTL_ROW_NAME_MAX + 16] = "WATTLE_RATE_";
    size_t n = strlen(name);
    for (const char *c = counter; *c && n + 1 < sizeof name; c++)
        name[n++] = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    name[n] = '\0';
    set_number(name, rate, 0);
}

static void set_environment(const struct wtl_on_phase_caller *caller,
                            const char (*names)[WTL_ROW_NAME_MAX],
                            size_t columns)
{
    const struct wtl_phase_present *phase = &caller->phase;
    bool begun = caller->event == WTL_PHASE_BEGAN;
    set_number("WATTLE_PHASE", (double)phase->number + (begun ? 0 : 1), 0);
    set_text("WATTLE_PHASE_EVENT", begun ? "begin" : "predicted");
    set_text("WATTLE_PHASE_LETTER", begun ? phase->letter : phase->next);
    set_number("WATTLE_PHASE_WATTS", begun ? phase->mean_w : (double)NAN, 3);
    set_text("WATTLE_PHASE_NEXT", begun ? phase->next : "");
    set_number("WATTLE_PHASE_NEXT_S", phase->next_s, 1);
    set_text("WATTLE_PHASE_TRACE", caller->trace);
    for (size_t i = 0; i < columns; i++)
        set_rate(names[i], begun ? phase->rate[i] : (double)NAN);
}

/* ---- the process ---- */

static void report_failure(struct wtl_on_phase_caller *caller, const char *what, int number)
{
    if (caller->failed++ == 0)
        wtl_print_sentence(
            stderr, "wattle run: --on-phase: \"%s\" %s %d; further failures are only counted\n",
            caller->command, what, number);
}

static void check_status(struct wtl_on_phase_caller *caller, int status)
{
    bool asked = caller->ending && WIFSIGNALED(status) &&
                 (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGKILL);
    int code = wtl_exit_code_of(status);
    if (code == 0 || asked || (caller->ending && code == 128 + SIGTERM))
        return;
    if (WIFSIGNALED(status))
        report_failure(caller, "was killed by signal", WTERMSIG(status));
    else
        report_failure(caller, "failed with exit status", code);
}

static void reap(struct wtl_on_phase_caller *caller, int flags)
{
    int status;
    pid_t pid;
    if (caller->pid == 0)
        return;
    while ((pid = waitpid(caller->pid, &status, flags)) < 0 && errno == EINTR)
        continue;
    if (pid != caller->pid)
        return;
    /* What it left behind belongs to the phase that is over. */
    (void)kill(-caller->pid, SIGTERM);
    caller->pid = 0;
    check_status(caller, status);
    caller->ending = false;
}

static void run_command(const struct wtl_on_phase_caller *caller,
                        const char (*names)[WTL_ROW_NAME_MAX],
                        size_t columns)
{
    (void)setpgid(0, 0);
    wtl_signals_restore(caller->signals);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        _exit(127);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO); /* both are those of the measured command */
    set_environment(caller, names, columns);
    (void)execl("/bin/sh", "sh", "-c", caller->command, (char *)NULL);
    _exit(127);
}

static void call(struct wtl_on_phase_caller *caller,
                 uint64_t now_ns,
                 const char (*names)[WTL_ROW_NAME_MAX],
                 size_t columns)
{
    caller->waiting = false;
    caller->last_ns = now_ns;
    caller->calls++;
    pid_t pid = fork();
    if (pid == 0)
        run_command(caller, names, columns);
    if (pid < 0) {
        report_failure(caller, "could not be started: error", errno);
        return;
    }
    (void)setpgid(pid, pid); /* also here: either process may run first */
    caller->pid = pid;
}

static void ask_to_end(struct wtl_on_phase_caller *caller)
{
    if (caller->pid == 0 || caller->ending)
        return;
    caller->ending = true;
    (void)kill(-caller->pid, SIGTERM);
}

/* ---- when ---- */

/* A call is due now, instead of one that is still waiting. */
static void on_phase_due(struct wtl_on_phase_caller *caller,
                         enum wtl_phase_event event,
                         const struct wtl_phase_present *phase)
{
    caller->merged += caller->waiting;
    caller->waiting = true;
    caller->event = event;
    caller->phase = *phase;
}

/* Reap, end and begin what is due at this time. names: [columns] of the counters. */
static void on_phase_step(struct wtl_on_phase_caller *caller,
                          uint64_t now_ns,
                          const char (*names)[WTL_ROW_NAME_MAX],
                          size_t columns)
{
    reap(caller, WNOHANG);
    if (!caller->waiting)
        return;
    ask_to_end(caller); /* its phase is over, even if the next call must wait */
    if (caller->pid != 0 || (caller->last_ns > 0 && now_ns < caller->last_ns + caller->least_ns))
        return;
    call(caller, now_ns, names, columns);
}

/* End the call in progress: asked first, killed after `patience_ms`. */
static void on_phase_end(struct wtl_on_phase_caller *caller, unsigned patience_ms)
{
    reap(caller, WNOHANG);
    ask_to_end(caller);
    for (unsigned waited = 0; caller->pid != 0 && waited < patience_ms; waited += 20) {
        (void)poll(NULL, 0, 20);
        reap(caller, WNOHANG);
    }
    if (caller->pid == 0)
        return;
    (void)kill(-caller->pid, SIGKILL);
    reap(caller, 0);
}

/* ---- phases ---- */

/* A begin that was announced, with this letter or without one, is not announced again. */
static void handle_event(struct follower *f, int event)
{
    const struct wtl_phase_present *present = wtl_phase_watch_present(f->watch);
    if (event == WTL_PHASE_EXPECTED) {
        f->called_ahead = true;
        (void)snprintf(f->ahead, sizeof f->ahead, "%s", present->next);
    } else if (f->called_ahead) {
        f->called_ahead = false;
        if (!present->letter[0] || strcmp(present->letter, f->ahead) == 0)
            return;
    }
    on_phase_due(&f->caller, (enum wtl_phase_event)event, present);
}

static int read_phases(struct follower *f, struct wattle_error *err)
{
    const struct wtl_phase_watch_options options = {.model = f->options->model ? &f->model : NULL,
                                                    .ahead_s = 1e-9 * (double)f->options->ahead_ns};
    if (read_rows(f, err) < 0)
        return 0; /* not written yet, or its first rows */
    int rc = f->watch ? 0 : wtl_phase_watch_create(&options, &f->rows, &f->watch, err);
    for (; rc >= 0 && f->next < f->rows.rows && is_ready(&f->rows, f->next); f->next++) {
        rc = wtl_phase_watch_push(f->watch, &f->rows, f->next, err);
        if (rc > WTL_PHASE_NOTHING)
            handle_event(f, rc);
    }
    return rc < 0 ? rc : 0;
}

/* ---- the process ---- */

/* Wait for this time; true: the run has ended. */
static bool rest(const struct follower *f, uint64_t ms)
{
    struct pollfd stop = {.fd = f->stop_fd, .events = POLLIN};
    return poll(&stop, 1, (int)ms) > 0;
}

static int follow(struct follower *f, struct wattle_error *err)
{
    uint64_t look_ns = now_ns() + LOOK_MS * MS;
    while (!rest(f, STEP_MS)) {
        uint64_t begin_ns = now_ns();
        double used_s = wtl_usage_own_s(false); /* not time: others may keep the CPUs busy */
        if (begin_ns >= look_ns) {
            int rc = read_phases(f, err);
            if (rc < 0)
                return rc;
            uint64_t took_ns = wtl_whole_u64(1e9 * (wtl_usage_own_s(false) - used_s));
            look_ns = begin_ns + (took_ns * REST > LOOK_MS * MS ? took_ns * REST : LOOK_MS * MS);
        }
        on_phase_step(&f->caller, now_ns(), (const char(*)[WTL_ROW_NAME_MAX])f->rows.names,
                      f->rows.columns);
    }
    return 0;
}

static void report_calls(const struct follower *f)
{
    const struct wtl_on_phase_caller *c = &f->caller;
    char merged[96] = "", failed[64] = "";
    if (f->options->quiet)
        return;
    if (c->merged + c->waiting > 0)
        (void)snprintf(merged, sizeof merged, ", %zu not made because another followed too soon",
                       c->merged + c->waiting);
    if (c->failed > 0)
        (void)snprintf(failed, sizeof failed, ", %zu failed", c->failed);
    wtl_print_sentence(stderr, "wattle run: --on-phase: %zu call%s%s%s%s\n", c->calls,
                       c->calls == 1 ? "" : "s", merged, failed,
                       f->watch ? "" : "; no counters were recorded long enough");
}

_Noreturn static void run_follower(struct follower *f)
{
    struct wattle_error err = {""};
    wtl_close_others(f->stop_fd);
    (void)signal(SIGINT, SIG_IGN); /* the terminal sends them to the whole group */
    (void)signal(SIGQUIT, SIG_IGN);
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    if (follow(f, &err) < 0)
        wtl_print_sentence(stderr, "wattle run: --on-phase: %s; it is not called any more\n",
                           err.text);
    on_phase_end(&f->caller, PATIENCE_MS);
    report_calls(f);
    _exit(0);
}

int wtl_on_phase_start(const struct wtl_on_phase_options *options,
                       const char *trace,
                       const struct wtl_signals *signals,
                       struct wtl_on_phase *ret_on_phase,
                       struct wattle_error *err)
{
    struct follower f = {.options = options,
                         .trace = trace,
                         .caller = {.command = options->command,
                                    .trace = trace,
                                    .signals = signals,
                                    .least_ns = options->least_ns}};
    int ends[2] = {-1, -1};
    *ret_on_phase = (struct wtl_on_phase){.stop_fd = -1};
    if (!options->command || !trace)
        return 0;
    int rc = options->model ? wtl_phase_model_read(options->model, &f.model, err) : 0;
    if (rc == 0 && pipe2(ends, O_CLOEXEC) < 0)
        rc = wtl_fail(err, -errno, "--on-phase: cannot create a pipe: %s", wtl_strerror(errno));
    if (rc < 0) {
        wtl_phase_model_fini(&f.model);
        return rc;
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[1]);
        f.stop_fd = ends[0];
        run_follower(&f);
    }
    (void)close(ends[0]);
    wtl_phase_model_fini(&f.model);
    if (pid < 0) {
        rc = wtl_fail(err, -errno, "--on-phase: cannot start a process: %s", wtl_strerror(errno));
        (void)close(ends[1]);
        return rc;
    }
    *ret_on_phase = (struct wtl_on_phase){pid, ends[1]};
    return 0;
}

void wtl_on_phase_stop(struct wtl_on_phase *on_phase)
{
    if (on_phase->pid <= 0)
        return;
    (void)close(on_phase->stop_fd);
    while (waitpid(on_phase->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *on_phase = (struct wtl_on_phase){.stop_fd = -1};
}
