/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one reader of the CPU topology: see topology.h. Only online CPUs have a topology folder, so the list of
 * online CPUs is read first; "present" and the cpuN folders include offline ones.
 */
#include "base/world/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define ROOT "/sys/devices/system/cpu"

/* Errors for lack of memory or descriptors, which say nothing about the hardware. */
static bool is_want(ssize_t rc)
{
    return rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE;
}

/* The lines "cpu0 ..." of /proc/stat, where there is no /sys. */
static int online_by_stat(const struct wtl_world *world, uint8_t set[WTL_CPUS_MAX / 8])
{
    char *text;
    ssize_t n = wtl_world_slurp(world, "/proc/stat", &text);
    if (n < 0)
        return is_want(n) ? (int)n : -ENODEV;
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\ncpu"));) {
        uint64_t cpu;
        at += 4;
        if (wtl_scan_u64(at, strlen(at), &cpu) < 0 || cpu >= WTL_CPUS_MAX)
            continue;
        set[cpu / 8] |= (uint8_t)(1u << (cpu % 8));
        count++;
    }
    free(text);
    return count ? count : -ENODEV;
}

int wtl_cpus_online(const struct wtl_world *world, uint8_t set[WTL_CPUS_MAX / 8])
{
    char *text;
    memset(set, 0, WTL_CPUS_MAX / 8);
    ssize_t n = wtl_world_slurp(world, ROOT "/online", &text);
    if (is_want(n))
        return (int)n;
    if (n < 0)
        return online_by_stat(world, set);
    text[strcspn(text, "\n")] = '\0';
    int count = wtl_parse_cpulist(text, set, WTL_CPUS_MAX);
    free(text);
    return count > 0 ? count : -ENODEV;
}

/* A number in a CPU's topology folder, or `unknown` when it is absent or negative. */
static int read_id(const struct wtl_world *world, int cpu, const char *name, int unknown)
{
    char path[96];
    uint64_t value;
    (void)snprintf(path, sizeof path, ROOT "/cpu%d/topology/%s", cpu, name);
    if (wtl_world_u64(world, path, &value) < 0 || value > INT32_MAX)
        return unknown;
    return (int)value;
}

/* Set the flags of the last CPU: it is first unless an earlier CPU shares its package, die or core. */
static void find_firsts(const struct wtl_topology *topology)
{
    struct wtl_cpu *cpu = &topology->cpus[topology->count - 1];
    cpu->first_of_package = cpu->first_of_die = cpu->first_of_core = true;
    for (const struct wtl_cpu *other = topology->cpus; other < cpu; other++) {
        if (other->package != cpu->package)
            continue;
        cpu->first_of_package = false;
        if (other->die != cpu->die)
            continue;
        cpu->first_of_die = false;
        if (cpu->core >= 0 && other->core == cpu->core) {
            cpu->first_of_core = false;
            return;
        }
    }
}

int wtl_topology_load(const struct wtl_world *world, struct wtl_topology *ret_topology)
{
    uint8_t set[WTL_CPUS_MAX / 8];
    int count = wtl_cpus_online(world, set);
    if (count < 0)
        return count;
    struct wtl_topology topology = {.cpus = calloc((size_t)count, sizeof *topology.cpus)};
    if (!topology.cpus)
        return -ENOMEM;
    for (int cpu = 0; cpu < WTL_CPUS_MAX; cpu++) {
        if (!(set[cpu / 8] >> (cpu % 8) & 1))
            continue;
        topology.cpus[topology.count++] =
            (struct wtl_cpu){.number = cpu,
                             .package = read_id(world, cpu, "physical_package_id", 0),
                             .die = read_id(world, cpu, "die_id", 0),
                             .core = read_id(world, cpu, "core_id", -1)};
        find_firsts(&topology);
    }
    *ret_topology = topology;
    return 0;
}

void wtl_topology_fini(struct wtl_topology *topology)
{
    free(topology->cpus);
    *topology = (struct wtl_topology){0};
}
