/* SPDX-License-Identifier: BSD-3-Clause */
/* Within the world of tasks: the run of its program (task_run.c), and what the sensor makes of it. */
#ifndef WTL_SIM_TASK_PARTS_H
#define WTL_SIM_TASK_PARTS_H

#include "base/random.h"
#include "sim/tasks/task_world.h"

/* Numbers of random streams. */
enum wtl_sim_task_stream {
    WTL_SIM_TASK_DURATION = 1,
    WTL_SIM_TASK_SERIAL,
    WTL_SIM_TASK_ORDER,
    WTL_SIM_TASK_MIX,
    WTL_SIM_TASK_NOISE,
    WTL_SIM_TASK_JITTER,
    WTL_SIM_TASK_LOST,
    WTL_SIM_TASK_TYPE,
    WTL_SIM_TASK_OTHERS,
};

static inline uint64_t wtl_sim_task_stream(uint64_t seed, enum wtl_sim_task_stream purpose)
{
    return wtl_random_bits(seed, purpose);
}

/* The power is constant from t_s to the t_s of the next one. */
struct wtl_sim_task_step {
    double t_s, power_w, energy_j; /* the last: from 0 to t_s */
};

/* Everything that happens: filled by wtl_sim_tasks_run(). */
struct wtl_sim_task_run {
    struct wtl_sim_task *tasks;
    size_t count, tasks_room;
    struct wtl_sim_task_edge *edges;
    size_t edge_count, edges_room;
    struct wtl_sim_task_step *steps; /* the last one is the end of the world */
    size_t step_count, steps_room;
    struct wtl_task_world_truth truth;
};

/* Returns 0 or -ENOMEM; the lists are the caller's to free, always. */
int wtl_sim_tasks_run(const struct wtl_task_world_config *config, struct wtl_sim_task_run *run);

#endif
