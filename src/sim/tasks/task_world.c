/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tasks/task_world.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "sim/tasks/task_parts.h"

struct wtl_task_world {
    struct wtl_task_world_config config;
    struct wtl_sim_task_run run;
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
    uint64_t stream = wtl_sim_task_stream(seed, WTL_SIM_TASK_TYPE);
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
static const struct wtl_sim_task_step *step_at(const struct wtl_sim_task_run *run, double t_s)
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
    const struct wtl_sim_task_step *step = step_at(&world->run, t_s);
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
    uint64_t stream = wtl_sim_task_stream(world->config.seed, WTL_SIM_TASK_OTHERS);
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
    uint64_t noise = wtl_sim_task_stream(c->seed, WTL_SIM_TASK_NOISE);
    uint64_t jitter = wtl_sim_task_stream(c->seed, WTL_SIM_TASK_JITTER);
    uint64_t lost = wtl_sim_task_stream(c->seed, WTL_SIM_TASK_LOST);
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
    int rc = wtl_sim_tasks_run(config, &world->run);
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
