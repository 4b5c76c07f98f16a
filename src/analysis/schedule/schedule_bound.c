/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of schedules. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/schedule/schedule_parts.h"
#include "base/fail.h"

enum { WEIGHTS = 65 };

double wtl_schedule_budget(const struct wtl_schedule_node *node)
{
    return node->cap_w - node->idle_w - node->static_w;
}

double wtl_schedule_fastest(const struct wtl_schedule_node *node, double power_w)
{
    double budget = wtl_schedule_budget(node);
    return power_w > budget ? pow(budget / power_w, 1 / node->exponent) : 1;
}

static bool makes_sense(const struct wtl_schedule_node *node)
{
    return node->cores >= 1 && node->cores <= WTL_SCHEDULE_CORES && node->idle_w >= 0 &&
           node->static_w >= 0 && isfinite(node->idle_w + node->static_w) && node->cap_w > 0 &&
           node->exponent >= 1 && node->exponent <= 4 && node->slowest > 0 && node->slowest <= 1;
}

int wtl_schedule_check(const struct wtl_schedule_graph *graph,
                       const struct wtl_schedule_node *node,
                       struct wattle_error *err)
{
    double hungriest = 0;
    if (!makes_sense(node) || graph->count == 0)
        return wtl_fail(err, -EINVAL, "a schedule needs tasks, cores, and finite powers");
    for (size_t i = 0; i < graph->count; i++) {
        const struct wtl_schedule_task *task = &graph->tasks[i];
        if (!(task->duration_s >= 0) || !(task->power_w >= 0) || !isfinite(task->duration_s) ||
            !isfinite(task->power_w) || task->first > task[1].first)
            return wtl_fail(err, -EINVAL, "task %zu has no valid duration or power", i);
        for (uint32_t k = task->first; k < task[1].first; k++) {
            if (graph->after[k] >= i)
                return wtl_fail(err, -EINVAL, "task %zu waits for a later one", i);
        }
        hungriest = fmax(hungriest, task->power_w);
    }
    double least = node->idle_w + node->static_w + hungriest * pow(node->slowest, node->exponent);
    return least <= node->cap_w
               ? 0
               : wtl_fail(err, -ERANGE,
                          "no schedule stays within %.6g W: the node with one task at its slowest "
                          "takes %.6g W",
                          node->cap_w, least);
}

void wtl_schedule_tails(const struct wtl_schedule_graph *graph,
                        const struct wtl_schedule_node *node,
                        double *tail_s)
{
    for (size_t i = 0; i < graph->count; i++)
        tail_s[i] = 0;
    for (size_t i = graph->count; i-- > 0;) {
        const struct wtl_schedule_task *task = &graph->tasks[i];
        tail_s[i] += task->duration_s / wtl_schedule_fastest(node, task->power_w);
        for (uint32_t k = task->first; k < task[1].first; k++)
            tail_s[graph->after[k]] = fmax(tail_s[graph->after[k]], tail_s[i]);
    }
}

/* Any schedule takes at least the time of all cores over their number, and at least the energy of all tasks over the budget; so at
 * least any mean of these with weights that sum up to 1, in which each task has the speed that makes its part least. */
static double bound_of(const struct wtl_schedule_graph *graph,
                       const struct wtl_schedule_node *node,
                       double weight)
{
    double budget = wtl_schedule_budget(node), sum = 0, a = node->exponent;
    for (size_t i = 0; i < graph->count; i++) {
        const struct wtl_schedule_task *task = &graph->tasks[i];
        double time = weight * task->duration_s / node->cores;
        double energy =
            isfinite(budget) ? (1 - weight) * task->duration_s * task->power_w / budget : 0;
        double most = wtl_schedule_fastest(node, task->power_w), s = most;
        if (energy > 0 && a > 1)
            s = pow(time / (energy * (a - 1)), 1 / a);
        s = fmin(fmax(s, node->slowest), most);
        sum += time / s + energy * pow(s, a - 1);
    }
    return sum;
}

int wtl_schedule_bound(const struct wtl_schedule_graph *graph,
                       const struct wtl_schedule_node *node,
                       struct wtl_schedule_bounds *ret,
                       struct wattle_error *err)
{
    int rc = wtl_schedule_check(graph, node, err);
    double *tails = rc < 0 ? NULL : malloc(sizeof *tails * graph->count);
    *ret = (struct wtl_schedule_bounds){0};
    if (rc < 0)
        return rc;
    if (!tails)
        return wtl_no_memory(err);
    wtl_schedule_tails(graph, node, tails);
    for (size_t i = 0; i < graph->count; i++)
        ret->path_s = fmax(ret->path_s, tails[i]);
    free(tails);
    ret->work_s = bound_of(graph, node, 1);
    ret->power_s = bound_of(graph, node, 0);
    for (int i = 0; i < WEIGHTS; i++)
        ret->both_s = fmax(ret->both_s, bound_of(graph, node, (double)i / (WEIGHTS - 1)));
    ret->least_s = fmax(ret->path_s, ret->both_s);
    return 0;
}

void wtl_schedule_graph_fini(struct wtl_schedule_graph *graph)
{
    free(graph->tasks);
    free(graph->after);
    *graph = (struct wtl_schedule_graph){0};
}
