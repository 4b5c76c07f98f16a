/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/phases/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "sim/phases/live_phases.h"
#include "sim/phases/pmu.h"
#include "sim/programs/program_scan.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#    define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_ADDFD_FLAG_SEND
#    define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

#if defined __x86_64__
#    define NATIVE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#    define NATIVE AUDIT_ARCH_AARCH64
#elif defined __powerpc64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#    define NATIVE AUDIT_ARCH_PPC64LE
#elif defined __riscv && __riscv_xlen == 64
#    define NATIVE AUDIT_ARCH_RISCV64
#else
#    define NATIVE 0 /* no call is reported */
#endif

enum { MESSAGE = 512 }; /* more than any kernel's notification has */

struct wtl_listener {
    struct wtl_live *live;
    int notify_fd, root_fd, wake_fd;
    dev_t device; /* of the FUSE mount */
    pthread_t thread;
};

int wtl_listener_install(struct wattle_error *err)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    /* With the second flag a signal does not interrupt a call that is being answered (Linux 5.19). */
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                     &program);
    if (fd >= 0)
        return (int)fd;
    int rc = -errno;
    return wtl_fail(err, rc,
                    "cannot answer perf_event_open: %s; %s, or use --perf host to leave "
                    "performance events to the kernel",
                    wtl_strerror(rc),
                    rc == -EBUSY ? "another program, such as a container runtime, already listens "
                                   "to its system calls (seccomp): run outside of it"
                                 : "seccomp user notification requires Linux 5.0 and a container "
                                   "that allows seccomp(2)");
}

/* The attributes, from the memory of the caller. A shorter struct of an older program is filled with zeros. */
static int read_attr(pid_t tid, uint64_t at, struct perf_event_attr *attr)
{
    char path[40];
    uint32_t size = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)tid); /* always fits */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *attr = (struct perf_event_attr){.size = 0};
    int rc = at > INT64_MAX - sizeof *attr ? -EFAULT : 0;
    if (rc == 0 && pread(fd, &size, sizeof size,
                         (off_t)(at + offsetof(struct perf_event_attr, size))) != sizeof size)
        rc = -EFAULT;
    size = size == 0 ? PERF_ATTR_SIZE_VER0 : size;
    if (rc == 0 && (size < PERF_ATTR_SIZE_VER0 || size > 4096))
        rc = -E2BIG;
    size = size < sizeof *attr ? size : sizeof *attr;
    if (rc == 0 && pread(fd, attr, size, (off_t)at) != (ssize_t)size)
        rc = -EFAULT;
    (void)close(fd);
    return rc;
}

/* The node's event that descriptor `fd` of the caller is: its id, 0 if it is none, or -errno. */
static int64_t event_of(const struct wtl_listener *listener, pid_t tid, int fd)
{
    char path[48];
    struct stat about;
    (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd); /* always fits */
    if (fd < 0 || stat(path, &about) < 0)
        return -EBADF;
    if (about.st_dev != listener->device)
        return 0;
    return (int64_t)wtl_live_event_of(about.st_ino);
}

/* Whether a process that the caller names does not exist. In another namespace its number says nothing here. */
static bool is_missing(pid_t tid, pid_t pid)
{
    char path[40];
    struct stat own, its;
    (void)snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)tid); /* always fits */
    return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH && stat("/proc/self/ns/pid", &own) == 0 &&
           stat(path, &its) == 0 && own.st_ino == its.st_ino;
}

/* What to do with a call: give a descriptor, an error, or leave it to the kernel. */
struct decision {
    int error; /* negative errno; 0 = none */
    bool goes_on;
    int fd; /* to be given and closed; -1 = none */
};

/* The folder that descriptor `fd` of the caller is. */
static bool folder_of(pid_t tid, int fd, char *buf, size_t size)
{
    char path[48];
    (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd); /* always fits */
    ssize_t n = readlink(path, buf, size - 1);
    buf[n < 0 ? 0 : n] = '\0';
    return n > 0;
}

static int open_file(const struct wtl_listener *listener, uint64_t id)
{
    char name[40];
    (void)snprintf(name, sizeof name, WTL_LIVE_EVENT "%llu", (unsigned long long)id);
    int fd = openat(listener->root_fd, name, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    int rc = -errno;
    wtl_live_event_close(listener->live, id); /* harmless if the file was opened and closed again */
    return rc;
}

/* Open an event of the node and its file. */
static struct decision open_event(const struct wtl_listener *listener,
                                  const struct seccomp_notif *call,
                                  const struct perf_event_attr *attr,
                                  uint64_t leader)
{
    const __u64 *args = call->data.args; /* attr, pid, cpu, group_fd, flags */
    pid_t pid = (pid_t)args[1];
    struct decision d = {.fd = -1};
    bool grouped = args[4] & PERF_FLAG_PID_CGROUP;
    char folder[PATH_MAX], group[PATH_MAX] = "";
    if (grouped && folder_of((pid_t)call->pid, pid, folder, sizeof folder))
        (void)wtl_sim_program_group(folder, group, sizeof group);
    if (grouped)
        pid = -1;
    else if (pid == 0)
        pid = (pid_t)call->pid;
    uint64_t id;
    d.error = is_missing((pid_t)call->pid, pid)
                  ? -ESRCH
                  : wtl_live_event_open(listener->live, attr, pid, (int)args[2],
                                        grouped ? group : NULL, leader, &id);
    if (d.error == 0)
        d.fd = open_file(listener, id);
    if (d.error == 0 && d.fd < 0)
        d.error = d.fd;
    return d;
}

static struct decision decide(const struct wtl_listener *listener, const struct seccomp_notif *call)
{
    const __u64 *args = call->data.args;
    struct perf_event_attr attr = {0};
    struct decision d = {.error = read_attr((pid_t)call->pid, args[0], &attr), .fd = -1};
    /* The process number may have been used again while its memory was read. */
    if (ioctl(listener->notify_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &call->id) < 0)
        d.error = -ESRCH;
    if (d.error < 0)
        return d;
    bool grouped = (int)args[3] >= 0 && !(args[4] & PERF_FLAG_FD_NO_GROUP);
    int64_t leader = grouped ? event_of(listener, (pid_t)call->pid, (int)args[3]) : 0;
    if (!wtl_sim_pmu_has(attr.type)) {
        d.goes_on = leader <= 0; /* into a group of the node's events it cannot go */
        d.error = d.goes_on ? 0 : -EINVAL;
    } else if (grouped && leader <= 0) {
        d.error = leader < 0 ? (int)leader : -EINVAL; /* nor the other way round */
    } else {
        d = open_event(listener, call, &attr, (uint64_t)leader);
    }
    return d;
}

/* Put the descriptor into the caller and let it return with its number. If the caller is gone, the event is closed. */
static void give(const struct wtl_listener *listener,
                 const struct seccomp_notif *call,
                 struct seccomp_notif_resp *answer,
                 int fd)
{
    struct seccomp_notif_addfd add = {
        .id = call->id,
        .flags = SECCOMP_ADDFD_FLAG_SEND,
        .srcfd = (__u32)fd,
        .newfd_flags = call->data.args[4] & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0,
    };
    int number = ioctl(listener->notify_fd, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    if (number >= 0)
        return;
    if (errno == EINVAL) { /* before Linux 5.14 in two steps */
        add.flags = 0;
        number = ioctl(listener->notify_fd, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    }
    if (number >= 0)
        answer->val = number;
    else
        answer->error = -errno; /* EMFILE, EBADF, ... */
    (void)ioctl(listener->notify_fd, SECCOMP_IOCTL_NOTIF_SEND, answer);
}

static void answer_call(const struct wtl_listener *listener)
{
    union {
        struct seccomp_notif call;
        char room[MESSAGE];
    } in;
    union {
        struct seccomp_notif_resp answer;
        char room[MESSAGE];
    } out;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    if (ioctl(listener->notify_fd, SECCOMP_IOCTL_NOTIF_RECV, &in.call) < 0)
        return; /* the caller was killed meanwhile */
    struct decision d = decide(listener, &in.call);
    out.answer.id = in.call.id;
    if (d.fd >= 0) {
        give(listener, &in.call, &out.answer, d.fd);
        (void)close(d.fd);
        return;
    }
    out.answer.error = d.error;
    out.answer.flags = d.goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
    (void)ioctl(listener->notify_fd, SECCOMP_IOCTL_NOTIF_SEND, &out.answer);
}

static void *serve(void *argument)
{
    struct wtl_listener *listener = argument;
    struct pollfd look[] = {{.fd = listener->notify_fd, .events = POLLIN},
                            {.fd = listener->wake_fd, .events = POLLIN}};
    for (;;) {
        if (poll(look, 2, -1) < 0)
            continue; /* a signal */
        if (look[1].revents || look[0].revents & (POLLHUP | POLLERR | POLLNVAL))
            break; /* asked to end, or no process is left */
        if (look[0].revents & POLLIN)
            answer_call(listener);
    }
    return NULL;
}

static void destroy(struct wtl_listener *listener)
{
    (void)close(listener->notify_fd);
    (void)close(listener->root_fd);
    if (listener->wake_fd >= 0)
        (void)close(listener->wake_fd);
    free(listener);
}

int wtl_listener_start(struct wtl_live *live,
                       int notify_fd,
                       int root_fd,
                       struct wtl_listener **ret_listener,
                       struct wattle_error *err)
{
    struct stat about;
    struct wtl_listener *listener = calloc(1, sizeof *listener);
    if (!listener) {
        (void)close(notify_fd);
        (void)close(root_fd);
        return wtl_fail(err, -ENOMEM, "out of memory");
    }
    *listener = (struct wtl_listener){
        .live = live, .notify_fd = notify_fd, .root_fd = root_fd, .wake_fd = -1};
    int rc = fstat(root_fd, &about) < 0 ? -errno : 0;
    listener->device = rc == 0 ? about.st_dev : 0;
    if (rc == 0 && (listener->wake_fd = eventfd(0, EFD_CLOEXEC)) < 0)
        rc = -errno;
    if (rc == 0 && pthread_create(&listener->thread, NULL, serve, listener) != 0)
        rc = -ENOMEM;
    if (rc < 0) {
        destroy(listener);
        return wtl_fail(err, rc, "cannot answer performance events: %s", wtl_strerror(rc));
    }
    *ret_listener = listener;
    return 0;
}

void wtl_listener_stop(struct wtl_listener *listener)
{
    if (!listener)
        return;
    (void)eventfd_write(listener->wake_fd, 1); /* cannot fail: it is 0 */
    (void)pthread_join(listener->thread, NULL);
    destroy(listener);
}
