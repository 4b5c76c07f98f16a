/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model-specific registers that energy tools read, as a table of numbers and contents. Numbers
 * and fields: Intel 64 and IA-32 Architectures SDM volume 4; AMD, Processor Programming Reference
 * for family 17h and 19h, section on RAPL. A real CPU has only its own vendor's registers; without
 * a model both sets are served.
 */
#include <errno.h>

#include "sim/node_tree.h"
#include "sim/tree_parts.h"

enum maker { ANY, INTEL, AMD };

enum meaning {
    M_FIXED,      /* value */
    M_ENERGY,     /* the `domain` counter of this CPU's socket */
    M_CORE_SHARE, /* this CPU's equal share of its socket's cores */
    M_UNITS,      /* power 1/8 W, energy 2^-exp J of the package, time 976 us */
    M_LIMIT,      /* power limit of the package */
    M_CLOCK,      /* counts at the simulated frequency */
    M_STATUS,     /* ratio for the simulated frequency in bits 15:8 */
    M_FILTER,     /* bit 0: RAPL filtering */
};

static const struct reg {
    uint32_t number;
    enum maker maker;
    enum meaning meaning;
    enum wattle_domain domain;
    uint64_t value;
} registers[] = {
    {0x10, ANY, M_CLOCK, WATTLE_DOMAIN_OTHER, 0},                 /* time stamp counter */
    {0xBC, INTEL, M_FILTER, WATTLE_DOMAIN_OTHER, 0},              /* MISC_PACKAGE_CTLS */
    {0xCE, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0x80838F3011900}, /* PLATFORM_INFO: ratio 25 */
    {0xE7, ANY, M_CLOCK, WATTLE_DOMAIN_OTHER, 0},                 /* MPERF */
    {0xE8, ANY, M_CLOCK, WATTLE_DOMAIN_OTHER, 0},                 /* APERF */
    {0x10A, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0xC00},          /* ARCH_CAPABILITIES 10, 11 */
    {0x198, INTEL, M_STATUS, WATTLE_DOMAIN_OTHER, 0},             /* PERF_STATUS */
    {0x199, INTEL, M_STATUS, WATTLE_DOMAIN_OTHER, 0},             /* PERF_CTL */
    {0x19C, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0x88320000},     /* THERM_STATUS: 50 below max */
    {0x1A0, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0x850089},       /* MISC_ENABLE */
    {0x1A2, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0x640000},       /* TEMPERATURE_TARGET: 100 */
    {0x1AD, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0x1919191919191919}, /* TURBO_RATIO_LIMIT: 25 */
    {0x1B1, INTEL, M_FIXED, WATTLE_DOMAIN_OTHER, 0x88320000},         /* PACKAGE_THERM_STATUS */
    {0x606, INTEL, M_UNITS, WATTLE_DOMAIN_PACKAGE, 0},                /* RAPL_POWER_UNIT */
    {0x610, INTEL, M_LIMIT, WATTLE_DOMAIN_PACKAGE, 0x8000},           /* PKG_POWER_LIMIT, enabled */
    {0x611, INTEL, M_ENERGY, WATTLE_DOMAIN_PACKAGE, 0},
    {0x614, INTEL, M_LIMIT, WATTLE_DOMAIN_PACKAGE, 0}, /* PKG_POWER_INFO */
    {0x618, INTEL, M_FIXED, WATTLE_DOMAIN_DRAM, 0},    /* DRAM_POWER_LIMIT: none */
    {0x619, INTEL, M_ENERGY, WATTLE_DOMAIN_DRAM, 0},
    {0x638, INTEL, M_FIXED, WATTLE_DOMAIN_CORE, 0}, /* PP0_POWER_LIMIT: none */
    {0x639, INTEL, M_ENERGY, WATTLE_DOMAIN_CORE, 0},
    {0x640, INTEL, M_FIXED, WATTLE_DOMAIN_UNCORE, 0}, /* PP1_POWER_LIMIT: none */
    {0x641, INTEL, M_ENERGY, WATTLE_DOMAIN_UNCORE, 0},
    {0x64D, INTEL, M_ENERGY, WATTLE_DOMAIN_PSYS, 0},
    {0xC0010299, AMD, M_UNITS, WATTLE_DOMAIN_PACKAGE, 0}, /* RAPL_PWR_UNIT */
    {0xC001029A, AMD, M_CORE_SHARE, WATTLE_DOMAIN_CORE, 0},
    {0xC001029B, AMD, M_ENERGY, WATTLE_DOMAIN_PACKAGE, 0},
};

static const struct reg *find(const struct wtl_tree *tree, uint32_t number)
{
    const struct wtl_cpu_model *model = tree->config.model;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        enum maker maker = registers[i].maker;
        if (registers[i].number == number &&
            (maker == ANY || !model || wtl_cpu_model_is_amd(model) == (maker == AMD)))
            return &registers[i];
    }
    return NULL;
}

/* The register's domain on this CPU's socket; psys is one for the whole machine. */
static int domain_of(const struct wtl_tree *tree,
                     const struct wtl_node *node,
                     const struct reg *reg,
                     int cpu)
{
    int index = reg->domain == WATTLE_DOMAIN_PSYS ? 0 : wtl_tree_socket(tree, cpu);
    return wtl_node_find(node, reg->domain, index);
}

static int read_energy(const struct wtl_tree *tree,
                       struct wtl_node *node,
                       const struct reg *reg,
                       int cpu,
                       uint64_t time_ns,
                       uint64_t *ret_value)
{
    int i = domain_of(tree, node, reg, cpu);
    if (i < 0)
        return -EIO;
    if (reg->meaning == M_ENERGY)
        return wtl_node_raw(node, (size_t)i, time_ns, ret_value) < 0 ? -EIO : 0;
    uint64_t units, cores = (uint64_t)(tree->config.cpus / tree->config.sockets);
    if (wtl_node_units(node, (size_t)i, time_ns, &units) < 0)
        return -EIO;
    *ret_value =
        units / cores & ((UINT64_C(1) << wtl_node_domain(node, (size_t)i)->range_bits) - 1);
    return 0;
}

/* The unit is the package's, else that of any domain except memory. */
static uint64_t energy_unit(const struct wtl_tree *tree,
                            const struct wtl_node *node,
                            const struct reg *reg,
                            int cpu)
{
    int package = domain_of(tree, node, reg, cpu);
    if (package >= 0)
        return wtl_node_domain(node, (size_t)package)->unit_exp;
    for (size_t i = 0; i < wtl_node_count(node); i++) {
        if (wtl_node_domain(node, i)->domain != WATTLE_DOMAIN_DRAM)
            return wtl_node_domain(node, i)->unit_exp;
    }
    return 14;
}

static uint64_t fixed_value(const struct wtl_tree *tree,
                            const struct wtl_node *node,
                            const struct reg *reg,
                            int cpu,
                            uint64_t time_ns)
{
    double ghz = wtl_node_influence(node).f;
    uint64_t since = time_ns - wtl_node_config(node)->start_ns;
    switch (reg->meaning) {
    case M_UNITS:
        return UINT64_C(0xA0003) | energy_unit(tree, node, reg, cpu) << 8;
    case M_LIMIT:
        return (uint64_t)(wtl_node_config(node)->knobs.tdp_w * 8) | reg->value;
    case M_CLOCK:
        return (uint64_t)((double)since * ghz);
    case M_STATUS:
        return (uint64_t)(ghz * 10 + 0.5) << 8;
    case M_FILTER:
        return wtl_node_filtering(node, time_ns);
    default:
        return reg->value;
    }
}

int wtl_tree_msr(const struct wtl_tree *tree,
                 struct wtl_node *node,
                 int cpu,
                 uint32_t reg,
                 uint64_t time_ns,
                 uint64_t *ret_value)
{
    const struct reg *found = find(tree, reg);
    bool energy = found && (found->meaning == M_ENERGY || found->meaning == M_CORE_SHARE);
    if (energy && domain_of(tree, node, found, cpu) < 0)
        found = NULL;
    if (!found) {
        if (!tree->config.msr_zero)
            return -EIO;
        *ret_value = 0;
        return 0;
    }
    if (energy)
        return read_energy(tree, node, found, cpu, time_ns, ret_value);
    *ret_value = fixed_value(tree, node, found, cpu, time_ns);
    return 0;
}
