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
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <wattle/region.h>

#include "base/fail.h"
#include "base/standard_streams.h"
#include "cli/commands.h"
#include "cli/run/child.h"
#include "cli/run/measure.h"
#include "cli/run/run_options.h"
#include "cli/run/run_output.h"
#include "cli/run/trials.h"
#include "cli/session/session_link.h"
#include "cli/settings.h"
#include "measure/trace_name.h"
#include "record/regions/region_place.h"
#include "report/report.h"
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

struct wtl_session_link_host {
    const struct wtl_session_link *bracket;
    struct wtl_signals *signals;
    const struct wtl_watch *watch;
    struct wtl_seat *seat;
    int report; /* descriptor of who started it: gets "WATTLE_SPOOL" folder's path; then closed */
    int listening;          /* -1 = not yet */
    int client, out;        /* for "stop": the waiting connection, and its stdout; -1 = none */
    enum wtl_format format; /* as requested by "stop" */
    bool verbose;           /* likewise */
    uint32_t stage;         /* ID of the open region; 0 = none */
    int no_spool;           /* 0, or why the region file could not be created */
    bool failed;            /* setup failed: see err */
    struct wattle_error err;
};

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

/* ---- answers to clients ---- */

/*
 * The measuring process: what it does while measuring, and how it answers. All on one thread. It
 * ends on "stop", on a terminating signal, or when the process that it watches, the shell, has
 * ended.
 */

enum { PATIENCE_S = 2, LOOK_MS = 100 };

static void reply(int client, const char *sentence)
{
    char text[WTL_SESSION_LINK_MESSAGE];
    int n = snprintf(text, sizeof text, "%c%s", sentence ? '1' : '0', sentence ? sentence : "");
    n = n >= (int)sizeof text ? (int)sizeof text - 1 : n;
    (void)send(client, text, (size_t)n, MSG_NOSIGNAL); /* the client may have exited */
    (void)close(client);
}

/* Answer the waiting client, if any: done, or the error message. */
static void session_link_answer(struct wtl_session_link_host *host, const char *sentence)
{
    if (host->out >= 0)
        (void)close(host->out);
    if (host->client >= 0)
        reply(host->client, sentence);
    host->client = host->out = -1;
}

/* ---- requests ---- */

/* Receive a request and the streams sent with it (-1 = none). Returns its bytes, or -errno. */
static ssize_t receive(int client, char *text, size_t size, int streams[2])
{
    char control[CMSG_SPACE(2 * sizeof(int))];
    struct iovec part = {text, size - 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
    message.msg_controllen = sizeof control;
    streams[0] = streams[1] = -1;
    ssize_t n = recvmsg(client, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(2 * sizeof(int)))
        memcpy(streams, CMSG_DATA(header), 2 * sizeof(int));
    text[n < 0 ? 0 : n] = '\0';
    return n < 0 ? -errno : n;
}

static void end_stage(struct wtl_session_link_host *host)
{
    if (host->stage) /* 0 would be a refused name */
        wattle_region_end(host->stage);
    host->stage = 0;
}

/* Why a stage is not recorded; NULL: it is. */
static const char *unrecorded(struct wtl_session_link_host *host)
{
    if (wattle_recording())
        return NULL;
    if (wtl_region_state() == WTL_REGION_FULL)
        return "the stage was not recorded: cannot extend the region file (full disk, quota, or "
               "file size limit); free space, run \"wattle stop\", and start again";
    if (host->no_spool == 0)
        return "stages are not recorded: the folder for regions could not be created; see the "
               "warning of \"wattle start\"";
    (void)wtl_fail(&host->err, 0,
                   "stages are not recorded: cannot create the region file (%s); free space, run "
                   "\"wattle stop\", and start again",
                   wtl_strerror(host->no_spool));
    return host->err.text;
}

/* The previous stage ends where the new one starts. Returns NULL, or the message of a refusal. */
static const char *mark(struct wtl_session_link_host *host, const char *name)
{
    uint32_t id = wattle_region_id(name);
    const char *why = unrecorded(host);
    if (why)
        return why;
    if (id == 0)
        return "stage names have 1 to 255 bytes, and at most 65535 different names are recorded";
    end_stage(host);
    wattle_region_begin(id);
    why = unrecorded(host); /* no space for it */
    host->stage = why ? 0 : id;
    return why;
}

/* Further messages go to the client that requested the end. */
static void keep_client(struct wtl_session_link_host *host, int client, const int streams[2])
{
    host->client = client;
    host->out = streams[0];
    if (streams[1] >= 0) {
        (void)dup2(streams[1], STDERR_FILENO);
        (void)close(streams[1]);
    }
}

static void close_streams(const int streams[2])
{
    for (int i = 0; i < 2; i++) {
        if (streams[i] >= 0)
            (void)close(streams[i]);
    }
}

/* "json", "default" (that of start), with "verbose" after it or not. */
static void take_form(struct wtl_session_link_host *host, const char *text)
{
    size_t n = strcspn(text, " ");
    for (size_t i = 0; wtl_format_names[i]; i++) {
        if (strlen(wtl_format_names[i]) == n && strncmp(text, wtl_format_names[i], n) == 0)
            host->format = (enum wtl_format)i;
    }
    host->verbose = strcmp(text + n, " verbose") == 0;
}

/* Returns true if it is the end. */
static bool handle(struct wtl_session_link_host *host, int client, const char *text, int streams[2])
{
    const char *refusal = "unknown request; \"wattle start\" runs another version of wattle";
    if (strncmp(text, "stop ", 5) == 0) {
        take_form(host, text + 5);
        end_stage(host);
        keep_client(host, client, streams);
        return true;
    }
    if (strncmp(text, "mark ", 5) == 0)
        refusal = mark(host, text + 5);
    else if (strcmp(text, "end") == 0 && host->stage == 0)
        refusal = "no stage is open; start one with \"wattle mark NAME\"";
    else if (strcmp(text, "end") == 0) {
        end_stage(host);
        refusal = unrecorded(host);
    }
    close_streams(streams);
    reply(client, refusal);
    return false;
}

static bool is_of_user(int client)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

/* The client sent this while this process was stopped and has given up: the request is outdated. */
static bool has_gone(int client)
{
    struct pollfd end = {.fd = client};
    return poll(&end, 1, 0) == 1 && end.revents & POLLHUP;
}

static bool accept_one(struct wtl_session_link_host *host)
{
    struct timeval patience = {.tv_sec = PATIENCE_S};
    char text[WTL_SESSION_LINK_MESSAGE + 1];
    int streams[2];
    int client = accept4(host->listening, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return false;
    /* A silent client must not block the others. */
    (void)setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool asked = is_of_user(client) && receive(client, text, sizeof text, streams) > 0;
    if (!asked || has_gone(client)) {
        if (asked)
            close_streams(streams);
        (void)close(client);
        return false;
    }
    return handle(host, client, text, streams);
}

/* ---- the window ---- */

/* Listen, write the note, notify the starter, and close its streams. Returns 0 or -errno. */
static int put_up(struct wtl_session_link_host *host, const struct wtl_measurement *measurement)
{
    struct wtl_session_link_note note = {.pid = getpid()};
    struct wtl_seat_note seat_note = {.trace = ""};
    const char *path = wtl_run_trace_path(&measurement->trace);
    char *trace = realpath(path ? path : "", NULL);
    const char *spool = wtl_run_trace_folder(&measurement->trace);
    (void)snprintf(note.trace, sizeof note.trace, "%.511s", trace ? trace : "");
    (void)snprintf(seat_note.trace, sizeof seat_note.trace, "%.511s", trace ? trace : "");
    (void)snprintf(seat_note.spool, sizeof seat_note.spool, "%.511s", spool ? spool : "");
    free(trace);
    if (spool)
        host->no_spool = wtl_region_record(spool); /* marks say that they are not recorded */
    host->listening = wtl_session_link_listen(host->bracket);
    int rc = host->listening < 0 ? host->listening : 0;
    rc = rc < 0 ? rc : wtl_session_link_write_note(host->bracket, &note);
    rc = rc < 0 ? rc : wtl_seat_publish(host->seat, &seat_note);
    if (rc < 0)
        return wtl_fail(&host->err, rc, "%s: %s", host->bracket->address.sun_path,
                        wtl_strerror(rc));
    const char *said = spool ? spool : "";
    (void)!write(host->report, said, strlen(said) + 1); /* it also waits for end of file */
    (void)close(host->report);
    host->report = -1;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        (void)dup2(null, fd);
    if (null > STDERR_FILENO)
        (void)close(null);
    return 0;
}

/* context: the host. */
static void session_link_attend(void *context, struct wtl_measurement *measurement)
{
    struct wtl_session_link_host *host = context;
    bool done = put_up(host, measurement) < 0;
    host->failed = done;
    while (!done) {
        struct pollfd fds[3] = {{.fd = host->listening, .events = POLLIN},
                                {.fd = host->signals->fd, .events = POLLIN},
                                {.fd = host->watch->pidfd, .events = POLLIN}};
        (void)poll(fds, 3, host->watch->folder >= 0 ? LOOK_MS : -1);
        done = wtl_signals_ended(host->signals) || accept_one(host) || wtl_watch_ended(host->watch);
    }
    end_stage(host);
    if (host->listening >= 0)
        (void)close(host->listening);
    host->listening = -1;
}

/* ---- the measurement ---- */

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
    trials.measure.attendant = (struct wtl_attendant){session_link_attend, host};
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
    session_link_answer(&host, rc < 0 ? err.text : NULL);
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
