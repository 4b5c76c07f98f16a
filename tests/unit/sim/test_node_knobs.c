/* SPDX-License-Identifier: BSD-3-Clause */
/* The knobs of the simulated node: what is written, what is shown, the frequency and the power that follow. */
#include "sim/node_knobs.h"

#include <errno.h>
#include <math.h>

#include "sim/memory_world.h"
#include "sim/speed.h"
#include "tap.h"

#define START  UINT64_C(1000000000000)
#define S      UINT64_C(1000000000)
#define POLICY "/sys/devices/system/cpu/cpufreq/policy%d/%s"
#define ZONE   "/sys/class/powercap/intel-rapl:0/"

struct rig {
    struct wtl_node_config config;
    struct wtl_expression *watts;
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *world;
};

/* A node of 1.2 to 2.3 GHz with turbo at 2.8; its package draws 20 + 40*load*f. */
static void rig_open(struct rig *rig, enum wtl_scaling_driver driver, int per_policy)
{
    struct wattle_error err = {""};
    *rig = (struct rig){.config = wtl_node_config_init(START)};
    (void)wtl_expression_compile("20+40*load*f", wtl_power_variables, WTL_POWER_VARIABLES,
                                 &rig->watts, &err);
    struct wtl_node_config *c = &rig->config;
    c->domains[0] = wtl_node_domain_init(WATTLE_DOMAIN_PACKAGE, 0, rig->watts, 3);
    c->domain_count = 1;
    c->f = 2.3;
    c->load = 1;
    c->knobs.driver = driver;
    c->knobs.low_ghz = 1.2;
    c->knobs.turbo_ghz = 2.8;
    c->knobs.cpus = 4;
    c->knobs.cpus_per_policy = per_policy;
    struct wtl_tree_config tree = wtl_tree_config_init();
    tree.views |= WTL_VIEW_CPUFREQ;
    tree.cpus = 4;
    struct wtl_memory_config memory = wtl_memory_config_init(START, 7);
    memory.open_cost_ns = memory.pread_cost_ns = memory.late_ns = memory.late_tail_ns = 0;
    if (wtl_node_create(c, &rig->node, &err) < 0 ||
        wtl_tree_create(&tree, c, &rig->tree, &err) < 0 ||
        wtl_memory_world_create(rig->node, rig->tree, &memory, &rig->world, &err) < 0)
        diag("%s", err.text);
}

static void rig_close(struct rig *rig)
{
    wtl_memory_world_destroy(rig->world);
    wtl_tree_destroy(rig->tree);
    wtl_node_destroy(rig->node);
    wtl_expression_destroy(rig->watts);
}

static const char *shown(const struct rig *rig, int policy, const char *name)
{
    static char text[256], path[128];
    (void)snprintf(path, sizeof path, POLICY, policy, name);
    return wtl_world_text(rig->world, path, text, sizeof text) < 0 ? "" : text;
}

static int write_to(const struct rig *rig, int policy, const char *name, const char *value)
{
    char path[128];
    (void)snprintf(path, sizeof path, POLICY, policy, name);
    return wtl_world_put(rig->world, path, value);
}

static void write_all(const struct rig *rig, int step, const char *name, const char *value)
{
    for (int cpu = 0; cpu < 4; cpu += step)
        is_int(write_to(rig, cpu, name, value), 0, "write %s to %s", value, name);
}

static double f_of(const struct rig *rig)
{
    return wtl_node_influence(rig->node).f;
}

static void check_acpi(void)
{
    struct rig rig;
    rig_open(&rig, WTL_SCALING_ACPI, 1);
    is_str(shown(&rig, 0, "scaling_governor"), "ondemand",
           "without a request the governor decides");
    is_double(f_of(&rig), 2.8, 1e-9, "and takes the highest, turbo");
    is_str(
        shown(&rig, 0, "scaling_available_frequencies"),
        "2301000 2300000 2200000 2100000 2000000 1900000 1800000 1700000 1600000 1500000 1400000 "
        "1300000 1200000",
        "turbo is a state above the nominal one");
    is_int(write_to(&rig, 0, "scaling_setspeed", "1500000"), -EINVAL, "only with userspace");
    is_str(shown(&rig, 0, "scaling_setspeed"), "<unsupported>", "as it shows");
    is_int(write_to(&rig, 0, "scaling_governor", "turbo"), -EINVAL, "an unknown governor");
    is_int(write_to(&rig, 0, "affected_cpus", "1"), -EACCES, "a file that cannot be written");
    is_int(write_to(&rig, 0, "scaling_max_freq", "fast"), -EINVAL, "not a number");
    is_int(write_to(&rig, 0, "scaling_max_freq", "2e6"), -EINVAL, "nor this");
    write_all(&rig, 1, "scaling_governor", "userspace\n");
    write_all(&rig, 1, "scaling_setspeed", "1500000\n");
    is_double(f_of(&rig), 1.5, 1e-9, "all at 1.5 GHz");
    is_int(write_to(&rig, 2, "scaling_setspeed", "2300000"), 0, "one at 2.3");
    is_double(f_of(&rig), (3 * 1.5 + 2.3) / 4, 1e-9, "f is the mean over the CPUs");
    is_int(write_to(&rig, 2, "scaling_setspeed", "1510000"), 0, "between two states");
    is_str(shown(&rig, 2, "scaling_cur_freq"), "1600000", "the next higher");
    write_all(&rig, 1, "scaling_setspeed", "2301000");
    is_double(f_of(&rig), 2.8, 1e-9, "turbo by its state");
    is_int(wtl_world_put(rig.world, "/sys/devices/system/cpu/cpufreq/boost", "0"), 0, "turbo off");
    is_double(f_of(&rig), 2.3, 1e-9, "the nominal frequency");
    write_all(&rig, 1, "scaling_governor", "performance");
    write_all(&rig, 1, "scaling_max_freq", "1950000");
    is_double(f_of(&rig), 1.9, 1e-9, "the state below a maximum");
    write_all(&rig, 1, "scaling_min_freq", "2200000");
    is_str(shown(&rig, 0, "scaling_min_freq"), "1950000", "a minimum is never above the maximum");
    write_all(&rig, 1, "scaling_governor", "powersave");
    write_all(&rig, 1, "scaling_min_freq", "100");
    is_str(shown(&rig, 0, "scaling_min_freq"), "1200000", "clamped to the range");
    is_double(f_of(&rig), 1.2, 1e-9, "powersave is the lowest");
    rig_close(&rig);
}

static void check_policies(void)
{
    struct rig rig;
    rig_open(&rig, WTL_SCALING_ACPI, 2);
    is_str(shown(&rig, 2, "affected_cpus"), "2 3", "CPUs that change together");
    write_all(&rig, 2, "scaling_governor", "userspace");
    is_int(wtl_world_put(rig.world, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_setspeed",
                         "1300000"),
           0, "by the link of one of them");
    is_str(shown(&rig, 2, "scaling_cur_freq"), "1300000", "changes the policy");
    rig_close(&rig);
}

static void check_pstate(void)
{
    struct rig rig;
    rig_open(&rig, WTL_SCALING_INTEL, 1);
    is_str(shown(&rig, 0, "scaling_driver"), "intel_pstate", "driver");
    is_str(shown(&rig, 0, "cpuinfo_max_freq"), "2800000", "the range includes turbo");
    is_str(shown(&rig, 0, "base_frequency"), "2300000", "the nominal frequency");
    is_int(write_to(&rig, 0, "scaling_governor", "userspace"), -EINVAL, "no userspace");
    is_double(f_of(&rig), 2.8, 1e-9, "powersave, busy: the highest");
    is_int(write_to(&rig, 0, "energy_performance_preference", "power"), 0, "EPP");
    is_str(shown(&rig, 0, "energy_performance_preference"), "power", "is kept");
    is_int(write_to(&rig, 0, "scaling_governor", "performance"), 0, "performance");
    is_int(write_to(&rig, 0, "energy_performance_preference", "power"), -EBUSY, "fixes EPP");
    is_int(wtl_world_put(rig.world, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1"), 0,
           "no_turbo");
    is_double(f_of(&rig), 2.3, 1e-9, "the nominal frequency");
    write_all(&rig, 1, "scaling_max_freq", "1234000");
    is_double(f_of(&rig), 1.234, 1e-9, "a range has no steps");
    rig_close(&rig);
}

/* 20 + 40*load*f <= limit: f = (limit - 20) / 40 at load 1. */
static void check_limit(void)
{
    struct rig rig;
    rig_open(&rig, WTL_SCALING_ACPI, 1);
    uint64_t at = wtl_memory_world_time(rig.world);
    is_double(wtl_node_power_w(rig.node, 0, at), 132, 1e-9, "20 + 40*2.8");
    wtl_memory_world_advance(rig.world, S);
    is_int(wtl_world_put(rig.world, ZONE "constraint_0_power_limit_uw", "100000000"), 0, "100 W");
    uint64_t limited = wtl_memory_world_time(rig.world);
    is_double(f_of(&rig), 2, 1e-6, "f falls to (100 - 20) / 40");
    is_str(shown(&rig, 0, "scaling_cur_freq"), "2000000", "and is shown");
    wtl_memory_world_advance(rig.world, S);
    is_double(wtl_node_energy_j(rig.node, 0, limited, limited + S), 100, 1e-6, "100 J in a second");
    is_int(wtl_node_set_load(rig.node, wtl_memory_world_time(rig.world), 0.5), 0, "load 0.5");
    is_double(f_of(&rig), 2.8, 1e-9, "20 + 40*0.5*2.8 is within it");
    is_int(wtl_node_set_load(rig.node, wtl_memory_world_time(rig.world), 1), 0, "load 1");
    is_int(wtl_world_put(rig.world, ZONE "constraint_1_power_limit_uw", "90000000"), 0,
           "the short-term limit");
    is_double(f_of(&rig), 1.75, 1e-6, "the lower one counts");
    is_int(wtl_world_put(rig.world, ZONE "constraint_0_power_limit_uw", "1"), 0,
           "a limit that cannot be met");
    is_double(f_of(&rig), 1.2, 1e-9, "the lowest frequency");
    is_int(wtl_world_put(rig.world, ZONE "enabled", "0"), 0, "not enabled");
    is_double(f_of(&rig), 2.8, 1e-9, "is not enforced");
    is_int(wtl_world_put(rig.world, ZONE "constraint_0_time_window_us", "x"), -EINVAL,
           "a window that is not a number");
    rig_close(&rig);
}

static void check_speed(void)
{
    static const struct {
        const char *text;
        double at_12, at_23; /* of a node with turbo at 2.8 */
    } rows[] = {
        {"f/top", 1.2 / 2.8, 2.3 / 2.8},
        {"linpack", 1 / (0.1 + 0.9 * 2.8 / 1.2), 1 / (0.1 + 0.9 * 2.8 / 2.3)},
        {"network", 1 / (0.85 + 0.15 * 2.8 / 1.2), 1 / (0.85 + 0.15 * 2.8 / 2.3)},
        {"memory", 1 / (0.95 + 0.05 * 2.8 / 1.2 + 0.35 * (0.7 * 2.8 / 1.2 - 1)),
         1 / (0.95 + 0.05 * 2.8 / 2.3)},
        {"0", WTL_SPEED_LEAST, WTL_SPEED_LEAST},
        {"f/base*9", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        struct wtl_expression *speed = NULL;
        rig_open(&rig, WTL_SCALING_ACPI, 4);
        is_int(wtl_speed_compile(rows[i].text, &speed, NULL), 0, "%s", rows[i].text);
        if (rows[i].text[0] != '0')
            is_double(wtl_speed_of(speed, rig.node), 1, 1e-9, "full speed at the top");
        write_all(&rig, 4, "scaling_governor", "userspace");
        write_all(&rig, 4, "scaling_setspeed", "1200000");
        is_double(wtl_speed_of(speed, rig.node), rows[i].at_12, 1e-9, "at 1.2 GHz");
        write_all(&rig, 4, "scaling_setspeed", "2300000");
        is_double(wtl_speed_of(speed, rig.node), rows[i].at_23, 1e-9, "at 2.3 GHz");
        wtl_expression_destroy(speed);
        rig_close(&rig);
    }
    struct wtl_expression *none;
    struct wattle_error err = {""};
    is_int(wtl_speed_compile("ghz", &none, &err), -EINVAL, "an unknown variable");
    ok(strstr(err.text, "linpack, network, memory") != NULL, "the presets are named: %s", err.text);
}

/* Late wake-ups do not add up: the part of the time spent running is the speed. */
static void check_duty(void)
{
    struct wtl_duty duty = {0};
    double ran = 0, rested = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t on = 10000000 + (uint64_t)(i * 7919 % 3000000);
        uint64_t rest = wtl_duty_rest_ns(&duty, 0.3, on);
        ran += (double)on;
        if (rest == 0)
            continue;
        rest += (uint64_t)(i * 104729 % 9000000); /* late */
        wtl_duty_rested(&duty, rest);
        rested += (double)rest;
    }
    is_double(ran / (ran + rested), 0.3, 0.001, "running for 0.3 of the time");
    is_int(wtl_duty_rest_ns(&duty, 1, 10000000), 0, "none at full speed");
}

int main(void)
{
    check_acpi();
    check_policies();
    check_pstate();
    check_limit();
    check_speed();
    check_duty();
    return done_testing();
}
