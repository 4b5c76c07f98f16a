/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The power of a node that follows what the tasks of running programs are: reads the marks that the programs write to their
 * spools (regions and tasks), and turns them into steps of two numbers, in time order: the watts of all running tasks, and how many
 * threads are in one. A thread is in the innermost of its tasks and regions that has a power, unless it waits in a state above
 * that. A mark that is seen late, because its thread was interrupted between taking the time and writing, counts from the last
 * step on; what tasks really took is in the truth.
 */
#ifndef WTL_SIM_TASK_FOLLOW_H
#define WTL_SIM_TASK_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "sim/tasks/task_world.h"

struct wtl_sim_task_power {
    char name[64]; /* "*" = any other task */
    double power_w;
    /* The truth up to the last step. */
    uint64_t count;
    double time_s, energy_j;
};

struct wtl_sim_follow;

/* text: NAME=WATTS[,NAME=WATTS]... Returns 0, -EINVAL with what is wrong, -ENOMEM. */
int wtl_sim_follow_create(const char *text,
                          struct wtl_sim_follow **ret_follow,
                          struct wattle_error *err);
void wtl_sim_follow_destroy(struct wtl_sim_follow *follow); /* accepts NULL */

/* Follow the spool with this path, too, unless it is known already. 0, or as wtl_spool_open(): try again later. */
int wtl_sim_follow_add(struct wtl_sim_follow *follow, const char *path);

/* Called for each step; 0, or -errno, which ends the call below. */
typedef int wtl_sim_follow_step(void *user, uint64_t time_ns, double tasks_w, unsigned busy);

/* All steps up to now_ns, which never decreases. Returns 0, -ENOMEM, or an error of step. */
int wtl_sim_follow_until(struct wtl_sim_follow *follow,
                         uint64_t now_ns,
                         wtl_sim_follow_step *step,
                         void *user);

const struct wtl_sim_task_power *wtl_sim_follow_powers(const struct wtl_sim_follow *follow,
                                                       size_t *ret_count);

#endif
