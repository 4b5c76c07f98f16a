/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of a node as reported by wattled, and their printed forms: text, JSON "wattle.jobs/1", CSV. */
#ifndef WTL_CLI_JOB_LIST_H
#define WTL_CLI_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <wattle/channel.h>

#include "report/report.h"

struct wtl_node_job_channel {
    char name[WATTLE_NAME_MAX];
    double energy_j, resolution_j; /* NaN = unknown */
    double unknown_s;              /* time of the job that energy_j leaves out */
    bool in_total;
    char quality[16]; /* "" = unknown */
    double
        charged_j; /* its share; the rest of energy_j is the three below. NaN = unknown, or not divided */
    double others_j, idle_j, unattributed_j;
    double
        undivided_j; /* of unattributed_j and others_j: shared with others in an unknown proportion */
    char rule[12];   /* of a GPU that the job had: "reserved", "use", "none"; "" = as the job's */
};

struct wtl_node_job {
    char id[65];
    const char *state; /* "open", "ended", "cut" */
    double begin_s;    /* since 1970 */
    double elapsed_s;
    struct wtl_node_job_channel total; /* of the channels in the total; NaN = unknown: it is open */
    struct wtl_node_job_channel *channels;
    size_t channel_count;
    /* Of a job whose energy is divided; "" and NaN = unknown. */
    char rule[16];           /* "exclusive", "counters", "calibrated", "cpu_time", "none" */
    char share_counters[80]; /* why it is not by counters */
    double share_half_j; /* of a share by counters: half width of the 95 % interval of its model */
    char parent[65], boot_id[40], gpus[256];
    double cpu_s, unseen_s, peak_bytes; /* unseen_s: at its end, when what it used was not seen */
    double gone_s;                      /* at its end, without a step of it but extern; 0 = none */
    double fetched;                     /* 1: whoever keeps its record has it */
    char *note;                         /* borrowed from the reply; NULL = none */
};

struct wtl_node_job_list {
    struct wtl_node_job *jobs;
    size_t count;
    size_t more;          /* jobs, or channels of the one job, that the reply had no space for; */
    size_t more_of_total; /* of these, channels that the total should include */
};

/* Parse the lines of a reply to `jobs`, or to `end ID`, changing them. 0; -EBADMSG: of another version; -ENOMEM.
 * wtl_node_job_list_fini() in any case. */
int wtl_node_job_list_parse(struct wtl_node_job_list *list, char *lines);
int wtl_node_job_list_parse_ended(struct wtl_node_job_list *list, const char *id, char *lines);
void wtl_node_job_list_fini(struct wtl_node_job_list *list);

/* 0 or -ENOMEM. Errors of the stream stay in it. */
int wtl_node_job_list_print(const struct wtl_node_job_list *list,
                            enum wtl_format format,
                            FILE *out);

#endif
