/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle hold": settings of the machine for the time of a command or process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/control/hold_options.h"
#include "cli/run/child.h"
#include "cli/settings.h"
#include "report/table.h"

struct hold_request {
    struct wtl_hold_words words;
    int pid;
    bool background, verbose;
    char **argv;
};

static const struct wtl_option options_table[] = {
    WTL_HOLD_OPTION_ROWS(struct hold_request, words),
    {'p', "pid", "PID", "hold until process PID ends",
     WTL_TAKES_INT(struct hold_request, pid, 1, INT32_MAX)},
    {0, "background", NULL, "with --pid: return as soon as the settings are set",
     WTL_SETS(struct hold_request, background)},
    {'v', "verbose", NULL, "print each setting with its old and its new value",
     WTL_SETS(struct hold_request, verbose)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static void show_one(void *context,
                     const struct wtl_knob_row *row,
                     const char *id,
                     const char *before,
                     const char *now)
{
    (void)context, (void)row;
    wtl_print_sentence(stderr, "wattle hold: %s: %s, was %s\n", id, now, before);
}

static bool is_pipe(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* Who reads from a pipe, such as a shell in $(...), waits until the last process has closed it. Terminals and files stay. */
static void leave_pipes(void)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2 && nothing >= 0; fd++) {
        if (is_pipe(fd))
            (void)dup2(nothing, fd);
    }
    if (nothing > 2)
        (void)close(nothing);
}

/* Tell the process that waits for the settings: 0 = they are set. */
static void report(int fd, int status)
{
    unsigned char byte = (unsigned char)status;
    if (fd >= 0) {
        leave_pipes();
        (void)!write(fd, &byte, 1); /* it may have been killed */
        (void)close(fd);
    }
}

/* Run the command, or watch the process, until its end. Returns the exit status. */
static int wait_for_end(const struct hold_request *request,
                        struct wtl_signals *signals,
                        struct wtl_child *child,
                        const struct wtl_watch *watch,
                        struct wattle_error *err)
{
    if (request->argv) {
        wtl_child_release(child);
        int rc = wtl_child_confirm(child);
        if (rc < 0)
            return wtl_child_tell_exec(request->argv[0], rc, err);
    }
    while (!child->ended) {
        enum wtl_wait why = wtl_child_wait(child, signals, watch, UINT64_MAX);
        if (why == WTL_WAIT_PID_ENDED || why == WTL_WAIT_INTERRUPTED)
            break;
    }
    return 0;
}

/* *ret_open: settings could not be restored. */
static int hold(const struct hold_request *request,
                int ready_fd,
                struct wtl_signals *signals,
                struct wtl_child *child,
                bool *ret_open,
                struct wattle_error *err)
{
    const struct wtl_command *command = &wtl_hold_command;
    struct wtl_watch watch = wtl_watch_none();
    struct wtl_cli_settings settings;
    struct wtl_hold *held = NULL;
    struct wattle_error why = {""};
    int rc = wtl_cli_settings_load(&settings, wtl_world_real(), err);
    if (rc < 0)
        return rc;
    rc = request->pid ? wtl_watch_open(request->pid, &watch, err) : 0;
    rc = rc < 0 ? rc : wtl_hold_words_begin(&request->words, command, settings.config, &held, err);
    if (rc == 0 && request->argv)
        rc = wtl_child_fork(child, request->argv, (const char *const[]){NULL}, WTL_STDIO_PASS,
                            false, signals, err);
    if (rc == 0 && request->verbose)
        wtl_hold_each(held, show_one, NULL);
    if (rc == 0) {
        report(ready_fd, 0);
        rc = wait_for_end(request, signals, child, &watch, err);
    }
    int ended = wtl_hold_end(held, &why);
    if (ended < 0)
        wtl_complain(command, "%s", why.text);
    *ret_open = ended < 0;
    wtl_watch_close(&watch);
    wtl_cli_settings_fini(&settings);
    return rc;
}

static int hold_here(const struct hold_request *request, int ready_fd)
{
    struct wtl_signals signals;
    struct wtl_child child = wtl_child_none();
    struct wattle_error err = {""};
    bool open = false;
    int rc = wtl_signals_take(&signals);
    rc = rc < 0 ? wtl_fail(&err, rc, "cannot handle signals: %s", wtl_strerror(rc))
                : hold(request, ready_fd, &signals, &child, &open, &err);
    if (rc < 0)
        wtl_complain(&wtl_hold_command, "%s", err.text);
    int status = child.ended ? wtl_child_exit_code(&child) : rc < 0 ? WTL_EXIT_RUN_FAILED : 0;
    if (status == 0 && open)
        status = WTL_EXIT_RUN_FAILED;
    if (rc < 0 && child.pid > 0 && !child.ended)
        wtl_child_cancel(&child);
    int deadly = child.ended && WIFSIGNALED(child.status) ? WTERMSIG(child.status) : signals.came;
    if (deadly)
        wtl_signals_die(deadly);
    return status;
}

/* A process of its own holds; this one returns when the settings are set. */
static int hold_in_background(const struct hold_request *request)
{
    int pipe_fds[2];
    unsigned char status = WTL_EXIT_RUN_FAILED;
    pid_t child = pipe2(pipe_fds, O_CLOEXEC) < 0 ? -1 : fork();
    if (child < 0) {
        wtl_complain(&wtl_hold_command, "cannot start the process that holds: %s",
                     wtl_strerror(errno));
        return WTL_EXIT_RUN_FAILED;
    }
    if (child == 0) {
        (void)close(pipe_fds[0]);
        (void)setsid(); /* not the leader of a group */
        _exit(hold_here(request, pipe_fds[1]));
    }
    (void)close(pipe_fds[1]);
    ssize_t got;
    do
        got = read(pipe_fds[0], &status, 1);
    while (got < 0 && errno == EINTR);
    (void)close(pipe_fds[0]);
    return got == 1 ? status : WTL_EXIT_RUN_FAILED;
}

static int run(int argc, char **argv)
{
    const struct wtl_command *command = &wtl_hold_command;
    struct hold_request request = {.pid = 0};
    struct wtl_command_line line;
    struct wtl_cpu_set cpus;
    struct wtl_hold_request parsed;
    struct wattle_error err = {""};
    int status = wtl_command_read(command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    request.argv = line.count > 0 ? line.words : NULL;
    if ((request.argv != NULL) == (request.pid != 0))
        return wtl_usage(command, request.argv
                                      ? "use either -- COMMAND or --pid PID, not both"
                                      : "nothing to wait for; use either -- COMMAND or --pid PID");
    if (request.background && !request.pid)
        return wtl_usage(command, "--background requires --pid");
    if (!wtl_hold_words_ask(&request.words))
        return wtl_usage(
            command,
            "no setting given; use --freq, --governor, --epp, --turbo, --power-limit or --uncore");
    if (wtl_hold_words_parse(&request.words, &cpus, &parsed, &err) < 0)
        return wtl_usage(command, "%s", err.text);
    return request.background ? hold_in_background(&request) : hold_here(&request, -1);
}

const struct wtl_command wtl_hold_command = {
    .verb = "hold",
    .run = run,
    .operands = "[--] COMMAND [ARGUMENT...]",
    .summary = "change frequency or power limits while a command runs",
    .text = "The old settings come back at the end, on any signal, and after kill -9. "
            "Requires\nroot. Settings of CPUs of other "
            "jobs are not changed. See \"wattle knobs\" for what\nthis machine offers, \"wattle "
            "run\" to measure as well.\n",
    .options = options_table,
    .examples = "wattle hold --freq 2.1GHz -- ./app\n"
                "wattle hold --governor performance --turbo off -- make bench\n"
                "wattle hold --power-limit 120W:1s --pid 4711\n",
    .usage_exit = WTL_EXIT_RUN_FAILED,
    .runs_command = true,
};
