/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The energy of a device that one job uses at a time, such as a GPU, belongs to the job that owns it, including its idle
 * energy: nobody else can use the device meanwhile.
 *
 *     shares + unattributed = energy of the counter
 *
 * The owner is the job that reserved the device, if known; otherwise the job of the processes that use
 * it. If these belong to several jobs, or one of them to none, nobody is charged: devices do not show
 * which part of their energy a process used.
 */
#ifndef WTL_ACCOUNT_DEVICE_SHARE_H
#define WTL_ACCOUNT_DEVICE_SHARE_H

#include <stddef.h>
#include <sys/types.h>

#include <wattle/error.h>

#include "base/world/world.h"

/* No job, or an unknown one. */
#define WTL_JOB_NONE SIZE_MAX

/* The job among 0..jobs-1 that owns a device: `reserved` if it is one, else that of all n processes, whose jobs are
 * given; WTL_JOB_NONE = unattributed. Pure. */
size_t wtl_device_owner(size_t reserved, const size_t *job_of, size_t n, size_t jobs);

/* Add the energy of a device over an interval, with one owner or WTL_JOB_NONE, to the shares of the jobs or to
 * what is unattributed. -EINVAL when the energy is negative or not finite. */
int wtl_device_share(double energy_j,
                     size_t owner,
                     size_t jobs,
                     double *shares_j,
                     double *unattributed_j);

/*
 * The processes that have a device file open, such as /dev/nvidia0, found in /proc/PID/fd, into pids[n]. Returns their number,
 * which may exceed n; -EACCES if those of a process may not be read, so that the list would not be complete (root may read all); or
 * another reason. Where the driver lists the processes that compute on a device, that list is better: daemons hold devices
 * open without using them.
 */
ssize_t wtl_device_users(const struct wtl_world *world,
                         const char *path,
                         pid_t *pids,
                         size_t n,
                         struct wattle_error *err);

#endif
