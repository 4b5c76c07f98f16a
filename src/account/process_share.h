/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of all processes in the machine's energy over one interval, so that they and the rest add up
 * to what the counter showed, exactly.
 *
 * The rule is that of one process tree (model/share.h), for all at once. Energy above idle is divided
 * by CPU time. Of idle energy each bears the part of the machine's capacity (CPUs x time) that it
 * occupied; what nobody occupied is the rest `idle`. CPU time of the machine that belongs to no process
 * in the list (it ended in between, or interrupts) has a share, too: the rest `unseen`. Where idle
 * power is unknown, all energy is divided by CPU time and `idle` is 0, but for a machine that did
 * nothing: then all of it is.
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
    double machine_s;            /* CPU time of everything; NaN = unknown: that of the processes */
    enum wattle_quality quality; /* of energy_j */
};

struct wtl_share_rest {
    double processes_j;          /* the sum of the shares */
    double idle_j, unseen_j;     /* with it they are energy_j */
    enum wattle_quality quality; /* of the shares: derived, or estimated when energy_j is */
};

/*
 * shares_j[i] of the process that used used_s[i] seconds; n may be 0. Where the processes used more
 * than the machine (clocks of different steps), their sum counts as the machine's. Returns 0, or
 * -EINVAL when a value is negative or not finite. Pure.
 */
int wtl_process_shares(const struct wtl_share_interval *interval,
                       const double *used_s,
                       size_t n,
                       double *shares_j,
                       struct wtl_share_rest *ret_rest);

#endif
