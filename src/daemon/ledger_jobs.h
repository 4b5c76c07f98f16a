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

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>
#include <wattle/page.h>

#include "account/share.h"
#include "base/world/world.h"
#include "counters/columns/work_counter.h"
#include "daemon/ledger_job.h"
#include "source/select.h"

struct wtl_ledger_jobs;

/* Load what state_dir has; jobs of another boot are cut. In run_dir, which is in memory, is what the next look of a wattled of this boot needs. What jobs use is read from the world. 0, or the errno of the folder. */
int wtl_ledger_jobs_open(const char *state_dir,
                         const char *run_dir,
                         const char *boot_id,
                         const struct wtl_world *world,
                         struct wtl_ledger_jobs **ret_jobs,
                         struct wattle_error *err);
void wtl_ledger_jobs_close(struct wtl_ledger_jobs *jobs); /* accepts NULL; open jobs stay open */

/* Keep the files of so many jobs that have ended, the newest, now and when more end. At first all are kept. */
void wtl_ledger_jobs_keep(struct wtl_ledger_jobs *jobs, size_t ended);

/* Divide by this model; at first by CPU time. */
void wtl_ledger_jobs_set_model(struct wtl_ledger_jobs *jobs, const struct wtl_share_model *model);

/* As wtl_divider_count(). */
void wtl_ledger_jobs_use(struct wtl_ledger_jobs *jobs, struct wtl_work_counter *machine);

/* Ask who uses the GPUs of this selection, which outlives the jobs. */
void wtl_ledger_jobs_watch(struct wtl_ledger_jobs *jobs, const struct wtl_selection *selection);

/* Begin at what the page shows now; terms NULL = none. 0; -EEXIST: a job with this id is open; -ENOENT: its parent is not; -EMFILE:
 * 4096 jobs are open; the errno of the file: then it has not begun. */
int wtl_ledger_jobs_begin(struct wtl_ledger_jobs *jobs,
                          const char *id,
                          const struct wtl_job_terms *terms,
                          const struct wattle_page *page,
                          struct wattle_error *err);

/* End at what the page shows now, with the steps of it that are open. *ret_job is borrowed until the next call. 0; -ENOENT: no such job is open; the
 * errno of the file: then it is still open. */
int wtl_ledger_jobs_end(struct wtl_ledger_jobs *jobs,
                        const char *id,
                        const struct wattle_page *page,
                        const struct wtl_ledger_job **ret_job,
                        struct wattle_error *err);

/*
 * The same of a job that had ended at an earlier instant of CLOCK_MONOTONIC, of which wattled was not told then: others may have run since.
 * It has what a wattled before this one left of it, if that was before; the time from there to its end is unknown. Else what was used
 * since may be in its energy, and is in the interval.
 */
int wtl_ledger_jobs_end_late(struct wtl_ledger_jobs *jobs,
                             const char *id,
                             uint64_t ended_ns,
                             const struct wattle_page *page,
                             const struct wtl_ledger_job **ret_job,
                             struct wattle_error *err);

/* Is there a job among which energy is divided? Then look at least once a second, after a sample of that instant: a channel that has no
 * new value at a look is divided by CPU time alone at the next one. */
bool wtl_ledger_jobs_is_shared(const struct wtl_ledger_jobs *jobs);
void wtl_ledger_jobs_look(struct wtl_ledger_jobs *jobs, const struct wattle_page *page);

/* Of the last file that a next wattled would divide by: 0 or -errno. */
int wtl_ledger_jobs_share_error(const struct wtl_ledger_jobs *jobs);

/*
 * Jobs with a note that have ended, or were cut, and are not yet fetched: the ID of number i; NULL = no more. One that is
 * fetched is forgotten here; its file stays for a while.
 */
const char *wtl_ledger_jobs_left(const struct wtl_ledger_jobs *jobs, size_t i);
int wtl_ledger_jobs_fetched(struct wtl_ledger_jobs *jobs, const char *id, struct wattle_error *err);

/* A job that is not open, for wtl_ledger_job_free(). 0; -ENOENT: no such job; -EBADMSG: its file is damaged. */
int wtl_ledger_jobs_load(const struct wtl_ledger_jobs *jobs,
                         const char *id,
                         struct wtl_ledger_job **ret_job,
                         struct wattle_error *err);

/* Write all open jobs, as of the last look, without waiting for the disk. If none of them is divided, this looks. */
void wtl_ledger_jobs_checkpoint(struct wtl_ledger_jobs *jobs, const struct wattle_page *page);

/* Wait until all is on the disk. */
void wtl_ledger_jobs_flush(struct wtl_ledger_jobs *jobs);

/* Of the last checkpoint of open jobs, as far as is known: 0, the errno of a file, -ETIMEDOUT: the disk is too slow. */
int wtl_ledger_jobs_error(struct wtl_ledger_jobs *jobs);

/* Open jobs. */
size_t wtl_ledger_jobs_count(const struct wtl_ledger_jobs *jobs);
const struct wtl_ledger_job *wtl_ledger_jobs_at(const struct wtl_ledger_jobs *jobs, size_t i);

#endif
