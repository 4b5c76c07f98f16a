/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulated node: domains whose power is known at every instant, and the counters that show it.
 * Only what is shown is quantised: energy is sampled at ticks (period, phase, jitter), truncated to
 * units, wrapped to a number of bits. The exact joules between any two instants are
 * wtl_node_energy_j(). Pure: time is an argument; one thread at a time.
 *
 *     const struct wtl_expression *power = ...;       // "60 + 40*load"
 *     struct wtl_node_config config = wtl_node_config_init(start_ns);
 *     config.domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, 0, power);
 *     config.domain_count = 1;
 *     struct wtl_node *node;
 *     wtl_node_create(&config, &node, &err);
 *     wtl_node_raw(node, 0, now_ns, &raw);
 */
#ifndef WTL_SIM_NODE_H
#define WTL_SIM_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>
#include <wattle/quantity.h>

#include "base/expression/expression.h"
#include "sim/node_fault.h"
#include "sim/node_knobs.h"
#include "sim/power_path.h"

enum { WTL_NODE_DOMAINS = 64, WTL_NODE_FAULTS = 32 };

struct wtl_node_domain {
    enum wattle_domain domain;
    int index;                          /* socket; >= 0 */
    const struct wtl_expression *power; /* expression of wtl_power_variables; borrowed, outlives the
                                         * node */
    double wander_w, wander_tau_s;      /* rms and correlation time of slow noise; 0 = none */
    unsigned unit_exp;                  /* the unit is 2^-unit_exp J; 0 .. 30 */
    unsigned range_bits;                /* the counter wraps at 2^range_bits units; 8 .. 48 */
    uint64_t raw0;                      /* counter value at the start */
    uint64_t tick_ns;                   /* > 0 */
    uint64_t phase_ns;                  /* time of the first tick after the start */
    double jitter_ns;                   /* jitter per tick, limited to 0.49 ticks */
    bool jitter_normal;                 /* jitter_ns is a standard deviation, else a uniform +-
                                         * range */
};

struct wtl_node_config {
    uint64_t start_ns; /* energy counts from here; earlier times are invalid */
    uint64_t t0_ns;    /* t = 0 of expressions and faults */
    uint64_t grid_ns;
    uint64_t seed;
    double load, f; /* at the start; f is the nominal frequency of the knobs */
    struct wtl_sim_knobs_config knobs;
    const struct wtl_sim_track *track; /* what "phases" is, from t0 on; borrowed, NULL = none */
    size_t domain_count, fault_count;
    struct wtl_node_domain domains[WTL_NODE_DOMAINS];
    struct wtl_fault faults[WTL_NODE_FAULTS];
};

struct wtl_node;

/* Defaults: a grid of 100 us, load 0, 2.5 GHz, t0 = start. */
struct wtl_node_config wtl_node_config_init(uint64_t start_ns);
/* Defaults as for RAPL on a server: 976.5625 us, jitter +-20 us, 2^-14 J, 32 bits. Phase and raw0
 * are random, from `seed`, so that counters neither start at 0 nor tick in step. */
struct wtl_node_domain wtl_node_domain_init(enum wattle_domain domain,
                                            int index,
                                            const struct wtl_expression *power,
                                            uint64_t seed);

/* Returns 0; -EINVAL with the remedy; -ENOMEM. */
int wtl_node_create(const struct wtl_node_config *config,
                    struct wtl_node **ret_node,
                    struct wattle_error *err);
void wtl_node_destroy(struct wtl_node *node); /* accepts NULL */

const struct wtl_node_config *wtl_node_config(const struct wtl_node *node);
size_t wtl_node_count(const struct wtl_node *node);
const struct wtl_node_domain *wtl_node_domain(const struct wtl_node *node, size_t i);
/* Write "package-0" to name (n bytes). */
void wtl_node_name(const struct wtl_node *node, size_t i, char *name, size_t n);
/* Index of the domain, or -ENOENT. */
int wtl_node_find(const struct wtl_node *node, enum wattle_domain domain, int index);

/* One more fault, at fault->at_ns after t = 0 and not earlier than what was already asked: 0, or -ENOSPC. */
int wtl_node_add_fault(struct wtl_node *node, const struct wtl_fault *fault);
/* Can the counter's file be opened at time_ns? 0, -ENOENT, -EACCES. */
int wtl_node_open(const struct wtl_node *node, size_t i, uint64_t time_ns);
/* Value of the counter at time_ns: 0 and *ret_raw in units, or -ENODEV, -EIO. */
int wtl_node_raw(struct wtl_node *node, size_t i, uint64_t time_ns, uint64_t *ret_raw);
/* The same before wrapping, as a 64-bit counter would show it. */
int wtl_node_units(struct wtl_node *node, size_t i, uint64_t time_ns, uint64_t *ret_units);
/* Is RAPL filtering in effect? */
bool wtl_node_filtering(const struct wtl_node *node, uint64_t time_ns);

/* The true energy. NaN if from is before the start or after to. */
double wtl_node_energy_j(struct wtl_node *node, size_t i, uint64_t from_ns, uint64_t to_ns);
double wtl_node_power_w(struct wtl_node *node, size_t i, uint64_t time_ns);

/* Steps must be in time order and not before an instant that was already queried: else -EINVAL. */
int wtl_node_set_power(struct wtl_node *node,
                       size_t i,
                       uint64_t time_ns,
                       const struct wtl_expression *power);
int wtl_node_set_influence(struct wtl_node *node, uint64_t time_ns, double load, double f);
/* Watts of the running tasks, and threads in a task, from then on. */
int wtl_node_set_tasks(struct wtl_node *node, uint64_t time_ns, double tasks_w, unsigned busy);
/* Share of GPU `gpu` (0 .. WTL_SIM_GPUS - 1) that kernels use from then on. */
int wtl_node_set_gpu(struct wtl_node *node, uint64_t time_ns, int gpu, double level);
/* Current load and frequency, i.e. after the last step. */
struct wtl_influence wtl_node_influence(const struct wtl_node *node);
/* All steps of load and frequency so far; borrowed, valid until the next one. */
const struct wtl_influences *wtl_node_influences(const struct wtl_node *node);

/*
 * The knobs of cpufreq and powercap (node_knobs.h). The frequency f of the node is the mean over its CPUs; a power limit
 * of a package lowers all CPUs above a ceiling until the package's expression, at this instant and load, is within it, or
 * the lowest frequency is reached. Returns as wtl_sim_knobs_write() and wtl_node_set_influence().
 */
const struct wtl_sim_knobs *wtl_node_knobs(const struct wtl_node *node);
int wtl_node_write_knob(struct wtl_node *node,
                        uint64_t time_ns,
                        enum wtl_sim_knob knob,
                        int index,
                        const char *text,
                        size_t n);
/* Another load; the frequency follows if a limit is enforced. */
int wtl_node_set_load(struct wtl_node *node, uint64_t time_ns, double load);
/* All CPUs at this frequency, until a knob is written. */
int wtl_node_force_frequency(struct wtl_node *node, uint64_t time_ns, double ghz);
/* Let f follow knobs, load and limits after something else changed, such as an expression. */
int wtl_node_settle(struct wtl_node *node, uint64_t time_ns, double load);

/* Watts of the domain's present expression with this load and frequency; whether it depends on f. */
double wtl_node_would_w(const struct wtl_node *node,
                        size_t i,
                        uint64_t time_ns,
                        double load,
                        double f);
bool wtl_node_uses_f(const struct wtl_node *node, size_t i);
struct wtl_sim_knobs *wtl_node_own_knobs(struct wtl_node *node); /* for node_steer.c */
/* Number of parts of the staircase in which an expression had no value and 0 W was used. */
uint64_t wtl_node_undefined(const struct wtl_node *node);

#endif
