/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lock file: one writer at a time among processes on one or many nodes, by a file that only one of them
 * can make (O_EXCL: that holds on network file systems too, flock(2) does not on all of them). It is held
 * for as long as a small file takes to be written. One that a killed process left behind is recognised by
 * that it stays the same for all of a waiter's patience.
 */
#ifndef WTL_BASE_LOCK_FILE_H
#define WTL_BASE_LOCK_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <wattle/error.h>

struct wtl_lock_file {
    const char *path;  /* borrowed */
    struct stat about; /* of ours when it was made: that it is still ours can be seen */
};

/* Wait for it and take it; what did not change in patience_ns is removed. 0, or -errno with a sentence:
 * the folder cannot be written, -ETIMEDOUT when it could not be had in 20 times the patience. */
int wtl_lock_file_take(const char *path,
                       uint64_t patience_ns,
                       struct wtl_lock_file *ret_lock,
                       struct wattle_error *err);

/* Is it still ours? Not when somebody ran out of patience with us. */
bool wtl_lock_file_held(const struct wtl_lock_file *lock);

/* Remove it when it is ours. */
void wtl_lock_file_release(struct wtl_lock_file *lock);

#endif
