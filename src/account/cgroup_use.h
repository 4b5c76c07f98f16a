/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a cgroup has used, whichever version the machine has: v2, v1, or both. A path is as in /proc/PID/cgroup,
 * without the first slash.
 */
#ifndef WTL_ACCOUNT_CGROUP_USE_H
#define WTL_ACCOUNT_CGROUP_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/world/world.h"

/* CPU time of all processes that are or were in it and below. 0; -ENOENT: there is no such cgroup, or not one that counts
 * CPU time; other errors of its file. */
int wtl_cgroup_cpu_ns(const struct wtl_world *world, const char *path, uint64_t *ret_ns);

/* The most memory it has used at a time, page cache included. 0, -ENOENT, or another error. */
int wtl_cgroup_peak_bytes(const struct wtl_world *world, const char *path, uint64_t *ret_bytes);

/* Names of the cgroups directly below one that counts CPU time, which the caller frees as one block. Their number, -ENOENT, or
 * another error. */
int wtl_cgroup_children(const struct wtl_world *world, const char *path, char ***ret_names);

/* The path of a folder such as "/sys/fs/cgroup/NAME"; false if it is not in the usual place. */
bool wtl_cgroup_name(const struct wtl_world *world, const char *folder, char *buf, size_t n);

/* Is this process in a cgroup, or below it? */
bool wtl_cgroup_has(const struct wtl_world *world, const char *path, pid_t pid);

#endif
