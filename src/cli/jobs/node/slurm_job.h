/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job of Slurm as its prolog and epilog see it: from the environment, and from files of this node. No network. Which variables
 * there are depends on the release; what is missing is unknown.
 */
#ifndef WTL_CLI_SLURM_JOB_H
#define WTL_CLI_SLURM_JOB_H

#include "base/world/world.h"
#include "jobs/record.h"

struct wtl_slurm_job {
    uint64_t id;      /* the raw number */
    char id_text[24]; /* the same, for wattled */
    char cgroup[256]; /* where its cgroup will be */
    char gpus[256];   /* a list for wattled; "" = none, or unknown */
    double reserved;  /* part of the node; 0 = unknown */
    bool ended;       /* the environment is that of an epilog: exit status is known */
};

/* Its identity goes into a record after wtl_job_record_init(), all but its energy and times. 0; -ENOENT: this is not a prolog or an
 * epilog. */
int wtl_slurm_job_read(const struct wtl_world *world,
                       struct wtl_slurm_job *ret_job,
                       struct wtl_job_record *record,
                       struct wattle_error *err);

/* The CPUs of a node in "4(x2),8", given its place among the job's nodes; 0 = unknown. Pure. */
uint64_t wtl_slurm_cpus_at(const char *counts, long place);

/* The place of a node in "n[1-3,07],x": 0 is the first; -1 = it is not there, or the list is not valid. Pure. */
long wtl_slurm_node_place(const char *list, const char *node);

/* What slurm.conf says about a node: its CPUs, 0 = unknown; and whether jobs of this partition get whole nodes. */
struct wtl_slurm_node {
    uint64_t cpus;
    bool whole;
};
struct wtl_slurm_node wtl_slurm_conf_node(const char *text,
                                          const char *node,
                                          const char *partition);

#endif
