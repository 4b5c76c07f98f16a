/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that execs the command: see stage.h. */
#define _GNU_SOURCE
#include "sim/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "sim/fuse_server.h"
#include "sim/phases/listener.h"
#include "sim/private_mounts.h"
#include "sim/sim_command.h"

enum { FDS = 2 }; /* most that a message has */

/* Message to wattle-sim; the only reply is one byte, "go on". */
struct message {
    int code; /* 0, or a negative errno with the message */
    struct wattle_error err;
};

static void tell(int channel, int code, const struct wattle_error *err, const int *fds, size_t n)
{
    struct message message = {.code = code, .err = *err};
    char control[CMSG_SPACE(FDS * sizeof *fds)] = {0};
    struct iovec data = {&message, sizeof message};
    struct msghdr head = {.msg_iov = &data, .msg_iovlen = 1};
    if (n > 0) {
        head.msg_control = control;
        head.msg_controllen = CMSG_SPACE(n * sizeof *fds);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&head);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(n * sizeof *fds);
        memcpy(CMSG_DATA(rights), fds, n * sizeof *fds);
    }
    (void)sendmsg(channel, &head, MSG_NOSIGNAL); /* without a reader there is nothing left to do */
}

/* Wait for "go on"; exit if wattle-sim is gone. */
static void await(int channel)
{
    char byte;
    ssize_t n;
    do {
        n = recv(channel, &byte, 1, 0);
    } while (n < 0 && errno == EINTR);
    if (n != 1)
        _exit(WTL_SIM_FAILED);
}

static _Noreturn void give_up(int channel, int code, const struct wattle_error *err)
{
    tell(channel, code, err, NULL, 0);
    _exit(WTL_SIM_FAILED);
}

/* The host's counters would be mistaken for the node's, and might even be preferred. */
static int hide_all(struct wtl_private *view, struct wattle_error *err)
{
    static const char *const places[] = {"/sys/bus/event_source/devices/power",
                                         "/sys/bus/event_source/devices/power_core",
                                         "/sys/class/power_supply"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++)
        rc = wtl_private_hide(view, places[i], err);
    return rc;
}

/* Control's journals are of the host's settings. Those of the simulated node, restored on the host, would change it. */
static int hide_journals(struct wtl_private *view, struct wattle_error *err)
{
    (void)mkdir("/run/wattle-control", 0700); /* where this fails, there are none to be mistaken */
    return wtl_private_hide(view, "/run/wattle-control", err);
}

static int show_counters(struct wtl_private *view, struct wattle_error *err)
{
    int rc = wtl_private_show(view, "/proc/diskstats", err);
    if (rc == 0)
        rc = wtl_private_show(view, "/sys/block", err);
    return rc == 0 ? wtl_private_redirect(view, "/proc/net", err) : rc;
}

static int show_cpu_time(struct wtl_private *view, struct wattle_error *err)
{
    static const char *const places[] = {"/proc/stat", "/sys/fs/cgroup/cpuacct/cpuacct.usage",
                                         "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++) {
        if (access(places[i], F_OK) == 0)
            rc = wtl_private_show(view, places[i], err);
    }
    return rc;
}

static int show_all(struct wtl_private *view, const struct wtl_tree *tree, struct wattle_error *err)
{
    static const char *const places[] = {"/sys/class/powercap", "/sys/class/hwmon",
                                         "/sys/cray/pm_counters", "/dev/cpu", "/proc/cpuinfo"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++)
        rc = wtl_tree_find(tree, places[i], false) < 0 ? wtl_private_hide(view, places[i], err)
                                                       : wtl_private_show(view, places[i], err);
    static const char *const controls[] = {"/sys/devices/system/cpu/cpufreq",
                                           "/sys/devices/system/cpu/intel_pstate"};
    for (size_t i = 0; rc == 0 && i < sizeof controls / sizeof *controls; i++)
        rc = wtl_tree_find(tree, controls[i], false) < 0 ? wtl_private_hide(view, controls[i], err)
                                                         : wtl_private_show(view, controls[i], err);
    if (rc == 0 && wtl_tree_config(tree)->stat)
        rc = show_cpu_time(view, err);
    if (rc == 0 && wtl_tree_config(tree)->views & WTL_VIEW_COUNTERS)
        rc = show_counters(view, err);
    for (int cpu = 0; rc == 0 && cpu < wtl_tree_config(tree)->cpus; cpu++) {
        char path[64];
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq", cpu);
        if (wtl_tree_find(tree, path, false) >= 0)
            rc = wtl_private_show(view, path, err);
    }
    return rc;
}

/* The root of the mount, in which wattle-sim opens the files of events, and what reports the calls. */
static int report_calls(int fds[FDS], struct wattle_error *err)
{
    fds[0] = open(WTL_PRIVATE_ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fds[0] < 0)
        return wtl_fail(err, -errno, "%s: %s", WTL_PRIVATE_ROOT, wtl_strerror(errno));
    fds[1] = wtl_listener_install(err);
    return fds[1] < 0 ? fds[1] : 0;
}

/* The loader looks there first, so that the node's GPUs hide those of the machine. */
static void prefer_libraries(const char *folder)
{
    char path[4096];
    const char *others = getenv("LD_LIBRARY_PATH");
    int n = snprintf(path, sizeof path, "%s%s%s", folder, others && *others ? ":" : "",
                     others ? others : "");
    (void)setenv("LD_LIBRARY_PATH", n < (int)sizeof path ? path : folder, 1);
}

static _Noreturn void become_command(const struct wtl_stage_config *config, int channel)
{
    struct wtl_private view;
    struct wattle_error err = {""};
    int rc = wtl_private_enter(&view, &err);
    if (rc == 0)
        rc = wtl_private_mount(&view, &err);
    if (rc < 0)
        give_up(channel, rc, &err);
    tell(channel, 0, &err, &rc, 1);
    (void)close(rc);
    await(channel);
    rc = show_all(&view, config->tree, &err);
    if (rc == 0)
        rc = hide_all(&view, &err);
    if (rc == 0)
        rc = hide_journals(&view, &err);
    if (rc == 0)
        rc = wtl_private_finish(&view, &err);
    int fds[FDS] = {-1, -1};
    if (rc == 0 && config->reports)
        rc = report_calls(fds, &err);
    if (rc < 0)
        give_up(channel, rc, &err);
    /* After the last change of user, which clears it. await() below notices a parent that is
     * already gone. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    tell(channel, 0, &err, fds, config->reports ? FDS : 0);
    for (size_t i = 0; config->reports && i < FDS; i++)
        (void)close(fds[i]);
    await(channel);
    (void)setenv("WATTLE_SIMULATED", "1", 1);
    (void)setenv(WTL_SIM_NODE_VARIABLE, WTL_PRIVATE_ROOT "/" WTL_FUSE_REQUEST_FILE, 1);
    if (wtl_tree_config(config->tree)->gpus)
        prefer_libraries(WTL_PRIVATE_ROOT "/lib");
    (void)sigprocmask(SIG_SETMASK, &config->signals, NULL);
    (void)execvp(config->command[0], config->command);
    rc = -errno;
    give_up(channel, rc, &err);
}

int wtl_stage_start(const struct wtl_stage_config *config,
                    struct wtl_stage *ret_stage,
                    struct wattle_error *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return wtl_fail(err, -errno, "socketpair: %s", wtl_strerror(errno));
    pid_t pid = fork();
    if (pid < 0) {
        int rc = wtl_fail(err, -errno, "fork: %s", wtl_strerror(errno));
        (void)close(pair[0]);
        (void)close(pair[1]);
        return rc;
    }
    if (pid == 0) {
        (void)close(pair[0]);
        become_command(config, pair[1]);
    }
    (void)close(pair[1]);
    *ret_stage = (struct wtl_stage){.pid = pid, .channel = pair[0], .root = -1, .calls = -1};
    return 0;
}

/* Receive the next message: its code, or -EPIPE if the process ended without one. */
static int listen_to(struct wtl_stage *stage, int fds[FDS], struct wattle_error *err)
{
    struct message message;
    char control[CMSG_SPACE(FDS * sizeof *fds)];
    struct iovec data = {&message, sizeof message};
    struct msghdr head = {.msg_iov = &data,
                          .msg_iovlen = 1,
                          .msg_control = control,
                          .msg_controllen = sizeof control};
    ssize_t n;
    do {
        n = recvmsg(stage->channel, &head, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof message)
        return wtl_fail(err, -EPIPE, "the process of the command ended before it could start");
    struct cmsghdr *rights = CMSG_FIRSTHDR(&head);
    if (fds && rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
    if (message.code < 0 && err)
        *err = message.err;
    return message.code;
}

static int end_on_failure(struct wtl_stage *stage, int rc)
{
    if (rc < 0) {
        (void)close(stage->channel); /* it exits when the channel is closed */
        stage->channel = -1;
        (void)waitpid(stage->pid, NULL, 0);
    }
    return rc;
}

int wtl_stage_device(struct wtl_stage *stage, int *ret_fd, struct wattle_error *err)
{
    int fds[FDS] = {-1, -1};
    int rc = end_on_failure(stage, listen_to(stage, fds, err));
    *ret_fd = fds[0];
    return rc;
}

int wtl_stage_build(struct wtl_stage *stage, struct wattle_error *err)
{
    (void)send(stage->channel, "", 1, MSG_NOSIGNAL); /* a failure shows in the answer */
    int fds[FDS] = {-1, -1};
    int rc = end_on_failure(stage, listen_to(stage, fds, err));
    stage->root = fds[0];
    stage->calls = fds[1];
    return rc;
}

int wtl_stage_release(struct wtl_stage *stage)
{
    struct wattle_error err;
    (void)send(stage->channel, "", 1, MSG_NOSIGNAL);
    int rc = listen_to(stage, NULL, &err);
    if (rc == -EPIPE) { /* exec has closed the channel */
        (void)close(stage->channel);
        stage->channel = -1;
        return 0;
    }
    return end_on_failure(stage, rc);
}
