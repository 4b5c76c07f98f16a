/* SPDX-License-Identifier: BSD-3-Clause */
/* See device_share.h. */
#include "account/device_share.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

size_t wtl_device_owner(size_t reserved, const size_t *job_of, size_t n, size_t jobs)
{
    if (reserved < jobs)
        return reserved;
    for (size_t i = 1; i < n; i++)
        if (job_of[i] != job_of[0])
            return WTL_JOB_NONE;
    return n > 0 && job_of[0] < jobs ? job_of[0] : WTL_JOB_NONE;
}

int wtl_device_share(double energy_j,
                     size_t owner,
                     size_t jobs,
                     double *shares_j,
                     double *unattributed_j)
{
    if (!isfinite(energy_j) || energy_j < 0)
        return -EINVAL;
    if (owner < jobs)
        shares_j[owner] += energy_j;
    else
        *unattributed_j += energy_j;
    return 0;
}

/* 1 or 0; -EACCES. A process that has ended uses nothing. */
static int has_open(const struct wtl_world *world, const char *pid, const char *path)
{
    char folder[64], name[96], target[256];
    char **names = NULL;
    bool found = false;
    (void)snprintf(folder, sizeof folder, "/proc/%.20s/fd", pid);
    int count = world->ops->list(world, folder, &names);
    if (count < 0)
        return count == -EACCES || count == -EPERM ? -EACCES : count == -ENOMEM ? count : 0;
    for (int i = 0; i < count && !found; i++) {
        (void)snprintf(name, sizeof name, "%s/%.20s", folder, names[i]);
        ssize_t n = world->ops->readlink(world, name, target, sizeof target);
        found = n > 0 && strcmp(target, path) == 0;
    }
    free(names);
    return found;
}

ssize_t wtl_device_users(const struct wtl_world *world,
                         const char *path,
                         pid_t *pids,
                         size_t n,
                         struct wattle_error *err)
{
    char **names = NULL;
    ssize_t users = 0;
    int count = world->ops->list(world, "/proc", &names);
    if (count < 0)
        return wtl_fail(err, count, "/proc: %s", wtl_strerror(count));
    for (int i = 0; i < count && users >= 0; i++) {
        if (!isdigit((unsigned char)names[i][0]))
            continue;
        int rc = has_open(world, names[i], path);
        if (rc > 0 && (size_t)users < n)
            pids[users] = (pid_t)strtol(names[i], NULL, 10);
        if (rc < 0)
            (void)wtl_fail(err, rc, "cannot see whether process %s uses %s: %s", names[i], path,
                           wtl_strerror(rc));
        users = rc < 0 ? rc : users + rc;
    }
    free(names);
    return users;
}
