/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of caches, on a recorded host written by the test. */
#define _GNU_SOURCE
#include "load/caches.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static char folder[] = "/tmp/wattle-caches.XXXXXX";

/* A file of the host, its folders made. */
static void put(const char *path, const char *text)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s/root%s", folder, path);
    for (char *slash = whole + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(whole, 0755);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        ok(false, "%s cannot be written", whole);
}

static void put_cache(int cpu,
                      int index,
                      const char *level,
                      const char *type,
                      const char *size,
                      const char *list)
{
    const struct {
        const char *name, *text;
    } files[] = {{"level", level}, {"type", type}, {"size", size}, {"shared_cpu_list", list}};
    for (size_t i = 0; i < 4; i++) {
        char path[120];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index,
                 files[i].name);
        put(path, files[i].text);
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status, (void)type, (void)at;
    return remove(path);
}

static struct wtl_world *world_of(void)
{
    struct wtl_world *world = NULL;
    struct wattle_error err = {""};
    is_int(wtl_world_recorded(folder, &world, &err), 0, "the host is opened: %s", err.text);
    return world;
}

int main(void)
{
    static struct wtl_cpu_choice choice = {.count = 4, .cpu = {0, 1, 2, 8}};
    if (!mkdtemp(folder))
        return 1;
    put("/proc/meminfo", "MemTotal:       16000000 kB\nMemAvailable:   12000000 kB\n");
    put_cache(0, 0, "1\n", "Data\n", "32K\n", "0,8\n");
    put_cache(0, 1, "1\n", "Instruction\n", "64K\n", "0,8\n");
    put_cache(0, 2, "2\n", "Unified\n", "1024K\n", "0,8\n");
    put_cache(0, 3, "3\n", "Unified\n", "33M\n", "0-15\n");
    put_cache(1, 0, "2\n", "Unified\n", "what\n", "1\n");
    put_cache(1, 1, "3\n", "Unified\n", "8192K\n", "4-7\n");
    put_cache(2, 0, "2\n", "Unified\n", "512K\n", "nonsense\n");
    struct wtl_world *world = world_of();
    if (!world)
        return done_testing();
    struct wtl_caches caches = wtl_caches_of(world, 0, &choice);
    is_int(caches.l2, 512 << 10, "two threads of a core share its second cache");
    is_int(caches.l3, (33 << 20) / 4, "the third is divided by those that run, not by all");
    caches = wtl_caches_of(world, 1, &choice);
    is_int(caches.l2, 256 << 10, "a size that cannot be read is unknown");
    is_int(caches.l3, 8 << 20, "shared with nobody who runs");
    caches = wtl_caches_of(world, 2, &choice);
    is_int(caches.l2, 512 << 10, "a list that cannot be read divides nothing");
    is_int(caches.l3, 0, "no third cache");
    caches = wtl_caches_of(world, 3, &choice);
    is_int(caches.l2, 256 << 10, "no folder at all");
    is_int((intmax_t)wtl_memory_available(world), 12000000ll << 10, "available memory");
    wtl_world_close(world);
    put("/proc/self/cgroup", "0::/job/step\n");
    put("/sys/fs/cgroup/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/job/step/memory.current", "1000000000\n");
    put("/sys/fs/cgroup/job/memory.max", "4000000000\n");
    put("/sys/fs/cgroup/job/memory.current", "1500000000\n");
    world = world_of();
    is_int((intmax_t)wtl_memory_available(world), 2500000000, "what the group above leaves");
    wtl_world_close(world);
    put("/sys/fs/cgroup/job/memory.stat", "anon 1000000000\ninactive_file 500000000\n");
    put("/sys/fs/cgroup/memory.max", "1000\n");
    world = world_of();
    is_int((intmax_t)wtl_memory_available(world), 3000000000, "its page cache can be had");
    wtl_world_close(world);
    put("/proc/meminfo", "MemTotal: x\n");
    world = world_of();
    is_int((intmax_t)wtl_memory_available(world), 1 << 30, "unknown");
    wtl_world_close(world);
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return done_testing();
}
