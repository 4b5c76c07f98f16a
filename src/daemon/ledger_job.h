/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job in the ledger: the energy of the node between its begin and its end. A channel that has no value at the begin, or
 * whose energy counts anew since, is unknown: never a difference of two counts.
 */
#ifndef WTL_DAEMON_LEDGER_JOB_H
#define WTL_DAEMON_LEDGER_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>

#include "daemon/request.h"

enum wtl_ledger_job_state {
    WTL_JOB_OPEN,
    WTL_JOB_ENDED,
    WTL_JOB_CUT /* the node stopped: it ended at its last checkpoint */
};

struct wtl_ledger_job_channel {
    char name[WATTLE_NAME_MAX];
    double begin_j, until_j;                     /* since boot; NaN = unknown */
    uint64_t since_ns;                           /* as in the page at the begin */
    uint64_t begin_unknown_ns, until_unknown_ns; /* the same of unknown time */
    double begin_doubt_j,
        resolution_j; /* half width at the begin; of the difference: both ends; NaN = unknown */
    bool in_total;
    char quality[16]; /* as wtl_quality_word() */
};

struct wtl_ledger_job {
    char id[WTL_JOB_ID_MAX + 1];
    enum wtl_ledger_job_state state;
    char boot_id[40];
    uint64_t begin_realtime_ns, begin_ns; /* begin_ns, until_ns: CLOCK_MONOTONIC */
    uint64_t until_ns;                    /* end, or last checkpoint */
    size_t channel_count;
    struct wtl_ledger_job_channel *channels; /* owned by the list */
};

/* Its energy, NaN = unknown: nothing is known for all of its time; and the time that this leaves out. */
double wtl_ledger_job_energy_j(const struct wtl_ledger_job *job,
                               const struct wtl_ledger_job_channel *channel);
uint64_t wtl_ledger_job_unknown_ns(const struct wtl_ledger_job *job,
                                   const struct wtl_ledger_job_channel *channel);

#endif
