/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules under a power cap: closed forms, and on factorizations: the cap is kept, no bound is beaten, work is neither lost nor made. */
#include "analysis/schedule/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sim/tasks/task_graph.h"
#include "tap.h"

static const double POWER_W[WTL_SIM_KERNELS] = {6.1, 7.4, 8.3, 9.2},
                    DURATION_S[WTL_SIM_KERNELS] = {0.0024, 0.0031, 0.0033, 0.0045};

static const struct wtl_schedule_node PAPER = {.cores = 16,
                                               .idle_w = 80.15,
                                               .static_w = 78.25,
                                               .cap_w = (double)INFINITY,
                                               .exponent = 2,
                                               .slowest = 0.25};

static struct wtl_schedule_graph factorization(enum wtl_sim_graph which, unsigned tiles)
{
    struct wtl_sim_task_graph made;
    struct wtl_schedule_graph graph = {0};
    if (!ok(wtl_sim_graph_create(which, tiles, &made) == 0, "a graph"))
        return graph;
    graph = (struct wtl_schedule_graph){calloc(made.count + 1, sizeof *graph.tasks), made.after,
                                        made.count};
    for (size_t i = 0; i <= made.count; i++)
        graph.tasks[i] =
            (struct wtl_schedule_task){DURATION_S[made.nodes[i].kernel] * made.nodes[i].size,
                                       POWER_W[made.nodes[i].kernel], made.nodes[i].first};
    free(made.nodes);
    return graph;
}

/* Tasks that are alike: independent, or each waiting for the one before. */
static struct wtl_schedule_graph alike(size_t count, bool chain)
{
    struct wtl_schedule_graph graph = {calloc(count + 1, sizeof *graph.tasks),
                                       calloc(count + 1, sizeof *graph.after), count};
    for (size_t i = 0; i <= count; i++) {
        graph.tasks[i] = (struct wtl_schedule_task){1, 10, (uint32_t)(chain && i > 0 ? i - 1 : 0)};
        graph.after[i] = (uint32_t)i;
    }
    return graph;
}

static struct wtl_schedule_result simulate(const struct wtl_schedule_graph *graph,
                                           const struct wtl_schedule_node *node,
                                           enum wtl_schedule_policy policy)
{
    struct wtl_schedule_result result = {0};
    struct wattle_error err = {""};
    ok(wtl_schedule_simulate(graph, node, policy, &result, &err) == 0, "policy %d %s", policy,
       err.text);
    return result;
}

static void check_closed_forms(void)
{
    struct wtl_schedule_node node = PAPER;
    struct wtl_schedule_graph bag = alike(64, false), chain = alike(20, true);
    struct wtl_schedule_bounds bounds;
    struct wtl_schedule_result r = simulate(&bag, &node, WTL_SCHEDULE_FREE);
    is_double(r.makespan_s, 4, 1e-9, "64 tasks of 1 s on 16 cores");
    is_double(r.peak_w, 158.4 + 160, 1e-9, "their power");
    is_double(r.energy_j, 4 * (158.4 + 160), 1e-6, "their energy");
    node.cap_w = 158.4 + 40; /* a quarter: half the speed, with the power its square */
    for (int policy = WTL_SCHEDULE_UNIFORM; policy < WTL_SCHEDULE_POLICIES; policy++) {
        r = simulate(&bag, &node, (enum wtl_schedule_policy)policy);
        is_double(r.makespan_s, 8, 1e-6, "policy %d: at half the speed", policy);
        is_double(r.peak_w, node.cap_w, 1e-6, "policy %d: at the cap", policy);
        is_double(r.energy_j, 8 * node.cap_w, 1e-3, "policy %d: all the time", policy);
    }
    ok(wtl_schedule_bound(&bag, &node, &bounds, NULL) == 0, "bounds");
    is_double(bounds.work_s, 4, 1e-9, "of work");
    ok(bounds.both_s > 7.9 && bounds.both_s < 8 + 1e-6, "of both it is tight: %.4f s",
       bounds.both_s);
    r = simulate(&chain, &node, WTL_SCHEDULE_AWARE);
    is_double(r.makespan_s, 20, 1e-6, "a chain needs no slowing");
    ok(wtl_schedule_bound(&chain, &node, &bounds, NULL) == 0, "bounds");
    is_double(bounds.path_s, 20, 1e-9, "of its path");
    node.cap_w = 158.4 + 2.5;
    r = simulate(&chain, &node, WTL_SCHEDULE_UNIFORM);
    is_double(r.makespan_s, 40, 1e-6, "below one task's power it is slowed");
    wtl_schedule_graph_fini(&bag);
    wtl_schedule_graph_fini(&chain);
}

static void check_factorization(enum wtl_sim_graph which, double cap_w)
{
    struct wtl_schedule_graph graph = factorization(which, 16);
    struct wtl_schedule_node node = PAPER;
    struct wtl_schedule_bounds bounds = {0};
    struct wtl_schedule_result free_run = simulate(&graph, &node, WTL_SCHEDULE_FREE);
    node.cap_w = cap_w;
    struct wtl_schedule_result uniform = simulate(&graph, &node, WTL_SCHEDULE_UNIFORM);
    struct wtl_schedule_result aware = simulate(&graph, &node, WTL_SCHEDULE_AWARE);
    ok(wtl_schedule_bound(&graph, &node, &bounds, NULL) == 0, "bounds");
    diag("%s at %.0f W: free %.4f s (%.0f W), uniform %.4f s (%.1f J), aware %.4f s (%.1f J), "
         "bound %.4f s",
         wtl_sim_kernel(which, 1), cap_w, free_run.makespan_s, free_run.peak_w, uniform.makespan_s,
         uniform.energy_j, aware.makespan_s, aware.energy_j, bounds.least_s);
    ok(uniform.peak_w <= cap_w + 1e-6 && aware.peak_w <= cap_w + 1e-6, "the cap is kept");
    ok(bounds.both_s >= fmax(bounds.work_s, bounds.power_s) - 1e-12, "both bound at least as each");
    ok(bounds.least_s <= aware.makespan_s * (1 + 1e-9), "no bound is beaten");
    ok(aware.makespan_s <= uniform.makespan_s * (1 + 1e-9), "aware is no slower than uniform");
    ok(free_run.makespan_s <= aware.makespan_s * 1.02, "and hardly faster than without a cap");
    wtl_schedule_graph_fini(&graph);
}

static void check_refusals(void)
{
    struct wtl_schedule_graph graph = alike(3, true);
    struct wtl_schedule_node node = PAPER;
    struct wtl_schedule_result r;
    struct wattle_error err = {""};
    node.cap_w = 158;
    is_int(wtl_schedule_simulate(&graph, &node, WTL_SCHEDULE_AWARE, &r, &err), -ERANGE,
           "a cap below the platform's power: %s", err.text);
    node = PAPER;
    node.exponent = 0.5;
    is_int(wtl_schedule_simulate(&graph, &node, WTL_SCHEDULE_AWARE, &r, &err), -EINVAL, "%s",
           err.text);
    node = PAPER;
    graph.after[1] = 2;
    is_int(wtl_schedule_simulate(&graph, &node, WTL_SCHEDULE_FREE, &r, &err), -EINVAL, "%s",
           err.text);
    graph.tasks[1].duration_s = NAN;
    is_int(wtl_schedule_simulate(&graph, &node, WTL_SCHEDULE_FREE, &r, &err), -EINVAL, "%s",
           err.text);
    wtl_schedule_graph_fini(&graph);
}

int main(void)
{
    check_closed_forms();
    for (int g = 0; g < WTL_SIM_GRAPHS; g++) {
        check_factorization((enum wtl_sim_graph)g, 280);
        check_factorization((enum wtl_sim_graph)g, 220);
        check_factorization((enum wtl_sim_graph)g, 180);
    }
    check_refusals();
    return done_testing();
}
