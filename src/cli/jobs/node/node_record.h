/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a job of this node's wattled to its record in the spool. When a job begins, what is known of it becomes its note: a
 * record without energy, which wattled keeps. When it has ended, the note and what wattled says about its energy are the record.
 */
#ifndef WTL_CLI_NODE_RECORD_H
#define WTL_CLI_NODE_RECORD_H

#include <wattle/error.h>

#include "cli/node/job_list.h"
#include "jobs/job_spool.h"
#include "jobs/record.h"

/* How long to wait for the turn to fetch a record: after that it is fetched twice rather than not at all. */
enum { WTL_NODE_TURN_MS = 4000 };

/* The note of a job, for "note=" of `begin`: malloc'ed. What is too long for it loses its name, then its account and partition.
 * 0, -EBADMSG, -ENOMEM. */
int wtl_node_record_note(const struct wtl_job_record *record,
                         char **ret_note,
                         struct wattle_error *err);

/* The identity in a note, into a record after wtl_job_record_init(). False: it is not one, and the record is unchanged. */
bool wtl_node_record_take_note(struct wtl_job_record *record, const char *note);

/* Fill in times, use and energy of a job that has ended or was cut. Where the note says when wattled was asked to begin, and it did so more than
 * a second later, the job may have run before: its energy is a lower bound. 0 or an error of wtl_job_channel_add(). */
int wtl_node_record_fill(struct wtl_job_record *record, const struct wtl_node_job_list *list);

/* The unit of a job that no batch system has given one: ID and begin. */
void wtl_node_record_name_unit(struct wtl_job_record *record, const char *id, double begin_s);

/* The spool of this node: as configured. The folder is static. */
struct wtl_job_spool wtl_node_spool(void);

/* Put into the spool what has ended or was cut and was never fetched, until a time of CLOCK_MONOTONIC: the number of records, or why
 * wattled or the spool does not take part. A job that has ended in the last minute is left to its own epilog. */
int wtl_node_record_sweep(uint64_t until_ns, struct wattle_error *err);

/* Before this ID begins again, which replaces the file of the job that had it: the record of that one, if it has ended or was cut and
 * was not fetched. */
void wtl_node_record_rescue(const char *id);

/* Has nothing been said about this for an hour? Then it counts as said now. */
bool wtl_node_record_may_log(void);

#endif
