/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of all processes in the machine's energy over one interval. The shares and the remainders add up to
 * exactly what the counter showed.
 *
 * The rule for a single process tree (model/share.h) is applied to all processes at once. Energy above idle
 * is divided by CPU time. Each process gets the part of the idle energy that corresponds to the part of the
 * machine's capacity (CPUs x time) it occupied; the unoccupied part is the remainder `idle`. CPU time of the
 * machine that belongs to no listed process (one that ended in the meantime, or interrupts) also has a share:
 * the remainder `unseen`. If idle power is unknown, all energy is divided by CPU time and `idle` is 0; but if
 * the machine used no CPU time, `idle` is all of the energy.
 */
#ifndef WTL_ACCOUNT_PROCESS_SHARE_H
#define WTL_ACCOUNT_PROCESS_SHARE_H

#include <stddef.h>

#include <wattle/quantity.h>

struct wtl_share_interval {
    double energy_j;             /* of the machine over the interval, >= 0 */
    double idle_w;               /* power of the idle machine; NaN = unknown */
    double seconds;              /* > 0 */
    double cpus;                 /* logical CPUs, > 0 */
    double machine_s;            /* total CPU time; NaN = unknown: use that of the processes */
    enum wattle_quality quality; /* of energy_j */
};

struct wtl_share_rest {
    double processes_j;          /* the sum of the shares */
    double idle_j, unseen_j;     /* together with processes_j equal to energy_j */
    enum wattle_quality quality; /* of the shares: derived, or estimated when energy_j is */
};

/*
 * shares_j[i] is for the process that used used_s[i] seconds; n may be 0. If the processes used more than the
 * machine (clocks with different steps), their sum counts as the machine's. Returns 0, or -EINVAL when a
 * value is negative or not finite. Pure.
 */
int wtl_process_shares(const struct wtl_share_interval *interval,
                       const double *used_s,
                       size_t n,
                       double *shares_j,
                       struct wtl_share_rest *ret_rest);

#endif
