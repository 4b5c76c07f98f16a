/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Slurm is told of a node, or of a step on it: integers, and whether they are known. A step has what wattled's
 * ledger charges it, and the step of the whole job what it charges the job. One that the ledger does not have, since the SPANK plugin is not
 * there, has the joules of the node since it began, if its job has the node for itself or has no prolog of wattle. Energy that left something out is unknown: Slurm has no place to say that a number is a
 * lower bound ("wattle jobs" has it).
 */
#ifndef WTL_SLURM_ENERGY_COUNT_H
#define WTL_SLURM_ENERGY_COUNT_H

#include "daemon_step.h"
#include "job_share.h"
#include "node_energy.h"

struct energy_count {
    bool begun, lost; /* lost: what happened before the first reading is unknown for good */
    struct slurm_node_energy base;
    uint64_t base_ns;    /* CLOCK_MONOTONIC */
    char why[SLURM_WHY]; /* of lost */
    bool asked_share;    /* of the ledger */
    bool has_others;     /* the ledger had other jobs, and did not know this one */
    bool missing;        /* it did not know this one at the last look */
    bool had_child;      /* a task of the step ran at a look */
    double charged_j;    /* by the ledger, at the last look ... */
    uint64_t charged_ns; /* ... and its time; 0 = none yet */
};

struct energy_for_slurm {
    bool known, power_known, average_known;
    uint64_t base_j, consumed_j;
    double exact_j; /* consumed_j before rounding */
    uint32_t current_w, average_w;
};

/* Read the ledger, and the node if that does not have the step. The last look at a step, when none of its tasks is left, waits for an answer of
 * the ledger. why[SLURM_WHY]: "", or why energy is unknown. */
void energy_count_read(struct energy_count *count,
                       const struct daemon_step *step,
                       bool estimates,
                       struct energy_for_slurm *ret_energy,
                       char *why);

/* The same from a reading: rc and `node` as of slurm_node_energy_read(). For tests. */
void energy_count_take(struct energy_count *count,
                       bool is_step,
                       uint64_t now_ns,
                       int rc,
                       const struct slurm_node_energy *node,
                       struct energy_for_slurm *ret_energy,
                       char *why);

/* What the ledger charges a step, in place of the node's energy. For tests. */
void energy_count_charge(struct energy_count *count,
                         uint64_t now_ns,
                         enum share_state state,
                         double charged_j,
                         struct energy_for_slurm *shown,
                         char *why);

#endif
