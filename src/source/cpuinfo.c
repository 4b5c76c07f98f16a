/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/cpuinfo, read once: identity from the first processor's block, the number of threads from the number
 * of blocks. Sockets and cores come from the topology, since ARM kernels print no ids here.
 */
#define _GNU_SOURCE
#include "source/cpuinfo.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/world/topology.h"

static int number_of(const char *value)
{
    uint64_t number;
    if (wtl_parse_hex_u64(value, &number) < 0 || number > 1000000)
        return -1;
    return (int)number;
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n) {
        if ((at == text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    }
    return false;
}

static void take_identity(struct wtl_cpuinfo *info, const char *key, const char *value)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {
        {"cpu family", offsetof(struct wtl_cpuinfo, family)},
        {"model", offsetof(struct wtl_cpuinfo, model)},
        {"stepping", offsetof(struct wtl_cpuinfo, stepping)},
        {"CPU implementer", offsetof(struct wtl_cpuinfo, implementer)},
        {"CPU part", offsetof(struct wtl_cpuinfo, part)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(key, numbers[i].key) == 0)
            *(int *)(void *)((char *)info + numbers[i].offset) = number_of(value);
    }
    if (strcmp(key, "vendor_id") == 0)
        (void)snprintf(info->vendor, sizeof info->vendor, "%s", value);
    else if (strcmp(key, "model name") == 0)
        (void)snprintf(info->name, sizeof info->name, "%s", value);
    else if (strcmp(key, "microcode") == 0)
        (void)snprintf(info->microcode, sizeof info->microcode, "%s", value);
    else if (strcmp(key, "flags") == 0) {
        info->hypervisor = has_word(value, "hypervisor");
        info->amx = has_word(value, "amx_tile");
        info->avx512 = has_word(value, "avx512f");
    }
}

static void take_line(struct wtl_cpuinfo *info, char *line)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    char *end = colon;
    while (end > line && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t");
    uint64_t number;
    if (strcmp(line, "processor") == 0 && wtl_parse_u64(value, &number) == 0)
        info->threads++;
    if (info->threads <= 1)
        take_identity(info, line, value);
}

/* Nominal frequency: from the name ("@ 2.40GHz"), else base_frequency, else the highest frequency the
 * governor may select. */
static double nominal_ghz(const struct wtl_world *world, const char *name)
{
    const char *at = strchr(name, '@');
    char number[16];
    double ghz;
    size_t n = at ? strcspn(at + 1, "G") : 0;
    if (at && at[1 + n] == 'G' && n < sizeof number) {
        const char *start = at + 1 + strspn(at + 1, " ");
        (void)snprintf(number, sizeof number, "%.*s", (int)(at + 1 + n - start), start);
        if (wtl_parse_double(number, &ghz) == 0 && ghz > 0)
            return ghz;
    }
    static const char *const files[] = {
        "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
        "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        uint64_t khz;
        if (wtl_world_u64(world, files[i], &khz) == 0 && khz > 0)
            return (double)khz / 1e6;
    }
    return 0;
}

int wtl_cpuinfo_read(const struct wtl_world *world, struct wtl_cpuinfo *ret_info)
{
    char *text;
    ssize_t n = wtl_world_slurp(world, "/proc/cpuinfo", &text);
    if (n < 0)
        return (int)n;
    struct wtl_cpuinfo info = {
        .family = -1, .model = -1, .stepping = -1, .implementer = -1, .part = -1};
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n")))
        take_line(&info, line);
    free(text);
    if (info.threads == 0)
        return -EBADMSG;
    info.ghz = nominal_ghz(world, info.name);
    *ret_info = info;
    return 0;
}

int wtl_cpuinfo_count(const struct wtl_world *world, struct wtl_cpuinfo *info)
{
    struct wtl_topology topology;
    int rc = wtl_topology_load(world, &topology);
    if (rc == -ENOMEM)
        return rc;
    info->sockets = info->cores = 0;
    for (size_t i = 0; rc == 0 && i < topology.count; i++) {
        if (topology.cpus[i].core < 0)
            continue;
        info->sockets += topology.cpus[i].first_of_package;
        info->cores += topology.cpus[i].first_of_core;
    }
    if (rc == 0)
        wtl_topology_fini(&topology);
    info->topology_known = info->sockets > 0;
    if (!info->topology_known) {
        info->sockets = 1;
        info->cores = info->threads;
    }
    return 0;
}
