/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of jobs on a shared package (goal A6): wattle's rule compared with others, in simulated
 * worlds with known truth.
 *
 *     bench_shares [SEEDS [SECONDS [MS]]]         default 20 worlds of 30 s per row, readings every 100 ms
 *
 * An error is the sum over jobs of |share - truth|, in percent of the energy above idle, over a
 * whole run; median over the worlds, and the maximum. There are two truths. "Shapley": the average,
 * over all orders in which the jobs could have arrived, of the power that each adds, per
 * millisecond. "Physical": the power of the job's threads, with activation power divided equally
 * between the busy CPUs. The exact Shapley value is a rule as well, so it has a line against the
 * physical truth.
 *
 * All rules use the same readings. CPU time, CEEMS and SmartWatts get the energy above the
 * calibrated idle power, which Kepler's split does not use. wattle estimates activation power and
 * the weight of second threads during the run, from earlier readings. SmartWatts fits power to
 * cycles, instructions and misses by ridge regression; "wattle, counters" uses the same counters.
 *
 * Memory: counters of a job show misses, and miss up to 40 % more traffic (prefetching, writing back); "traffic" is what
 * resctrl counts. SmartWatts' regression has one event here, misses, so it divides in proportion to them; CEEMS
 * divides by resident memory; Kepler as for the processor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/node_fit.h"
#include "account/node_share.h"
#include "share_world.h"

enum rule { WATTLE, WATTLE_COUNTERS, CPU_TIME, KEPLER, CEEMS, SMARTWATTS, SHAPLEY, RULES };

/* For memory, wattle has the CPU time alone, counted misses, or the traffic. */
enum dram_rule {
    DRAM_TIME,
    DRAM_MISSES,
    DRAM_TRAFFIC,
    DRAM_CPU,
    DRAM_KEPLER,
    DRAM_CEEMS,
    DRAM_SMARTWATTS,
    DRAM_SHAPLEY
};

static const char *const rule_names[RULES] = {"wattle", "wattle, counters", "CPU time", "Kepler",
                                              "CEEMS",  "SmartWatts",       "Shapley"};

/* Ridge regression of power above idle on three events. */
struct ridge {
    double products[3][3], targets[3], weights[3];
    size_t looks;
};

static void events_of(const struct share_look *look, size_t job, double *events)
{
    events[0] = look->cycles[job];
    events[1] = look->instructions[job];
    events[2] = look->misses[job];
}

static void ridge_add(struct ridge *ridge, const struct share_look *look, size_t jobs)
{
    double x[3] = {0}, events[3], a[3][4];
    for (size_t j = 0; j < jobs; j++) {
        events_of(look, j, events);
        for (unsigned i = 0; i < 3; i++)
            x[i] += events[i] / look->seconds;
    }
    ridge->looks++;
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++)
            ridge->products[i][k] += x[i] * x[k];
        ridge->targets[i] += x[i] * (look->energy_j / look->seconds - SHARE_IDLE_W);
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 3; k++)
            a[i][k] = ridge->products[i][k] + (i == k) * 1e-3 * (double)ridge->looks;
        a[i][3] = ridge->targets[i];
    }
    for (unsigned i = 0; i < 3; i++)
        for (unsigned row = 0; row < 3; row++) {
            double factor = row == i ? 0 : a[row][i] / a[i][i];
            for (unsigned k = i; k < 4; k++)
                a[row][k] -= factor * a[i][k];
        }
    for (unsigned i = 0; i < 3; i++)
        ridge->weights[i] = fmax(a[i][3] / a[i][i], 0);
}

static double predicted(const struct ridge *ridge, const struct share_look *look, size_t job)
{
    double events[3], sum = 0;
    events_of(look, job, events);
    for (unsigned i = 0; i < 3; i++)
        sum += ridge->weights[i] * events[i];
    return sum;
}

static const char *const dram_names[RULES + 1] = {"wattle",     "wattle, misses", "wattle, traffic",
                                                  "CPU time",   "Kepler",         "CEEMS",
                                                  "SmartWatts", "Shapley"};

/* The worlds of a row. */
struct worlds {
    unsigned count, looks, look_ms;
};

/* wattle's estimates so far. */
struct learned {
    struct wtl_node_model model;
    struct wtl_node_fit fit;
    struct wtl_node_activity activity;
};

struct run {
    struct learned learned[2]; /* without and with counters */
    struct ridge ridge;
    double shares_j[RULES][SHARE_JOBS], truth_j[2][SHARE_JOBS];
};

/* Of memory. */
struct dram_run {
    struct learned learned[3]; /* with CPU time, misses, traffic */
    double shares_j[RULES + 1][SHARE_JOBS], truth_j[2][SHARE_JOBS];
};

static void by_wattle(struct run *run, const struct share_look *look, size_t jobs, bool counters)
{
    struct learned *learned = &run->learned[counters];
    double ratios[SHARE_JOBS * 2] = {0}, activity[SHARE_JOBS], shares_j[SHARE_JOBS];
    struct wtl_node_rest rest;
    for (size_t j = 0; j < jobs; j++) {
        if (look->cycles[j] > 0) {
            ratios[2 * j] = look->instructions[j] / look->cycles[j];
            ratios[2 * j + 1] = look->misses[j] / look->cycles[j];
        }
        activity[j] = learned->activity.core_w + learned->activity.ratio_w[0] * ratios[2 * j] +
                      learned->activity.ratio_w[1] * ratios[2 * j + 1];
    }
    const struct wtl_node_look seen = {.energy_j = look->energy_j,
                                       .seconds = look->seconds,
                                       .cpus = SHARE_CPUS,
                                       .jobs = jobs,
                                       .core_of = share_core_of,
                                       .busy_s = look->busy_s,
                                       .frequency_ghz = look->frequency_ghz,
                                       .used_s = look->used_s,
                                       .activity = counters ? activity : NULL};
    if (wtl_node_fit_add(&learned->fit, &learned->model, &seen, ratios, counters ? 2 : 0) < 0 ||
        (learned->fit.looks % 20 == 0 &&
         wtl_node_fit_solve(&learned->fit, &learned->model, &learned->activity) < 0) ||
        wtl_node_shares(&learned->model, &seen, shares_j, &rest) < 0)
        abort();
    for (size_t j = 0; j < jobs; j++)
        run->shares_j[counters ? WATTLE_COUNTERS : WATTLE][j] += shares_j[j];
}

static void by_others(struct run *run, const struct share_look *look, size_t jobs)
{
    double used_s[SHARE_JOBS] = {0}, all_s = 0, all_predicted = 0;
    double active_j = look->energy_j - SHARE_IDLE_W * look->seconds;
    for (size_t j = 0; j < jobs; j++) {
        for (unsigned c = 0; c < SHARE_CPUS; c++)
            used_s[j] += look->used_s[j * SHARE_CPUS + c];
        all_s += used_s[j];
        all_predicted += predicted(&run->ridge, look, j);
    }
    for (size_t j = 0; j < jobs; j++) {
        double part = all_s > 0 ? used_s[j] / all_s : 0;
        double cpus = all_s / look->seconds / SHARE_CPUS;
        run->shares_j[CPU_TIME][j] += active_j * part;
        run->shares_j[KEPLER][j] += look->energy_j * cpus * part;
        run->shares_j[CEEMS][j] += 0.9 * active_j * part + 0.1 * active_j / (double)jobs;
        if (all_predicted > 0)
            run->shares_j[SMARTWATTS][j] +=
                active_j * predicted(&run->ridge, look, j) / all_predicted;
        run->shares_j[SHAPLEY][j] += look->shapley_j[j];
        run->truth_j[0][j] += look->shapley_j[j];
        run->truth_j[1][j] += look->heat_j[j];
    }
}

static void dram_by_wattle(struct dram_run *run,
                           const struct share_look *look,
                           size_t jobs,
                           enum dram_rule rule)
{
    struct learned *learned = &run->learned[rule];
    const double *events = rule == DRAM_TRAFFIC ? look->dram_traffic : look->dram_misses;
    double ratios[SHARE_JOBS] = {0}, activity[SHARE_JOBS], shares_j[SHARE_JOBS];
    struct wtl_node_rest rest;
    for (size_t j = 0; j < jobs; j++) {
        double used_s = 0;
        for (unsigned c = 0; c < SHARE_CPUS; c++)
            used_s += look->used_s[j * SHARE_CPUS + c];
        if (used_s > 0)
            ratios[j] = events[j] / used_s;
        activity[j] = learned->activity.core_w + learned->activity.ratio_w[0] * ratios[j];
    }
    const struct wtl_node_look seen = {.energy_j = look->dram_j,
                                       .seconds = look->seconds,
                                       .cpus = SHARE_CPUS,
                                       .jobs = jobs,
                                       .core_of = share_core_of,
                                       .busy_s = look->busy_s,
                                       .used_s = look->used_s,
                                       .activity = rule == DRAM_TIME ? NULL : activity};
    if (wtl_node_fit_add(&learned->fit, &learned->model, &seen, ratios, rule != DRAM_TIME) < 0 ||
        (learned->fit.looks % 20 == 0 &&
         wtl_node_fit_solve(&learned->fit, &learned->model, &learned->activity) < 0) ||
        wtl_node_shares(&learned->model, &seen, shares_j, &rest) < 0)
        abort();
    for (size_t j = 0; j < jobs; j++)
        run->shares_j[rule][j] += shares_j[j];
}

static void dram_by_others(struct dram_run *run,
                           const struct share_world *world,
                           const struct share_look *look,
                           size_t jobs)
{
    double used_s[SHARE_JOBS] = {0}, all_s = 0, misses = 0, resident = 0;
    double active_j = look->dram_j - SHARE_DRAM_IDLE_W * look->seconds;
    for (size_t j = 0; j < jobs; j++) {
        for (unsigned c = 0; c < SHARE_CPUS; c++)
            used_s[j] += look->used_s[j * SHARE_CPUS + c];
        all_s += used_s[j];
        misses += look->dram_misses[j];
        resident += world->job[j].resident;
    }
    for (size_t j = 0; j < jobs; j++) {
        double part = all_s > 0 ? used_s[j] / all_s : 0;
        run->shares_j[DRAM_CPU][j] += active_j * part;
        run->shares_j[DRAM_KEPLER][j] += look->dram_j * all_s / look->seconds / SHARE_CPUS * part;
        run->shares_j[DRAM_CEEMS][j] += active_j * world->job[j].resident / resident;
        if (misses > 0)
            run->shares_j[DRAM_SMARTWATTS][j] += active_j * look->dram_misses[j] / misses;
        run->shares_j[DRAM_SHAPLEY][j] += look->dram_shapley_j[j];
        run->truth_j[0][j] += look->dram_shapley_j[j];
        run->truth_j[1][j] += look->dram_heat_j[j];
    }
}

static double error_of(const double *shares_j, const double *truth_j, size_t jobs)
{
    double off = 0, all = 0;
    for (size_t j = 0; j < jobs; j++) {
        off += fabs(shares_j[j] - truth_j[j]);
        all += truth_j[j];
    }
    return 100 * off / all;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_world(unsigned effects,
                      size_t jobs,
                      uint64_t seed,
                      const struct worlds *worlds,
                      double (*errors)[2])
{
    static struct share_world world;
    struct share_look look;
    const struct learned usual = {.model = {.idle_w = SHARE_IDLE_W,
                                            .smt_part = 0.5,
                                            .frequency_exponent = 2,
                                            .reference_ghz = 3},
                                  .activity = {.core_w = 1}};
    struct run run = {.learned = {usual, usual}};
    share_world_begin(&world, effects, jobs, seed);
    for (unsigned i = 0; i < worlds->looks; i++) {
        share_world_look(&world, worlds->look_ms, &look);
        ridge_add(&run.ridge, &look, jobs);
        by_wattle(&run, &look, jobs, false);
        by_wattle(&run, &look, jobs, true);
        by_others(&run, &look, jobs);
    }
    for (unsigned rule = 0; rule < RULES; rule++)
        for (unsigned truth = 0; truth < 2; truth++)
            errors[rule][truth] = error_of(run.shares_j[rule], run.truth_j[truth], jobs);
}

static void run_dram(unsigned effects,
                     size_t jobs,
                     uint64_t seed,
                     const struct worlds *worlds,
                     double (*errors)[2])
{
    static struct share_world world;
    struct share_look look;
    const struct learned usual = {.model = {.idle_w = SHARE_DRAM_IDLE_W, .smt_part = 1},
                                  .activity = {.ratio_w = {1}}};
    struct dram_run run = {.learned = {usual, usual, usual}};
    share_world_begin(&world, effects, jobs, seed);
    for (unsigned i = 0; i < worlds->looks; i++) {
        share_world_look(&world, worlds->look_ms, &look);
        for (enum dram_rule rule = DRAM_TIME; rule <= DRAM_TRAFFIC; rule++)
            dram_by_wattle(&run, &look, jobs, rule);
        dram_by_others(&run, &world, &look, jobs);
    }
    for (unsigned rule = 0; rule < RULES + 1; rule++)
        for (unsigned truth = 0; truth < 2; truth++)
            errors[rule][truth] = error_of(run.shares_j[rule], run.truth_j[truth], jobs);
}

/* Simulates a world and computes the error of each rule against each truth. */
typedef void (*run_fn)(unsigned effects,
                       size_t jobs,
                       uint64_t seed,
                       const struct worlds *worlds,
                       double (*errors)[2]);

static void row(const char *name,
                unsigned effects,
                size_t jobs,
                const struct worlds *worlds,
                run_fn run,
                unsigned rules)
{
    double(*errors)[2] = malloc(worlds->count * rules * sizeof *errors);
    double *one = malloc(worlds->count * sizeof *one);
    if (!errors || !one)
        abort();
    for (unsigned w = 0; w < worlds->count; w++)
        run(effects, jobs, 1000 + w, worlds, errors + (size_t)w * rules);
    for (unsigned truth = 0; truth < 2; truth++) {
        printf("%-13s %zu jobs  %-8s", truth ? "" : name, jobs, truth ? "physical" : "Shapley");
        for (unsigned rule = 0; rule < rules; rule++) {
            for (unsigned w = 0; w < worlds->count; w++)
                one[w] = errors[(size_t)w * rules + rule][truth];
            qsort(one, worlds->count, sizeof *one, compare_doubles);
            printf("  %6.2f %6.2f   ", one[worlds->count / 2], one[worlds->count - 1]);
        }
        printf("\n");
    }
    free(errors);
    free(one);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        unsigned effects;
    } rows[] = {{"none", 0},
                {"SMT", SHARE_SMT},
                {"activation", SHARE_ACTIVATION},
                {"turbo", SHARE_TURBO},
                {"interference", SHARE_INTERFERENCE},
                {"data", SHARE_DATA},
                {"all but data", 15},
                {"all", 31}};
    unsigned ms = argc > 3 ? (unsigned)atoi(argv[3]) : 100,
             seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 30;
    if (ms == 0)
        return 2;
    const struct worlds worlds = {.count = argc > 1 ? (unsigned)atoi(argv[1]) : 20,
                                  .looks = seconds * 1000 / ms,
                                  .look_ms = ms};
    const struct worlds few = {
        .count = worlds.count < 5 ? worlds.count : 5, .looks = worlds.looks, .look_ms = ms};
    if (worlds.count == 0 || worlds.looks == 0)
        return 2;
    printf("simulated truth; error of shares in %% of the energy above idle: median and worst of "
           "%u worlds of %u s\n",
           worlds.count, seconds);
    printf("%-13s %6s  %-8s", "effects", "", "truth");
    for (unsigned rule = 0; rule < RULES; rule++)
        printf("  %-16s", rule_names[rule]);
    printf("\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        row(rows[i].name, rows[i].effects, 4, &worlds, run_world, RULES);
    row("all", 31, 8, &few, run_world, RULES);
    printf("\nmemory\n%-13s %6s  %-8s", "effects", "", "truth");
    for (unsigned rule = 0; rule < RULES + 1; rule++)
        printf("  %-16s", dram_names[rule]);
    printf("\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].effects == 0 || rows[i].effects & (SHARE_ACTIVATION | SHARE_DATA))
            row(rows[i].name, rows[i].effects, 4, &worlds, run_dram, RULES + 1);
    row("all", 31, 8, &few, run_dram, RULES + 1);
    return 0;
}
