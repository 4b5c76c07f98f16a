/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wattled's ledger charges a job, or a step of it, so far: the reply to "job ID" (docs/format/page.md). It is what the record of the
 * job or step will have: there is one rule, the ledger's (docs/decisions/0039).
 */
#ifndef WTL_SLURM_JOB_SHARE_H
#define WTL_SLURM_JOB_SHARE_H

#include <stdbool.h>

#include "node_energy.h"

enum share_state {
    SHARE_UNKNOWN_JOB, /* the ledger does not know it */
    SHARE_EXCLUSIVE,   /* the node is its own: the counter itself */
    SHARE_CHARGED,     /* charged_j is known */
    SHARE_UNKNOWN,     /* what it used is unknown, or some of it */
    SHARE_NO_ANSWER    /* of wattled */
};

/* Parse a reply, in place. *ret_charged_j: NaN = unknown; also an estimate, unless they are accepted. */
enum share_state job_share_parse(char *reply, bool estimates, double *ret_charged_j);

/* Ask wattled; until_ns: wait for an answer until then, 0 = not. */
enum share_state job_share_ask(const char *id,
                               bool estimates,
                               uint64_t until_ns,
                               double *ret_charged_j);

/* The reply to "jobs": has the ledger an open job that is not `job`, nor a step of it? */
bool job_share_has_others(const char *reply, const char *job);

/* Ask wattled: 1, 0, or -errno if it does not answer; until_ns as above. */
int job_share_ask_others(const char *job, uint64_t until_ns);

#endif
