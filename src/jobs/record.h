/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record: one job, one step of it, or one `wattle run`, on one node. It travels as one line of JSON
 * ("wattle.job-record/1", docs/format/jobs.md). One table of fields (wtl_job_fields) is the JSON, the columns of the
 * database and the page of the format. What is unknown is said to be so, and never 0.
 *
 *     struct wtl_job_record record;
 *     wtl_job_record_init(&record);                                       everything unknown
 *     wtl_job_text_set(record.node, sizeof record.node, host);
 *     wtl_job_record_line(&record, &line, &size, err)  or  wtl_job_spool_append(&spool, &record, &log, err)
 *     wtl_job_record_fini(&record);
 */
#ifndef WTL_JOBS_RECORD_H
#define WTL_JOBS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/channel.h>
#include <wattle/error.h>

#include "jobs/job_text.h"

#define WTL_JOB_RECORD_SCHEMA "wattle.job-record/1"

/* Longest line, including its line break; longer ones are refused. */
enum { WTL_JOB_LINE_MAX = 65536, WTL_JOB_CHANNELS_MAX = 128 };

/* "job" (wattle jobs begin), "slurm", "run" */
enum wtl_job_kind { WTL_JOB_NODE, WTL_JOB_SLURM, WTL_JOB_RUN, WTL_JOB_KINDS };
enum wtl_job_state { WTL_JOB_UNKNOWN, WTL_JOB_ENDED, WTL_JOB_CUT, WTL_JOB_STATES };

/* Energy of one channel over the time of the record. NaN = unknown. */
struct wtl_job_channel {
    char name[WATTLE_NAME_MAX];
    char domain[16];
    double energy_j; /* of the channel */
    double resolution_j;
    double unknown_s; /* time that is missing from energy_j */
    double share_j;   /* what the job is charged */
    char rule
        [12]; /* of a GPU that it had: "reserved", "use", "none" = its share is not known; "" = as the record */
    double undivided_j; /* of a GPU: shared in an unknown proportion, and not in share_j */
    char quality[12];   /* model/quality.h */
    bool in_total;
};

struct wtl_job_record {
    /* Key: no two records have the same. */
    char cluster[64]; /* "" = none */
    char unit
        [128]; /* Slurm's SLUID, or "JOBID.SUBMITSECONDS.RESTARTS"; the run id; ID + "." + begin in seconds */
    char step[32]; /* "" = the whole job; "0", "batch", "extern", "interactive" */
    char node[256];
    char boot_id[40];
    /* Identity. */
    enum wtl_job_kind kind;
    char job_id[64];     /* as users type it: "12", "5_2", "8+1" */
    uint64_t raw_job_id; /* 0 = unknown */
    char user[64];
    int64_t uid; /* -1 = unknown */
    char account[128];
    char partition[128];
    char name[256]; /* of the job, or the program of a run */
    /* Time: CLOCK_REALTIME in ns, 0 = unknown. */
    int64_t submit_ns, begin_ns, end_ns;
    int64_t elapsed_ns; /* by the monotonic clock; -1 = unknown */
    /* Outcome. */
    enum wtl_job_state state;
    int64_t exit_status, exit_signal; /* -1 = unknown */
    char slurm_state[24];             /* how it ended: "COMPLETED", "CANCELLED"; "" = unknown */
    char problem[256];                /* why energy is unknown, or in doubt; "" = none */
    /* Use. */
    int64_t nodes; /* number of nodes of the whole job; 0 = unknown */
    int64_t
        record_nodes; /* that this record is of, if not of one: of imported jobs only the sum is known; 0 = one */
    int64_t cpus;      /* of the job on this node; 0 = unknown */
    int64_t node_cpus; /* of this node; 0 = unknown */
    double cpu_s;
    int64_t max_rss_bytes, max_rss_task; /* -1 = unknown */
    /* Energy. NaN = unknown. */
    double energy_j; /* of the node over the time of the record */
    double resolution_j;
    double unknown_s;
    double charged_j; /* share of the job; energy_j if it had the node for itself */
    double charged_low_j,
        charged_high_j; /* of an estimate, or a share by counters: the 95 % interval of its model */
    double idle_j, unattributed_j; /* of the node over that time */
    char gpus[256];   /* that it had reserved, as wattled was told; "" = none, or unknown */
    double gpu_j;     /* of charged_j: GPUs */
    char rule[16];    /* "exclusive", "calibrated", "cpu_time", "" = unknown */
    char quality[12]; /* of the total; "" = unknown */
    bool simulated, lower_bound;
    /* Where it comes from. */
    char trace[1024]; /* "" = none */
    char version[32]; /* of wattle */
    struct wtl_job_channel *channels;
    size_t channel_count;
};

/* Everything unknown, no channels, the version of this wattle. */
void wtl_job_record_init(struct wtl_job_record *record);
void wtl_job_record_fini(struct wtl_job_record *record);

/* One more channel, with everything unknown: 0; -E2BIG beyond WTL_JOB_CHANNELS_MAX, -ENOMEM. */
int wtl_job_channel_add(struct wtl_job_record *record, struct wtl_job_channel **ret_channel);

/* What its channels say that the job is charged of GPUs; NaN: unknown, or there are none. */
double wtl_job_record_gpu_j(const struct wtl_job_record *record);

/* Refuse what no record may be: without unit or node, numbers out of any range (-EBADMSG with the field's name). */
int wtl_job_record_check(const struct wtl_job_record *record, struct wattle_error *err);

/* The line, with its line break and a NUL after it, malloc'ed for the caller; checked. 0, -EBADMSG, -ENOMEM. */
int wtl_job_record_line(const struct wtl_job_record *record,
                        char **ret_line,
                        size_t *ret_size,
                        struct wattle_error *err);

/*
 * Read a line of unknown origin (n bytes, with or without its line break). Unknown fields are skipped, missing ones
 * are unknown. 0; -EBADMSG with a sentence; -ENOMEM. After a failure *ret_record needs no fini.
 */
int wtl_job_record_parse(const char *line,
                         size_t n,
                         struct wtl_job_record *ret_record,
                         struct wattle_error *err);

/* The channels as an array of JSON without what is unknown of them, and back (NULL or "" = none): how the database has them. */
int wtl_job_channels_text(const struct wtl_job_record *record, char **ret_text);
int wtl_job_channels_parse(const char *text,
                           size_t n,
                           struct wtl_job_record *record,
                           struct wattle_error *err);

/* The table (field.h), in record.c. */
struct wtl_job_fields;
extern const struct wtl_job_fields wtl_job_record_fields, wtl_job_channel_fields;

const char *wtl_job_kind_word(enum wtl_job_kind kind);
const char *wtl_job_state_word(enum wtl_job_state state);

#endif
