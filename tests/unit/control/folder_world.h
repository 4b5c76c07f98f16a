/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine in a folder, for tests of control: files below a temporary folder, written as the kernel would take
 * them. Several processes (a holder, its guard, another wattle) see the same one.
 */
#ifndef WATTLE_TESTS_FOLDER_WORLD_H
#define WATTLE_TESTS_FOLDER_WORLD_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/world/world.h"
#include "control/hold.h"
#include "tap.h"

#define CPU "/sys/devices/system/cpu"

struct folder {
    char root[64], journals[96];
    const char *ignored; /* a file that takes every value and keeps its own; NULL = none */
    const char *refused; /* a file whose writes fail with EIO */
    bool strict; /* the lowest frequency may not exceed the highest: EINVAL, as before Linux 5.3 */
    struct wtl_world world;
    struct wtl_world_ops ops;
};

static inline const char *folder_path(const struct wtl_world *world,
                                      const char *path,
                                      char text[1024])
{
    const struct folder *f = world->impl;
    (void)snprintf(text, 1024, "%s%s", f->root, path);
    return text;
}

static int folder_open(const struct wtl_world *world, const char *path, int flags)
{
    char text[1024];
    return wtl_world_real()->ops->open(world, folder_path(world, path, text), flags);
}

static ssize_t folder_readlink(const struct wtl_world *world, const char *path, char *buf, size_t n)
{
    char text[1024];
    return wtl_world_real()->ops->readlink(world, folder_path(world, path, text), buf, n);
}

static int folder_list(const struct wtl_world *world, const char *path, char ***ret_names)
{
    char text[1024];
    return wtl_world_real()->ops->list(world, folder_path(world, path, text), ret_names);
}

static bool folder_exists(const struct wtl_world *world, const char *path)
{
    char text[1024];
    return wtl_world_real()->ops->exists(world, folder_path(world, path, text));
}

static inline void folder_set(const struct folder *f, const char *path, const char *value)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "%s%s", f->root, path);
    for (char *c = text + strlen("/tmp/"); *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        (void)mkdir(text, 0755);
        *c = '/';
    }
    /* Replaced at once, so that no reader sees an empty file. */
    char fresh[1100];
    (void)snprintf(fresh, sizeof fresh, "%s.%d", text, (int)getpid());
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, value, strlen(value)) < 0 || write(fd, "\n", 1) < 0 || close(fd) < 0 ||
        rename(fresh, text) < 0)
        abort();
}

/* "" = unreadable. */
static inline const char *folder_get(const struct folder *f, const char *path)
{
    static char text[4][64];
    static unsigned at;
    char *into = text[at++ % 4];
    if (wtl_world_text(&f->world, path, into, 64) < 0)
        into[0] = '\0';
    return into;
}

/* What the kernel does besides: limits follow turbo, the preference follows the governor. */
static inline int folder_react(const struct folder *f, const char *path, const char *value)
{
    char other[512], *file;
    (void)snprintf(other, sizeof other, "%s", path);
    if (strcmp(path, CPU "/cpufreq/boost") == 0) {
        const char *limit = value[0] == '1' ? "3500000" : "2300000";
        folder_set(f, CPU "/cpufreq/policy0/scaling_max_freq", limit);
        if (strcmp(folder_get(f, CPU "/cpufreq/policy0/scaling_min_freq"), limit) > 0)
            folder_set(f, CPU "/cpufreq/policy0/scaling_min_freq", limit);
        return 0;
    }
    file = strrchr(other, '/') + 1;
    if (strcmp(file, "scaling_governor") == 0) {
        memcpy(file, "energy_performance_preference", sizeof "energy_performance_preference");
        if (folder_exists(&f->world, other) && strcmp(value, "performance") == 0)
            folder_set(f, other, "performance");
        memcpy(file, "scaling_setspeed", sizeof "scaling_setspeed");
        if (folder_exists(&f->world, other))
            folder_set(f, other, strcmp(value, "userspace") == 0 ? "2000000" : "<unsupported>");
    } else if (strcmp(file, "scaling_setspeed") == 0) {
        memcpy(file, "scaling_governor", sizeof "scaling_governor");
        return strcmp(folder_get(f, other), "userspace") == 0 ? 0 : -EINVAL;
    } else if (f->strict &&
               (strcmp(file, "scaling_min_freq") == 0 || strcmp(file, "scaling_max_freq") == 0)) {
        bool is_min = strcmp(file, "scaling_min_freq") == 0;
        memcpy(file, is_min ? "scaling_max_freq" : "scaling_min_freq", sizeof "scaling_max_freq");
        long limit = strtol(folder_get(f, other), NULL, 10), wanted = strtol(value, NULL, 10);
        return (is_min ? wanted > limit : wanted < limit) ? -EINVAL : 0;
    } else if (strcmp(file, "energy_performance_preference") == 0) {
        memcpy(file, "scaling_governor", sizeof "scaling_governor");
        return strcmp(folder_get(f, other), "performance") == 0 && strcmp(value, "performance") != 0
                   ? -EBUSY
                   : 0;
    }
    return 0;
}

static int folder_put(const struct wtl_world *world, const char *path, const char *text)
{
    const struct folder *f = world->impl;
    if (!folder_exists(world, path))
        return -ENOENT;
    if (f->refused && strstr(path, f->refused))
        return -EIO;
    if (f->ignored && strstr(path, f->ignored))
        return 0;
    int rc = folder_react(f, path, text);
    if (rc == 0)
        folder_set(f, path, text);
    return rc;
}

static int folder_may_put(const struct wtl_world *world, const char *path)
{
    (void)world, (void)path;
    return 0;
}

static inline void folder_policy(const struct folder *f,
                                 int number,
                                 const char *cpus,
                                 const char *const (*files)[2])
{
    char path[256];
    (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%d/affected_cpus", number);
    folder_set(f, path, cpus);
    for (; (*files)[0]; files++) {
        (void)snprintf(path, sizeof path, CPU "/cpufreq/policy%d/%s", number, (*files)[0]);
        folder_set(f, path, (*files)[1]);
    }
}

/* Two packages of two CPUs: acpi-cpufreq with boost on policy 0 and 1 (CPUs 0,1 and 2,3), with a preference for tests of order. */
static inline void folder_fill(const struct folder *f)
{
    static const char *const files[][2] = {
        {"scaling_driver", "acpi-cpufreq"},
        {"scaling_governor", "ondemand"},
        {"scaling_available_governors", "performance powersave userspace ondemand"},
        {"scaling_min_freq", "1200000"},
        {"scaling_max_freq", "3500000"},
        {"scaling_setspeed", "<unsupported>"},
        {"cpuinfo_min_freq", "1200000"},
        {"cpuinfo_max_freq", "3500000"},
        {"energy_performance_preference", "balance_power"},
        {"energy_performance_available_preferences", "default performance balance_power power"},
        {NULL, NULL}};
    folder_set(f, CPU "/online", "0-3");
    folder_set(f, "/proc/sys/kernel/random/boot_id", "00000000-1111-2222-3333-444444444444");
    for (int cpu = 0; cpu < 4; cpu++) {
        char path[128];
        (void)snprintf(path, sizeof path, CPU "/cpu%d/topology/physical_package_id", cpu);
        folder_set(f, path, cpu < 2 ? "0" : "1");
        (void)snprintf(path, sizeof path, CPU "/cpu%d/topology/core_id", cpu);
        folder_set(f, path, cpu % 2 ? "1" : "0");
    }
    folder_policy(f, 0, "0 1", files);
    folder_policy(f, 1, "2 3", files);
    folder_set(f, CPU "/cpufreq/boost", "1");
    for (int package = 0; package < 2; package++) {
        static const char *const zone[][2] = {{"name", NULL},
                                              {"constraint_0_name", "long_term"},
                                              {"constraint_0_power_limit_uw", "150000000"},
                                              {"constraint_0_time_window_us", "999424"},
                                              {"constraint_0_max_power_uw", "165000000"},
                                              {"constraint_1_name", "short_term"},
                                              {"constraint_1_power_limit_uw", "180000000"}};
        char path[128], name[16];
        (void)snprintf(name, sizeof name, "package-%d", package);
        for (size_t i = 0; i < sizeof zone / sizeof *zone; i++) {
            (void)snprintf(path, sizeof path, "/sys/class/powercap/intel-rapl:%d/%s", package,
                           zone[i][0]);
            folder_set(f, path, zone[i][1] ? zone[i][1] : name);
        }
    }
}

static inline void folder_create(struct folder *f)
{
    *f = (struct folder){.root = "/tmp/wattle-control-XXXXXX"};
    if (!mkdtemp(f->root)) /* folder_fill() makes it again */
        abort();
    (void)snprintf(f->journals, sizeof f->journals, "%s/journals", f->root);
    f->ops = *wtl_world_real()->ops;
    f->ops.open = folder_open;
    f->ops.readlink = folder_readlink;
    f->ops.list = folder_list;
    f->ops.exists = folder_exists;
    f->ops.put = folder_put;
    f->ops.may_put = folder_may_put;
    f->world = (struct wtl_world){.ops = &f->ops, .impl = f};
    folder_fill(f);
}

static int folder_drop(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static inline void folder_remove(struct folder *f)
{
    (void)nftw(f->root, folder_drop, 16, FTW_DEPTH | FTW_PHYS);
}

/* All that can be changed, as one text. */
static inline void folder_state(const struct folder *f, char *text, size_t n)
{
    struct wtl_knob_list knobs;
    size_t used = 0;
    text[0] = '\0';
    if (wtl_knob_list_discover(&f->world, &knobs) < 0)
        abort();
    for (size_t i = 0; i < knobs.count && used < n; i++)
        used += (size_t)snprintf(text + used, n - used, "%s=%s\n", knobs.items[i].id,
                                 knobs.items[i].value);
    wtl_knob_list_fini(&knobs);
}

#endif
