/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own descriptors inside another program: see own_file.h. */
#define _GNU_SOURCE
#include "base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Above the descriptor numbers used by programs and shells; below the usual limit of 1024. */
enum { HIGH = 400 };

/* All perf events share one inode, as do other descriptors without a file: the event id distinguishes them. */
static bool identify(int fd, bool may_be_event, struct wtl_file_id *ret_id)
{
    struct stat status;
    uint64_t event = 0;
    if (fstat(fd, &status) < 0)
        return false;
    if (may_be_event && (status.st_mode & S_IFMT) == 0 && ioctl(fd, PERF_EVENT_IOC_ID, &event) < 0)
        event = 0;
    *ret_id = (struct wtl_file_id){
        .device = (uint64_t)status.st_dev, .inode = (uint64_t)status.st_ino, .event = event};
    return true;
}

int wtl_own_file_take(int fd, struct wtl_file_id *ret_id)
{
    if (fd < 0)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH), error;
    if (high >= 0) {
        (void)close(fd); /* replaced by the new one */
        fd = high;
    }
    if (identify(fd, true, ret_id))
        return fd;
    error = errno;
    (void)close(fd);
    return -error;
}

bool wtl_own_file_is(int fd, const struct wtl_file_id *id)
{
    struct wtl_file_id now;
    return fd >= 0 && identify(fd, id->event != 0, &now) && now.device == id->device &&
           now.inode == id->inode && now.event == id->event;
}

int wtl_own_file_again(const char *path, int flags, const struct wtl_file_id *id)
{
    struct wtl_file_id now = {0};
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    fd = wtl_own_file_take(fd, &now);
    if (fd >= 0 && (now.device != id->device || now.inode != id->inode)) {
        (void)close(fd); /* nothing was done with it */
        return -ESTALE;
    }
    return fd;
}

int wtl_own_file_named(const char *path, const struct wtl_file_id *id)
{
    struct stat status;
    if (stat(path, &status) < 0)
        return -errno;
    return status.st_dev == id->device && status.st_ino == id->inode ? 0 : -ESTALE;
}

void wtl_own_file_close(int fd, const struct wtl_file_id *id)
{
    if (wtl_own_file_is(fd, id))
        (void)close(fd); /* write errors have already been reported */
}

bool wtl_file_may_have(uint64_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}
