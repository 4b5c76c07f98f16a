/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting anew: see renewal.h. */
#define _GNU_SOURCE
#include "daemon/program/renewal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "daemon/log.h"
#include "daemon/notify.h"
#include "daemon/program/starter.h"
#include "daemon/program/wattled_options.h"
#include "daemon/sampler.h"

static const uint64_t FIRST_NS = UINT64_C(5000000000), LAST_NS = UINT64_C(600000000000);
static const uint64_t READY_NS = 50000000; /* between looks whether the other one serves */
enum { LOOK_S = 30 };                      /* for opening the sensors, in all */

struct renewal {
    const struct wtl_daemon_options *options;
    const char *lacks;
    sigset_t before, waited; /* signals */
    pid_t server;
    int ready;   /* readable once the server serves; -1 = it does */
    bool ending; /* the server was asked to end: for good, or */
    bool again;  /* to start anew */
};

/* ---- the process that serves ---- */

static int serve(const struct renewal *renewal, int ready)
{
    struct wtl_daemon *daemon;
    struct wattle_error err = {""};
    struct wtl_daemon_options options = *renewal->options;
    options.ret_lacks = NULL;
    options.waiting = getppid();
    (void)sigprocmask(SIG_SETMASK, &renewal->before, NULL);
    (void)unsetenv("NOTIFY_SOCKET"); /* the service manager hears the first process only */
    if (wtl_daemon_open(&options, &daemon, &err) < 0) {
        wtl_log(WTL_LOG_ERROR, "%s", err.text);
        return WTL_WATTLED_FAILED;
    }
    (void)!write(ready, "1", 1); /* its end is noticed as well */
    (void)close(ready);
    wtl_daemon_serve(daemon);
    wtl_daemon_close(daemon);
    return 0;
}

static int start_server(struct renewal *renewal)
{
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    renewal->server = fork();
    if (renewal->server == 0) {
        (void)close(pipe_fds[0]);
        _exit(serve(renewal, pipe_fds[1]));
    }
    int rc = renewal->server < 0 ? -errno : 0;
    (void)close(pipe_fds[1]);
    renewal->ready = pipe_fds[0];
    return rc;
}

/* ---- looking ---- */

/* Exit status 0: more can be read than at the start. */
static int look_for_sensors(const struct renewal *renewal)
{
    const struct wtl_daemon_options *options = renewal->options;
    struct wtl_starter *starter = NULL;
    struct wtl_sampler *sampler = NULL;
    struct wattle_error err;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDERR_FILENO) < 0) /* what it finds is said by who starts anew */
        return 1;
    (void)alarm(LOOK_S);
    (void)sigprocmask(SIG_SETMASK, &renewal->before, NULL);
    int rc = wtl_starter_open(options->world, options->settings->user, &starter, &err);
    if (rc == 0)
        rc = wtl_sampler_open(wtl_starter_world(starter), options->settings, &sampler, &err);
    bool more = rc == 0 && strlen(wtl_sampler_selection(sampler)->lacks) < strlen(renewal->lacks);
    wtl_sampler_close(sampler);
    wtl_starter_close(starter);
    return more ? 0 : 1;
}

static bool can_read_more(const struct renewal *renewal)
{
    int status = 1;
    pid_t looker = fork();
    if (looker == 0)
        _exit(look_for_sensors(renewal));
    while (looker > 0 && waitpid(looker, &status, 0) < 0 && errno == EINTR)
        ;
    return looker > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- waiting ---- */

/* The server has ended: its exit status; -1: it has not. */
static int status_of_server(const struct renewal *renewal)
{
    int status;
    if (waitpid(renewal->server, &status, WNOHANG) != renewal->server)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WTL_WATTLED_FAILED;
}

static void note_ready(struct renewal *renewal)
{
    char byte;
    if (renewal->ready < 0 || read(renewal->ready, &byte, 1) != 1)
        return;
    (void)close(renewal->ready);
    renewal->ready = -1;
    wtl_notify("READY=1");
}

static void pass_on(struct renewal *renewal, int number)
{
    if (number <= 0 || number == SIGCHLD)
        return;
    (void)kill(renewal->server, number);
    renewal->ending |= number != SIGHUP;
    renewal->again &= number == SIGHUP; /* that it was to start anew is over */
}

/* Until the server has ended: its exit status. */
static int wait_for_server(struct renewal *renewal)
{
    const struct wtl_world *world = renewal->options->world;
    uint64_t pause_ns = FIRST_NS, next_ns = wtl_world_monotonic(world) + pause_ns;
    int status;
    while ((status = status_of_server(renewal)) < 0) {
        uint64_t time_ns = wtl_world_monotonic(world);
        bool looks = !renewal->ending && renewal->ready < 0;
        if (looks && time_ns >= next_ns) {
            if (can_read_more(renewal)) {
                wtl_log(WTL_LOG_INFO,
                        "more can be read than at the start, where %s could not: "
                        "starting anew",
                        renewal->lacks);
                renewal->ending = renewal->again = kill(renewal->server, SIGTERM) == 0;
            }
            pause_ns = pause_ns * 2 < LAST_NS ? pause_ns * 2 : LAST_NS;
            next_ns = wtl_world_monotonic(world) + pause_ns;
            continue;
        }
        uint64_t wait_ns = renewal->ready >= 0 ? READY_NS : looks ? next_ns - time_ns : LAST_NS;
        const struct timespec timeout = {.tv_sec = (time_t)(wait_ns / 1000000000),
                                         .tv_nsec = (long)(wait_ns % 1000000000)};
        pass_on(renewal, sigtimedwait(&renewal->waited, NULL, &timeout));
        note_ready(renewal);
    }
    return status;
}

int wtl_renewal_serve(const struct wtl_daemon_options *options, const char *lacks, char **argv)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD};
    struct renewal renewal = {.options = options, .lacks = lacks, .ready = -1};
    (void)sigemptyset(&renewal.waited);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaddset(&renewal.waited, numbers[i]);
    (void)sigprocmask(SIG_BLOCK, &renewal.waited, &renewal.before);
    (void)prctl(PR_SET_DUMPABLE, 0); /* the server may be of the same user */
    int rc = start_server(&renewal);
    if (rc < 0) {
        wtl_log(WTL_LOG_ERROR, "cannot start another process: %s", wtl_strerror(rc));
        return WTL_WATTLED_FAILED;
    }
    int status = wait_for_server(&renewal);
    if (!renewal.again || status != 0)
        return status;
    (void)sigprocmask(SIG_SETMASK, &renewal.before, NULL);
    (void)execv("/proc/self/exe", argv);
    wtl_log(WTL_LOG_ERROR, "cannot start anew: %s", wtl_strerror(errno));
    return WTL_WATTLED_FAILED;
}
