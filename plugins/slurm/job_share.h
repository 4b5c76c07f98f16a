/* SPDX-License-Identifier: BSD-3-Clause */
/* What wattled's ledger charges a job, or a step of it, so far: the reply to "job ID" (docs/format/page.md). */
#ifndef WTL_SLURM_JOB_SHARE_H
#define WTL_SLURM_JOB_SHARE_H

#include <stdbool.h>

#include "node_energy.h"

enum share_state {
    SHARE_UNKNOWN_JOB, /* the ledger does not know it */
    SHARE_EXCLUSIVE,   /* the node is its own: the counter itself */
    SHARE_CHARGED,     /* charged_j is known */
    SHARE_UNKNOWN      /* shared, and what it used is unknown, or some of it */
};

/* Parse a reply, in place. *ret_charged_j: NaN = unknown. */
enum share_state job_share_parse(char *reply, double *ret_charged_j);

/* Ask wattled. SHARE_UNKNOWN if it does not answer. */
enum share_state job_share_ask(const char *id, double *ret_charged_j);

/* The reply to "jobs": has the ledger an open job that is not `job`, nor a step of it? */
bool job_share_has_others(const char *reply, const char *job);

/* Ask wattled; false if it does not answer. */
bool job_share_ask_others(const char *job);

#endif
