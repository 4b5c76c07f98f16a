/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run of a program of tasks. Cores take ready tasks in the order in which they became ready. All running tasks go at the same
 * speed, which depends on how many there are; so a task ends when the common clock of work has advanced by its duration.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "sim/tasks/task_parts.h"

enum state { FREE, PAUSING, BUSY, SPINNING };

struct core {
    enum state state;
    unsigned type;
    uint32_t node;  /* of the program */
    double until;   /* BUSY: on the clock of work; PAUSING: seconds */
    double begin_s; /* BUSY, SPINNING */
};

/* One run of the program. */
struct program {
    const struct wtl_sim_task_graph *graph;
    uint32_t *waits; /* how many tasks each node still waits for */
    uint32_t
        *users; /* who waits for node i: users[user_first[i]] .. users[user_first[i + 1] - 1] */
    uint32_t *user_first;
    uint32_t *ready; /* in this order */
    size_t ready_next, ready_end;
    uint32_t first_id;
    double begin_s;
};

struct machine {
    const struct wtl_task_world_config *config;
    struct wtl_sim_task_run *run;
    struct core cores[WTL_SIM_TASK_CORES];
    unsigned usable;
    double t_s, work_s, heat;
    int rc;
};

static double duration_of(const struct wtl_task_world_config *c, unsigned type, uint64_t id)
{
    const struct wtl_sim_task_type *its = &c->types[type];
    double variance = log1p(its->duration_cv * its->duration_cv);
    double draw = wtl_random_normal(wtl_sim_task_stream(c->seed, WTL_SIM_TASK_DURATION), id);
    return its->duration_s * exp(sqrt(variance) * draw - variance / 2);
}

static void record_step(struct machine *m, double power_w, double length_s)
{
    struct wtl_sim_task_run *run = m->run;
    if (m->rc == 0)
        m->rc = wtl_reserve(&run->steps, &run->steps_room, run->step_count + 1, sizeof *run->steps);
    if (m->rc < 0)
        return;
    run->steps[run->step_count++] =
        (struct wtl_sim_task_step){m->t_s, power_w, run->truth.energy_j};
    run->truth.energy_j += power_w * length_s;
}

/* Mean drift over the step, which moves the heat on. */
static double drift_over(struct machine *m, unsigned busy, double length_s)
{
    const struct wtl_task_world_config *c = m->config;
    if (!(c->leakage_w > 0 && c->leakage_s > 0))
        return 0;
    double target = (double)busy / c->cores, x = length_s / c->leakage_s, away = m->heat - target;
    double mean = target + away * (x > 1e-9 ? -expm1(-x) / x : 1);
    m->heat = target + away * exp(-x);
    return c->leakage_w * mean;
}

static bool is_active(const struct core *core)
{
    return core->state == BUSY || core->state == SPINNING;
}

static unsigned busy_cores(const struct machine *m, double *ret_weight)
{
    unsigned busy = 0;
    *ret_weight = 0;
    for (unsigned k = 0; k < m->usable; k++) {
        if (is_active(&m->cores[k])) {
            busy++;
            *ret_weight += m->config->types[m->cores[k].type].weight;
        }
    }
    return busy;
}

/* How full the node is: 0 with one busy core, 1 with all. */
static double fullness(const struct wtl_task_world_config *c, unsigned busy)
{
    return c->cores > 1 && busy > 0 ? (double)(busy - 1) / (c->cores - 1) : 0;
}

static double speed_of(const struct wtl_task_world_config *c, unsigned busy)
{
    return 1 + c->turbo / 3 * (1 - fullness(c, busy));
}

/* Time passes without an event. Pieces, so that the drift is seen as it moves. */
static void pass(struct machine *m, double length_s)
{
    const struct wtl_task_world_config *c = m->config;
    struct wtl_task_world_truth *truth = &m->run->truth;
    double weight, power[WTL_SIM_TASK_TYPES] = {0}, dynamic = 0;
    unsigned busy = busy_cores(m, &weight), running[WTL_SIM_TASK_TYPES] = {0};
    double v = fullness(c, busy), common = (1 - c->bend * v) * (1 + c->turbo * (1 - v));
    for (unsigned k = 0; k < m->usable; k++) {
        const struct wtl_sim_task_type *type = &c->types[m->cores[k].type];
        if (!is_active(&m->cores[k]))
            continue;
        double others = busy > 1 ? (weight - type->weight) / (busy - 1) : 0;
        double watts = type->power_w * common * (1 - c->corunner * type->weight * others);
        power[m->cores[k].type] += watts;
        running[m->cores[k].type]++;
        dynamic += watts;
    }
    double piece = c->leakage_w > 0 && c->leakage_s > 0 ? c->leakage_s / 200 : length_s;
    for (double left = length_s; left > 0 && m->rc == 0; left -= piece) {
        double dt = left < piece ? left : piece, drift = drift_over(m, busy, dt);
        double platform = c->idle_w + drift + (busy > 0 ? c->static_w : 0);
        record_step(m, platform + dynamic, dt);
        truth->platform_j += platform * dt;
        truth->drift_j += drift * dt;
        m->t_s += dt;
    }
    for (unsigned j = 0; j < c->type_count; j++) {
        truth->energy_j_of[j] += power[j] * length_s;
        truth->time_s[j] += running[j] * length_s;
    }
    *(busy > 0 ? &truth->busy_s : &truth->idle_s) += length_s;
    m->work_s += busy > 0 ? length_s * speed_of(c, busy) : 0;
}

static void record_task(struct machine *m, const struct program *p, const struct core *core)
{
    struct wtl_sim_task_run *run = m->run;
    if (m->rc == 0)
        m->rc = wtl_reserve(&run->tasks, &run->tasks_room, run->count + 1, sizeof *run->tasks);
    if (m->rc < 0)
        return;
    run->tasks[run->count++] = (struct wtl_sim_task){
        .begin_ns = (uint64_t)(core->begin_s * 1e9),
        .end_ns = (uint64_t)(m->t_s * 1e9),
        .created_ns = (uint64_t)(p->begin_s * 1e9),
        .id = core->state == SPINNING ? 0 : p->first_id + core->node,
        .type = (uint16_t)core->type,
        .core = (uint16_t)(core - m->cores),
    };
    run->truth.count[core->type]++;
}

static void finish(struct machine *m, struct program *p, struct core *core)
{
    const struct wtl_task_world_config *c = m->config;
    record_task(m, p, core);
    for (uint32_t i = p->user_first[core->node]; i < p->user_first[core->node + 1]; i++) {
        if (--p->waits[p->users[i]] == 0)
            p->ready[p->ready_end++] = p->users[i];
    }
    double pause =
        c->serial_s * wtl_random_exponential(wtl_sim_task_stream(c->seed, WTL_SIM_TASK_SERIAL),
                                             p->first_id + core->node);
    core->state = pause > 0 ? PAUSING : FREE;
    core->until = m->t_s + pause;
}

static void stop_spinning(struct machine *m, const struct program *p, struct core *core)
{
    if (core->state == SPINNING && m->t_s > core->begin_s)
        record_task(m, p, core);
    if (core->state == SPINNING)
        core->state = FREE;
}

static void start_ready(struct machine *m, struct program *p)
{
    for (unsigned k = 0; k < m->usable && p->ready_next < p->ready_end; k++) {
        if (m->cores[k].state != FREE && m->cores[k].state != SPINNING)
            continue;
        stop_spinning(m, p, &m->cores[k]);
        uint32_t node = p->ready[p->ready_next++];
        const struct wtl_sim_node *its = &p->graph->nodes[node];
        double length = its->size * duration_of(m->config, its->kernel, p->first_id + node);
        m->cores[k] = (struct core){BUSY, its->kernel, node, m->work_s + length, m->t_s};
    }
    for (unsigned k = 0; m->config->spin > 0 && k < m->usable; k++)
        if (m->cores[k].state == FREE)
            m->cores[k] =
                (struct core){.state = SPINNING, .type = m->config->spin - 1, .begin_s = m->t_s};
}

/* The core whose state changes next; NULL: none. */
static struct core *next_event(struct machine *m, double *ret_length_s)
{
    double weight, speed = speed_of(m->config, busy_cores(m, &weight));
    struct core *first = NULL;
    for (unsigned k = 0; k < m->usable; k++) {
        struct core *core = &m->cores[k];
        double in = core->state == BUSY ? (core->until - m->work_s) / speed : core->until - m->t_s;
        if ((core->state == BUSY || core->state == PAUSING) && (!first || in < *ret_length_s)) {
            first = core;
            *ret_length_s = in;
        }
    }
    return first;
}

static void execute(struct machine *m, struct program *p)
{
    struct core *core;
    double length_s = 0;
    for (start_ready(m, p); m->rc == 0 && (core = next_event(m, &length_s)); start_ready(m, p)) {
        pass(m, length_s > 0 ? length_s : 0);
        if (core->state == BUSY)
            finish(m, p, core);
        else
            core->state = FREE;
    }
    for (unsigned k = 0; k < m->usable; k++)
        stop_spinning(m, p, &m->cores[k]);
}

/* Who waits for whom, turned around. */
static int prepare(struct program *p)
{
    const struct wtl_sim_task_graph *graph = p->graph;
    size_t n = graph->count, edges = graph->nodes[n].first;
    p->waits = calloc(n + 1, sizeof *p->waits);
    p->user_first = calloc(n + 2, sizeof *p->user_first);
    p->users = malloc((edges + 1) * sizeof *p->users);
    p->ready = malloc((n + 1) * sizeof *p->ready);
    if (!p->waits || !p->user_first || !p->users || !p->ready)
        return -ENOMEM;
    for (size_t i = 0; i < edges; i++)
        p->user_first[graph->after[i] + 2]++;
    for (size_t i = 2; i <= n; i++)
        p->user_first[i] += p->user_first[i - 1];
    for (uint32_t node = 0; node < n; node++) {
        p->waits[node] = graph->nodes[node + 1].first - graph->nodes[node].first;
        for (uint32_t i = graph->nodes[node].first; i < graph->nodes[node + 1].first; i++)
            p->users[p->user_first[graph->after[i] + 1]++] = node;
        if (p->waits[node] == 0)
            p->ready[p->ready_end++] = node;
    }
    return 0;
}

static int record_edges(struct wtl_sim_task_run *run, const struct program *p)
{
    const struct wtl_sim_task_graph *graph = p->graph;
    size_t more = graph->nodes[graph->count].first;
    int rc =
        wtl_reserve(&run->edges, &run->edges_room, run->edge_count + more + 1, sizeof *run->edges);
    for (uint32_t node = 0; rc == 0 && node < graph->count; node++) {
        for (uint32_t i = graph->nodes[node].first; i < graph->nodes[node + 1].first; i++)
            run->edges[run->edge_count++] =
                (struct wtl_sim_task_edge){p->first_id + node, p->first_id + graph->after[i]};
    }
    return rc;
}

/* Independent tasks; the mix of types changes from repeat to repeat. */
static int make_bag(const struct wtl_task_world_config *c,
                    unsigned repeat,
                    struct wtl_sim_task_graph *bag)
{
    uint64_t order = wtl_sim_task_stream(c->seed, WTL_SIM_TASK_ORDER);
    uint64_t mix = wtl_sim_task_stream(c->seed, WTL_SIM_TASK_MIX);
    double sum = 0, upto[WTL_SIM_TASK_TYPES], shares = 0;
    for (unsigned j = 0; j < c->type_count; j++)
        shares += c->types[j].share;
    for (unsigned j = 0; j < c->type_count; j++) {
        sum += (shares > 0 ? c->types[j].share : 1) *
               exp(wtl_random_normal(mix, (uint64_t)repeat * WTL_SIM_TASK_TYPES + j));
        upto[j] = sum;
    }
    bag->count = c->tasks;
    bag->nodes = calloc(bag->count + 1, sizeof *bag->nodes);
    if (!bag->nodes)
        return -ENOMEM;
    for (size_t i = 0; i < bag->count; i++) {
        double draw = sum * wtl_random_uniform(order, repeat * c->tasks + i);
        unsigned j = 0;
        while (j + 1 < c->type_count && draw >= upto[j])
            j++;
        bag->nodes[i] = (struct wtl_sim_node){.kernel = (uint16_t)j, .size = 1};
    }
    return 0;
}

static unsigned usable_cores(const struct wtl_task_world_config *c, unsigned repeat)
{
    unsigned few = (unsigned)(c->few_cores * (c->repeats > 1 ? c->repeats : 1) + 0.5);
    return repeat < few && c->cores > 1 ? 1 + repeat % (c->cores - 1) : c->cores;
}

static int run_repeat(struct machine *m, const struct wtl_sim_task_graph *graph, unsigned repeat)
{
    struct program p = {.graph = graph, .first_id = (uint32_t)(repeat * graph->count + 1)};
    m->usable = usable_cores(m->config, repeat);
    pass(m, m->config->idle_s);
    memset(m->cores, 0, sizeof m->cores);
    p.begin_s = m->t_s;
    m->rc = m->rc < 0 ? m->rc : prepare(&p);
    m->rc = m->rc < 0 ? m->rc : record_edges(m->run, &p);
    if (m->rc == 0)
        execute(m, &p);
    free(p.waits);
    free(p.users);
    free(p.user_first);
    free(p.ready);
    return m->rc;
}

int wtl_sim_tasks_run(const struct wtl_task_world_config *config, struct wtl_sim_task_run *run)
{
    struct machine m = {.config = config, .run = run};
    struct wtl_sim_task_graph graph = {0};
    bool bag = config->graph == WTL_SIM_BAG;
    int rc =
        bag ? 0 : wtl_sim_graph_create((enum wtl_sim_graph)config->graph, config->tiles, &graph);
    for (unsigned r = 0; rc == 0 && r < (config->repeats > 1 ? config->repeats : 1); r++) {
        rc = bag ? make_bag(config, r, &graph) : 0;
        rc = rc < 0 ? rc : run_repeat(&m, &graph, r);
        if (bag)
            wtl_sim_graph_destroy(&graph);
    }
    wtl_sim_graph_destroy(&graph);
    if (rc == 0) {
        pass(&m, config->idle_s);
        record_step(&m, config->idle_w, 0);
        rc = m.rc;
    }
    struct wtl_task_world_truth *truth = &run->truth;
    truth->end_s = m.t_s;
    for (unsigned j = 0; j < config->type_count; j++)
        truth->power_w[j] = truth->time_s[j] > 0 ? truth->energy_j_of[j] / truth->time_s[j] : 0;
    return rc;
}
