/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs in the ledger: root brackets a job with `begin ID` and `end ID`, and gets the energy of the node between the
 * two. Open jobs are in state_dir/jobs/ID.job, written at begin, at each checkpoint and at the end, each time as a whole (rename).
 * After a crash of the node, a job ends at its last checkpoint and is flagged; after one of wattled alone, nothing is lost.
 *
 * Thread rule: all calls from the daemon's thread.
 */
#ifndef WTL_DAEMON_LEDGER_JOBS_H
#define WTL_DAEMON_LEDGER_JOBS_H

#include <stddef.h>

#include <wattle/error.h>
#include <wattle/page.h>

#include "daemon/ledger_job.h"

struct wtl_ledger_jobs;

/* Load what state_dir has; jobs of another boot are cut. 0, or the errno of the folder. */
int wtl_ledger_jobs_open(const char *state_dir,
                         const char *boot_id,
                         struct wtl_ledger_jobs **ret_jobs,
                         struct wattle_error *err);
void wtl_ledger_jobs_close(struct wtl_ledger_jobs *jobs); /* accepts NULL; open jobs stay open */

/* Keep the files of so many jobs that have ended, the newest, now and when more end. At first all are kept. */
void wtl_ledger_jobs_keep(struct wtl_ledger_jobs *jobs, size_t ended);

/* Begin at what the page shows now. 0; -EEXIST: a job with this id is open; -EMFILE: 4096 jobs are open; the errno
 * of the file: then it has not begun. */
int wtl_ledger_jobs_begin(struct wtl_ledger_jobs *jobs,
                          const char *id,
                          const struct wattle_page *page,
                          struct wattle_error *err);

/* End at what the page shows now. *ret_job is borrowed until the next call. 0; -ENOENT: no such job is open; the
 * errno of the file: then it is still open. */
int wtl_ledger_jobs_end(struct wtl_ledger_jobs *jobs,
                        const char *id,
                        const struct wattle_page *page,
                        const struct wtl_ledger_job **ret_job,
                        struct wattle_error *err);

/* Write all open jobs, without waiting for the disk. */
void wtl_ledger_jobs_checkpoint(struct wtl_ledger_jobs *jobs, const struct wattle_page *page);

/* Wait until all is on the disk. */
void wtl_ledger_jobs_flush(struct wtl_ledger_jobs *jobs);

/* Of the last checkpoint of open jobs, as far as is known: 0, the errno of a file, -ETIMEDOUT: the disk is too slow. */
int wtl_ledger_jobs_error(struct wtl_ledger_jobs *jobs);

/* Open jobs. */
size_t wtl_ledger_jobs_count(const struct wtl_ledger_jobs *jobs);
const struct wtl_ledger_job *wtl_ledger_jobs_at(const struct wtl_ledger_jobs *jobs, size_t i);

#endif
