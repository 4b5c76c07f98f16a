/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of a process that marks quickly: it prepares the next part of the spool while this one fills, so that no
 * marking thread pays for fresh pages. It is started at the first need (wtl_spool_ahead_start()), sleeps otherwise, blocks all
 * signals, and uses the CPUs that the process had when recording began; with a single CPU there is no such thread. A caller that finds no part
 * ready prepares one himself: a late or missing thread costs time, never a record.
 *
 * One part at a time. The owner of the spool calls the functions with its lock held; the thread takes no lock.
 */
#ifndef WTL_RECORD_SPOOL_AHEAD_H
#define WTL_RECORD_SPOOL_AHEAD_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file and a part of it. */
struct wtl_spool_part {
    char path[512];
    dev_t device;
    ino_t inode;
    uint64_t from; /* bytes */
    size_t size;
};

/* Allocate the part, map it and take its page faults; NULL and *ret_error, an errno, if that fails. */
typedef uint8_t *(*wtl_spool_part_fn)(const struct wtl_spool_part *part, int *ret_error);

struct wtl_spool_ahead {
    _Atomic uint32_t state; /* enum in spool_ahead.c; a futex */
    _Atomic uint32_t start; /* of the thread, likewise */
    wtl_spool_part_fn make;
    struct wtl_spool_part part;
    uint8_t *_Atomic at; /* of the part that is ready; NULL: it failed */
    cpu_set_t cpus;
    pthread_t thread;
};

/* Recording begins: note the CPUs. */
void wtl_spool_ahead_init(struct wtl_spool_ahead *ahead);

/* Would a part be prepared if it was asked for? If only the thread is missing, it is noted that it is needed. */
bool wtl_spool_ahead_is_free(struct wtl_spool_ahead *ahead);

/* Ask for a part, after wtl_spool_ahead_is_free(). */
void wtl_spool_ahead_ask(struct wtl_spool_ahead *ahead,
                         wtl_spool_part_fn make,
                         const struct wtl_spool_part *part);

/* What was asked for: true with the part and where it is mapped, which then belongs to the caller, NULL: nothing has been done.
 * false: nothing was asked for, or it is not ready. */
bool wtl_spool_ahead_take(struct wtl_spool_ahead *ahead,
                          struct wtl_spool_part *ret_part,
                          uint8_t **ret_at);

/* Start the thread if it is needed. Without the lock, and where memory may be allocated: not in signal handlers. */
void wtl_spool_ahead_start(struct wtl_spool_ahead *ahead);

/* What was asked for is of no use any more. */
void wtl_spool_ahead_drop(struct wtl_spool_ahead *ahead);

/* In a child of fork, which has no such thread. */
void wtl_spool_ahead_forget(struct wtl_spool_ahead *ahead);

/* End the thread and wait for it. Without the lock. */
void wtl_spool_ahead_end(struct wtl_spool_ahead *ahead);

#endif
