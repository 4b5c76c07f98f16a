/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact regions of 10 ms in virtual time, on a node of constant power whose reads are as slow as those of a simulated
 * node: if nothing interrupts the polls, each is known to 2 %, and says so; if something does, its interval is wider,
 * and holds. test_exact.c uses them as a program does, in real time.
 */
#include <wattle/exact.h>

#include <math.h>

#include "base/world/world.h"
#include "sim/memory_world.h"
#include "tap.h"

#define START_NS  UINT64_C(1000000000000)
#define MS        UINT64_C(1000000)
#define PACKAGE_W "50"
#define DRAM_W    "5"

enum { REGIONS = 64, DOMAINS = 2 };

struct setting {
    int line;
    const char *name;
    double preempt_probability, preempt_ms; /* of a read */
};

static const struct setting settings[] = {
    {__LINE__, "nothing interrupts", 0, 0},
    {__LINE__, "busy", 0.02, 4},
    {__LINE__, "busier", 0.1, 12},
};

struct rig {
    struct wtl_expression *watts[DOMAINS];
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *world;
};

/* The world of the library: the linker has it called in place of wtl_world_library(). */
const struct wtl_world *__wrap_wtl_world_library(void);
static const struct wtl_world *in_use;

const struct wtl_world *__wrap_wtl_world_library(void)
{
    return in_use;
}

static int rig_open(struct rig *rig, const struct setting *setting, uint64_t seed)
{
    static const char *const watts[DOMAINS] = {PACKAGE_W, DRAM_W};
    struct wtl_node_config config = wtl_node_config_init(START_NS);
    struct wtl_tree_config tree = wtl_tree_config_init();
    struct wtl_memory_config memory = wtl_memory_config_init(START_NS + 20 * MS, seed);
    struct wattle_error err = {""};
    int rc = 0;
    *rig = (struct rig){0};
    config.seed = seed;
    memory.pread_cost_ns = 25000;
    memory.preempt_probability = setting->preempt_probability;
    memory.preempt_ns = (uint64_t)(setting->preempt_ms * 1e6);
    for (unsigned i = 0; rc == 0 && i < DOMAINS; i++) {
        rc = wtl_expression_compile(watts[i], wtl_power_variables, WTL_POWER_VARIABLES,
                                    &rig->watts[i], &err);
        config.domains[i] = wtl_node_domain_init(i ? WATTLE_DOMAIN_DRAM : WATTLE_DOMAIN_PACKAGE, 0,
                                                 rig->watts[i], seed * DOMAINS + i);
    }
    config.domain_count = DOMAINS;
    rc = rc < 0 ? rc : wtl_node_create(&config, &rig->node, &err);
    rc = rc < 0 ? rc : wtl_tree_create(&tree, &config, &rig->tree, &err);
    rc = rc < 0 ? rc : wtl_memory_world_create(rig->node, rig->tree, &memory, &rig->world, &err);
    if (rc < 0)
        diag("%s", err.text);
    in_use = rig->world;
    return rc;
}

static void rig_close(struct rig *rig)
{
    wtl_memory_world_destroy(rig->world);
    wtl_tree_destroy(rig->tree);
    wtl_node_destroy(rig->node);
    for (size_t i = 0; i < DOMAINS; i++)
        wtl_expression_destroy(rig->watts[i]);
}

struct series {
    int regions, narrow, within, far;
};

static void add_region(struct series *series, struct rig *rig, struct wattle_exact *exact)
{
    struct wattle_summary total = {.size = sizeof total};
    struct wattle_error err = {""};
    int rc = wattle_exact_begin(exact, "solve", &err);
    uint64_t from_ns = wtl_memory_world_time(rig->world);
    wtl_memory_world_advance(rig->world, 10 * MS);
    rc = rc < 0 ? rc : wattle_exact_end(exact, &err);
    rc = rc < 0 ? rc : wattle_exact_total(exact, &total, NULL, NULL, &err);
    if (!is_int(rc, 0, "a region: %s", err.text))
        return;
    double true_j = 0;
    for (size_t i = 0; i < DOMAINS; i++)
        true_j += wtl_node_energy_j(rig->node, i, from_ns, from_ns + total.window_ns);
    double error_j = fabs(total.energy_j - true_j), half_j = total.resolution_interval_j;
    series->regions++;
    series->narrow += half_j < 0.02 * true_j;
    series->within += error_j <= half_j;
    series->far += error_j > 3 * half_j;
}

static void test_series(const struct setting *setting)
{
    struct series series = {0};
    tap_line = setting->line;
    for (uint64_t seed = 1; seed <= REGIONS; seed++) {
        struct rig rig;
        struct wattle_exact *exact = NULL;
        struct wattle_error err = {""};
        if (rig_open(&rig, setting, seed) == 0 &&
            is_int(wattle_exact_open("powercap", &exact, &err), 0, "open: %s", err.text))
            add_region(&series, &rig, exact);
        wattle_exact_close(exact);
        rig_close(&rig);
    }
    is_int(series.regions, REGIONS, "%s: all were measured", setting->name);
    diag("%s: of %d regions %d are known to 2 %%, %d intervals hold, %d are far off", setting->name,
         series.regions, series.narrow, series.within, series.far);
    if (setting->preempt_probability == 0)
        is_int(series.narrow, REGIONS, "10 ms are known to 2 %%, and the interval says so");
    else
        ok(series.narrow < REGIONS, "%s: a wider interval, if need be", setting->name);
    ok(series.within >= 0.92 * REGIONS, "%s: intervals of 95 %%: %d of %d hold", setting->name,
       series.within, REGIONS);
    ok(series.far <= 0.02 * REGIONS, "%s: %d are far off", setting->name, series.far);
    tap_line = 0;
}

int main(void)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        test_series(&settings[i]);
    return done_testing();
}
