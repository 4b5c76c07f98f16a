/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/schedule/schedule_plan.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/schedule/schedule.h"
#include "analysis/tasks/task_study.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/whole.h"

/* ---- the graph of a run ---- */

/*
 * The graph of the tasks of a run, with what the task model found for their types: durations are the times that they spent on a thread,
 * dependences those that their runtime told. What creates tasks, and waits for them without a dependence (taskwait), is not in it.
 */

enum { TASKS = 50000000 };

/* A task of a process; first one for each of its segments, then one for all of them. */
struct part {
    uint64_t task;
    uint32_t process, type;
    uint64_t begin_ns; /* of the first */
    double duration_s;
    uint32_t number; /* in the graph */
};

struct edge {
    uint64_t task, other;
    uint32_t process;
    uint32_t number, after; /* in the graph */
};

struct reading {
    const struct wtl_task_study *study;
    struct part *parts;
    size_t part_count, parts_room;
    struct edge *edges;
    size_t edge_count, edges_room;
    uint8_t *threads; /* ran a task */
    size_t thread_count;
    uint64_t first_ns, last_ns; /* of all tasks */
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_task(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = compare(x->process, y->process);
    return order ? order : compare(x->task, y->task);
}

static int by_begin(const void *a, const void *b)
{
    const struct part *x = *(const struct part *const *)a, *y = *(const struct part *const *)b;
    int order = compare(x->begin_ns, y->begin_ns);
    return order ? order : by_task(x, y);
}

static int by_number(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    int order = compare(x->number, y->number);
    return order ? order : compare(x->after, y->after);
}

static int add_activity(struct reading *r, const struct wtl_activity *a)
{
    const struct wtl_trace_thread *thread = wtl_trace_reader_thread(r->study->reader, a->thread);
    uint32_t process = thread ? thread->process : 0;
    if (a->what == WTL_ACTIVITY_EDGE) {
        if (wtl_reserve(&r->edges, &r->edges_room, r->edge_count + 1, sizeof *r->edges) < 0)
            return -ENOMEM;
        r->edges[r->edge_count++] =
            (struct edge){.task = a->task, .other = a->other, .process = process};
        return 0;
    }
    if (a->kind != WTL_ACTIVITY_TASK)
        return 0;
    if (wtl_reserve(&r->parts, &r->parts_room, r->part_count + 1, sizeof *r->parts) < 0 ||
        wtl_reserve_zeroed(&r->threads, &r->thread_count, (size_t)a->thread + 1, 1) < 0)
        return -ENOMEM;
    r->threads[a->thread] = 1;
    r->first_ns = r->part_count == 0 || a->begin_ns < r->first_ns ? a->begin_ns : r->first_ns;
    r->last_ns = a->end_ns > r->last_ns ? a->end_ns : r->last_ns;
    r->parts[r->part_count++] =
        (struct part){.task = a->task,
                      .process = process,
                      .type = a->type,
                      .begin_ns = a->begin_ns,
                      .duration_s = 1e-9 * (double)(a->end_ns - a->begin_ns)};
    return r->part_count < TASKS ? 0 : -E2BIG;
}

static int read_all(struct reading *r, struct wattle_error *err)
{
    const struct wtl_activity_options options = {
        .begin_ns = r->study->result.start_monotonic_ns,
        .end_ns = r->study->result.end_monotonic_ns,
        .what = WTL_ACTIVITY_SEGMENT | WTL_ACTIVITY_EDGE,
    };
    struct wtl_activities *activities;
    struct wtl_activity a;
    int rc = wtl_activities_open(r->study->reader, &options, &activities, err);
    if (rc < 0)
        return rc;
    while ((rc = wtl_activities_next(activities, &a, err)) > 0) {
        int taken = add_activity(r, &a);
        if (taken < 0) {
            wtl_activities_close(activities);
            return taken == -ENOMEM ? wtl_no_memory(err)
                                    : wtl_fail(err, taken, "more than %d segments of tasks", TASKS);
        }
    }
    wtl_activities_close(activities);
    return rc;
}

/* One part for each task. */
static void join(struct reading *r)
{
    size_t kept = 0;
    wtl_sort(r->parts, r->part_count, sizeof *r->parts, by_task);
    for (size_t i = 0; i < r->part_count; i++) {
        struct part *last = kept > 0 ? &r->parts[kept - 1] : NULL;
        if (!last || by_task(last, &r->parts[i]) != 0) {
            r->parts[kept++] = r->parts[i];
            continue;
        }
        last->duration_s += r->parts[i].duration_s;
        last->begin_ns =
            r->parts[i].begin_ns < last->begin_ns ? r->parts[i].begin_ns : last->begin_ns;
    }
    r->part_count = kept;
}

/* Of one task at full speed: of types that cannot be told apart, their mean. */
static double power_of(const struct wtl_task_model *model, const struct wtl_task_cost *type)
{
    double seconds = 0;
    if (type->group < 0)
        return type->power_w.value;
    for (size_t t = 0; t < model->type_count; t++)
        seconds += model->types[t].group == type->group ? model->types[t].time_s : 0;
    return model->groups[type->group].energy_j.value / seconds;
}

/* In the order of their begins, which no dependence contradicts, unless clocks or marks are wrong. */
static int number(struct reading *r, struct wtl_schedule_graph *graph, struct wattle_error *err)
{
    const struct wtl_task_model *model = &r->study->model;
    struct part **order = malloc((r->part_count + 1) * sizeof(struct part *));
    graph->tasks = calloc(r->part_count + 1, sizeof *graph->tasks);
    int rc = order && graph->tasks ? 0 : -ENOMEM;
    assert(r->parts);
    if (rc < 0)
        (void)wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < r->part_count; i++)
        order[i] = &r->parts[i];
    if (rc == 0)
        wtl_sort(order, r->part_count, sizeof(struct part *), by_begin);
    for (uint32_t i = 0; rc == 0 && i < r->part_count; i++) {
        const struct wtl_task_cost *type = order[i]->type < model->column_count
                                               ? &model->types[model->type_of[order[i]->type]]
                                               : NULL;
        order[i]->number = i;
        graph->tasks[i].duration_s = order[i]->duration_s;
        double power_w = type ? power_of(model, type) : (double)NAN;
        graph->tasks[i].power_w = fmax(power_w, 0);
        if (!type || !isfinite(power_w))
            rc = wtl_fail(err, -ENODATA, "the power of tasks of the type %s is not known",
                          type ? type->name : "?");
    }
    free(order);
    graph->count = r->part_count;
    return rc;
}

static const struct part *find(const struct reading *r, uint32_t process, uint64_t task)
{
    const struct part wanted = {.process = process, .task = task};
    return r->part_count > 0 ? bsearch(&wanted, r->parts, r->part_count, sizeof *r->parts, by_task)
                             : NULL;
}

static int connect(struct reading *r, struct wtl_schedule_graph *graph, struct wattle_error *err)
{
    size_t kept = 0;
    graph->after = malloc((r->edge_count + 1) * sizeof *graph->after);
    if (!graph->after)
        return wtl_no_memory(err);
    for (size_t i = 0; i < r->edge_count; i++) {
        const struct edge *edge = &r->edges[i];
        const struct part *task = find(r, edge->process, edge->task),
                          *other = find(r, edge->process, edge->other);
        if (task && other && other->number < task->number)
            r->edges[kept++] = (struct edge){.number = task->number, .after = other->number};
    }
    wtl_sort(r->edges, kept, sizeof *r->edges, by_number);
    size_t at = 0, used = 0;
    assert(graph->tasks);
    for (uint32_t task = 0; task <= graph->count; task++) {
        graph->tasks[task].first = (uint32_t)used;
        for (; at < kept && r->edges[at].number == task; at++) {
            bool again = at > 0 && by_number(&r->edges[at - 1], &r->edges[at]) == 0;
            if (!again)
                graph->after[used++] = r->edges[at].after;
        }
    }
    return 0;
}

static void describe_node(const struct reading *r, struct wtl_schedule_node *node)
{
    const struct wtl_task_model *model = &r->study->model;
    *node = (struct wtl_schedule_node){.cap_w = (double)INFINITY, .exponent = 2, .slowest = 0.4};
    for (size_t c = 0; c < model->channel_count; c++) {
        node->idle_w += fmax(model->channels[c].fit.x[WTL_TASK_IDLE], 0);
        node->static_w += fmax(model->channels[c].fit.x[WTL_TASK_STATIC], 0);
    }
    for (size_t i = 0; i < r->thread_count; i++)
        node->cores += r->threads[i];
}

/* Of a study by tasks. *ret_node: its platform's power and the number of threads that ran tasks; no cap. *ret_s: from the first
 * task's begin to the last one's end. Returns 0; -ENODATA: no tasks,
 * or a type without a power; -ENOMEM; or an error of the trace; with a sentence. */
static int schedule_graph_read(const struct wtl_task_study *study,
                               struct wtl_schedule_graph *ret_graph,
                               struct wtl_schedule_node *ret_node,
                               double *ret_s,
                               struct wattle_error *err)
{
    struct reading r = {.study = study};
    *ret_graph = (struct wtl_schedule_graph){0};
    int rc = read_all(&r, err);
    if (rc == 0) {
        join(&r);
        describe_node(&r, ret_node);
        *ret_s = 1e-9 * (double)(r.last_ns - r.first_ns);
        rc = r.part_count > 0
                 ? number(&r, ret_graph, err)
                 : wtl_fail(err, -ENODATA,
                            "a schedule needs every task of the run: record it with --tasks");
    }
    rc = rc < 0 ? rc : connect(&r, ret_graph, err);
    free(r.parts);
    free(r.edges);
    free(r.threads);
    if (rc < 0)
        wtl_schedule_graph_fini(ret_graph);
    return rc;
}

/* ---- the plan ---- */

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
    int rc = schedule_graph_read(study, &graph, &ret->node, &ret->measured_s, err);
    if (rc < 0)
        return rc;
    ret->node.cap_w = request->cap_w;
    ret->node.cores = request->cores ? request->cores : ret->node.cores;
    ret->node.exponent = request->exponent > 0 ? request->exponent : ret->node.exponent;
    ret->node.slowest = request->slowest > 0 ? request->slowest : ret->node.slowest;
    ret->tasks = graph.count;
    assert(graph.tasks);
    ret->dependences = graph.tasks[graph.count].first;
    rc = simulate(&graph, ret, err);
    wtl_schedule_graph_fini(&graph);
    return rc;
}
