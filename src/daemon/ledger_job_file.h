/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job as INI text in a file of its own (docs/format/page.md, Jobs). What is not known has no line.
 *
 * Thread rule: any thread, each job and path by one at a time.
 */
#ifndef WTL_DAEMON_LEDGER_JOB_FILE_H
#define WTL_DAEMON_LEDGER_JOB_FILE_H

#include "daemon/ledger_job.h"

#define WTL_JOB_SUFFIX ".job"

/* "open", "ended", "cut" */
const char *wtl_ledger_job_state_word(enum wtl_ledger_job_state state);

/* Write it to a new file, whose path must be free for it; flushed: it is on the disk on return. 0 or -errno: then there is
 * no such file. */
int wtl_ledger_job_write(const char *path, const struct wtl_ledger_job *job, bool flushed);

/* The job of a file in a folder, which the caller frees. 0; -ENOENT: no such file, or it is no name of a job's file;
 * -EBADMSG: it is damaged; -ENOMEM, or -errno: it cannot be read now. */
int wtl_ledger_job_load(int folder, const char *name, struct wtl_ledger_job **ret_job);

/* Is this the name of a job's file? Then its ID, in char[WTL_JOB_ID_MAX + 1]. */
bool wtl_ledger_job_file_id(const char *name, char *ret_id);

struct wtl_ledger_job *wtl_ledger_job_copy(const struct wtl_ledger_job *job); /* NULL: no memory */
void wtl_ledger_job_free(struct wtl_ledger_job *job);                         /* accepts NULL */

#endif
