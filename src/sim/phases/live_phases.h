/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phases of a live node: the answers to two requests, and performance events under the node's lock.
 *
 *   phases               the stays so far and to come    ok T0, then FROM TO LETTER WATTS lines (ns, mean W of the letter)
 *   counts [FROM [TO]]   exact events of each counter    ok FROM TO, then NAME COUNT lines
 */
#ifndef WTL_SIM_LIVE_PHASES_H
#define WTL_SIM_LIVE_PHASES_H

#include "sim/live_node.h"

/* Called with the lock held. 0, or -EINVAL with the remedy. */
int wtl_live_answer_phases(struct wtl_live *live, FILE *out, struct wattle_error *err);
/* Both instants are checked by the caller. */
int wtl_live_answer_counts(struct wtl_live *live,
                           const uint64_t limits[2],
                           FILE *out,
                           struct wattle_error *err);

/* As in pmu.h, with ids instead of pointers; leader 0 = none. *ret_id is to be closed; -ENOENT: no such event. */
int wtl_live_event_open(struct wtl_live *live,
                        const struct perf_event_attr *attr,
                        pid_t pid,
                        int cpu,
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
