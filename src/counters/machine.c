/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance of a trace: see machine.h. Any source may be missing; its key is then left out. */
#define _GNU_SOURCE
#include "counters/machine.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "base/secrets.h"
#include "base/whole.h"
#include "counters/governor.h"
#include "model/meta_key.h"
#include "source/cpuinfo.h"
#include "source/virtual.h"

#define VALUE_MAX 8192 /* lists of CPUs may be long */

struct out {
    const struct wtl_world *world;
    wtl_machine_fn emit;
    void *context;
};

static void text(const struct out *out, const char *key, const char *value)
{
    if (value[0])
        out->emit(out->context, key, value);
}

__attribute__((format(printf, 3, 4))) static void format(const struct out *out,
                                                         const char *key,
                                                         const char *pattern,
                                                         ...)
{
    char value[256];
    va_list args;
    va_start(args, pattern);
    (void)vsnprintf(value, sizeof value, pattern, args);
    va_end(args);
    text(out, key, value);
}

/* value / 10^places without trailing zeros, independent of the locale, which a program may have set. */
static void decimal(const struct out *out, const char *key, int64_t value, int places)
{
    char shown[48];
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, per = 1;
    for (int i = 0; i < places; i++)
        per *= 10;
    int n = snprintf(shown, sizeof shown, "%s%llu.%0*llu", value < 0 ? "-" : "",
                     (unsigned long long)(size / per), places, (unsigned long long)(size % per));
    while (shown[n - 1] == '0')
        n--;
    shown[shown[n - 1] == '.' ? n - 1 : n] = '\0';
    text(out, key, shown);
}

static void file(const struct out *out, const char *key, const char *path)
{
    char value[VALUE_MAX];
    if (wtl_world_text(out->world, path, value, sizeof value) > 0)
        text(out, key, value);
}

static void describe_cpu(const struct out *out)
{
    struct wtl_cpuinfo info;
    if (wtl_cpuinfo_read(out->world, &info) < 0)
        return;
    text(out, WTL_META_CPU_MODEL, info.name);
    text(out, WTL_META_CPU_VENDOR, info.vendor);
    if (info.family >= 0)
        format(out, WTL_META_CPU_FAMILY, "%d", info.family);
    if (info.model >= 0)
        format(out, WTL_META_CPU_MODEL_NUMBER, "%d", info.model);
    if (info.stepping >= 0)
        format(out, WTL_META_CPU_STEPPING, "%d", info.stepping);
    text(out, WTL_META_CPU_MICROCODE, info.microcode);
    format(out, WTL_META_CPU_THREADS, "%d", info.threads);
    if (wtl_cpuinfo_count(out->world, &info) == 0 && info.topology_known) {
        format(out, WTL_META_CPU_SOCKETS, "%d", info.sockets);
        format(out, WTL_META_CPU_CORES, "%d", info.cores);
    }
    file(out, WTL_META_CPU_SMT, "/sys/devices/system/cpu/smt/control");
    file(out, WTL_META_CPU_ONLINE, "/sys/devices/system/cpu/online");
}

static void describe_governor(const struct out *out)
{
    struct wtl_governor g;
    wtl_governor_read(out->world, &g);
    text(out, WTL_META_CPU_GOVERNOR, g.governor);
    text(out, WTL_META_CPU_DRIVER, g.driver);
    text(out, WTL_META_CPU_EPP, g.epp);
    if (g.turbo >= 0)
        text(out, WTL_META_CPU_TURBO, g.turbo ? "on" : "off");
    if (g.min_khz)
        format(out, WTL_META_CPU_MIN_KHZ, "%llu", (unsigned long long)g.min_khz);
    if (g.max_khz)
        format(out, WTL_META_CPU_MAX_KHZ, "%llu", (unsigned long long)g.max_khz);
}

static void describe_kernel(const struct out *out)
{
    struct utsname name;
    if (out->world->ops->uname(out->world, &name) == 0) {
        text(out, WTL_META_KERNEL_SYSTEM, name.sysname);
        text(out, WTL_META_KERNEL_RELEASE, name.release);
        text(out, WTL_META_KERNEL_VERSION, name.version);
        text(out, WTL_META_KERNEL_MACHINE, name.machine);
        text(out, WTL_META_HOST_NAME, name.nodename);
    }
    char line[4096], shown[4096];
    if (wtl_world_text(out->world, "/proc/cmdline", line, sizeof line) > 0) {
        wtl_secrets_line(line, shown, sizeof shown);
        text(out, WTL_META_KERNEL_CMDLINE, shown);
    }
    file(out, WTL_META_KERNEL_CLOCKSOURCE,
         "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    file(out, WTL_META_HOST_VENDOR, "/sys/class/dmi/id/sys_vendor");
    file(out, WTL_META_HOST_PRODUCT, "/sys/class/dmi/id/product_name");
    file(out, WTL_META_BIOS_VENDOR, "/sys/class/dmi/id/bios_vendor");
    file(out, WTL_META_BIOS_VERSION, "/sys/class/dmi/id/bios_version");
    file(out, WTL_META_BIOS_DATE, "/sys/class/dmi/id/bios_date");
    file(out, WTL_META_SYSTEM_LOAD, "/proc/loadavg");
}

/* "Name: value" in a file like /proc/meminfo; true if found. */
static bool labelled(const char *all, const char *name, char *value, size_t n)
{
    const char *at = strstr(all, name);
    if (!at || (at != all && at[-1] != '\n'))
        return false;
    at += strlen(name);
    at += strspn(at, " \t");
    (void)snprintf(value, n, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static void describe_process(const struct out *out)
{
    char *all, value[VALUE_MAX];
    if (wtl_world_slurp(out->world, "/proc/self/status", &all) >= 0) {
        if (labelled(all, "Cpus_allowed_list:", value, sizeof value))
            text(out, WTL_META_PROCESS_AFFINITY, value);
        if (labelled(all, "Mems_allowed_list:", value, sizeof value))
            text(out, WTL_META_PROCESS_MEMS, value);
        free(all);
    }
    if (wtl_world_slurp(out->world, "/proc/self/cgroup", &all) >= 0) {
        size_t n = strlen(all);
        while (n > 0 && all[n - 1] == '\n')
            all[--n] = '\0';
        for (char *at = all; (at = strchr(at, '\n'));)
            *at = ' ';
        text(out, WTL_META_PROCESS_CGROUP, all);
        free(all);
    }
    if (wtl_world_slurp(out->world, "/proc/meminfo", &all) >= 0) {
        uint64_t kib;
        if (labelled(all, "MemTotal:", value, sizeof value) &&
            wtl_scan_u64(value, strlen(value), &kib) > 0)
            format(out, WTL_META_MEMORY_BYTES, "%llu", (unsigned long long)kib * 1024);
        free(all);
    }
}

static void describe_numa(const struct out *out)
{
    char **names;
    int count = out->world->ops->list(out->world, "/sys/devices/system/node", &names);
    int nodes = 0;
    for (int i = 0; i < count; i++) {
        uint64_t node;
        char path[96], key[40];
        if (strncmp(names[i], "node", 4) != 0 || wtl_parse_u64(names[i] + 4, &node) < 0)
            continue;
        nodes++;
        (void)snprintf(path, sizeof path, "/sys/devices/system/node/%.20s/cpulist", names[i]);
        (void)snprintf(key, sizeof key, "numa.cpus.%llu", (unsigned long long)node);
        file(out, key, path);
    }
    if (count >= 0)
        free(names);
    if (nodes > 0)
        format(out, WTL_META_NUMA_NODES, "%d", nodes);
}

static void describe_limits(const struct out *out)
{
    char **zones;
    int count = out->world->ops->list(out->world, "/sys/class/powercap", &zones);
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            char path[256], what[32], key[96];
            uint64_t uw;
            (void)snprintf(path, sizeof path, "/sys/class/powercap/%.64s/constraint_%d_name",
                           zones[i], c);
            if (wtl_world_text(out->world, path, what, sizeof what) <= 0)
                break;
            (void)snprintf(path, sizeof path,
                           "/sys/class/powercap/%.64s/constraint_%d_power_limit_uw", zones[i], c);
            (void)snprintf(key, sizeof key, "limit.%.40s.%s_w", zones[i], what);
            if (wtl_world_u64(out->world, path, &uw) == 0 && uw <= INT64_MAX)
                decimal(out, key, (int64_t)uw, 6);
        }
    }
    if (count >= 0)
        free(zones);
}

/* Labelled inputs of one hwmon chip. */
static void describe_chip(const struct out *out, const char *folder)
{
    char path[256], chip[32];
    (void)snprintf(path, sizeof path, "/sys/class/hwmon/%.40s/name", folder);
    if (wtl_world_text(out->world, path, chip, sizeof chip) <= 0)
        return;
    for (int i = 1; i <= 3;
         i++) { /* the package and the first cores are enough to show the temperature */
        char label[32], key[96];
        int64_t milli;
        (void)snprintf(path, sizeof path, "/sys/class/hwmon/%.40s/temp%d_label", folder, i);
        if (wtl_world_text(out->world, path, label, sizeof label) <= 0)
            (void)snprintf(label, sizeof label, "temp%d", i);
        (void)snprintf(path, sizeof path, "/sys/class/hwmon/%.40s/temp%d_input", folder, i);
        (void)snprintf(key, sizeof key, "temperature.%s.%s_c", chip, label);
        int fd = out->world->ops->open(out->world, path, O_RDONLY);
        if (fd >= 0 && wtl_world_pread_i64(out->world, fd, &milli) == 0)
            decimal(out, key, milli, 3);
        if (fd >= 0)
            out->world->ops->close(out->world, fd);
    }
}

static void describe_temperatures(const struct out *out)
{
    char **folders;
    int count = out->world->ops->list(out->world, "/sys/class/hwmon", &folders);
    for (int i = 0; i < count; i++)
        describe_chip(out, folders[i]);
    if (count >= 0)
        free(folders);
}

void wtl_machine_describe(const struct wtl_world *world, wtl_machine_fn emit, void *context)
{
    struct out out = {.world = world, .emit = emit, .context = context};
    struct wtl_virtual where;
    describe_cpu(&out);
    describe_governor(&out);
    describe_kernel(&out);
    describe_process(&out);
    describe_numa(&out);
    describe_limits(&out);
    describe_temperatures(&out);
    wtl_virtual_detect(world, &where);
    text(&out, WTL_META_VIRTUAL_MACHINE, where.machine);
    text(&out, WTL_META_VIRTUAL_CONTAINER, where.container);
    if (where.cpu_limit > 0)
        decimal(&out, WTL_META_VIRTUAL_CPU_LIMIT, wtl_whole_i64(where.cpu_limit * 1000 + 0.5), 3);
}
