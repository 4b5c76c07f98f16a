/* SPDX-License-Identifier: BSD-3-Clause */
/* One writer at a time through a file: see lock_file.h. */
#define _GNU_SOURCE
#include "base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

enum { STEP_NS = 5000000, PATIENCES = 20 };

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Create it: 0, or -errno; -EEXIST = another process holds the lock. */
static int make(const char *path, struct wtl_lock_file *lock)
{
    struct wtl_lock_file made = {.path = path};
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &made.about) < 0 ? -errno : 0;
    (void)close(fd); /* nothing was written */
    if (rc < 0)
        (void)unlink(path);
    else
        *lock = made;
    return rc;
}

/* The lock file last seen, and since when by our own clock: clocks of nodes differ. */
struct sight {
    struct stat about;
    uint64_t since_ns;
};

/* Inode numbers are reused immediately, so the times must match too. */
static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Check the lock file; true when it has not changed during the whole timeout. */
static bool is_stale(const char *path, uint64_t patience_ns, struct sight *sight)
{
    struct stat about;
    if (lstat(path, &about) < 0)
        return false;
    uint64_t now = now_ns();
    if (sight->since_ns == 0 || !same_file(&about, &sight->about))
        *sight = (struct sight){.about = about, .since_ns = now};
    return now - sight->since_ns >= patience_ns;
}

int wtl_lock_file_take(const char *path,
                       uint64_t patience_ns,
                       struct wtl_lock_file *ret_lock,
                       struct wattle_error *err)
{
    struct sight sight = {.since_ns = 0};
    uint64_t start = now_ns();
    int rc;
    while ((rc = make(path, ret_lock)) == -EEXIST) {
        if (now_ns() - start >= PATIENCES * patience_ns)
            return wtl_fail(
                err, -ETIMEDOUT,
                "%s: locked by another process; remove the lock if no wattle is running there",
                path);
        if (is_stale(path, patience_ns, &sight)) {
            (void)unlink(path);
            sight.since_ns = 0;
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
    }
    return rc < 0 ? wtl_fail(err, rc, "%s: %s", path, wtl_strerror(rc)) : 0;
}

bool wtl_lock_file_held(const struct wtl_lock_file *lock)
{
    struct stat about;
    return lock->path && lstat(lock->path, &about) == 0 && same_file(&about, &lock->about);
}

void wtl_lock_file_release(struct wtl_lock_file *lock)
{
    if (wtl_lock_file_held(lock))
        (void)unlink(lock->path);
    lock->path = NULL;
}
