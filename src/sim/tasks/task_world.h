/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Worlds of tasks with known truth: a node with some cores runs a program of tasks of a few types, and a sensor sees its power.
 * What ran where, what the sensor said, and the joules that each type really cost are readable. A world is repeatable from its
 * configuration; tasks, noise and clocks have random streams of their own, so that the same run can be seen through any sensor.
 *
 *     struct wtl_task_world_config config = wtl_task_world_paper(WTL_SIM_CHOLESKY, 16, seed);
 *     config.sensor.noise = 0.01;
 *     struct wtl_task_world *world;
 *     wtl_task_world_create(&config, &world, &err);
 *     tasks = wtl_task_world_tasks(world, &count);
 *     samples = wtl_task_world_samples(world, &count);
 *     truth = wtl_task_world_truth(world);
 *     wtl_task_world_destroy(world);
 *
 * Power at any instant, with c busy cores, v = (c - 1) / (cores - 1), and core k in a task of type j(k):
 *
 *     idle_w + drift(t)                                                                        c = 0
 *     idle_w + drift(t) + static_w + sum_k power_w[j(k)] * bend(v) * turbo(v) * corunner(k)    c > 0
 *
 *     bend(v) = 1 - bend * v: less per core as more are busy (P(c) is not a line)
 *     turbo(v) = 1 + turbo * (1 - v): more power when few are busy; and tasks go 1 + turbo / 3 * (1 - v) times as fast
 *     corunner(k) = 1 - corunner * its type's weight * the mean weight of the types on the other busy cores: what shares the
 *                   memory waits for it, and draws less
 *     drift(t) = leakage_w * heat: heat follows the share of busy cores with the time constant leakage_s
 *
 * With all these 0 the world is matched: it is the model of the slides, and truth.power_w[j] = types[j].power_w.
 */
#ifndef WTL_SIM_TASK_WORLD_H
#define WTL_SIM_TASK_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "sim/tasks/task_graph.h"

enum { WTL_SIM_TASK_TYPES = 32, WTL_SIM_TASK_CORES = 256, WTL_SIM_TASKS = 10000000 };

struct wtl_sim_task_type {
    char name[24];
    double power_w;     /* of one core that runs it, beyond the node's idle_w + static_w */
    double duration_s;  /* mean */
    double duration_cv; /* lognormal; 0 = fixed */
    double weight;      /* 0 .. 1: how much of the shared resources it uses; for corunner */
    double share;       /* of the tasks of a bag (graph = WTL_SIM_BAG); all 0 = all alike */
};

/* Instead of a graph: independent tasks in random order. */
enum { WTL_SIM_BAG = WTL_SIM_GRAPHS };

struct wtl_sim_task_sensor {
    bool gauge;      /* else a counter of joules */
    double period_s; /* between two readings */
    double window_s; /* a gauge shows the mean power of this long; 0 = the instant */
    double delay_s;  /* readings show the node as it was this long ago */
    double tick;     /* readings are multiples of it, in J or W; 0 = exact */
    double
        noise; /* standard deviation relative to the power: of each reading (gauge), of each difference (counter) */
    double jitter;    /* of the instants of readings: uniform, +- this share of the period */
    double offset_s;  /* its clock minus the clock of the tasks, at t = 0 ... */
    double drift_ppm; /* ... and how fast that grows */
    double lost;      /* share of readings that are missing, 0 .. 0.9 */
    /* It also sees other programs, of which nothing is known: this power, in half of all stretches of this length. */
    double others_w, others_s;
};

struct wtl_task_world_config {
    uint64_t seed;
    unsigned cores;
    struct wtl_sim_task_type types[WTL_SIM_TASK_TYPES];
    unsigned type_count; /* with a graph: at least WTL_SIM_KERNELS; kernel k is type k */
    int graph;           /* enum wtl_sim_graph, or WTL_SIM_BAG */
    unsigned tiles;      /* of a graph */
    uint64_t tasks;      /* of a bag */
    unsigned
        repeats; /* the program runs so often, 0 = once; with an idle stretch before, between, and after */
    double idle_s; /* length of each of these stretches */
    double
        serial_s; /* between two tasks on one core nothing runs for this long, on average (exponential) */
    double
        few_cores; /* this share of the repeats uses fewer cores than all: 1, 2, 3, ... in turn */
    unsigned
        spin; /* 1 + the type that cores without a task run until the repeat ends; 0 = they rest */
    double idle_w, static_w; /* P_Y, P_S */
    double bend, turbo, corunner;
    double leakage_w, leakage_s;
    struct wtl_sim_task_sensor sensor;
};

struct wtl_sim_task {
    uint64_t begin_ns, end_ns; /* clock of the tasks; the world begins at 0 */
    uint64_t created_ns;
    uint32_t id; /* > 0, in the order of creation; 0 = it spins */
    uint16_t type;
    uint16_t core;
};

/* Task `task` waits for task `after`. */
struct wtl_sim_task_edge {
    uint32_t task, after;
};

struct wtl_sim_task_sample {
    int64_t t_ns; /* as the sensor's clock says */
    double value; /* joules since some instant, or watts */
};

struct wtl_task_world_truth {
    double end_s, idle_s, busy_s; /* idle_s: no task runs on any core */
    double
        energy_j; /* of the whole, by the clock of the tasks; = platform_j + the sum of energy_j[] */
    double platform_j;                      /* idle_w, static_w and drift */
    double drift_j;                         /* part of platform_j */
    double energy_j_of[WTL_SIM_TASK_TYPES]; /* dynamic, as the formula above */
    double time_s[WTL_SIM_TASK_TYPES];      /* core seconds */
    double power_w[WTL_SIM_TASK_TYPES];     /* energy_j_of / time_s; 0 where a type never ran */
    uint64_t count[WTL_SIM_TASK_TYPES];
};

struct wtl_task_world;

/* The node of the slides (16 cores, P_Y = 80.15 W, P_S = 78.25 W, tasks near 7.84 W) with a counter read at 25 Hz without noise.
 * Kernels take some milliseconds, as for blocks of 256; 3 repeats with 2 s of idle. */
struct wtl_task_world_config wtl_task_world_paper(enum wtl_sim_graph graph,
                                                  unsigned tiles,
                                                  uint64_t seed);

/* A bag of random types: powers 3 .. 15 W, durations 1 .. 50 ms, and the rest as above. Repeats differ in their mix of types. */
struct wtl_task_world_config wtl_task_world_random(unsigned types, uint64_t tasks, uint64_t seed);

/* Returns 0, -EINVAL with what is wrong, -ENOMEM. */
int wtl_task_world_create(const struct wtl_task_world_config *config,
                          struct wtl_task_world **ret_world,
                          struct wattle_error *err);
void wtl_task_world_destroy(struct wtl_task_world *world); /* accepts NULL */

const struct wtl_task_world_config *wtl_task_world_config(const struct wtl_task_world *world);
/* In the order of their ends. */
const struct wtl_sim_task *wtl_task_world_tasks(const struct wtl_task_world *world,
                                                size_t *ret_count);
/* In the order of .task; none of a bag. */
const struct wtl_sim_task_edge *wtl_task_world_edges(const struct wtl_task_world *world,
                                                     size_t *ret_count);
/* In time order. */
const struct wtl_sim_task_sample *wtl_task_world_samples(const struct wtl_task_world *world,
                                                         size_t *ret_count);
const struct wtl_task_world_truth *wtl_task_world_truth(const struct wtl_task_world *world);

/* Exact, without sensor: joules from 0 to t, and power at t. Before 0 and after the end the node is idle. */
double wtl_task_world_energy_j(const struct wtl_task_world *world, double t_s);
double wtl_task_world_power_w(const struct wtl_task_world *world, double t_s);

#endif
