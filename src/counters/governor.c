/* SPDX-License-Identifier: BSD-3-Clause */
/* A snapshot of the governor and related settings of all CPUs: see governor.h. */
#include "counters/governor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/world/topology.h"

#define ROOT "/sys/devices/system/cpu"

static uint64_t digest_text(uint64_t digest, const char *text)
{
    return wtl_hash_bytes(wtl_hash_bytes(digest, text, strlen(text)), "\xff", 1);
}

static void merge_setting(char out[32], const char *text, bool first)
{
    if (first)
        (void)snprintf(out, 32, "%s", text);
    else if (strcmp(out, text) != 0)
        (void)snprintf(out, 32, "mixed");
}

/* Treat what is hidden from us as missing. */
static bool note(struct wtl_governor *g, ssize_t rc)
{
    static const int absent[] = {-ENOENT, -ENODEV, -ENOTDIR, -EACCES, -EPERM};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        if (rc == absent[i])
            return false;
    }
    if (rc < 0 && g->unread == 0)
        g->unread = (int)rc;
    return rc >= 0;
}

static void read_cpu(const struct wtl_world *world, int cpu, bool first, struct wtl_governor *g)
{
    static const char *const files[] = {"scaling_governor", "energy_performance_preference",
                                        "scaling_min_freq", "scaling_max_freq"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[128], text[32];
        (void)snprintf(path, sizeof path, ROOT "/cpu%d/cpufreq/%s", cpu, files[i]);
        if (!note(g, wtl_world_text(world, path, text, sizeof text)))
            text[0] = '\0';
        g->digest = digest_text(g->digest, text);
        if (i < 2)
            merge_setting(i == 0 ? g->governor : g->epp, text, first);
    }
}

static int read_turbo(const struct wtl_world *world, struct wtl_governor *g)
{
    uint64_t value;
    if (note(g, wtl_world_u64(world, ROOT "/intel_pstate/no_turbo", &value)))
        return value == 0;
    if (note(g, wtl_world_u64(world, ROOT "/cpufreq/boost", &value)))
        return value != 0;
    return -1;
}

void wtl_governor_read(const struct wtl_world *world, struct wtl_governor *ret_governor)
{
    struct wtl_governor g = {.digest = WTL_HASH_START};
    uint8_t online[WTL_CPUS_MAX / 8];
    int first = -1, count = wtl_cpus_online(world, online);
    (void)note(&g, count);
    for (int cpu = 0; count > 0 && cpu < WTL_CPUS_MAX; cpu++) {
        if (!(online[cpu / 8] >> (cpu % 8) & 1))
            continue;
        read_cpu(world, cpu, first < 0, &g);
        first = first < 0 ? cpu : first;
    }
    if (first >= 0) {
        char path[128];
        (void)snprintf(path, sizeof path, ROOT "/cpu%d/cpufreq/scaling_min_freq", first);
        (void)wtl_world_u64(world, path, &g.min_khz); /* stays 0: unknown */
        (void)snprintf(path, sizeof path, ROOT "/cpu%d/cpufreq/scaling_max_freq", first);
        (void)wtl_world_u64(world, path, &g.max_khz);
        (void)snprintf(path, sizeof path, ROOT "/cpu%d/cpufreq/scaling_driver", first);
        if (wtl_world_text(world, path, g.driver, sizeof g.driver) < 0)
            g.driver[0] = '\0';
    }
    g.turbo = read_turbo(world, &g);
    char turbo[4];
    (void)snprintf(turbo, sizeof turbo, "%d", g.turbo);
    g.digest = digest_text(g.digest, turbo);
    *ret_governor = g;
}

bool wtl_governor_changed(const struct wtl_governor *before,
                          const struct wtl_governor *after,
                          char *text,
                          size_t n)
{
    static const char *const turbo[] = {"unknown", "off", "on"};
    if (before->digest == after->digest)
        return false;
    if (strcmp(before->governor, after->governor) != 0)
        (void)snprintf(text, n, "governor %s to %s", before->governor, after->governor);
    else if (strcmp(before->epp, after->epp) != 0)
        (void)snprintf(text, n, "energy preference %s to %s", before->epp, after->epp);
    else if (before->turbo != after->turbo)
        (void)snprintf(text, n, "turbo %s to %s", turbo[before->turbo + 1],
                       turbo[after->turbo + 1]);
    else if (before->max_khz != after->max_khz)
        (void)snprintf(text, n, "highest frequency %llu to %llu kHz",
                       (unsigned long long)before->max_khz, (unsigned long long)after->max_khz);
    else if (before->min_khz != after->min_khz)
        (void)snprintf(text, n, "lowest frequency %llu to %llu kHz",
                       (unsigned long long)before->min_khz, (unsigned long long)after->min_khz);
    else
        (void)snprintf(text, n, "settings of some CPUs");
    return true;
}
