/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the spools of a command: in the folders that its processes have in their environment (WATTLE_SPOOL). */
#ifndef WTL_SIM_TASK_SPOOLS_H
#define WTL_SIM_TASK_SPOOLS_H

#include <stddef.h>
#include <sys/types.h>

/* Paths of all files in these folders; the list and each path are the caller's to free (below). Returns their number. */
size_t wtl_sim_task_spools(pid_t pid, char ***ret_paths);
void wtl_sim_task_spools_free(char **paths, size_t count);

#endif
