/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spool of a node: records that the database does not have yet, in a folder of root's. Appending takes no
 * network, and a bounded time: the lock is held for one write(2).
 *
 *     FOLDER/lock       flock(2): of appending, and of closing `current`
 *     FOLDER/sender     flock(2): of the one sender
 *     FOLDER/current    lines "CHECKSUM JSON\n", which records are appended to
 *     FOLDER/N.closed    the same, no longer appended to: for the sender
 *     FOLDER/.turn      flock(2): of fetching a record from wattled, which ends with appending it
 *     FOLDER/state      how many records were refused, damaged, rejected
 *     FOLDER/rejected   lines that no database takes or that are no records, after the reason; at most 1 MiB
 *
 * kill -9 at any moment loses nothing for which append returned 0; nor does a power failure, if the spool is `flushed`.
 */
#ifndef WTL_JOBS_JOB_SPOOL_H
#define WTL_JOBS_JOB_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "jobs/record.h"

#define WTL_JOB_SPOOL_FOLDER \
    "/var/spool/wattle" /* not in the folder of wattled, whose user is not root */
#define WTL_JOB_SPOOL_LIMIT (UINT64_C(64) << 20)

struct wtl_job_spool {
    const char *folder;   /* borrowed */
    uint64_t limit_bytes; /* of all segments; 0 = WTL_JOB_SPOOL_LIMIT */
    bool flushed; /* append returns when the record is on the disk; without the lock meanwhile */
};

/*
 * Append one record; the folder is created (0700) if its parent exists. 0: it is in the spool. Otherwise nothing was
 * written: -ENOSPC the spool or the disk is full; -EPERM the folder is not ours, or others may write to it; -EBADMSG
 * it is no record; the errno of the file system. What could not be flushed may be there: appended again it is the same
 * record twice, which the database takes once. *ret_log (may be NULL): whether to log this failure, once per hour.
 */
int wtl_job_spool_append(const struct wtl_job_spool *spool,
                         const struct wtl_job_record *record,
                         bool *ret_log,
                         struct wattle_error *err);

/*
 * Wait for the turn to ask wattled for a record not yet fetched, append it, and say so: two at once would both
 * append it. A descriptor, whose close(2) ends the turn; -EAGAIN: others took too long; or another error.
 */
int wtl_job_spool_turn(const struct wtl_job_spool *spool, unsigned patience_ms);

struct wtl_job_spool_status {
    uint64_t bytes, records; /* waiting; records: lines that are whole */
    int64_t oldest_ns;       /* of the oldest record's segment, CLOCK_REALTIME; 0 = none */
    uint64_t refused, damaged, rejected; /* since the spool was made */
};
int wtl_job_spool_status(const struct wtl_job_spool *spool,
                         struct wtl_job_spool_status *ret_status,
                         struct wattle_error *err);

/* The sender: at most one at a time (-EBUSY). */
struct wtl_job_sender;
int wtl_job_sender_open(const struct wtl_job_spool *spool,
                        struct wtl_job_sender **ret_sender,
                        struct wattle_error *err);
void wtl_job_sender_close(struct wtl_job_sender *sender); /* accepts NULL */

/* The oldest records, of one segment, which is closed by this; the same ones until wtl_job_sender_done(): 1; 0 = the
 * spool is empty. Damaged lines are skipped and counted. Borrowed until the next call. */
int wtl_job_sender_next(struct wtl_job_sender *sender,
                        const struct wtl_job_record **ret_records,
                        size_t *ret_count,
                        struct wattle_error *err);

/* A record of these that no database takes: keep its line in `rejected` with the reason. */
int wtl_job_sender_reject(struct wtl_job_sender *sender,
                          size_t i,
                          const char *why,
                          struct wattle_error *err);

/* The database has committed all others: remove them. */
int wtl_job_sender_done(struct wtl_job_sender *sender, struct wattle_error *err);

#endif
