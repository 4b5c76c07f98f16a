/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that execs the command: see stage.h. */
#define _GNU_SOURCE
#include "sim/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "sim/fuse_server.h"
#include "sim/phases/listener.h"
#include "sim/sim_command.h"

/* ---- the private view of the file system ---- */

/*
 * A view of the file system for one process and its children, in which the node's files appear at
 * their real paths and everything else is unchanged. /sys does not allow new folders, so it is
 * covered by an empty file system into which every old entry is bound; this works for root and, in
 * a user namespace, for everyone. It is invisible outside, and vanishes with its last process.
 */

/* Where the node's own files are inside the view. */
#define PRIVATE_ROOT "/sys/wattle-sim"

struct private_view {
    bool user_namespace; /* created, because the process may not mount */
    uid_t uid;
    gid_t gid;
    dev_t *covers; /* devices of the file systems mounted over folders */
    size_t count;
};

/* C libraries before glibc 2.36 do not have these. */
#ifndef OPEN_TREE_CLONE
#    define OPEN_TREE_CLONE 1
#endif
#ifndef OPEN_TREE_CLOEXEC
#    define OPEN_TREE_CLOEXEC O_CLOEXEC
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#    define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#endif

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = write(fd, text, strlen(text));
    int rc = n < 0 ? -errno : 0;
    (void)close(fd); /* proc files take effect on write */
    return rc;
}

/* Map one user and group into the new user namespace. */
static int map_ids(uid_t inside_uid, uid_t uid, gid_t inside_gid, gid_t gid)
{
    char text[64];
    int rc = write_file("/proc/self/setgroups", "deny"); /* required by the kernel for gid_map */
    (void)snprintf(text, sizeof text, "%u %u 1", (unsigned)inside_uid, (unsigned)uid);
    if (rc == 0)
        rc = write_file("/proc/self/uid_map", text);
    (void)snprintf(text, sizeof text, "%u %u 1", (unsigned)inside_gid, (unsigned)gid);
    if (rc == 0)
        rc = write_file("/proc/self/gid_map", text);
    return rc;
}

/*
 * Leave the caller's view: enter a mount namespace, and a user namespace if needed.
 * Single-threaded. Returns 0, -EPERM with the remedy if the system allows neither.
 */
static int private_enter(struct private_view *view, struct wattle_error *err)
{
    *view = (struct private_view){.uid = geteuid(), .gid = getegid()};
    if (unshare(CLONE_NEWNS) < 0) {
        if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
            return wtl_fail(
                err, -errno,
                "cannot create private mounts as this user (%s); run as root, or allow user "
                "namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
                "kernel.apparmor_restrict_unprivileged_userns",
                wtl_strerror(errno));
        view->user_namespace = true;
        int rc = map_ids(0, view->uid, 0, view->gid);
        if (rc < 0)
            return wtl_fail(err, rc, "user namespace: cannot map the user: %s", wtl_strerror(rc));
    }
    int code = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
    if (code == -EINVAL)
        return wtl_fail(err, code,
                        "cannot create private mounts: / is not a mount point (chroot); make its "
                        "folder one before entering it: mount --bind DIR DIR");
    if (code < 0)
        return wtl_fail(err, code, "cannot make mounts private: %s", wtl_strerror(code));
    return 0;
}

/* Bind old/name to path/name. */
static int bind_again(int old, const char *path, const char *name)
{
    char from[PATH_MAX], to[PATH_MAX], target[PATH_MAX];
    struct stat about;
    if (fstatat(old, name, &about, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno; /* vanished after listing */
    (void)snprintf(from, sizeof from, "/proc/self/fd/%d/%s", old, name);
    (void)snprintf(to, sizeof to, "%s/%s", path, name);
    if (S_ISLNK(about.st_mode)) {
        ssize_t n = readlinkat(old, name, target, sizeof target - 1);
        if (n < 0)
            return -errno;
        target[n] = '\0';
        return symlink(target, to) < 0 ? -errno : 0;
    }
    if (S_ISDIR(about.st_mode)) {
        if (mkdir(to, 0755) < 0)
            return -errno;
    } else {
        int fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        if (fd < 0)
            return -errno;
        (void)close(fd); /* empty: only a mount point */
    }
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0 ? -errno : 0;
}

static int remember_cover(struct private_view *view, const char *path)
{
    struct stat about;
    if (wtl_grow(&view->covers, view->count, sizeof *view->covers) < 0)
        return -ENOMEM;
    if (stat(path, &about) < 0)
        return -errno;
    view->covers[view->count++] = about.st_dev;
    return 0;
}

/* Mount an empty file system over a folder and bind its old entries into it. */
static int cover(struct private_view *view, const char *path, struct wattle_error *err)
{
    int old = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (old < 0)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    struct dirent **entries = NULL;
    int n = scandirat(old, ".", &entries, NULL, NULL), rc = n < 0 ? -errno : 0;
    if (rc == 0 && mount("wattle-sim", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0)
        rc = -errno;
    if (rc == 0)
        rc = remember_cover(view, path);
    if (rc < 0)
        (void)wtl_fail(err, rc, "cannot mount over %s: %s", path, wtl_strerror(rc));
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (rc == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            rc = bind_again(old, path, name);
            if (rc < 0)
                (void)wtl_fail(err, rc, "cannot bind %s/%s again: %s", path, name,
                               wtl_strerror(rc));
        }
        free(entries[i]);
    }
    free(entries);
    (void)close(old);
    return rc;
}

static bool is_covered(const struct private_view *view, const struct stat *folder)
{
    for (size_t i = 0; i < view->count; i++) {
        if (view->covers[i] == folder->st_dev)
            return true;
    }
    return false;
}

/* Make sure that a folder exists at `path`, covering a parent that does not allow creating it. */
static int make_folder(struct private_view *view, const char *path, struct wattle_error *err)
{
    struct stat about;
    char parent[PATH_MAX];
    if (stat(path, &about) == 0)
        return 0;
    (void)snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (!slash || slash == parent)
        return wtl_fail(err, -ENOENT, "%s: no such folder, and / cannot be changed", path);
    *slash = '\0';
    int rc = make_folder(view, parent, err);
    if (rc == 0 && stat(parent, &about) < 0)
        rc = wtl_fail(err, -errno, "%s: %s", parent, wtl_strerror(errno));
    if (rc == 0 && !is_covered(view, &about))
        rc = cover(view, parent, err);
    if (rc == 0 && mkdir(path, 0755) < 0)
        rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    return rc;
}

/* Cover /sys and mount FUSE at PRIVATE_ROOT. Returns the descriptor of /dev/fuse (>= 0), which
 * must be served before anything below is accessed; -EACCES, -ENOENT with the remedy. */
static int private_mount(struct private_view *view, struct wattle_error *err)
{
    char options[128];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return wtl_fail(err, -errno, "/dev/fuse: %s; %s", wtl_strerror(errno),
                        errno == EACCES ? "run as root, or allow access: chmod 666 /dev/fuse"
                                        : "load the kernel module: modprobe fuse");
    int rc = cover(view, "/sys", err);
    if (rc == 0)
        rc = make_folder(view, PRIVATE_ROOT, err);
    /* In a user namespace there are no other users; the option would only exclude wattle-sim itself, which is outside. */
    (void)snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u%s", fd,
                   (unsigned)geteuid(), (unsigned)getegid(),
                   view->user_namespace ? "" : ",allow_other");
    if (rc == 0 && mount("wattle-sim", PRIVATE_ROOT, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
        rc = wtl_fail(err, -errno, "cannot mount FUSE: %s", wtl_strerror(errno));
    if (rc < 0)
        (void)close(fd);
    return rc < 0 ? rc : fd;
}

/* Make `path` ("/sys/class/powercap") show the content of PRIVATE_ROOT + path. */
static int private_show(struct private_view *view, const char *path, struct wattle_error *err)
{
    char from[PATH_MAX];
    struct stat about;
    int rc = 0;
    (void)snprintf(from, sizeof from, "%s%s", PRIVATE_ROOT, path);
    if (stat(from, &about) < 0)
        return wtl_fail(err, -errno, "%s: %s", from, wtl_strerror(errno));
    if (S_ISDIR(about.st_mode))
        rc = make_folder(view, path, err);
    if (rc == 0 && mount(from, path, NULL, MS_BIND, NULL) < 0)
        rc = wtl_fail(err, -errno, "cannot mount %s: %s", path, wtl_strerror(errno));
    return rc;
}

/* Over a link only another link can be mounted. It must stay, or another node could not do the same within this one. */
/* The same for a link of a file system that cannot be changed (/proc/net): it leads to that folder from now on. -EINVAL
 * where the kernel refuses to mount over a link. */
static int private_redirect(struct private_view *view, const char *path, struct wattle_error *err)
{
    const char *link = PRIVATE_ROOT ".net"; /* /sys is covered and can be changed */
    char target[PATH_MAX];
    (void)view;
    (void)snprintf(target, sizeof target, "%s%s", PRIVATE_ROOT, path);
    (void)unlink(link); /* of a node around this one, whose copy it is */
    int rc = symlink(target, link) < 0 ? -errno : 0;
    int tree = rc < 0 ? rc
                      : (int)syscall(SYS_open_tree, AT_FDCWD, link,
                                     AT_SYMLINK_NOFOLLOW | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (rc == 0 && (tree < 0 ||
                    syscall(SYS_move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0))
        rc = -errno;
    if (tree >= 0)
        (void)close(tree);
    return rc < 0 ? wtl_fail(err, rc, "cannot mount over the link %s: %s", path, wtl_strerror(rc))
                  : 0;
}

/* Remove a link from its folder. */
static int hide_link(struct private_view *view, const char *path, struct wattle_error *err)
{
    char parent[PATH_MAX];
    struct stat about;
    (void)snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = '\0';
    int rc = stat(parent, &about) < 0 ? -errno : 0;
    if (rc == 0 && !is_covered(view, &about))
        rc = cover(view, parent, err);
    return rc == 0 && unlink(path) < 0 ? -errno : rc;
}

/* Remove a link of the host (absolute path) from the view, or empty a folder; does nothing if it
 * does not exist. */
static int private_hide(struct private_view *view, const char *path, struct wattle_error *err)
{
    struct stat about;
    if (lstat(path, &about) < 0)
        return errno == ENOENT ? 0 : wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    int rc = 0;
    if (!S_ISDIR(about.st_mode))
        rc = hide_link(view, path, err);
    else if (mount("wattle-sim", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0)
        rc = -errno;
    return rc < 0 ? wtl_fail(err, rc, "cannot hide %s: %s", path, wtl_strerror(rc)) : 0;
}

/* Return to the caller's own user and group as far as possible; frees the view's memory. */
static int private_finish(struct private_view *view, struct wattle_error *err)
{
    free(view->covers);
    view->covers = NULL;
    view->count = 0;
    if (!view->user_namespace || view->uid == 0)
        return 0;
    int rc = unshare(CLONE_NEWUSER) < 0 ? -errno : map_ids(view->uid, 0, view->gid, 0);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot restore the user of the command: %s", wtl_strerror(rc));
    return 0;
}

/* ---- the process ---- */

enum { FDS = 2 }; /* most that a message has */

/* Message to wattle-sim; the only reply is one byte, "go on". */
struct message {
    int code; /* 0, or a negative errno with the message */
    struct wattle_error err;
};

static void send_result(int channel,
                        int code,
                        const struct wattle_error *err,
                        const int *fds,
                        size_t n)
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
    send_result(channel, code, err, NULL, 0);
    _exit(WTL_SIM_FAILED);
}

/* The host's counters would be mistaken for the node's, and might even be preferred. */
static int hide_all(struct private_view *view, struct wattle_error *err)
{
    static const char *const places[] = {"/sys/bus/event_source/devices/power",
                                         "/sys/bus/event_source/devices/power_core",
                                         "/sys/class/power_supply"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++)
        rc = private_hide(view, places[i], err);
    return rc;
}

/* Control's journals are of the host's settings. Those of the simulated node, restored on the host, would change it. */
static int hide_journals(struct private_view *view, struct wattle_error *err)
{
    (void)mkdir("/run/wattle-control", 0700); /* where this fails, there are none to be mistaken */
    return private_hide(view, "/run/wattle-control", err);
}

static int show_counters(struct private_view *view, struct wattle_error *err)
{
    int rc = private_show(view, "/proc/diskstats", err);
    if (rc == 0)
        rc = private_show(view, "/sys/block", err);
    return rc == 0 ? private_redirect(view, "/proc/net", err) : rc;
}

static int show_cpu_time(struct private_view *view, struct wattle_error *err)
{
    static const char *const places[] = {"/proc/stat", "/sys/fs/cgroup/cpuacct/cpuacct.usage",
                                         "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++) {
        if (access(places[i], F_OK) == 0)
            rc = private_show(view, places[i], err);
    }
    return rc;
}

static int show_all(struct private_view *view,
                    const struct wtl_tree *tree,
                    struct wattle_error *err)
{
    static const char *const places[] = {"/sys/class/powercap", "/sys/class/hwmon",
                                         "/sys/cray/pm_counters", "/dev/cpu", "/proc/cpuinfo"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++)
        rc = wtl_tree_find(tree, places[i], false) < 0 ? private_hide(view, places[i], err)
                                                       : private_show(view, places[i], err);
    static const char *const controls[] = {"/sys/devices/system/cpu/cpufreq",
                                           "/sys/devices/system/cpu/intel_pstate"};
    for (size_t i = 0; rc == 0 && i < sizeof controls / sizeof *controls; i++)
        rc = wtl_tree_find(tree, controls[i], false) < 0 ? private_hide(view, controls[i], err)
                                                         : private_show(view, controls[i], err);
    if (rc == 0 && wtl_tree_config(tree)->stat)
        rc = show_cpu_time(view, err);
    if (rc == 0 && wtl_tree_config(tree)->views & WTL_VIEW_COUNTERS)
        rc = show_counters(view, err);
    for (int cpu = 0; rc == 0 && cpu < wtl_tree_config(tree)->cpus; cpu++) {
        char path[64];
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq", cpu);
        if (wtl_tree_find(tree, path, false) >= 0)
            rc = private_show(view, path, err);
    }
    return rc;
}

/* The root of the mount, in which wattle-sim opens the files of events, and what reports the calls. */
static int report_calls(int fds[FDS], struct wattle_error *err)
{
    fds[0] = open(PRIVATE_ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fds[0] < 0)
        return wtl_fail(err, -errno, "%s: %s", PRIVATE_ROOT, wtl_strerror(errno));
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
    struct private_view view;
    struct wattle_error err = {""};
    int rc = private_enter(&view, &err);
    if (rc == 0)
        rc = private_mount(&view, &err);
    if (rc < 0)
        give_up(channel, rc, &err);
    send_result(channel, 0, &err, &rc, 1);
    (void)close(rc);
    await(channel);
    rc = show_all(&view, config->tree, &err);
    if (rc == 0)
        rc = hide_all(&view, &err);
    if (rc == 0)
        rc = hide_journals(&view, &err);
    if (rc == 0)
        rc = private_finish(&view, &err);
    int fds[FDS] = {-1, -1};
    if (rc == 0 && config->reports)
        rc = report_calls(fds, &err);
    if (rc < 0)
        give_up(channel, rc, &err);
    /* After the last change of user, which clears it. await() below notices a parent that is
     * already gone. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    send_result(channel, 0, &err, fds, config->reports ? FDS : 0);
    for (size_t i = 0; config->reports && i < FDS; i++)
        (void)close(fds[i]);
    await(channel);
    (void)setenv("WATTLE_SIMULATED", "1", 1);
    (void)setenv(WTL_SIM_NODE_VARIABLE, PRIVATE_ROOT "/" WTL_FUSE_REQUEST_FILE, 1);
    if (wtl_tree_config(config->tree)->gpus)
        prefer_libraries(PRIVATE_ROOT "/lib");
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
