/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run of a machine in looks, to be divided among its jobs at the end, when everything that the looks show about the cost of
 * instructions and cache misses is known (wtl_share_learn()). Memory does not grow: when WTL_SHARE_LOOKS are
 * stored, neighbours become one, for the division; they were learnt from before.
 */
#ifndef WTL_ACCOUNT_SHARE_LOOKS_H
#define WTL_ACCOUNT_SHARE_LOOKS_H

#include "account/share.h"

enum { WTL_SHARE_LOOKS = 256, WTL_SHARE_LOOKS_JOBS = 2 };

struct wtl_share_looks;

/* core_of[cpus] is borrowed, and may_on of each job (NULL = all CPUs). NULL: out of memory. */
struct wtl_share_looks *wtl_share_looks_create(const struct wtl_share_model *model,
                                               size_t cpus,
                                               const uint32_t *core_of);
void wtl_share_looks_destroy(struct wtl_share_looks *looks); /* accepts NULL */

/* Add the next look, with the CPU time of each CPU and with events of all jobs, whose number is WTL_SHARE_LOOKS_JOBS. Returns 0,
 * -EINVAL, -ENOMEM. */
int wtl_share_looks_add(struct wtl_share_looks *looks,
                        const struct wtl_share_interval *interval,
                        const struct wtl_share_job *jobs);

/* How many there were, merged ones included. */
size_t wtl_share_looks_count(const struct wtl_share_looks *looks);

/*
 * Divide so much energy of so much time, in the proportions of the looks, with the half widths of the shares' intervals (wtl_share_halves()).
 * Returns 0; -ENODATA: too few looks; -ENOENT: the events do not tell more about power than CPU time, as far as the looks show; -EINVAL, -ENOMEM.
 */
int wtl_share_looks_divide(const struct wtl_share_looks *looks,
                           const struct wtl_share_interval *whole,
                           const bool *const *may_on,
                           double *shares_j,
                           double *halves_j,
                           struct wtl_share_rest *ret_rest);

#endif
