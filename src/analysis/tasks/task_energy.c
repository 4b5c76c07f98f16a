/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/tasks/task_energy.h"

#include <errno.h>
#include <math.h>

static double error_of(double measured, double modelled)
{
    return measured != 0 ? fabs(measured - modelled) / fabs(measured) : (double)NAN;
}

int wtl_task_energy(const struct wtl_task_energy_of *of, struct wtl_task_energy *ret_energy)
{
    struct wtl_task_energy *e = ret_energy;
    double busy_s = of->total_s - of->idle_s, platform_j;
    if (!(of->total_s > 0) || !(of->idle_s >= 0) || !(busy_s >= 0))
        return -EINVAL;
    *e = (struct wtl_task_energy){.measured_j = of->mean_w * of->total_s};
    for (size_t i = 0; i < of->types; i++)
        e->modelled_tasks_j += of->power_w[i] * of->time_s[i];
    platform_j = of->idle_w * of->total_s + of->static_w * busy_s;
    e->modelled_j = platform_j + e->modelled_tasks_j;
    e->measured_tasks_j = e->measured_j - platform_j;
    e->printed_tasks_j = e->measured_j - (of->idle_w + of->static_w) * of->total_s;
    e->error = error_of(e->measured_j, e->modelled_j);
    e->error_tasks = error_of(e->measured_tasks_j, e->modelled_tasks_j);
    return 0;
}
