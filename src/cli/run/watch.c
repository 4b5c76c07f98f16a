/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watching a process: see watch.h. Kernels before 5.3 (EL8 has 4.18) have no pidfd_open(2). There we use an
 * open folder /proc/PID: it stays bound to that process, and its files cannot be read once it has ended.
 */
#define _GNU_SOURCE
#include "cli/run/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

int wtl_watch_open(pid_t pid, struct wtl_watch *ret_watch, struct wattle_error *err)
{
    struct wtl_watch watch = {.pidfd = open_pidfd(pid), .folder = -1};
    int code = watch.pidfd < 0 ? -errno : 0;
    if (code == -ENOSYS || code == -EPERM) { /* EPERM: of a container's filter */
        char path[32];
        (void)snprintf(path, sizeof path, "/proc/%d", (int)pid);
        watch.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        code = watch.folder >= 0 ? 0 : errno == ENOENT ? -ESRCH : -errno;
    }
    if (code < 0)
        return wtl_fail(err, code, "process %d: %s; \"ps -e\" lists running processes", (int)pid,
                        wtl_strerror(code));
    *ret_watch = watch;
    return 0;
}

void wtl_watch_close(struct wtl_watch *watch)
{
    if (watch->pidfd >= 0)
        (void)close(watch->pidfd);
    if (watch->folder >= 0)
        (void)close(watch->folder);
    *watch = wtl_watch_none();
}

/* The state letter in /proc/PID/stat follows the name, which may contain anything. */
static bool has_ended(int folder)
{
    char text[512];
    int fd = openat(folder, "stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH;
    ssize_t n = read(fd, text, sizeof text);
    (void)close(fd);
    const char *name_end = n > 0 ? memrchr(text, ')', (size_t)n) : NULL;
    if (!name_end || name_end + 2 >= text + n)
        return n <= 0;
    return name_end[2] == 'Z' || name_end[2] == 'X';
}

bool wtl_watch_ended(const struct wtl_watch *watch)
{
    struct pollfd end = {.fd = watch->pidfd, .events = POLLIN};
    if (watch->folder >= 0)
        return has_ended(watch->folder);
    return poll(&end, 1, 0) > 0;
}
