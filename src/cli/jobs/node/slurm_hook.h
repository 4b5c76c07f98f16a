/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `wattle jobs begin|end --slurm`: what runs in Prolog and Epilog of Slurm. Whatever happens, they take less than a second, use no
 * network, print nothing to standard output and return 0: anything else would drain the node or requeue the job. What takes
 * longer, since the node is overloaded or wattled does not answer, goes on in a process of its own for at most 30 s.
 */
#ifndef WTL_CLI_SLURM_HOOK_H
#define WTL_CLI_SLURM_HOOK_H

#include <stdint.h>

#include <wattle/error.h>

/* cgroup, reserved: instead of what was found out; NULL = that. Return 0. */
int wtl_slurm_hook_begin(const char *cgroup, const char *reserved);
int wtl_slurm_hook_end(void);

/* End the jobs whose epilogs wattled did not answer, then as wtl_node_record_sweep(). */
int wtl_slurm_hook_left(uint64_t until_ns, struct wattle_error *err);

#endif
