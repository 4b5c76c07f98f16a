/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The performance events of a live node, under its lock. Each is also a file at the root of the node's FUSE mount, "event-17",
 * whose inode says which event it is.
 */
#ifndef WTL_SIM_LIVE_PHASES_H
#define WTL_SIM_LIVE_PHASES_H

#include "sim/live_node.h"

#define WTL_LIVE_EVENT        "event-"
#define WTL_LIVE_EVENT_INODES (UINT64_C(1) << 48) /* plus the id */

/* Id of the event whose file has this inode; 0 = another file. */
static inline uint64_t wtl_live_event_of(uint64_t inode)
{
    return inode > WTL_LIVE_EVENT_INODES ? inode - WTL_LIVE_EVENT_INODES : 0;
}

/* As in pmu.h, with ids instead of pointers; leader 0 = none; control_group: its path, NULL = none. *ret_id is to be closed; -ENOENT: no such event. */
int wtl_live_event_open(struct wtl_live *live,
                        const struct perf_event_attr *attr,
                        pid_t pid,
                        int cpu,
                        const char *control_group,
                        uint64_t leader,
                        uint64_t *ret_id);
bool wtl_live_event_exists(struct wtl_live *live, uint64_t id);
ssize_t wtl_live_event_read(struct wtl_live *live, uint64_t id, void *buf, size_t n);
int wtl_live_event_ioctl(struct wtl_live *live,
                         uint64_t id,
                         unsigned long request,
                         uint64_t argument,
                         uint64_t *ret_id);
void wtl_live_event_close(struct wtl_live *live, uint64_t id);

#endif
