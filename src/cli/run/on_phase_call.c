/* SPDX-License-Identifier: BSD-3-Clause */
/* One call after another: see on_phase_call.h. */
#define _GNU_SOURCE
#include "cli/run/on_phase_call.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/run/child.h"
#include "report/table.h"

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

static void judge(struct wtl_on_phase_caller *caller, int status)
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
    judge(caller, status);
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

void wtl_on_phase_due(struct wtl_on_phase_caller *caller,
                      enum wtl_phase_event event,
                      const struct wtl_phase_present *phase)
{
    caller->merged += caller->waiting;
    caller->waiting = true;
    caller->event = event;
    caller->phase = *phase;
}

void wtl_on_phase_step(struct wtl_on_phase_caller *caller,
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

void wtl_on_phase_end(struct wtl_on_phase_caller *caller, unsigned patience_ms)
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
