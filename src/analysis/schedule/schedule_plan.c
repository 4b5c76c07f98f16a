/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/schedule/schedule_plan.h"

#include <errno.h>
#include <math.h>

#include "base/fail.h"

static const char *const names[WTL_SCHEDULE_POLICIES] = {[WTL_SCHEDULE_FREE] = "free",
                                                         [WTL_SCHEDULE_UNIFORM] = "uniform",
                                                         [WTL_SCHEDULE_AWARE] = "aware"};

static int simulate(const struct wtl_schedule_graph *graph,
                    struct wtl_schedule_plan *plan,
                    struct wattle_error *err)
{
    int rc = wtl_schedule_bound(graph, &plan->node, &plan->bounds, err);
    for (int policy = 0; rc == 0 && policy < WTL_SCHEDULE_POLICIES; policy++) {
        struct wtl_schedule_node node = plan->node;
        struct wtl_schedule_row *row = &plan->rows[plan->row_count++];
        bool capped = policy != WTL_SCHEDULE_FREE;
        if (!capped)
            node.cap_w = (double)INFINITY;
        row->policy = names[policy];
        rc = wtl_schedule_simulate(graph, &node, (enum wtl_schedule_policy)policy, &row->result,
                                   err);
        row->over_bound = capped ? row->result.makespan_s / plan->bounds.least_s - 1 : (double)NAN;
    }
    return rc;
}

int wtl_schedule_plan_make(const struct wtl_task_study *study,
                           const struct wtl_schedule_request *request,
                           struct wtl_schedule_plan *ret,
                           struct wattle_error *err)
{
    struct wtl_schedule_graph graph;
    *ret = (struct wtl_schedule_plan){
        .trace = study->result.trace,
        .command = study->result.command,
        .simulated = wtl_result_is_simulated(&study->result),
    };
    if (study->request.by != WTL_BY_TASK)
        return wtl_fail(err, -EINVAL, "--cap simulates tasks and cannot be used with --by region");
    int rc = wtl_schedule_graph_read(study, &graph, &ret->node, &ret->measured_s, err);
    if (rc < 0)
        return rc;
    ret->node.cap_w = request->cap_w;
    ret->node.cores = request->cores ? request->cores : ret->node.cores;
    ret->node.exponent = request->exponent > 0 ? request->exponent : ret->node.exponent;
    ret->node.slowest = request->slowest > 0 ? request->slowest : ret->node.slowest;
    ret->tasks = graph.count;
    ret->dependences = graph.tasks[graph.count].first;
    rc = simulate(&graph, ret, err);
    wtl_schedule_graph_fini(&graph);
    return rc;
}
