/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "wattle start": a measurement in the background, for scripts with stages. The measuring process is a child
 * in a new session; this process waits until the measurement has started and reports it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/standard_streams.h"
#include "cli/commands.h"
#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "cli/run/session_link_host.h"
#include "cli/run/trials.h"
#include "cli/settings.h"
#include "measure/trace_name.h"
#include "report/table.h"

/* Time for the measuring process to start; sensors that hang take about 10 s of it. */
enum { BEGIN_MS = 60000 };

static const uint64_t LOOK_NS = 1000000000; /* time for the owner of the seat to identify itself */

struct start {
    struct wtl_run_options options;
    struct wtl_cli_settings settings;
    struct wtl_session_link bracket;
    pid_t shell;
    bool print_environment;
    bool own_run_id; /* the user has given none */
    char run_id[64]; /* of this bracket: the job may have several in succession */
};

static int take_label(const struct wtl_command *command, void *place, const char *value)
{
    struct start *start = place;
    return wtl_run_options_set(&start->options, "label", value) < 0 ? command->usage_exit : 0;
}

static int refuse_word(const struct wtl_command *command, void *place, const char *word)
{
    (void)place;
    return wtl_usage(command,
                     "unexpected argument \"%s\"; to measure a command use \"wattle run -- %s\"",
                     word, word);
}

static const struct wtl_option options[] = {
    WTL_RUN_OPTION_INTERVAL(struct start, options.interval_ns),
    WTL_RUN_OPTION_SENSOR(struct start, options.sensors),
    WTL_RUN_OPTION_OUTPUT(struct start, options.output),
    WTL_RUN_OPTION_FORCE(struct start, options.force),
    WTL_RUN_OPTION_SYNC(struct start, options.sync),
    {0, "label", "KEY=VALUE", "label to find and group runs by; repeatable",
     WTL_CALLS_WITH_ALL(take_label)},
    {0, "format", "FORMAT", "output of \"stop\": text, json or csv (default text)",
     WTL_TAKES_CHOICE(struct start, options.format, wtl_format_names)},
    WTL_RUN_OPTION_REQUIRE(struct start, options.require_measured),
    WTL_RUN_OPTION_SAMPLER_CPU(struct start, options.sampler_cpu),
    WTL_RUN_OPTION_NO_EDGES(struct start, options.edges),
    {0, "export", NULL,
     "print environment settings with which programs\nrecord regions: eval \"$(wattle start "
     "--export)\"",
     WTL_SETS(struct start, print_environment)},
    {0, "watch", "PID", "stop when process PID ends (default: the calling\nshell)",
     WTL_TAKES_INT(struct start, shell, 1, INT32_MAX)},
    {'q', "quiet", NULL, "print no warnings and no start message",
     WTL_SETS(struct start, options.quiet)},
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* ---- the measuring process ---- */

/* Only one process may measure this session. Returns 0, or -errno with a message. */
static int take_seat(const struct wtl_session_link *bracket,
                     struct wtl_seat **seat,
                     struct wattle_error *err)
{
    struct wtl_seat_note note = {.pid = 0};
    int rc = wtl_seat_open(wtl_world_real(), &bracket->key, seat, err);
    if (rc < 0)
        return rc;
    rc = wtl_seat_try(*seat);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot lock the session: %s", wtl_strerror(rc));
    if (rc == 1)
        return 0;
    /* It may have just started and not yet published its trace. */
    char who[32] = "another process";
    if (wtl_seat_look(*seat, LOOK_NS, &note) == 0 && note.pid > 0)
        (void)snprintf(who, sizeof who, "process %d", (int)note.pid);
    return wtl_fail(err, -EBUSY,
                    "%s is already measuring this session%s%.300s; run \"wattle stop\", or set "
                    "WATTLE_SESSION=NAME for another session",
                    who, note.trace[0] ? ", into " : "", note.trace);
}

static int print(struct wtl_session_link_host *host,
                 const struct wtl_result *result,
                 struct wattle_error *err)
{
    struct wtl_output output;
    char target[16];
    if (host->out < 0)
        return 0; /* nobody has asked */
    (void)snprintf(target, sizeof target, "fd:%d", host->out);
    int rc = wtl_output_open(&output, target, false, err);
    if (rc < 0)
        return rc;
    rc = wtl_run_output(&output, host->format, result, 1, host->verbose, err);
    wtl_output_drop(&output);
    return rc;
}

static int measure(const struct start *start,
                   struct wtl_session_link_host *host,
                   struct wattle_error *err)
{
    struct wtl_trials trials;
    struct wtl_result result = {0};
    struct wtl_run_trace trace;
    int rc = wtl_trials_init(&trials, &start->options, &start->settings, err);
    rc = rc < 0 ? rc : wtl_trials_place(&trials, err);
    char *path = wtl_trace_name(trials.output, start->bracket.key.name, false);
    if (rc == 0 && !path)
        rc = wtl_no_memory_for(err, "the name of the trace");
    host->signals = &trials.signals;
    trials.measure.what.trace_path = path;
    trials.measure.regions = true;
    trials.measure.attendant = (struct wtl_attendant){wtl_session_link_attend, host};
    rc = rc < 0 ? rc : wtl_trials_measure(&trials, &result, &trace, err);
    if (rc == 0) {
        if (host->failed)
            wtl_run_trace_discard(&trace);
        (void)wtl_run_trace_finish(&trace, &result, NULL); /* what fails is a flag */
        wtl_run_trace_fini(&trace);
        rc = host->failed ? wtl_fail(err, -EIO, "%s", host->err.text) : print(host, &result, err);
        wtl_result_fini(&result);
    }
    wtl_trials_fini(&trials);
    free(path);
    return rc;
}

/* The measuring process, from start to exit status. report: it writes a byte there on success. */
static int be_measurer(struct start *start, int report)
{
    struct wattle_error err = {""};
    struct wtl_watch watch = wtl_watch_none();
    struct wtl_session_link_host host = {.bracket = &start->bracket,
                                         .watch = &watch,
                                         .report = report,
                                         .listening = -1,
                                         .client = -1,
                                         .out = -1,
                                         .format = start->options.format};
    (void)setsid();
    wtl_close_others(report);       /* those of the shell */
    (void)unsetenv("WATTLE_SPOOL"); /* its stages belong to this trace */
    (void)setenv("WATTLE_RUN_ID", start->run_id, 1);
    int rc = wtl_watch_open(start->shell, &watch, &err);
    rc = rc < 0 ? rc : take_seat(&start->bracket, &host.seat, &err);
    if (rc == 0) {
        rc = measure(start, &host, &err);
        wtl_session_link_remove(&start->bracket);
    }
    if (host.listening >= 0)
        (void)close(host.listening);
    wtl_seat_close(host.seat); /* before the answer: the client may start again immediately */
    wtl_watch_close(&watch);
    if (host.report >= 0 && rc < 0)
        wtl_complain(&wtl_start_command, "%s", err.text);
    wtl_session_link_answer(&host, rc < 0 ? err.text : NULL);
    return rc < 0 ? WTL_EXIT_FAILED : WTL_EXIT_OK;
}

/* ---- the process that was called ---- */

/* A line of sh that sets a variable. */
static void print_variable(const char *name, const char *value)
{
    (void)printf("export %s='", name);
    for (; *value; value++) {
        if (*value == '\'')
            (void)fputs("'\\''", stdout);
        else
            (void)putchar(*value);
    }
    (void)puts("'");
}

static void print_environment(const struct start *start, const char *spool)
{
    if (spool[0]) {
        print_variable("WATTLE_SPOOL", spool);
        print_variable("WATTLE_SPOOL_NODE", start->bracket.key.node);
    }
    print_variable("WATTLE_JOB", start->bracket.job);
    print_variable("WATTLE_RUN_ID", start->run_id);
    print_variable(WTL_SESSION_LINK_RUN_ID, start->own_run_id ? start->run_id : "");
}

static int tell_begun(const struct start *start, const char *spool)
{
    struct wtl_session_link_note note;
    if (start->print_environment)
        print_environment(start, spool);
    if (!start->options.quiet && wtl_session_link_read_note(&start->bracket, &note) == 0)
        wtl_print_sentence(stderr, "wattle: measuring %s%s; stop with \"wattle stop\"\n",
                           note.trace[0] ? "into " : "without a trace", note.trace);
    return WTL_EXIT_OK;
}

/* It has reported why, unless it was killed. */
static int tell_failed(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return WTL_EXIT_FAILED;
    }
    if (WIFSIGNALED(status))
        wtl_complain(&wtl_start_command, "the measuring process was killed by signal %d",
                     WTERMSIG(status));
    return WTL_EXIT_FAILED;
}

/* It hangs in a sensor or in the folder of the trace. Kill it, so that it does not continue unnoticed. */
static int give_up(pid_t pid, int report)
{
    (void)close(report);
    (void)kill(pid, SIGKILL);
    wtl_complain(&wtl_start_command,
                 "measuring process %d did not start within %d s and was killed: a sensor or a "
                 "file system hangs; choose others with --sensor and -o",
                 (int)pid, BEGIN_MS / 1000);
    return WTL_EXIT_FAILED;
}

/* Wait until the measurement has started or the process has ended. It writes the folder for regions. */
static int wait_for_window(const struct start *start, pid_t pid, int report)
{
    char spool[PATH_MAX + 1];
    size_t n = 0;
    ssize_t got = 1;
    while (n < sizeof spool && got != 0) {
        struct pollfd look = {.fd = report, .events = POLLIN};
        int ready = poll(&look, 1, BEGIN_MS);
        if (ready == 0)
            return give_up(pid, report);
        if (ready < 0)
            continue; /* an unrelated signal */
        got = read(report, spool + n, sizeof spool - n);
        if (got < 0 && errno != EINTR)
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    (void)close(report);
    return n > 0 && spool[n - 1] == '\0' ? tell_begun(start, spool) : tell_failed(pid);
}

static void name_run(struct start *start)
{
    const char *given = getenv("WATTLE_RUN_ID");
    start->own_run_id = !given || !given[0] || wtl_session_link_named_run();
    if (start->own_run_id)
        wtl_session_link_name_run(start->bracket.job, start->run_id);
    else
        (void)snprintf(start->run_id, sizeof start->run_id, "%.63s", given);
}

static int begin(struct start *start)
{
    int ends[2];
    name_run(start);
    if (pipe2(ends, O_CLOEXEC) < 0) {
        wtl_complain(&wtl_start_command, "cannot create a pipe: %s", wtl_strerror(-errno));
        return WTL_EXIT_FAILED;
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        return be_measurer(start, ends[1]);
    }
    (void)close(ends[1]);
    if (pid > 0)
        return wait_for_window(start, pid, ends[0]);
    wtl_complain(&wtl_start_command, "cannot start a process: %s", wtl_strerror(-errno));
    (void)close(ends[0]);
    return WTL_EXIT_FAILED;
}

static int run_start(int argc, char **argv)
{
    struct start start = {.shell = 0};
    struct wattle_error err = {""};
    struct wtl_command_line line;
    wtl_run_options_init(&start.options);
    start.options.command = &wtl_start_command;
    start.options.all = true;
    if (wtl_cli_settings_load(&start.settings, wtl_world_real(), &err) < 0) {
        wtl_complain(&wtl_start_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    int status = wtl_run_options_configure(&start.options, start.settings.config) < 0
                     ? WTL_EXIT_FAILED
                     : wtl_command_read(&wtl_start_command, argc, argv, &start, &line);
    if (status == WTL_GO_ON) {
        start.shell = start.shell ? start.shell : wtl_session_link_shell();
        status = WTL_EXIT_FAILED;
        if (wtl_session_link_find(wtl_world_real(), &start.bracket, &err) < 0)
            wtl_complain(&wtl_start_command, "%s", err.text);
        else
            status = begin(&start);
    }
    wtl_cli_settings_fini(&start.settings);
    return status;
}

const struct wtl_command wtl_start_command = {
    .verb = "start",
    .run = run_start,
    .takes_signals = true,
    .operands = "",
    .summary = "start measuring in the background, for scripts",
    .text = "Returns when the measurement has started. It continues in a background process\nuntil "
            "\"wattle stop\", or until the calling shell ends. \"wattle mark\" divides it\ninto "
            "stages.\n",
    .options = options,
    .examples = "wattle start -o job.wtl\n"
                "eval \"$(wattle start --export -o job.wtl)\"\n"
                "wattle mark prepare; ./prepare\n"
                "wattle mark solve; srun ./solve\n"
                "wattle stop\n",
    .usage_exit = WTL_EXIT_USAGE,
    .take_operand = refuse_word,
};
