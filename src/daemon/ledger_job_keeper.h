/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings jobs to the disk. The file of a job that begins or ends is replaced at once, so that a wattled that is killed
 * has it; a thread then writes it again, flushed, as it writes all checkpoints: a slow disk delays no other job.
 *
 * Thread rule: all calls from the daemon's thread.
 */
#ifndef WTL_DAEMON_LEDGER_JOB_KEEPER_H
#define WTL_DAEMON_LEDGER_JOB_KEEPER_H

#include "daemon/ledger_job.h"

struct wtl_job_keeper;

/* For a folder, borrowed until close. 0, -ENOMEM, -EAGAIN. */
int wtl_job_keeper_open(const char *folder, struct wtl_job_keeper **ret_keeper);
void wtl_job_keeper_close(struct wtl_job_keeper *keeper); /* waits for the disk; accepts NULL */

/* Replace its file now, and any checkpoint of it under way. 0, or the errno of the file, which is as before. */
int wtl_job_keeper_put(struct wtl_job_keeper *keeper, const struct wtl_ledger_job *job);

/* Replace its file later, once it is on the disk. False: the one before was not yet written, and is replaced. */
bool wtl_job_keeper_later(struct wtl_job_keeper *keeper, const struct wtl_ledger_job *job);

/* Wait until all is on the disk. */
void wtl_job_keeper_wait(struct wtl_job_keeper *keeper);

/* Of the last file that was written in the thread: 0 or -errno. */
int wtl_job_keeper_error(struct wtl_job_keeper *keeper);

#endif
