/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/live_phases.h"

#include <errno.h>

#include "base/fail.h"

int wtl_live_event_open(struct wtl_live *live,
                        const struct perf_event_attr *attr,
                        pid_t pid,
                        int cpu,
                        const char *control_group,
                        uint64_t leader,
                        uint64_t *ret_id)
{
    struct wtl_sim_event *event;
    int rc = -ENOENT;
    (void)pthread_mutex_lock(&live->lock);
    int group = -1;
    if (control_group && live->programs)
        group = wtl_sim_programs_group(live->programs, control_group);
    if (control_group && live->programs && group < 0)
        rc = group;
    else if (live->pmu) {
        struct wtl_sim_event *first = leader > 0 ? wtl_sim_pmu_event(live->pmu, leader) : NULL;
        rc = leader > 0 && !first ? -EBADF
                                  : wtl_sim_pmu_open(live->pmu, attr, pid, cpu, group, first,
                                                     wtl_live_now(), &event);
        if (rc == 0)
            *ret_id = wtl_sim_event_id(event);
    }
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

/* Holding the lock. */
static struct wtl_sim_event *find(struct wtl_live *live, uint64_t id)
{
    return live->pmu ? wtl_sim_pmu_event(live->pmu, id) : NULL;
}

bool wtl_live_event_exists(struct wtl_live *live, uint64_t id)
{
    (void)pthread_mutex_lock(&live->lock);
    bool found = find(live, id) != NULL;
    (void)pthread_mutex_unlock(&live->lock);
    return found;
}

ssize_t wtl_live_event_read(struct wtl_live *live, uint64_t id, void *buf, size_t n)
{
    (void)pthread_mutex_lock(&live->lock);
    struct wtl_sim_event *event = find(live, id);
    ssize_t got = event ? wtl_sim_event_read(event, wtl_live_now(), buf, n) : -ENOENT;
    (void)pthread_mutex_unlock(&live->lock);
    return got;
}

int wtl_live_event_ioctl(struct wtl_live *live,
                         uint64_t id,
                         unsigned long request,
                         uint64_t argument,
                         uint64_t *ret_id)
{
    (void)pthread_mutex_lock(&live->lock);
    struct wtl_sim_event *event = find(live, id);
    int rc =
        event ? wtl_sim_event_ioctl(event, wtl_live_now(), request, argument, ret_id) : -ENOENT;
    (void)pthread_mutex_unlock(&live->lock);
    return rc;
}

void wtl_live_event_close(struct wtl_live *live, uint64_t id)
{
    (void)pthread_mutex_lock(&live->lock);
    struct wtl_sim_event *event = find(live, id);
    if (event)
        wtl_sim_event_close(event, wtl_live_now());
    (void)pthread_mutex_unlock(&live->lock);
}
