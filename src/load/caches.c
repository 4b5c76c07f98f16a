/* SPDX-License-Identifier: BSD-3-Clause */
#include "load/caches.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

enum { INDEXES = 16, UNKNOWN_L2 = 256 << 10 };

/* Read a file in one of the cache's folders. */
static bool text(const struct wtl_world *world,
                 int cpu,
                 int index,
                 const char *name,
                 char *buf,
                 size_t n)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index,
                   name);
    return wtl_world_text(world, path, buf, n) > 0;
}

/* "2048K"; 0 = unreadable. */
static size_t size_of(const char *text)
{
    uint64_t number;
    int used = wtl_scan_u64(text, strlen(text), &number);
    if (used <= 0 || number > 1u << 30)
        return 0;
    return (size_t)number << (text[used] == 'K' ? 10 : text[used] == 'M' ? 20 : 0);
}

/* Number of chosen CPUs among those that share the cache; at least 1. */
static size_t sharers(const char *list, const struct wtl_cpu_choice *choice)
{
    uint8_t set[WTL_LOAD_CPUS / 8] = {0};
    size_t count = 0;
    if (wtl_parse_cpulist(list, set, WTL_LOAD_CPUS) < 0)
        return 1;
    for (size_t i = 0; i < choice->count; i++)
        count += (set[choice->cpu[i] / 8] >> choice->cpu[i] % 8) & 1;
    return count ? count : 1;
}

struct wtl_caches wtl_caches_of(const struct wtl_world *world,
                                int cpu,
                                const struct wtl_cpu_choice *choice)
{
    struct wtl_caches caches = {.l2 = UNKNOWN_L2};
    char level[16], type[32], size[32], list[4096];
    for (int index = 0; index < INDEXES && text(world, cpu, index, "level", level, sizeof level);
         index++) {
        if (!text(world, cpu, index, "type", type, sizeof type) ||
            !text(world, cpu, index, "size", size, sizeof size) ||
            strcmp(type, "Instruction") == 0 || size_of(size) == 0)
            continue;
        if (!text(world, cpu, index, "shared_cpu_list", list, sizeof list))
            list[0] = '\0';
        size_t share = size_of(size) / sharers(list, choice);
        if (strcmp(level, "2") == 0)
            caches.l2 = share;
        else if (strcmp(level, "3") == 0)
            caches.l3 = share;
    }
    return caches;
}

/* The number in a text; UINT64_MAX = no number ("max"). */
static uint64_t number_in(const char *text)
{
    uint64_t number;
    return wtl_scan_u64(text, strlen(text), &number) > 0 ? number : UINT64_MAX;
}

/* Memory left in one control group (version 2), counting its page cache as free; UINT64_MAX = no
 * limit. */
static uint64_t left_of_group(const struct wtl_world *world, const char *group)
{
    static const char field[] = "\ninactive_file ";
    char path[4200], most[32], used[32], *stat = NULL;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
    if (wtl_world_text(world, path, most, sizeof most) <= 0 || number_in(most) == UINT64_MAX)
        return UINT64_MAX;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", group);
    if (wtl_world_text(world, path, used, sizeof used) <= 0 || number_in(used) == UINT64_MAX)
        return UINT64_MAX;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat", group);
    ssize_t n = wtl_world_slurp(world, path, &stat);
    const char *line = n > 0 ? strstr(stat, field) : NULL;
    uint64_t cache = line ? number_in(line + strlen(field)) : 0, current = number_in(used);
    free(stat);
    current -= cache < current ? cache : current;
    return number_in(most) > current ? number_in(most) - current : 0;
}

/* For our control group and its ancestors, as far as they are visible. */
static uint64_t left_of_groups(const struct wtl_world *world)
{
    char *all = NULL, group[4096] = "";
    uint64_t least = UINT64_MAX;
    ssize_t n = wtl_world_slurp(world, "/proc/self/cgroup", &all);
    const char *own = n > 0 ? strstr(all, "0::/") : NULL;
    if (own)
        (void)snprintf(group, sizeof group, "%.*s", (int)strcspn(own + 3, "\n"), own + 3);
    free(all);
    for (char *slash = group; slash;) {
        uint64_t left = left_of_group(world, group);
        least = left < least ? left : least;
        slash = strrchr(group, '/');
        if (slash)
            *slash = '\0';
    }
    return least;
}

uint64_t wtl_memory_available(const struct wtl_world *world)
{
    uint64_t kib = 1u << 20;
    char *all = NULL;
    ssize_t n = wtl_world_slurp(world, "/proc/meminfo", &all);
    const char *line = n > 0 ? strstr(all, "MemAvailable:") : NULL;
    if (line) {
        line += strcspn(line, "0123456789\n");
        (void)wtl_scan_u64(line, strlen(line), &kib);
    }
    free(all);
    uint64_t left = left_of_groups(world);
    return left < kib << 10 ? left : kib << 10;
}
