/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of files: names as in the kernel, and two views of the same raw counter. */
#include "sim/node_tree.h"

#include <errno.h>

#include "tap.h"

#define START UINT64_C(1000000000000)
#define S     UINT64_C(1000000000)

struct rig {
    struct wtl_expression *watts[2];
    struct wtl_node *node;
    struct wtl_tree *tree;
};

/* Two sockets of package, core and dram; psys; node. */
static void rig_open(struct rig *rig, const char *cpu, bool msr_zero)
{
    static const enum wattle_domain of_socket[] = {WATTLE_DOMAIN_PACKAGE, WATTLE_DOMAIN_DRAM,
                                                   WATTLE_DOMAIN_CORE};
    struct wtl_node_config config = wtl_node_config_init(START);
    struct wattle_error err = {""};
    (void)wtl_expression_compile("100+50*socket", wtl_power_variables, WTL_POWER_VARIABLES,
                                 &rig->watts[0], &err);
    (void)wtl_expression_compile("8", wtl_power_variables, WTL_POWER_VARIABLES, &rig->watts[1],
                                 &err);
    for (int socket = 0; socket < 2; socket++) {
        for (int i = 0; i < 3; i++)
            config.domains[config.domain_count++] =
                wtl_node_domain_init(of_socket[i], socket, rig->watts[i > 0], 3);
    }
    config.domains[config.domain_count++] =
        wtl_node_domain_init(WATTLE_DOMAIN_PSYS, 0, rig->watts[0], 3);
    config.domains[1].unit_exp = config.domains[4].unit_exp = 16;
    struct wtl_tree_config tree = wtl_tree_config_init();
    tree.views = 0x7f;
    tree.cpus = config.knobs.cpus = 4;
    tree.sockets = 2;
    tree.msr_zero = msr_zero;
    tree.model = cpu ? wtl_cpu_model_find(cpu) : NULL;
    if (wtl_node_create(&config, &rig->node, &err) < 0 ||
        wtl_tree_create(&tree, &config, &rig->tree, &err) < 0)
        diag("%s", err.text);
}

static void rig_close(struct rig *rig)
{
    wtl_tree_destroy(rig->tree);
    wtl_node_destroy(rig->node);
    wtl_expression_destroy(rig->watts[0]);
    wtl_expression_destroy(rig->watts[1]);
}

/* The text of a file at START + after; "" if there is none. */
static const char *text_at(struct rig *rig, const char *path, uint64_t after)
{
    static char text[8192];
    char buf[WTL_TREE_TEXT];
    const char *got = "";
    int entry = wtl_tree_find(rig->tree, path, true);
    ssize_t n =
        entry < 0 ? entry : wtl_tree_text(rig->tree, rig->node, entry, START + after, buf, &got);
    snprintf(text, sizeof text, "%.*s", n > 0 ? (int)n : 0, got);
    return text;
}

#define RAPL "/sys/class/powercap/"

static void check_names(struct rig *rig)
{
    static const struct {
        int line;
        const char *path, *text;
    } rows[] = {
        {__LINE__, RAPL "intel-rapl/enabled", "1\n"},
        {__LINE__, RAPL "intel-rapl:0/name", "package-0\n"},
        {__LINE__, RAPL "intel-rapl:0:0/name", "core\n"},
        {__LINE__, RAPL "intel-rapl:0:1/name", "dram\n"},
        {__LINE__, RAPL "intel-rapl:1/name", "package-1\n"},
        {__LINE__, RAPL "intel-rapl:1:1/name", "dram\n"},
        {__LINE__, RAPL "intel-rapl:2/name", "psys\n"},
        {__LINE__, RAPL "intel-rapl:0/intel-rapl:0:1/name", "dram\n"},
        {__LINE__, RAPL "intel-rapl/intel-rapl:1/intel-rapl:1:0/../name", "package-1\n"},
        {__LINE__, RAPL "intel-rapl:0/max_energy_range_uj", "262143999938\n"},
        {__LINE__, RAPL "intel-rapl:0:1/max_energy_range_uj", "65535999984\n"},
        {__LINE__, RAPL "intel-rapl:0/constraint_0_name", "long_term\n"},
        {__LINE__, RAPL "intel-rapl:0/constraint_0_power_limit_uw", "150000000\n"},
        {__LINE__, "/sys/class/hwmon/hwmon0/power1_label", "package-0\n"},
        {__LINE__, "/sys/class/hwmon/hwmon0/power3_input", "150000000\n"},
        {__LINE__, "/sys/class/hwmon/hwmon0/update_interval", "1\n"},
        {__LINE__, "/sys/devices/system/cpu/online", "0-3\n"},
        {__LINE__, "/sys/devices/system/cpu/cpu3/topology/physical_package_id", "1\n"},
        {__LINE__, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2500000\n"},
        {__LINE__, "/sys/cray/pm_counters/power", "266 W 1002000000 us\n"},
        {__LINE__, "/sys/cray/pm_counters/cpu_energy", "500 J 1002000000 us\n"},
        {__LINE__, "/sys/cray/pm_counters/memory_power", "16 W 1002000000 us\n"},
        {__LINE__, "/sys/cray/pm_counters/freshness", "20\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        is_str(text_at(rig, rows[i].path, 2 * S), rows[i].text, "%s", rows[i].path);
    }
    tap_line = 0;
    is_int(wtl_tree_find(rig->tree, "/sys/class/nothing", true), -ENOENT, "what is not there");
    is_int(wtl_tree_find(rig->tree, RAPL "intel-rapl:0/name/x", true), -ENOTDIR, "below a file");
    int link = wtl_tree_find(rig->tree, RAPL "intel-rapl:0:1", false);
    ok(link >= 0 && wtl_tree_entry(rig->tree, link)->kind == WTL_ENTRY_LINK, "zones are links");
    ok(strstr(text_at(rig, "/proc/cpuinfo", 0), "physical id\t: 1") != NULL,
       "cpuinfo has 2 sockets");
}

/* energy_uj is raw * 10^6 >> exp of the register's value, at every instant. */
static void check_views(struct rig *rig)
{
    static const struct {
        int line;
        const char *path;
        uint32_t reg;
        int cpu;
        unsigned exp;
    } rows[] = {
        {__LINE__, RAPL "intel-rapl:0/energy_uj", 0x611, 0, 14},
        {__LINE__, RAPL "intel-rapl:1/energy_uj", 0x611, 3, 14},
        {__LINE__, RAPL "intel-rapl:1:0/energy_uj", 0x639, 2, 14},
        {__LINE__, RAPL "intel-rapl:0:1/energy_uj", 0x619, 1, 16},
        {__LINE__, RAPL "intel-rapl:2/energy_uj", 0x64D, 3, 14},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int differences = 0;
        tap_line = rows[i].line;
        for (uint64_t t = 0; t < S; t += 1234567) {
            uint64_t raw = 0;
            differences +=
                wtl_tree_msr(rig->tree, rig->node, rows[i].cpu, rows[i].reg, START + t, &raw) != 0;
            uint64_t uj = strtoull(text_at(rig, rows[i].path, t), NULL, 10);
            differences += uj != raw * 1000000 >> rows[i].exp;
        }
        is_int(differences, 0, "register %x of CPU %d is %s", rows[i].reg, rows[i].cpu,
               rows[i].path);
    }
    tap_line = 0;
}

static void check_registers(struct rig *rig)
{
    uint64_t value = 99;
    is_int(wtl_tree_msr(rig->tree, rig->node, 0, 0x606, START, &value), 0, "units");
    is_int(value, 0xA0E03, "1/8 W, 2^-14 J, 976 us");
    is_int(wtl_tree_msr(rig->tree, rig->node, 0, 0x641, START, &value), -EIO, "no uncore");
    is_int(wtl_tree_msr(rig->tree, rig->node, 0, 0x12345, START, &value), -EIO, "no such register");
    is_int(wtl_tree_msr(rig->tree, rig->node, 0, 0xC001029B, START, &value), -EIO, "not AMD's");
}

static void check_amd(void)
{
    struct rig rig = {0};
    uint64_t package = 0, core = 0, whole = 0;
    rig_open(&rig, "zen2", true);
    is_int(wtl_tree_msr(rig.tree, rig.node, 2, 0xC001029B, START + S, &package), 0,
           "AMD's package");
    (void)wtl_node_raw(rig.node, 3, START + S, &whole);
    is_int(package, whole, "is package-1 for CPU 2");
    is_int(wtl_tree_msr(rig.tree, rig.node, 0, 0xC001029A, START + S, &core), 0, "AMD's core");
    (void)wtl_node_raw(rig.node, 2, START + S, &whole);
    is_int(core, whole / 2, "has its share of the cores");
    is_int(wtl_tree_msr(rig.tree, rig.node, 0, 0x611, START, &whole), 0, "unknown ones can be 0");
    is_int(whole, 0, "and are");
    ok(strstr(text_at(&rig, "/proc/cpuinfo", 0), "AuthenticAMD") != NULL, "cpuinfo says AMD");
    rig_close(&rig);
}

static void check_models(void)
{
    for (unsigned i = 0; wtl_cpu_model_row(i); i++) {
        const struct wtl_cpu_model *row = wtl_cpu_model_row(i);
        ok(wtl_cpu_model_find(row->name) == row, "%s is found by its name", row->name);
    }
    ok(!wtl_cpu_model_find("8086"), "an unknown one is not");
}

int main(void)
{
    struct rig rig = {0};
    rig_open(&rig, "skylake-sp", false);
    check_names(&rig);
    check_views(&rig);
    check_registers(&rig);
    rig_close(&rig);
    check_amd();
    check_models();
    return done_testing();
}
