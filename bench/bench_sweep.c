/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures 7 and 8 of Y. Georgiou et al., Energy Accounting and Control with SLURM (ICDCN 2014), on the simulated node,
 * and how well a sweep finds the best frequency there.
 *
 *     bench_sweep [MACHINES]         default 200 per cell
 *
 * Three programs as their tables 2 to 4 show them: time a + (1-a)*2.3/f, or flat down to 1.5 GHz, and power S + D f + C f^3 per
 * node, fitted to the 13 energies of the power meters (residuals 0.14, 1.8 and 0.4 %). The node is set through its cpufreq
 * files and its energies are exact. A partial counter misses a constant power: what it would choose, and from which missing
 * power on. Then 200 machines per cell, each with its own static share, slope and turbo, whose runs vary: how often the truly
 * best setting is in the group, how large the group is, what choosing the best mean costs, and the rank correlation of the
 * means with the truth. Noise: normal; the same with a drift through the sweep of four standard deviations; outliers (one run
 * in twenty 5 standard deviations higher); twice the noise at turbo.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep/sweep.h"
#include "base/random.h"
#include "sim/memory_world.h"

enum { SETTINGS = 13, MOST_BLOCKS = 10, GOALS = 3 };
#define S      UINT64_C(1000000000)
#define NODE_W 280.0 /* of a node at 2.3 GHz */

struct program {
    const char *name, *speed;               /* time as a function of f */
    double a, flat_ghz;                     /* flat_ghz > 0: time does not change above it */
    double turbo_ghz, fixed, linear, cubic; /* power in parts of that at 2.3 GHz */
    double seconds;
};

static const struct program programs[] = {
    {"Linpack", "0.38 + 0.62*2.3/f", 0.38, 0, 2.6, 0.6143, 0.0655, 0.0192, 2700},
    {"IMB", "0.86 + 0.14*2.3/f", 0.86, 0, 2.5, 0.6479, 0, 0.0260, 750},
    {"Stream", "1, below 1.5 GHz longer", 0.38, 1.5, 2.6, 0.7901, 0.0080, 0.0152, 130},
};

static double time_at(const struct program *p, double ghz)
{
    if (p->flat_ghz > 0)
        return p->seconds * (1 + fmax(0, p->a * (p->flat_ghz / ghz - 1)));
    return p->seconds * (p->a + (1 - p->a) * 2.3 / ghz);
}

static double power_at(const struct program *p, double ghz)
{
    return NODE_W * (p->fixed + p->linear * ghz + p->cubic * ghz * ghz * ghz);
}

/* 1.2 .. 2.3 GHz, then turbo. */
static const char *name_of(size_t i, char text[24])
{
    if (i == SETTINGS - 1)
        (void)snprintf(text, 24, "turbo");
    else
        (void)snprintf(text, 24, "%.1f", 1.2 + 0.1 * (double)i);
    return text;
}

struct truth {
    double time_s[SETTINGS], energy_j[SETTINGS];
};

/* Energies of the simulated node at each setting, through its files. */
static int measure_node(const struct program *p, struct truth *ret)
{
    char power[128], khz[32], path[128];
    struct wattle_error err = {""};
    struct wtl_expression *watts = NULL;
    struct wtl_node *node = NULL;
    struct wtl_tree *tree = NULL;
    struct wtl_world *world = NULL;
    struct wtl_node_config config = wtl_node_config_init(S);
    struct wtl_tree_config view = wtl_tree_config_init();
    struct wtl_memory_config memory = wtl_memory_config_init(S, 1);
    (void)snprintf(power, sizeof power, "%.9g*(%.9g+%.9g*f+%.9g*f^3)", NODE_W, p->fixed, p->linear,
                   p->cubic);
    int rc = wtl_expression_compile(power, wtl_power_variables, WTL_POWER_VARIABLES, &watts, &err);
    config.domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_NODE, 0, watts, 1);
    config.domain_count = 1;
    config.load = 1;
    config.f = 2.3;
    config.knobs.low_ghz = 1.2;
    config.knobs.turbo_ghz = p->turbo_ghz;
    config.knobs.cpus = view.cpus = 1;
    view.views = WTL_VIEW_CPUFREQ | WTL_VIEW_HWMON;
    rc = rc < 0 ? rc : wtl_node_create(&config, &node, &err);
    rc = rc < 0 ? rc : wtl_tree_create(&view, &config, &tree, &err);
    rc = rc < 0 ? rc : wtl_memory_world_create(node, tree, &memory, &world, &err);
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    rc = rc < 0 ? rc : wtl_world_put(world, path, "userspace");
    for (size_t i = 0; rc == 0 && i < SETTINGS; i++) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_setspeed");
        (void)snprintf(khz, sizeof khz, "%u",
                       i == SETTINGS - 1 ? 2301000u : 1200000u + 100000u * (unsigned)i);
        rc = wtl_world_put(world, path, khz);
        uint64_t from = wtl_memory_world_time(world);
        ret->time_s[i] = time_at(p, wtl_node_influence(node).f);
        wtl_memory_world_advance(world, (uint64_t)(ret->time_s[i] * 1e9));
        ret->energy_j[i] = wtl_node_energy_j(node, 0, from, wtl_memory_world_time(world));
    }
    if (rc < 0)
        (void)fprintf(stderr, "bench_sweep: %s %d\n", err.text, rc);
    wtl_memory_world_destroy(world);
    wtl_tree_destroy(tree);
    wtl_node_destroy(node);
    wtl_expression_destroy(watts);
    return rc;
}

static double cost(const struct truth *t, size_t i, int goal)
{
    return t->energy_j[i] * pow(t->time_s[i], goal);
}

static size_t best_of(const struct truth *t, int goal)
{
    size_t best = 0;
    for (size_t i = 1; i < SETTINGS; i++) {
        if (cost(t, i, goal) < cost(t, best, goal))
            best = i;
    }
    return best;
}

/* ---- the figures ---- */

/* One noiseless block of a program, whole and partial. */
static int figure(const struct program *p, double missing_w)
{
    struct truth truth;
    struct wtl_sweep sweep = {.slowdown = 0.05};
    char a[24], b[24];
    int rc = measure_node(p, &truth);
    if (rc < 0 || wtl_sweep_init(&sweep, SETTINGS, 1) < 0)
        return -1;
    (void)wtl_sweep_curve(&sweep, "node");
    (void)wtl_sweep_curve(&sweep, "partial");
    for (size_t i = 0; i < SETTINGS; i++) {
        sweep.time_s[i] = truth.time_s[i];
        sweep.curves[0].energy_j[i] = truth.energy_j[i];
        sweep.curves[1].energy_j[i] = truth.energy_j[i] - missing_w * truth.time_s[i];
    }
    if (wtl_sweep_judge(&sweep, NULL) < 0)
        return -1;
    (void)printf(
        "\n%s: time %s\n  GHz    time      energy     power   (parts of those at 2.3 GHz)\n",
        p->name, p->speed);
    for (size_t i = 0; i < SETTINGS; i++)
        (void)printf("  %-5s  %.3f      %.4f     %.3f   %s\n", name_of(i, a),
                     truth.time_s[i] / truth.time_s[11], truth.energy_j[i] / truth.energy_j[11],
                     truth.energy_j[i] / truth.time_s[i] / NODE_W,
                     sweep.curves[0].points[i].pareto ? "front" : "");
    const struct wtl_sweep_curve *whole = &sweep.curves[0], *partial = &sweep.curves[1];
    for (size_t g = 0; g < whole->goal_count; g++)
        (void)printf("  best for %-10s %-5s  (%+.1f %% time, %+.1f %% energy against turbo); "
                     "partial counter: %s\n",
                     whole->goals[g].name, name_of(whole->goals[g].group.best, a),
                     100 * whole->goals[g].slower, -100 * whole->goals[g].saves,
                     name_of(partial->goals[g].group.best, b));
    (void)printf("  least energy by the power that a counter misses (of %.0f W at 2.3 GHz):",
                 NODE_W);
    struct wtl_sweep_curve *dynamic = &sweep.curves[1];
    double fixed =
        NODE_W * p->fixed * 0.98; /* a counter that sees nearly nothing of the static share */
    for (size_t i = 0; i < SETTINGS; i++)
        dynamic->energy_j[i] = truth.energy_j[i] - fixed * truth.time_s[i];
    (void)wtl_sweep_judge(&sweep, NULL);
    for (size_t i = 0; i < dynamic->stage_count; i++) {
        double missing = fixed - dynamic->stages[i].from_w;
        if (missing < 0)
            break;
        (void)printf("%s %s below %.0f W", i ? "," : "", name_of(dynamic->stages[i].setting, a),
                     missing);
    }
    (void)printf("\n");
    wtl_sweep_fini(&sweep);
    return 0;
}

/* ---- machines ---- */

enum noise { NORMAL, DRIFT, OUTLIERS, UNEQUAL, NOISES };
static const char *const noise_names[] = {"normal", "drift", "outliers", "unequal"};

struct tally {
    double covered[GOALS], size[GOALS], hit[GOALS], loss[GOALS], rank;
    unsigned n;
};

/* A machine of its own: static share, slope and turbo differ by some per cent. */
static void machine_of(const struct program *p, uint64_t stream, struct truth *ret)
{
    struct program own = *p;
    own.fixed *= 1 + 0.1 * wtl_random_normal(stream, 0);
    own.cubic *= 1 + 0.1 * wtl_random_normal(stream, 1);
    own.turbo_ghz += 0.05 * wtl_random_normal(stream, 2);
    own.a *= 1 + 0.05 * wtl_random_normal(stream, 3);
    for (size_t i = 0; i < SETTINGS; i++) {
        double ghz = i == SETTINGS - 1 ? own.turbo_ghz : 1.2 + 0.1 * (double)i;
        ret->time_s[i] = time_at(&own, ghz);
        /* Firmware and layout of memory make each setting a little different: nothing is smooth. */
        ret->energy_j[i] =
            power_at(&own, ghz) * ret->time_s[i] * (1 + 0.002 * wtl_random_normal(stream, 10 + i));
    }
}

static double noise_of(enum noise kind, uint64_t stream, size_t run, size_t runs, size_t setting)
{
    double value = wtl_random_normal(stream, 2 * run);
    if (kind == DRIFT)
        value += 4 * (double)run / (double)runs;
    else if (kind == OUTLIERS && wtl_random_uniform(stream, 2 * run + 1) < 0.05)
        value += 5;
    else if (kind == UNEQUAL && setting == SETTINGS - 1)
        value *= 2;
    return value;
}

static double rank_correlation(const double *a, const double *b)
{
    double squares = 0;
    for (size_t i = 0; i < SETTINGS; i++) {
        int ra = 0, rb = 0;
        for (size_t k = 0; k < SETTINGS; k++) {
            ra += a[k] < a[i];
            rb += b[k] < b[i];
        }
        squares += (ra - rb) * (ra - rb);
    }
    return 1 - 6 * squares / (SETTINGS * (SETTINGS * SETTINGS - 1.0));
}

static void sweep_machine(const struct truth *truth,
                          enum noise kind,
                          double sd,
                          size_t blocks,
                          double critical,
                          uint64_t stream,
                          struct tally *tally)
{
    double energy[MOST_BLOCKS * SETTINGS], time[MOST_BLOCKS * SETTINGS],
        costs[MOST_BLOCKS * SETTINGS];
    size_t runs = blocks * SETTINGS;
    for (size_t b = 0; b < blocks; b++) {
        size_t order[SETTINGS];
        for (size_t i = 0; i < SETTINGS; i++) {
            size_t k = (size_t)(wtl_random_uniform(~stream, b * SETTINGS + i) * (double)(i + 1));
            order[i] = order[k];
            order[k] = i;
        }
        for (size_t turn = 0; turn < SETTINGS; turn++) {
            size_t i = order[turn], run = b * SETTINGS + turn;
            double noise = sd * noise_of(kind, stream, run, runs, i);
            /* Half of a run's variation is in its time: a slower run also needs more. */
            energy[b * SETTINGS + i] = truth->energy_j[i] * exp(noise);
            time[b * SETTINGS + i] = truth->time_s[i] * exp(0.5 * noise);
        }
    }
    for (int goal = 0; goal < GOALS; goal++) {
        struct wtl_best_group group;
        for (size_t i = 0; i < runs; i++)
            costs[i] = energy[i] * pow(time[i], goal);
        struct wtl_sweep_costs all = {.values = costs,
                                      .blocks = blocks,
                                      .settings = SETTINGS,
                                      .alpha = 0.05,
                                      .critical = critical};
        if (wtl_best_group_find(&all, &group) < 0)
            continue;
        size_t best = best_of(truth, goal);
        tally->covered[goal] += group.in[best];
        tally->size[goal] += (double)group.size;
        tally->hit[goal] += group.best == best;
        tally->loss[goal] += cost(truth, group.best, goal) / cost(truth, best, goal) - 1;
        if (goal == 0)
            tally->rank += rank_correlation(group.mean, truth->energy_j);
    }
    tally->n++;
}

static void machines(unsigned count)
{
    static const double noises[] = {0.002, 0.005, 0.01, 0.02};
    static const size_t sizes[] = {2, 3, 5, 10};
    double least = 1;
    (void)printf("\n%u machines per cell; goals energy / EDP / ED2P\n"
                 "program  noise     sd[%%] blocks runs  in group [%%]        group size       "
                 "best hit [%%]      loss [%%]            rank\n",
                 count);
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        for (int kind = 0; kind < NOISES; kind++)
            for (size_t s = 0; s < sizeof noises / sizeof *noises; s++)
                for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++) {
                    struct tally t = {.n = 0};
                    double critical = wtl_dunnett_critical(
                        SETTINGS - 1, (double)((SETTINGS - 1) * (sizes[b] - 1)), 0.05);
                    if (kind != NORMAL && (s == 0 || s == 3 || b == 0))
                        continue; /* the corners, for the normal noise only */
                    for (unsigned m = 0; m < count; m++) {
                        struct truth truth;
                        machine_of(&programs[p], wtl_random_bits(p + 1, m), &truth);
                        sweep_machine(
                            &truth, (enum noise)kind, noises[s], sizes[b], critical,
                            wtl_random_bits(wtl_random_bits(p * 64 + s * 8 + b, (uint64_t)kind), m),
                            &t);
                    }
                    (void)printf("%-8s %-9s %4.1f   %2zu   %4zu  ", programs[p].name,
                                 noise_names[kind], 100 * noises[s], sizes[b], sizes[b] * SETTINGS);
                    for (int g = 0; g < GOALS; g++) {
                        (void)printf("%6.1f", 100 * t.covered[g] / t.n);
                        least = fmin(least, t.covered[g] / t.n);
                    }
                    (void)printf("  ");
                    for (int g = 0; g < GOALS; g++)
                        (void)printf("%5.1f", t.size[g] / t.n);
                    (void)printf("  ");
                    for (int g = 0; g < GOALS; g++)
                        (void)printf("%6.1f", 100 * t.hit[g] / t.n);
                    (void)printf("  ");
                    for (int g = 0; g < GOALS; g++)
                        (void)printf("%6.2f", 100 * t.loss[g] / t.n);
                    (void)printf("  %.3f\n", t.rank / t.n);
                }
    (void)printf("least coverage of a cell: %.1f %%\n", 100 * least);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 200;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (figure(&programs[i], 100) < 0)
            return 1;
    }
    machines(count > 0 && count < 1000000 ? (unsigned)count : 200);
    return 0;
}
