/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver "msr": RAPL registers of Intel and AMD processors, read through /dev/cpu/N/msr on one CPU of each
 * package (AMD: also on one CPU of each core). rapl_table.c defines which registers exist and the unit of
 * their ticks. It comes after perf and powercap, which get this information from the kernel, and is used if
 * the kernel has neither. Nothing is ever written.
 */
#include "sensors/msr.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/world/topology.h"
#include "model/bound.h"
#include "sensors/rapl_table.h"
#include "source/cpuinfo.h"
#include "source/driver.h"

#define INTEL_UNIT   0x606u
#define AMD_UNIT     0xC0010299u
#define POWER_INFO   0x614u
#define ARCH_CAPS    0x10au
#define PACKAGE_CTLS 0xbcu
#define HAS_CTLS     (1u << 11) /* in ARCH_CAPS: Intel SDM vol. 4, IA32_ARCH_CAPABILITIES */
#define FILTERING    1u         /* in PACKAGE_CTLS: ENERGY_FILTERING_ENABLE */
#define COUNTER_MASK UINT64_C(0xffffffff)
#define REFRESH_NS   976563  /* Intel SDM vol. 3B, 15.10.3; AMD PPR 55803: 1 ms */
#define SETTLE_NS    3000000 /* three updates of a counter */

struct counter {
    int fd; /* one of the CPUs' below */
    uint32_t reg;
};

struct msr {
    int *fds; /* opened CPUs, to be closed at the end */
    size_t fd_count;
    struct counter *counters; /* parallel to the source's channels */
    size_t count;
};

/* A register for one of the table's domains. */
struct rapl_register {
    unsigned flag;
    uint32_t intel, amd; /* 0 = none */
    enum wattle_domain domain;
    const char *label;
};

static const struct rapl_register registers[] = {
    {WTL_RAPL_PACKAGE, 0x611, 0xC001029Bu, WATTLE_DOMAIN_PACKAGE, "PKG_ENERGY_STATUS"},
    {WTL_RAPL_CORE, 0x639, 0, WATTLE_DOMAIN_CORE, "PP0_ENERGY_STATUS"},
    {WTL_RAPL_UNCORE, 0x641, 0, WATTLE_DOMAIN_UNCORE, "PP1_ENERGY_STATUS"},
    {WTL_RAPL_DRAM, 0x619, 0, WATTLE_DOMAIN_DRAM, "DRAM_ENERGY_STATUS"},
    {WTL_RAPL_PSYS, 0x64d, 0, WATTLE_DOMAIN_PSYS, "PLATFORM_ENERGY_STATUS"},
    {WTL_RAPL_PER_CORE, 0, 0xC001029Au, WATTLE_DOMAIN_CORE, "CORE_ENERGY_STATUS"},
};

/* State of the search for counters. */
struct search {
    struct wtl_source *source;
    const struct wtl_rapl_model *model;
    struct wtl_topology topology;
    uint64_t unit; /* the unit register */
    double max_w;
    int failure; /* the first failure to open a CPU */
};

static uint32_t register_of(const struct wtl_rapl_model *model, const struct rapl_register *reg)
{
    return model->vendor == WTL_RAPL_AMD ? reg->amd : reg->intel;
}

static enum wtl_rapl_unit unit_of(const struct wtl_rapl_model *model, enum wattle_domain domain)
{
    if (domain == WATTLE_DOMAIN_DRAM)
        return model->dram_unit;
    return domain == WATTLE_DOMAIN_PSYS ? model->psys_unit : model->unit;
}

/* Whether the register counts. One that reads 0 twice, several updates apart, does not. */
static int counts(const struct wtl_world *world, int fd, uint32_t reg)
{
    uint64_t value;
    if (world->ops->msr_read(world, fd, reg, &value) < 0)
        return 0;
    if ((value & COUNTER_MASK) == 0) {
        (void)world->ops->sleep_until(world, wtl_world_monotonic(world) + SETTLE_NS);
        if (world->ops->msr_read(world, fd, reg, &value) < 0)
            return 0;
    }
    return (value & COUNTER_MASK) != 0;
}

static int add_counter(struct search *search,
                       const struct wtl_cpu *cpu,
                       int fd,
                       int sub,
                       const struct rapl_register *reg)
{
    struct msr *state = search->source->impl;
    uint32_t number = register_of(search->model, reg);
    struct wattle_channel channel =
        wtl_channel_init(reg->domain, cpu->package, WATTLE_ENERGY, WATTLE_COUNTER);
    channel.sub = sub;
    channel.scale = wtl_rapl_unit_j(unit_of(search->model, reg->domain), search->unit);
    channel.modulus = COUNTER_MASK + 1;
    channel.refresh_ns = REFRESH_NS;
    channel.max_w = reg->domain == WATTLE_DOMAIN_PACKAGE ? search->max_w : 0;
    (void)snprintf(channel.location, sizeof channel.location, "/dev/cpu/%d/msr 0x%x", cpu->number,
                   (unsigned)number);
    (void)snprintf(channel.label, sizeof channel.label, "%s", reg->label);
    if (wtl_grow(&state->counters, state->count, sizeof *state->counters) < 0)
        return -ENOMEM;
    int rc = wtl_source_add(search->source, &channel);
    if (rc < 0)
        return rc;
    state->counters[state->count++] = (struct counter){.fd = fd, .reg = number};
    return 0;
}

/* Open the registers of a CPU; the driver owns the descriptor. */
static int open_cpu(struct search *search, const struct wtl_cpu *cpu)
{
    const struct wtl_world *world = search->source->world;
    struct msr *state = search->source->impl;
    int fd = world->ops->msr_open(world, cpu->number);
    if (fd < 0) {
        if (search->failure == 0)
            search->failure = fd;
        return fd;
    }
    if (wtl_grow(&state->fds, state->fd_count, sizeof *state->fds) < 0) {
        world->ops->close(world, fd);
        return -ENOMEM;
    }
    state->fds[state->fd_count++] = fd;
    return fd;
}

/* Read the unit register once; and power info for a bound if Intel provides it. */
static int read_units(struct search *search, int fd)
{
    const struct wtl_world *world = search->source->world;
    int is_amd = search->model->vendor == WTL_RAPL_AMD;
    uint64_t info;
    int rc = world->ops->msr_read(world, fd, is_amd ? AMD_UNIT : INTEL_UNIT, &search->unit);
    if (rc < 0)
        return rc;
    if (search->unit == 0)
        return -ENODEV; /* returned by hypervisors for unsupported registers */
    if (!is_amd && world->ops->msr_read(world, fd, POWER_INFO, &info) == 0) {
        double power_unit = ldexp(1.0, -(int)(search->unit & 0xf));
        search->max_w = wtl_bound_of_limit_w(power_unit * (double)(info & 0x7fff));
    }
    return 0;
}

/* Whether the package of this CPU has several dies. */
static int has_dies(const struct wtl_topology *topology, const struct wtl_cpu *cpu)
{
    for (size_t i = 0; i < topology->count; i++) {
        if (topology->cpus[i].package == cpu->package && topology->cpus[i].die != cpu->die)
            return 1;
    }
    return 0;
}

/* Add the registers to be read on this CPU. */
static int add_counters(struct search *search, const struct wtl_cpu *cpu, int fd, unsigned domains)
{
    int die = search->model->per_die && has_dies(&search->topology, cpu) ? cpu->die : -1;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        const struct rapl_register *reg = &registers[i];
        if (!(domains & reg->flag) ||
            !counts(search->source->world, fd, register_of(search->model, reg)))
            continue;
        int sub = reg->flag == WTL_RAPL_PER_CORE ? cpu->core : die;
        int rc = add_counter(search, cpu, fd, sub, reg);
        if (rc == -ENOMEM)
            return rc;
    }
    return 0;
}

/* Open a CPU if it is the first of its package, die or core, and add its registers. */
static int search_cpu(struct search *search, size_t at)
{
    const struct wtl_cpu *cpu = &search->topology.cpus[at];
    unsigned domains = 0;
    if (search->model->per_die ? cpu->first_of_die : cpu->first_of_package)
        domains |= search->model->domains & ~(unsigned)WTL_RAPL_PER_CORE;
    if (cpu->core >= 0 && cpu->first_of_core)
        domains |= search->model->domains & WTL_RAPL_PER_CORE;
    if (!domains)
        return 0;
    int fd = open_cpu(search, cpu);
    if (fd < 0)
        return fd == -ENOMEM ? fd : 0;
    int rc = search->unit ? 0 : read_units(search, fd);
    return rc < 0 ? rc : add_counters(search, cpu, fd, domains);
}

/* Find the table's row for this processor. */
static int find_model(const struct wtl_world *world,
                      const struct wtl_rapl_model **ret_row,
                      struct wtl_cpuinfo *ret_cpu,
                      struct wattle_error *err)
{
    struct wtl_cpuinfo cpu;
    int rc = wtl_cpuinfo_read(world, &cpu);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0 || cpu.family < 0)
        return wtl_fail(err, -ENODEV, "msr: not an x86 processor");
    enum wtl_rapl_vendor vendor =
        strcmp(cpu.vendor, "GenuineIntel") == 0 ? WTL_RAPL_INTEL : WTL_RAPL_AMD;
    if (vendor == WTL_RAPL_AMD && strcmp(cpu.vendor, "AuthenticAMD") != 0 &&
        strcmp(cpu.vendor, "HygonGenuine") != 0)
        return wtl_fail(err, -ENODEV, "msr: processors of %s are not supported", cpu.vendor);
    const struct wtl_rapl_model *row =
        wtl_rapl_find(vendor, (unsigned)cpu.family, (unsigned)cpu.model);
    if (!row)
        return wtl_fail(err, -ENODEV,
                        "msr: no RAPL registers known for %s family %d model %d; use perf or "
                        "powercap with a kernel that supports the processor",
                        cpu.vendor, cpu.family, cpu.model);
    *ret_row = row;
    *ret_cpu = cpu;
    return 0;
}

static int explain(const struct search *search, int rc, bool hypervisor, struct wattle_error *err)
{
    int failure = search->failure;
    if (failure == -EACCES || failure == -EPERM) {
        wtl_source_remedy(
            search->source,
            "echo 'KERNEL==\"msr[0-9]*\", GROUP=\"GROUP\", MODE=\"0640\"' "
            ">/etc/udev/rules.d/90-msr.rules",
            "chgrp GROUP /dev/cpu/*/msr && chmod g+r /dev/cpu/*/msr && setcap cap_sys_rawio+ep "
            "\"$(command -v wattle)\"");
        return wtl_fail(
            err, -EACCES,
            "msr: /dev/cpu/*/msr: permission denied; run as root, or as root: chgrp GROUP "
            "/dev/cpu/*/msr && chmod g+r /dev/cpu/*/msr && setcap cap_sys_rawio+ep \"$(command -v "
            "wattle)\" (kernel lockdown, as with secure boot, blocks registers even for root)");
    }
    if (hypervisor)
        return wtl_fail(err, -ENODEV,
                        "msr: the hypervisor of this virtual machine provides no energy registers; "
                        "measure on the host");
    if (failure < 0) {
        wtl_source_remedy(search->source, "echo msr >/etc/modules-load.d/msr.conf", "modprobe msr");
        return wtl_fail(err, -ENODEV, "msr: no /dev/cpu/*/msr; as root run: modprobe msr");
    }
    return wtl_fail(err, rc < 0 ? rc : -ENODEV, "msr: cannot read the energy registers: %s",
                    wtl_strerror(rc < 0 ? rc : -ENODEV));
}

static int msr_open(struct wtl_source *source, struct wattle_error *err)
{
    struct search search = {.source = source};
    struct wtl_cpuinfo cpu = {0};
    int rc = find_model(source->world, &search.model, &cpu, err);
    if (rc < 0)
        return rc;
    source->impl = calloc(1, sizeof(struct msr));
    if (!source->impl)
        return -ENOMEM;
    rc = wtl_topology_load(source->world, &search.topology);
    if (rc < 0)
        return wtl_fail(err, rc, "msr: cannot read /sys/devices/system/cpu");
    for (size_t at = 0; at < search.topology.count && rc == 0; at++)
        rc = search_cpu(&search, at);
    wtl_topology_fini(&search.topology);
    if (rc == -ENOMEM)
        return rc;
    if (source->count == 0)
        return explain(&search, rc, cpu.hypervisor, err);
    int filtering = wtl_msr_filtering(source->world);
    if (filtering == 1)
        wtl_source_note(source, "RAPL energy filtering is on (register 0xbc) and adds random noise "
                                "to counters; rely only on energy over a second or more");
    return filtering == -ENOMEM ? filtering : 0;
}

static void msr_read(struct wtl_source *source, size_t first, size_t n, struct wattle_reading *out)
{
    const struct msr *state = source->impl;
    const struct wtl_world *world = source->world;
    for (size_t i = 0; i < n; i++) {
        const struct counter *counter = &state->counters[first + i];
        uint64_t value = 0;
        int rc = world->ops->msr_read(world, counter->fd, counter->reg, &value);
        /* The upper half of the register is reserved. */
        out[i] = (struct wattle_reading){.raw = value & COUNTER_MASK, .status = rc};
    }
}

static void msr_close(struct wtl_source *source)
{
    struct msr *state = source->impl;
    for (size_t i = 0; state && i < state->fd_count; i++)
        source->world->ops->close(source->world, state->fds[i]);
    if (state) {
        free(state->fds);
        free(state->counters);
    }
    free(state);
    source->impl = NULL;
}

int wtl_msr_filtering(const struct wtl_world *world)
{
    struct wtl_cpuinfo cpu;
    uint64_t value;
    int rc = wtl_cpuinfo_read(world, &cpu);
    if (rc < 0 || strcmp(cpu.vendor, "GenuineIntel") != 0)
        return rc == -ENOMEM ? rc : -ENODEV;
    struct wtl_topology topology;
    rc = wtl_topology_load(world, &topology);
    if (rc < 0)
        return rc;
    int fd = world->ops->msr_open(world, topology.cpus[0].number);
    wtl_topology_fini(&topology);
    if (fd < 0)
        return fd;
    rc = world->ops->msr_read(world, fd, ARCH_CAPS, &value);
    if (rc == 0 && value & HAS_CTLS)
        rc = world->ops->msr_read(world, fd, PACKAGE_CTLS, &value);
    else
        rc = -ENODEV;
    world->ops->close(world, fd);
    return rc < 0 ? rc : (value & FILTERING) != 0;
}

extern const struct wtl_driver wtl_driver_msr;
const struct wtl_driver wtl_driver_msr = {
    .name = "msr",
    .summary = "RAPL registers of Intel and AMD processors (/dev/cpu/N/msr)",
    .open = msr_open,
    .read = msr_read,
    .close = msr_close,
};
