/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tasks/task_world.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/random.h"

/* ---- the run of the program ---- */

/*
 * Cores take ready tasks in the order in which they became ready. All running tasks go at the same
 * speed, which depends on how many there are; so a task ends when the common clock of work has advanced by its duration.
 */

/* Numbers of random streams. */
enum sim_task_stream {
    SIM_TASK_DURATION = 1,
    SIM_TASK_SERIAL,
    SIM_TASK_ORDER,
    SIM_TASK_MIX,
    SIM_TASK_NOISE,
    SIM_TASK_JITTER,
    SIM_TASK_LOST,
    SIM_TASK_TYPE,
    SIM_TASK_OTHERS,
};

static inline uint64_t sim_task_stream(uint64_t seed, enum sim_task_stream purpose)
{
    return wtl_random_bits(seed, purpose);
}

/* The power is constant from t_s to the t_s of the next one. */
struct sim_task_step {
    double t_s, power_w, energy_j; /* the last: from 0 to t_s */
};

/* Everything that happens: filled by sim_tasks_run(). */
struct sim_task_run {
    struct wtl_sim_task *tasks;
    size_t count, tasks_room;
    struct wtl_sim_task_edge *edges;
    size_t edge_count, edges_room;
    struct sim_task_step *steps; /* the last one is the end of the world */
    size_t step_count, steps_room;
    struct wtl_task_world_truth truth;
};

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
    struct sim_task_run *run;
    struct core cores[WTL_SIM_TASK_CORES];
    unsigned usable;
    double t_s, work_s, heat;
    int rc;
};

static double duration_of(const struct wtl_task_world_config *c, unsigned type, uint64_t id)
{
    const struct wtl_sim_task_type *its = &c->types[type];
    double variance = log1p(its->duration_cv * its->duration_cv);
    double draw = wtl_random_normal(sim_task_stream(c->seed, SIM_TASK_DURATION), id);
    return its->duration_s * exp(sqrt(variance) * draw - variance / 2);
}

static void record_step(struct machine *m, double power_w, double length_s)
{
    struct sim_task_run *run = m->run;
    if (m->rc == 0)
        m->rc = wtl_reserve(&run->steps, &run->steps_room, run->step_count + 1, sizeof *run->steps);
    if (m->rc < 0)
        return;
    run->steps[run->step_count++] = (struct sim_task_step){m->t_s, power_w, run->truth.energy_j};
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
    struct sim_task_run *run = m->run;
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
    double pause = c->serial_s * wtl_random_exponential(sim_task_stream(c->seed, SIM_TASK_SERIAL),
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

static int record_edges(struct sim_task_run *run, const struct program *p)
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
    uint64_t order = sim_task_stream(c->seed, SIM_TASK_ORDER);
    uint64_t mix = sim_task_stream(c->seed, SIM_TASK_MIX);
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

/* Returns 0 or -ENOMEM; the lists are the caller's to free, always. */
static int sim_tasks_run(const struct wtl_task_world_config *config, struct sim_task_run *run)
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

/* ---- the world, and what the sensor makes of it ---- */

struct wtl_task_world {
    struct wtl_task_world_config config;
    struct sim_task_run run;
    struct wtl_sim_task_sample *samples;
    size_t sample_count, samples_room;
};

struct wtl_task_world_config wtl_task_world_paper(enum wtl_sim_graph graph,
                                                  unsigned tiles,
                                                  uint64_t seed)
{
    /* Their mean, as they run, is near the 7.84 W that each further core adds. */
    static const double power_w[WTL_SIM_KERNELS] = {6.1, 7.4, 8.3, 9.2},
                        duration_s[WTL_SIM_KERNELS] = {0.0024, 0.0031, 0.0033, 0.0045},
                        weight[WTL_SIM_KERNELS] = {0.3, 0.5, 0.7, 0.8};
    struct wtl_task_world_config config = {
        .seed = seed,
        .cores = 16,
        .type_count = WTL_SIM_KERNELS,
        .graph = (int)graph,
        .tiles = tiles,
        .repeats = 3,
        .idle_s = 2,
        .idle_w = 80.15,
        .static_w = 78.25,
        .leakage_s = 20,
        .sensor = {.period_s = 0.04},
    };
    for (unsigned j = 0; j < WTL_SIM_KERNELS && (unsigned)graph < WTL_SIM_GRAPHS; j++) {
        struct wtl_sim_task_type *type = &config.types[j];
        *type = (struct wtl_sim_task_type){.power_w = power_w[j],
                                           .duration_s = duration_s[j],
                                           .duration_cv = 0.1,
                                           .weight = weight[j]};
        snprintf(type->name, sizeof type->name, "%s", wtl_sim_kernel(graph, j));
    }
    return config;
}

struct wtl_task_world_config wtl_task_world_random(unsigned types, uint64_t tasks, uint64_t seed)
{
    struct wtl_task_world_config config = wtl_task_world_paper(WTL_SIM_CHOLESKY, 1, seed);
    uint64_t stream = sim_task_stream(seed, SIM_TASK_TYPE);
    config.graph = WTL_SIM_BAG;
    config.tasks = tasks;
    config.repeats = 12;
    config.type_count = types < WTL_SIM_TASK_TYPES ? types : WTL_SIM_TASK_TYPES;
    for (unsigned j = 0; j < config.type_count; j++) {
        struct wtl_sim_task_type *type = &config.types[j];
        *type = (struct wtl_sim_task_type){
            .power_w = 3 + 12 * wtl_random_uniform(stream, 3 * j),
            .duration_s = 0.001 * pow(50, wtl_random_uniform(stream, 3 * j + 1)),
            .duration_cv = 0.3,
            .weight = wtl_random_uniform(stream, 3 * j + 2),
        };
        snprintf(type->name, sizeof type->name, "type%u", j);
    }
    return config;
}

static const char *fault_of_types(const struct wtl_task_world_config *c)
{
    for (unsigned j = 0; j < c->type_count; j++) {
        const struct wtl_sim_task_type *type = &c->types[j];
        if (!(type->duration_s > 0 && type->duration_s < 1e6))
            return "a type's duration_s is not in (0, 1e6)";
        if (!(fabs(type->power_w) < 1e6 && type->duration_cv >= 0 && type->duration_cv <= 10))
            return "a type's power_w or duration_cv is out of range";
        if (!(type->weight >= 0 && type->weight <= 1 && type->share >= 0))
            return "a type's weight is not in 0 .. 1, or its share is negative";
    }
    return NULL;
}

static const char *fault_of_sensor(const struct wtl_sim_task_sensor *s)
{
    if (!(s->period_s >= 1e-6 && s->window_s >= 0 && s->delay_s >= 0 && s->tick >= 0))
        return "the sensor's period_s is below 1e-6, or a window, delay or tick is negative";
    if (!(s->noise >= 0 && s->jitter >= 0 && s->jitter < 0.5 && s->lost >= 0 && s->lost <= 0.9))
        return "the sensor's noise, jitter or lost is out of range";
    if (!(s->others_w >= 0 && (s->others_w == 0 || s->others_s >= 1e-3)))
        return "the sensor's other programs are out of range";
    if (!(fabs(s->offset_s) < 1e6 && fabs(s->drift_ppm) < 1e5))
        return "the sensor's clock is out of range";
    return NULL;
}

static const char *fault_of_program(const struct wtl_task_world_config *c)
{
    bool bag = c->graph == WTL_SIM_BAG;
    unsigned repeats = c->repeats > 1 ? c->repeats : 1;
    if (c->graph < 0 || c->graph > WTL_SIM_BAG)
        return "no such graph";
    if (c->type_count < (bag ? 1 : WTL_SIM_KERNELS) || c->type_count > WTL_SIM_TASK_TYPES)
        return "too few or too many types";
    if (!bag && (c->tiles < 1 || c->tiles > WTL_SIM_TILES))
        return "tiles is not in 1 .. 128";
    if (c->spin > c->type_count)
        return "there is no such type that spins";
    if (repeats > 10000 || (bag && (c->tasks < 1 || c->tasks > WTL_SIM_TASKS / repeats)))
        return "no tasks, or too many of them";
    return NULL;
}

static bool within(double value, double low, double high)
{
    return value >= low && value <= high;
}

static const char *fault_of_node(const struct wtl_task_world_config *c)
{
    if (c->cores < 1 || c->cores > WTL_SIM_TASK_CORES)
        return "cores is not in 1 .. 256";
    if (!within(c->idle_s, 0, 1e6) || !within(c->serial_s, 0, 1e6) || !within(c->few_cores, 0, 1))
        return "idle_s, serial_s or few_cores is out of range";
    if (!within(c->idle_w, 0, 1e6) || !within(c->static_w, 0, 1e6))
        return "idle_w or static_w is not in 0 .. 1e6";
    if (!within(c->bend, -0.99, 0.99) || !within(c->turbo, 0, 3) || !within(c->corunner, -1, 1))
        return "bend, turbo or corunner is out of range";
    if (!within(c->leakage_w, 0, 1e6) || !within(c->leakage_s, 0, 1e6))
        return "leakage_w or leakage_s is not in 0 .. 1e6";
    return NULL;
}

static const char *fault_of(const struct wtl_task_world_config *c)
{
    const char *fault = fault_of_program(c);
    fault = fault ? fault : fault_of_node(c);
    fault = fault ? fault : fault_of_types(c);
    return fault ? fault : fault_of_sensor(&c->sensor);
}

/* The step that t lies in: the last whose t_s is not later. */
static const struct sim_task_step *step_at(const struct sim_task_run *run, double t_s)
{
    size_t low = 0, high = run->step_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (run->steps[middle].t_s <= t_s)
            low = middle;
        else
            high = middle;
    }
    return &run->steps[low];
}

double wtl_task_world_energy_j(const struct wtl_task_world *world, double t_s)
{
    if (t_s < 0)
        return t_s * world->config.idle_w;
    const struct sim_task_step *step = step_at(&world->run, t_s);
    return step->energy_j + (t_s - step->t_s) * step->power_w;
}

double wtl_task_world_power_w(const struct wtl_task_world *world, double t_s)
{
    return t_s < 0 ? world->config.idle_w : step_at(&world->run, t_s)->power_w;
}

static double rounded_down(double value, double tick)
{
    return tick > 0 ? floor(value / tick) * tick : value;
}

static double others_w(const struct wtl_task_world *world, double t_s)
{
    const struct wtl_sim_task_sensor *s = &world->config.sensor;
    uint64_t stream = sim_task_stream(world->config.seed, SIM_TASK_OTHERS);
    if (!(s->others_w > 0) || t_s < 0)
        return 0;
    return wtl_random_uniform(stream, (uint64_t)(t_s / s->others_s)) < 0.5 ? s->others_w : 0;
}

static double others_j(const struct wtl_task_world *world, double from_s, double to_s)
{
    double sum = 0, step = world->config.sensor.others_s;
    if (!(world->config.sensor.others_w > 0))
        return 0;
    for (double t = fmax(from_s, 0); t < to_s;) {
        double end = fmin((floor(t / step) + 1) * step, to_s);
        end = end > t ? end : t + step;
        sum += others_w(world, t + (end - t) / 2) * (end - t);
        t = end;
    }
    return sum;
}

/* What the sensor says at t; *total is what a counter with noise has counted up to *from_s. */
static double reading(const struct wtl_task_world *world,
                      double t_s,
                      double gain,
                      double *from_s,
                      double *total)
{
    const struct wtl_sim_task_sensor *s = &world->config.sensor;
    double seen = t_s - s->delay_s, now_j = wtl_task_world_energy_j(world, seen);
    if (s->gauge) {
        double before_j = wtl_task_world_energy_j(world, seen - s->window_s);
        double others = s->window_s > 0 ? others_j(world, seen - s->window_s, seen) / s->window_s
                                        : others_w(world, seen);
        double mean = others + (s->window_s > 0 ? (now_j - before_j) / s->window_s
                                                : wtl_task_world_power_w(world, seen));
        return rounded_down(mean * gain, s->tick);
    }
    *total +=
        (now_j - wtl_task_world_energy_j(world, *from_s) + others_j(world, *from_s, seen)) * gain;
    *from_s = seen;
    return rounded_down(*total, s->tick);
}

static int take_samples(struct wtl_task_world *world)
{
    const struct wtl_task_world_config *c = &world->config;
    const struct wtl_sim_task_sensor *s = &c->sensor;
    uint64_t noise = sim_task_stream(c->seed, SIM_TASK_NOISE);
    uint64_t jitter = sim_task_stream(c->seed, SIM_TASK_JITTER);
    uint64_t lost = sim_task_stream(c->seed, SIM_TASK_LOST);
    double from_s = -s->delay_s, total = 1000;
    for (uint64_t i = 0;; i++) {
        double t = (double)i * s->period_s, gain = 1 + s->noise * wtl_random_normal(noise, i);
        if (t > world->run.truth.end_s)
            return 0;
        if (i > 0)
            t += s->jitter * s->period_s * (2 * wtl_random_uniform(jitter, i) - 1);
        double value = reading(world, t, gain, &from_s, &total);
        if (i > 0 && wtl_random_uniform(lost, i) < s->lost)
            continue;
        if (wtl_reserve(&world->samples, &world->samples_room, world->sample_count + 1,
                        sizeof *world->samples) < 0)
            return -ENOMEM;
        double shown = t + s->offset_s + t * s->drift_ppm * 1e-6;
        world->samples[world->sample_count++] =
            (struct wtl_sim_task_sample){(int64_t)llround(shown * 1e9), value};
    }
}

int wtl_task_world_create(const struct wtl_task_world_config *config,
                          struct wtl_task_world **ret_world,
                          struct wattle_error *err)
{
    const char *fault = fault_of(config);
    if (fault)
        return wtl_fail(err, -EINVAL, "world of tasks: %s", fault);
    struct wtl_task_world *world = calloc(1, sizeof *world);
    if (!world)
        return wtl_fail(err, -ENOMEM, "world of tasks: out of memory");
    world->config = *config;
    int rc = sim_tasks_run(config, &world->run);
    rc = rc < 0 ? rc : take_samples(world);
    if (rc < 0) {
        wtl_task_world_destroy(world);
        return wtl_fail(err, rc, "world of tasks: out of memory");
    }
    *ret_world = world;
    return 0;
}

void wtl_task_world_destroy(struct wtl_task_world *world)
{
    if (!world)
        return;
    free(world->run.tasks);
    free(world->run.edges);
    free(world->run.steps);
    free(world->samples);
    free(world);
}

const struct wtl_task_world_config *wtl_task_world_config(const struct wtl_task_world *world)
{
    return &world->config;
}

const struct wtl_sim_task *wtl_task_world_tasks(const struct wtl_task_world *world,
                                                size_t *ret_count)
{
    *ret_count = world->run.count;
    return world->run.tasks;
}

const struct wtl_sim_task_edge *wtl_task_world_edges(const struct wtl_task_world *world,
                                                     size_t *ret_count)
{
    *ret_count = world->run.edge_count;
    return world->run.edges;
}

const struct wtl_sim_task_sample *wtl_task_world_samples(const struct wtl_task_world *world,
                                                         size_t *ret_count)
{
    *ret_count = world->sample_count;
    return world->samples;
}

const struct wtl_task_world_truth *wtl_task_world_truth(const struct wtl_task_world *world)
{
    return &world->run.truth;
}
