/* SPDX-License-Identifier: BSD-3-Clause */
/* Worlds of tasks: the truth agrees with the tasks and with the power, orders are kept, and sensors and deviations do what they say. */
#include "sim/tasks/task_world.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tap.h"

static struct wtl_task_world *make(const struct wtl_task_world_config *config)
{
    struct wtl_task_world *world = NULL;
    struct wattle_error err = {""};
    if (wtl_task_world_create(config, &world, &err) < 0)
        diag("%s", err.text);
    return world;
}

/* Numbers of tasks of a matrix of n x n blocks. */
static void check_counts(void)
{
    const uint64_t n = 7, pairs = n * (n - 1) / 2, triples = n * (n - 1) * (n - 2) / 6;
    const uint64_t want[WTL_SIM_GRAPHS][WTL_SIM_KERNELS] = {
        [WTL_SIM_CHOLESKY] = {n, pairs, pairs, triples},
        [WTL_SIM_LU_PARTIAL] = {n, pairs, pairs, pairs},
        [WTL_SIM_LU_INCREMENTAL] = {n, pairs, pairs, (n - 1) * n * (2 * n - 1) / 6},
    };
    for (int g = 0; g < WTL_SIM_GRAPHS; g++) {
        struct wtl_task_world_config c =
            wtl_task_world_paper((enum wtl_sim_graph)g, (unsigned)n, 1);
        struct wtl_task_world *world = make(&c);
        for (unsigned k = 0; world && k < WTL_SIM_KERNELS; k++)
            is_int(wtl_task_world_truth(world)->count[k], want[g][k] * c.repeats, "graph %d: %s", g,
                   wtl_sim_kernel((enum wtl_sim_graph)g, k));
        wtl_task_world_destroy(world);
    }
}

static int by_core(const void *a, const void *b)
{
    const struct wtl_sim_task *x = a, *y = b;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Nothing starts before what it waits for, cores do one thing at a time, and ends are in order. */
static void check_order(int graph)
{
    struct wtl_task_world_config c = wtl_task_world_paper((enum wtl_sim_graph)graph, 9, 3);
    c.serial_s = 0.0002;
    struct wtl_task_world *world = make(&c);
    size_t n = 0, edges = 0, wrong = 0;
    const struct wtl_sim_task *tasks = wtl_task_world_tasks(world, &n);
    const struct wtl_sim_task_edge *edge = wtl_task_world_edges(world, &edges);
    const struct wtl_sim_task **of = calloc(n + 1, sizeof *of);
    struct wtl_sim_task *sorted = calloc(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        of[tasks[i].id] = &tasks[i];
        sorted[i] = tasks[i];
        wrong += i > 0 && tasks[i].end_ns < tasks[i - 1].end_ns;
        wrong += tasks[i].begin_ns < tasks[i].created_ns || tasks[i].end_ns < tasks[i].begin_ns;
    }
    is_int(wrong, 0, "graph %d: %zu tasks in the order of their ends", graph, n);
    wrong = 0;
    for (size_t i = 0; i < edges; i++)
        wrong += of[edge[i].task]->begin_ns < of[edge[i].after]->end_ns;
    is_int(wrong, 0, "graph %d: %zu dependences are kept", graph, edges);
    wrong = 0;
    qsort(sorted, n, sizeof *sorted, by_core);
    for (size_t i = 1; i < n; i++)
        wrong += sorted[i].core == sorted[i - 1].core && sorted[i].begin_ns < sorted[i - 1].end_ns;
    is_int(wrong, 0, "graph %d: no core runs two tasks at once", graph);
    free(of);
    free(sorted);
    wtl_task_world_destroy(world);
}

static double sum_j(const struct wtl_task_world_truth *truth)
{
    double sum = truth->platform_j;
    for (unsigned j = 0; j < WTL_SIM_TASK_TYPES; j++)
        sum += truth->energy_j_of[j];
    return sum;
}

/* The model of the slides holds exactly. */
static void check_matched(void)
{
    struct wtl_task_world_config c = wtl_task_world_paper(WTL_SIM_CHOLESKY, 12, 5);
    struct wtl_task_world *world = make(&c);
    const struct wtl_task_world_truth *t = wtl_task_world_truth(world);
    double seconds[WTL_SIM_KERNELS] = {0}, modelled = c.idle_w * t->end_s + c.static_w * t->busy_s;
    size_t n = 0;
    const struct wtl_sim_task *tasks = wtl_task_world_tasks(world, &n);
    for (size_t i = 0; i < n; i++)
        seconds[tasks[i].type] += (double)(tasks[i].end_ns - tasks[i].begin_ns) * 1e-9;
    for (unsigned k = 0; k < WTL_SIM_KERNELS; k++) {
        is_double(t->time_s[k], seconds[k], 1e-6, "core seconds of %s", c.types[k].name);
        is_double(t->power_w[k], c.types[k].power_w, 1e-9, "watts of %s", c.types[k].name);
        modelled += c.types[k].power_w * t->time_s[k];
    }
    is_double(t->energy_j, modelled, 1e-6, "the energy is the model's");
    is_double(t->energy_j, sum_j(t), 1e-6, "the parts are the whole");
    is_double(t->idle_s + t->busy_s, t->end_s, 1e-9, "idle and busy are the whole time");
    ok(t->idle_s >= 4 * c.idle_s, "with %u idle stretches", c.repeats + 1);
    is_double(wtl_task_world_energy_j(world, t->end_s), t->energy_j, 1e-6, "energy at the end");
    is_double(wtl_task_world_power_w(world, 1), c.idle_w, 1e-9, "idle power before");
    wtl_task_world_destroy(world);
}

/* Each deviation moves the power of types, or the platform's, the way it should. */
static void check_deviations(void)
{
    struct {
        const char *name;
        double bend, turbo, corunner, leakage_w;
        int dynamic, drift; /* sign of the change */
    } rows[] = {
        {"bend", 0.2, 0, 0, 0, -1, 0},
        {"turbo", 0, 0.3, 0, 0, 1, 0},
        {"corunner", 0, 0, 0.4, 0, -1, 0},
        {"leakage", 0, 0, 0, 9, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_task_world_config c = wtl_task_world_paper(WTL_SIM_LU_INCREMENTAL, 8, 5);
        c.bend = rows[i].bend;
        c.turbo = rows[i].turbo;
        c.corunner = rows[i].corunner;
        c.leakage_w = rows[i].leakage_w;
        struct wtl_task_world *world = make(&c);
        const struct wtl_task_world_truth *t = wtl_task_world_truth(world);
        double change = t->power_w[3] - c.types[3].power_w;
        ok(rows[i].dynamic == (change > 1e-6) - (change < -1e-6), "%s: dssssm by %.3f W",
           rows[i].name, change);
        ok((t->drift_j > 0) == rows[i].drift, "%s: drift of %.3f J", rows[i].name, t->drift_j);
        is_double(t->energy_j, sum_j(t), 1e-6, "%s: the parts are the whole", rows[i].name);
        is_double(wtl_task_world_energy_j(world, t->end_s), t->energy_j, 1e-6,
                  "%s: energy at the end", rows[i].name);
        wtl_task_world_destroy(world);
    }
}

static void check_counter(void)
{
    struct wtl_task_world_config c = wtl_task_world_random(6, 2000, 11);
    c.sensor.offset_s = 5;
    c.sensor.drift_ppm = 100;
    c.sensor.tick = 0.5;
    struct wtl_task_world *world = make(&c);
    size_t n = 0, off = 0;
    const struct wtl_sim_task_sample *s = wtl_task_world_samples(world, &n);
    for (size_t i = 0; i < n; i++) {
        double t = ((double)s[i].t_ns * 1e-9 - 5) / 1.0001;
        double due = wtl_task_world_energy_j(world, t) - (s[i].value - 1000);
        off += !(due > -1e-3 && due < 0.5 + 1e-3) || fmod(s[i].value, 0.5) != 0;
    }
    ok(n > 100, "%zu readings", n);
    is_int(off, 0, "a counter is within a tick, by its own clock");
    wtl_task_world_destroy(world);
}

static void check_gauge(void)
{
    struct wtl_task_world_config c = wtl_task_world_random(6, 2000, 11);
    c.sensor = (struct wtl_sim_task_sensor){.gauge = true,
                                            .period_s = 0.01,
                                            .window_s = 0.5,
                                            .delay_s = 0.1,
                                            .noise = 0.01,
                                            .lost = 0.3};
    struct wtl_task_world *world = make(&c);
    size_t n = 0;
    const struct wtl_sim_task_sample *s = wtl_task_world_samples(world, &n);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double t = (double)s[i].t_ns * 1e-9 - 0.1;
        double mean = wtl_task_world_energy_j(world, t) - wtl_task_world_energy_j(world, t - 0.5);
        double error = s[i].value / (mean / 0.5) - 1;
        sum += error;
        squares += error * error;
    }
    double end = wtl_task_world_truth(world)->end_s, all = floor(end / 0.01) + 1;
    is_double((double)n / all, 0.7, 5 * sqrt(0.21 / all), "30 %% of the readings are missing");
    is_double(sum / (double)n, 0, 0.0005, "a gauge shows the mean of its window");
    is_double(sqrt(squares / (double)n), 0.01, 0.001, "with its noise");
    wtl_task_world_destroy(world);
}

static void check_refusals(void)
{
    struct wtl_task_world_config c = wtl_task_world_paper(WTL_SIM_CHOLESKY, 4, 1), good = c;
    struct wtl_task_world *world = NULL;
    c.cores = 0;
    is_int(wtl_task_world_create(&c, &world, NULL), -EINVAL, "no cores");
    c = good;
    c.type_count = 3;
    is_int(wtl_task_world_create(&c, &world, NULL), -EINVAL, "a graph with three types");
    c = good;
    c.tiles = 1000;
    is_int(wtl_task_world_create(&c, &world, NULL), -EINVAL, "too many tiles");
    c = good;
    c.sensor.period_s = 0;
    is_int(wtl_task_world_create(&c, &world, NULL), -EINVAL, "a sensor without period");
    c = good;
    c.types[2].duration_s = NAN;
    is_int(wtl_task_world_create(&c, &world, NULL), -EINVAL, "a duration that is no number");
}

int main(void)
{
    check_counts();
    for (int g = 0; g < WTL_SIM_GRAPHS; g++)
        check_order(g);
    check_matched();
    check_deviations();
    check_counter();
    check_gauge();
    check_refusals();
    return done_testing();
}
