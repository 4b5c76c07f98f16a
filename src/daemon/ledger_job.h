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

#include "account/process_trees.h"
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
    uint64_t begin_doubt_ns; /* the time behind begin_doubt_j; 0 = unknown */
    bool in_total;
    char quality[16]; /* as wtl_quality_word() */
    /* Of the energy between begin and until, which is their sum: what this job is charged, what others are, the idle energy that
     * not reserved by any job, and the rest. In microjoules: sums of integers are exact. */
    int64_t charged_uj, others_uj, idle_uj, unattributed_uj;
    int64_t
        share_half_uj; /* of charged_uj, by counters: half width of its 95 % interval (account/share.h) */
    uint64_t divided_cpu_ns; /* the job's CPU time when this channel was last divided */
    /* Of a device: the weakest rule that was used (enum wtl_device_rule), and the part of unattributed_uj that the job shares with
     * others, or a step with its job, in an unknown proportion. */
    unsigned device_rule;
    int64_t undivided_uj;
};

/* What a job has used, as far as it was seen. */
struct wtl_job_use {
    uint64_t cpu_ns;      /* since the begin */
    uint64_t look_cpu_ns; /* of it, at the last look */
    uint64_t peak_bytes;  /* of memory; 0 = unknown */
    uint64_t seen_ns;     /* CLOCK_MONOTONIC, until when it is known; 0 = never seen */
    uint64_t cgroup_ns;   /* what its cgroup showed last */
    uint64_t tree_ns;     /* the same of its processes, where it has no cgroup */
    bool has_cgroup;      /* it was there once */
    bool gone;            /* at the last look it was not */
    uint64_t
        gone_ns; /* since when nothing of it is there, after it was seen; 0 = it is there, or was never */
    uint64_t quiet_ns;  /* since when no step of it is there but Slurm's step extern, likewise */
    unsigned rules;     /* by which its energy was divided: bits of enum wtl_job_rule */
    unsigned uncounted; /* why not by hardware counters all the time: enum wtl_job_uncounted */
};

/* The reason that weighs most is kept. */
enum wtl_job_uncounted {
    WTL_JOB_COUNTED,
    WTL_JOB_LEARNING, /* counters had not predicted the node's power well enough (account/node_fit.h) */
    WTL_JOB_SHARED_CPUS, /* other jobs may run on its CPUs, whose counters do not tell jobs apart */
    WTL_JOB_ANYWHERE,    /* a job of the node has no CPUs of its own */
    WTL_JOB_NO_COUNTERS, /* the node's were not readable, or used by other programs */
    WTL_JOB_UNCOUNTED_REASONS
};

enum wtl_job_rule {
    WTL_JOB_RULE_EXCLUSIVE = 1, /* the node was its own: the counter itself */
    WTL_JOB_RULE_CALIBRATED = 2,
    WTL_JOB_RULE_CPU_TIME = 4,
    WTL_JOB_RULE_COUNTERS = 16, /* with what hardware counters show */
    WTL_JOB_RULE_NONE = 8 /* it could not be divided for some time: then that is unattributed */
};

struct wtl_ledger_job {
    char id[WTL_JOB_ID_MAX + 1];
    enum wtl_ledger_job_state state;
    char boot_id[40];
    uint64_t begin_realtime_ns, begin_ns; /* begin_ns, until_ns: CLOCK_MONOTONIC */
    uint64_t until_ns;                    /* end, or last checkpoint */
    struct wtl_job_terms terms;
    struct wtl_job_use use;
    struct wtl_process_tree tree; /* while it is open */
    bool ending;                  /* the next look is its last */
    bool fetched;                 /* whoever keeps its record has it */
    size_t channel_count;
    struct wtl_ledger_job_channel *channels; /* owned by the list */
};

/* Energy in whole microjoules, as it is divided. */
int64_t wtl_ledger_microjoules(double joules);

/* "exclusive", "counters", "calibrated" or "cpu_time": the weakest that was used; "none": its share is unknown. */
const char *wtl_ledger_job_rule(const struct wtl_ledger_job *job);

/* Of what it is charged by counters of the total: half width of its 95 % interval. NaN: by any other rule. */
double wtl_ledger_job_share_half_j(const struct wtl_ledger_job *job);

/* Why its share is not by hardware counters; "" = it is, or had no need of them. */
const char *wtl_ledger_job_uncounted(const struct wtl_ledger_job *job);

/* Its energy, NaN = unknown: nothing is known for all of its time; and the time that this leaves out. */
double wtl_ledger_job_energy_j(const struct wtl_ledger_job *job,
                               const struct wtl_ledger_job_channel *channel);
uint64_t wtl_ledger_job_unknown_ns(const struct wtl_ledger_job *job,
                                   const struct wtl_ledger_job_channel *channel);

/* "reserved", "use" or "none" of a device that was the job's; else "". */
const char *wtl_ledger_job_device_rule(const struct wtl_ledger_job_channel *channel);

#endif
