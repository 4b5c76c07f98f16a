/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of the command as a look of programs.h, from /proc and their CPU clocks. */
#ifndef WTL_SIM_PROGRAM_SCAN_H
#define WTL_SIM_PROGRAM_SCAN_H

#include "sim/programs/programs.h"

/* pid and what it has started; groups: their paths. The caller frees the list. Returns their number. */
size_t wtl_sim_program_scan(pid_t pid,
                            const char *const *groups,
                            size_t group_count,
                            struct wtl_sim_seen **ret_list);

/* The path of a control group, from the root of its hierarchy, of a folder such as /sys/fs/cgroup/unified/NAME. False if it is none. */
bool wtl_sim_program_group(const char *folder, char *buf, size_t n);

#endif
