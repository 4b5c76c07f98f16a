/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulation: from event to event, which are the ends of tasks. Ready tasks wait in a heap, what the end waits for longest first;
 * then the speeds of the running ones are set anew within the budget.
 */
#include "analysis/schedule/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* ---- bounds ---- */

enum { WEIGHTS = 65 };

/* Watts for tasks under the cap. */
static double schedule_budget(const struct wtl_schedule_node *node)
{
    return node->cap_w - node->idle_w - node->static_w;
}

/* The highest speed at which a task of this power fits the budget alone. */
static double schedule_fastest(const struct wtl_schedule_node *node, double power_w)
{
    double budget = schedule_budget(node);
    return power_w > budget ? pow(budget / power_w, 1 / node->exponent) : 1;
}

static bool makes_sense(const struct wtl_schedule_node *node)
{
    return node->cores >= 1 && node->cores <= WTL_SCHEDULE_CORES && node->idle_w >= 0 &&
           node->static_w >= 0 && isfinite(node->idle_w + node->static_w) && node->cap_w > 0 &&
           node->exponent >= 1 && node->exponent <= 4 && node->slowest > 0 && node->slowest <= 1;
}

/* 0, -EINVAL or -ERANGE, with a sentence. */
static int schedule_check(const struct wtl_schedule_graph *graph,
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

/* Seconds from the begin of each task to the end, if nothing else ran; [count]. */
static void schedule_tails(const struct wtl_schedule_graph *graph,
                           const struct wtl_schedule_node *node,
                           double *tail_s)
{
    for (size_t i = 0; i < graph->count; i++)
        tail_s[i] = 0;
    for (size_t i = graph->count; i-- > 0;) {
        const struct wtl_schedule_task *task = &graph->tasks[i];
        tail_s[i] += task->duration_s / schedule_fastest(node, task->power_w);
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
    double budget = schedule_budget(node), sum = 0, a = node->exponent;
    for (size_t i = 0; i < graph->count; i++) {
        const struct wtl_schedule_task *task = &graph->tasks[i];
        double time = weight * task->duration_s / node->cores;
        double energy =
            isfinite(budget) ? (1 - weight) * task->duration_s * task->power_w / budget : 0;
        double most = schedule_fastest(node, task->power_w), s = most;
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
    int rc = schedule_check(graph, node, err);
    double *tails = rc < 0 ? NULL : malloc(sizeof *tails * graph->count);
    *ret = (struct wtl_schedule_bounds){0};
    if (rc < 0)
        return rc;
    if (!tails)
        return wtl_no_memory(err);
    schedule_tails(graph, node, tails);
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

/* ---- the simulation ---- */

enum sharing { FULL, EQUAL, URGENT };

struct running {
    uint32_t task;
    double left_s; /* at full speed */
    double speed, power_w;
};

struct simulation {
    const struct wtl_schedule_graph *graph;
    const struct wtl_schedule_node *node;
    enum sharing sharing;
    unsigned cores;
    double budget_w;
    double *tail_s;
    uint32_t *waits, *users,
        *user_first; /* users of task i: user_first[i] .. user_first[i + 1] - 1 */
    uint32_t *ready; /* heap by tail */
    size_t ready_count;
    struct running *running; /* the most urgent first */
    size_t running_count;
    double t_s, dynamic_j, busy_s, work_s, peak_w;
};

/* ---- the heap ---- */

static bool before(const struct simulation *s, uint32_t a, uint32_t b)
{
    return s->tail_s[a] != s->tail_s[b] ? s->tail_s[a] > s->tail_s[b] : a < b;
}

static void push(struct simulation *s, uint32_t task)
{
    size_t i = s->ready_count++;
    for (; i > 0 && before(s, task, s->ready[(i - 1) / 2]); i = (i - 1) / 2)
        s->ready[i] = s->ready[(i - 1) / 2];
    s->ready[i] = task;
}

static uint32_t pop(struct simulation *s)
{
    uint32_t top = s->ready[0], last = s->ready[--s->ready_count];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < s->ready_count) {
        if (child + 1 < s->ready_count && before(s, s->ready[child + 1], s->ready[child]))
            child++;
        if (!before(s, s->ready[child], last))
            break;
        s->ready[i] = s->ready[child];
        i = child;
    }
    s->ready[i] = last;
    return top;
}

/* ---- speeds ---- */

static double watts(const struct simulation *s, double power_w, double speed)
{
    return power_w * pow(speed, s->node->exponent);
}

static double least_w(const struct simulation *s, double power_w)
{
    return s->sharing == FULL ? 0 : watts(s, power_w, s->node->slowest);
}

static double least_of_all(const struct simulation *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->running_count; i++)
        sum += least_w(s, s->running[i].power_w);
    return sum;
}

/* One speed for all: full, or what the budget allows. */
static void share_equally(struct simulation *s)
{
    double sum = 0, speed = 1;
    for (size_t i = 0; i < s->running_count; i++)
        sum += s->running[i].power_w;
    if (sum > s->budget_w)
        speed = fmax(pow(s->budget_w / sum, 1 / s->node->exponent), s->node->slowest);
    for (size_t i = 0; i < s->running_count; i++)
        s->running[i].speed = speed;
}

/* What is left beyond the slowest speeds goes to the most urgent first. */
static void share_by_urgency(struct simulation *s)
{
    double left = s->budget_w - least_of_all(s);
    for (size_t i = 0; i < s->running_count; i++) {
        struct running *one = &s->running[i];
        double least = least_w(s, one->power_w), more = fmin(one->power_w - least, fmax(left, 0));
        one->speed =
            one->power_w > 0 ? pow((least + more) / one->power_w, 1 / s->node->exponent) : 1;
        one->speed = fmin(one->speed, 1);
        left -= more;
    }
}

static void set_speeds(struct simulation *s)
{
    if (s->sharing == URGENT)
        share_by_urgency(s);
    else if (s->sharing == EQUAL)
        share_equally(s);
}

static void start(struct simulation *s)
{
    double sum = least_of_all(s);
    while (s->ready_count > 0 && s->running_count < s->cores) {
        const struct wtl_schedule_task *task = &s->graph->tasks[s->ready[0]];
        double more = least_w(s, task->power_w);
        if (s->running_count > 0 && sum + more > s->budget_w)
            return;
        uint32_t number = pop(s);
        size_t i = s->running_count++;
        for (; i > 0 && before(s, number, s->running[i - 1].task); i--)
            s->running[i] = s->running[i - 1];
        s->running[i] = (struct running){number, task->duration_s, 1, task->power_w};
        sum += more;
    }
}

/* ---- events ---- */

static void finish(struct simulation *s, size_t i)
{
    uint32_t task = s->running[i].task;
    s->running_count--;
    memmove(&s->running[i], &s->running[i + 1], (s->running_count - i) * sizeof *s->running);
    for (uint32_t k = s->user_first[task]; k < s->user_first[task + 1]; k++) {
        if (--s->waits[s->users[k]] == 0)
            push(s, s->users[k]);
    }
}

/* To the end of the next task. */
static void advance(struct simulation *s)
{
    double dt = INFINITY, power = 0;
    for (size_t i = 0; i < s->running_count; i++) {
        dt = fmin(dt, s->running[i].left_s / s->running[i].speed);
        power += watts(s, s->running[i].power_w, s->running[i].speed);
    }
    s->t_s += dt;
    s->dynamic_j += power * dt;
    s->peak_w = fmax(s->peak_w, power);
    for (size_t i = s->running_count; i-- > 0;) {
        struct running *one = &s->running[i];
        double done = fmin(dt * one->speed, one->left_s);
        s->busy_s += dt;
        s->work_s += done;
        one->left_s -= done;
        if (one->left_s <= 1e-12 * s->graph->tasks[one->task].duration_s)
            finish(s, i);
    }
}

static int prepare(struct simulation *s)
{
    const struct wtl_schedule_graph *graph = s->graph;
    size_t n = graph->count, edges = graph->tasks[n].first;
    s->tail_s = malloc(n * sizeof *s->tail_s);
    s->waits = malloc(n * sizeof *s->waits);
    s->users = malloc((edges + 1) * sizeof *s->users);
    s->user_first = calloc(n + 2, sizeof *s->user_first);
    s->ready = malloc(n * sizeof *s->ready);
    s->running = malloc((s->node->cores + 1) * sizeof *s->running);
    if (!s->tail_s || !s->waits || !s->users || !s->user_first || !s->ready || !s->running)
        return -ENOMEM;
    schedule_tails(graph, s->node, s->tail_s);
    for (size_t i = 0; i < edges; i++)
        s->user_first[graph->after[i] + 2]++;
    for (size_t i = 2; i <= n; i++)
        s->user_first[i] += s->user_first[i - 1];
    for (uint32_t task = 0; task < n; task++) {
        for (uint32_t k = graph->tasks[task].first; k < graph->tasks[task + 1].first; k++)
            s->users[s->user_first[graph->after[k] + 1]++] = task;
    }
    return 0;
}

static void run(struct simulation *s, enum sharing sharing, unsigned cores)
{
    const struct wtl_schedule_graph *graph = s->graph;
    s->sharing = sharing;
    s->cores = cores;
    s->t_s = s->dynamic_j = s->busy_s = s->work_s = s->peak_w = 0;
    for (uint32_t task = 0; task < graph->count; task++) {
        s->waits[task] = graph->tasks[task + 1].first - graph->tasks[task].first;
        if (s->waits[task] == 0)
            push(s, task);
    }
    for (start(s); s->running_count > 0; start(s)) {
        set_speeds(s);
        advance(s);
    }
}

static struct wtl_schedule_result result_of(const struct simulation *s)
{
    double base_w = s->node->idle_w + s->node->static_w;
    return (struct wtl_schedule_result){
        .makespan_s = s->t_s,
        .energy_j = s->dynamic_j + base_w * s->t_s,
        .peak_w = s->peak_w + base_w,
        .speed = s->busy_s > 0 ? s->work_s / s->busy_s : 1,
        .cores = s->cores,
    };
}

/* At one speed, all is as at full speed, and takes longer. */
static struct wtl_schedule_result slowed(const struct simulation *s)
{
    double base_w = s->node->idle_w + s->node->static_w, speed = 1, a = s->node->exponent;
    if (s->peak_w > s->budget_w)
        speed = pow(s->budget_w / s->peak_w, 1 / a);
    return (struct wtl_schedule_result){
        .makespan_s = s->t_s / speed,
        .energy_j = s->dynamic_j * pow(speed, a - 1) + base_w * s->t_s / speed,
        .peak_w = s->peak_w * pow(speed, a) + base_w,
        .speed = speed,
        .cores = s->cores,
    };
}

static struct wtl_schedule_result uniform(struct simulation *s)
{
    unsigned cores = s->node->cores;
    struct wtl_schedule_result result;
    do {
        run(s, FULL, cores);
        result = slowed(s);
    } while (result.speed < s->node->slowest && --cores > 0);
    return result;
}

static struct wtl_schedule_result aware(struct simulation *s)
{
    run(s, EQUAL, s->node->cores);
    struct wtl_schedule_result equal = result_of(s);
    run(s, URGENT, s->node->cores);
    struct wtl_schedule_result urgent = result_of(s);
    return urgent.makespan_s < equal.makespan_s ? urgent : equal;
}

int wtl_schedule_simulate(const struct wtl_schedule_graph *graph,
                          const struct wtl_schedule_node *node,
                          enum wtl_schedule_policy policy,
                          struct wtl_schedule_result *ret,
                          struct wattle_error *err)
{
    struct simulation s = {.graph = graph, .node = node, .budget_w = schedule_budget(node)};
    int rc = schedule_check(graph, node, err);
    if (rc < 0)
        return rc;
    rc = prepare(&s);
    if (rc == 0 && policy == WTL_SCHEDULE_FREE) {
        run(&s, FULL, node->cores);
        *ret = result_of(&s);
    } else if (rc == 0) {
        *ret = policy == WTL_SCHEDULE_UNIFORM ? uniform(&s) : aware(&s);
    }
    free(s.tail_s);
    free(s.waits);
    free(s.users);
    free(s.user_first);
    free(s.ready);
    free(s.running);
    return rc < 0 ? wtl_no_memory(err) : 0;
}
