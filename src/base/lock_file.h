/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lock file: one writer at a time among processes on one or more nodes, through a file that only one of them
 * can create (O_EXCL, which also works on network file systems; flock(2) does not work on all of them). The
 * lock is held while a small file is written. A lock left behind by a killed process is recognised because it
 * does not change during a waiter's whole timeout.
 */
#ifndef WTL_BASE_LOCK_FILE_H
#define WTL_BASE_LOCK_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <wattle/error.h>

struct wtl_lock_file {
    const char *path;  /* borrowed */
    struct stat about; /* of our file when it was created, to check that it is still ours */
};

/*
 * Wait for the lock and take it; a lock file that did not change within patience_ns is removed. 0, or -errno
 * with a message: the folder cannot be written, -ETIMEDOUT when the lock could not be acquired within 20
 * times patience_ns.
 */
int wtl_lock_file_take(const char *path,
                       uint64_t patience_ns,
                       struct wtl_lock_file *ret_lock,
                       struct wattle_error *err);

/* Whether we still hold it. Not after another process considered our lock stale. */
bool wtl_lock_file_held(const struct wtl_lock_file *lock);

/* Remove it if we hold it. */
void wtl_lock_file_release(struct wtl_lock_file *lock);

#endif
