/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of a device, such as a GPU, divided among jobs:
 *
 *     parts of the jobs + idle + unattributed = energy of the counter
 *
 * - A device that one job has reserved is its own, with its idle energy: no other job can use it meanwhile.
 * - One reserved by several jobs, or by none, is divided by use: the share of the device's time that the processes of each have used,
 *   as the vendor's library tells. Which of them drew how much power is not known, so these parts are derived. What
 *   processes of no job have used is unattributed. If nothing was used, the energy is idle.
 * - If use is not known, its energy is unattributed.
 *
 * An entry is a job or a step of one, whose energy is also its job's. A step that has reserved the device of its job has it, unless
 * another step has, too; otherwise it is the job's own, and what a step has used is not known.
 */
#ifndef WTL_ACCOUNT_DEVICE_SHARE_H
#define WTL_ACCOUNT_DEVICE_SHARE_H

#include <stdbool.h>
#include <stddef.h>

struct wtl_device_claim {
    size_t job;    /* number of the entry that this one is a step of; its own number for a job */
    bool reserved; /* by it */
    double used;   /* share of the device's time, >= 0; of a job without that of its steps */
};

/* "" (nothing was divided), "reserved", "use", "none" */
enum wtl_device_rule { WTL_DEVICE_EMPTY, WTL_DEVICE_RESERVED, WTL_DEVICE_USE, WTL_DEVICE_UNKNOWN };

/* Does one job alone have the device? Then its use need not be known. Pure. */
bool wtl_device_has_owner(const struct wtl_device_claim *claims, size_t n);

/* Into parts[n], of 1: what each entry is charged, and *ret_idle; the rest is unattributed. others: the use by processes of no job;
 * NaN = use is not known. Pure. */
enum wtl_device_rule wtl_device_parts(const struct wtl_device_claim *claims,
                                      size_t n,
                                      double others,
                                      double *parts,
                                      double *ret_idle);

#endif
