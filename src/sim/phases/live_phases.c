/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/phases/live_phases.h"

#include <errno.h>

#include "base/fail.h"

static int no_phases(struct wattle_error *err)
{
    return wtl_fail(err, -EINVAL, "this node has no phases; see wattle-sim run --phases");
}

int wtl_live_answer_phases(struct wtl_live *live, FILE *out, struct wattle_error *err)
{
    const struct wtl_node_config *node = wtl_node_config(live->node);
    if (!node->track)
        return no_phases(err);
    size_t count;
    const struct wtl_sim_segment *list = wtl_sim_track_segments(node->track, &count);
    const struct wtl_phase_world_config *world = wtl_sim_track_config(node->track);
    uint64_t step = wtl_sim_track_step_ns(node->track);
    (void)fprintf(out, "ok %llu\n", (unsigned long long)node->t0_ns);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = node->t0_ns + list[i].first * step, to = from + list[i].rows * step;
        (void)fprintf(out, "%llu\t%llu\t%s\t%.9g\n", (unsigned long long)from,
                      (unsigned long long)to, world->letters[list[i].letter].name, list[i].mean_w);
    }
    return 0;
}

int wtl_live_answer_counts(struct wtl_live *live,
                           const uint64_t limits[2],
                           FILE *out,
                           struct wattle_error *err)
{
    const struct wtl_node_config *node = wtl_node_config(live->node);
    if (!node->track)
        return no_phases(err);
    const struct wtl_phase_world_config *world = wtl_sim_track_config(node->track);
    (void)fprintf(out, "ok %llu %llu\n", (unsigned long long)limits[0],
                  (unsigned long long)limits[1]);
    for (size_t i = 0; i < world->columns; i++) {
        uint64_t from = wtl_sim_track_count(node->track, i, (int64_t)(limits[0] - node->t0_ns));
        uint64_t to = wtl_sim_track_count(node->track, i, (int64_t)(limits[1] - node->t0_ns));
        (void)fprintf(out, "%s %llu\n", world->names[i], (unsigned long long)(to - from));
    }
    return 0;
}

int wtl_live_event_open(struct wtl_live *live,
                        const struct perf_event_attr *attr,
                        pid_t pid,
                        int cpu,
                        uint64_t leader,
                        uint64_t *ret_id)
{
    struct wtl_sim_event *event;
    int rc = -ENOENT;
    (void)pthread_mutex_lock(&live->lock);
    if (live->pmu) {
        struct wtl_sim_event *first = leader > 0 ? wtl_sim_pmu_event(live->pmu, leader) : NULL;
        rc = leader > 0 && !first
                 ? -EBADF
                 : wtl_sim_pmu_open(live->pmu, attr, pid, cpu, first, wtl_live_now(), &event);
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
