/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `thermal`: temperatures of packages and cores from hwmon (coretemp, k10temp, zenpower, cpu_thermal),
 * or from thermal zones if hwmon has none, and the number of times Intel processors throttled
 * (thermal_throttle of each CPU; counted by the kernel since boot).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/world/topology.h"
#include "counters/file_set.h"

#define HWMON "/sys/class/hwmon"
#define ZONES "/sys/class/thermal"

static struct wattle_channel temperature(enum wattle_domain domain, int index, const char *label)
{
    struct wattle_channel channel =
        wtl_channel_init(domain, index, WATTLE_TEMPERATURE, WATTLE_GAUGE);
    channel.scale = 1e-3;
    (void)snprintf(channel.label, sizeof channel.label, "%s", label);
    return channel;
}

static bool number_behind(const char *text, const char *prefix, int *ret)
{
    size_t n = strlen(prefix);
    uint64_t value;
    if (strncmp(text, prefix, n) != 0 || wtl_parse_u64(text + n, &value) < 0 || value > 65535)
        return false;
    *ret = (int)value;
    return true;
}

/* One input of a processor's hwmon; `*package` is from the chip's "Package id". */
static int add_input(struct wtl_source *source, const char *folder, const char *file, int *package)
{
    size_t stem = strlen(file) - strlen("_input");
    char path[256], label[32];
    (void)snprintf(path, sizeof path, HWMON "/%s/%.*s_label", folder, (int)stem, file);
    if (wtl_world_text(source->world, path, label, sizeof label) < 0)
        label[0] = '\0';
    int number;
    struct wattle_channel channel = temperature(WATTLE_DOMAIN_PACKAGE, *package, label);
    if (number_behind(label, "Package id ", &number) ||
        number_behind(label, "Physical id ", &number))
        channel.index = *package = number;
    else if (number_behind(label, "Core ", &number)) {
        channel.domain = WATTLE_DOMAIN_CORE;
        channel.sub = number;
    } else if (label[0] && strcmp(label, "Tdie") != 0 && strcmp(label, "Tctl") != 0)
        return 0; /* Tccd1 etc.: parts of what Tctl covers */
    (void)snprintf(path, sizeof path, HWMON "/%s/%s", folder, file);
    return wtl_file_set_add(source, path, &channel);
}

static bool is_temperature(const char *name)
{
    size_t n = strlen(name), m = strlen("_input");
    return strncmp(name, "temp", 4) == 0 && n > m && strcmp(name + n - m, "_input") == 0;
}

static int add_hwmon(struct wtl_source *source)
{
    static const char *const chips[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
    char **folders;
    int count = source->world->ops->list(source->world, HWMON, &folders);
    int rc = count, seen = 0;
    for (int i = 0; i < count && rc != -ENOMEM; i++) {
        char path[256], chip[32];
        bool wanted = false;
        (void)snprintf(path, sizeof path, HWMON "/%s/name", folders[i]);
        if (wtl_world_text(source->world, path, chip, sizeof chip) < 0)
            continue;
        for (size_t c = 0; c < sizeof chips / sizeof chips[0]; c++)
            wanted = wanted || strcmp(chip, chips[c]) == 0;
        char **files;
        (void)snprintf(path, sizeof path, HWMON "/%s", folders[i]);
        int n = wanted ? source->world->ops->list(source->world, path, &files) : -ENODEV;
        if (n < 0) {
            rc = n;
            continue;
        }
        int package = seen++;
        for (int f = 0; f < n && rc != -ENOMEM; f++) {
            if (is_temperature(files[f]))
                rc = add_input(source, folders[i], files[f], &package);
        }
        free(files);
    }
    if (count >= 0)
        free(folders);
    return rc == -ENOMEM ? rc : 0;
}

static int add_zones(struct wtl_source *source)
{
    char **zones;
    int count = source->world->ops->list(source->world, ZONES, &zones);
    int rc = count, index = 0;
    for (int i = 0; i < count && rc != -ENOMEM; i++) {
        char path[256], type[32];
        (void)snprintf(path, sizeof path, ZONES "/%s/type", zones[i]);
        if (strncmp(zones[i], "thermal_zone", 12) != 0 ||
            wtl_world_text(source->world, path, type, sizeof type) < 0 ||
            (strcmp(type, "x86_pkg_temp") != 0 && !strstr(type, "cpu") && !strstr(type, "CPU")))
            continue;
        struct wattle_channel channel = temperature(WATTLE_DOMAIN_PACKAGE, index, type);
        (void)snprintf(path, sizeof path, ZONES "/%s/temp", zones[i]);
        rc = wtl_file_set_add(source, path, &channel);
        index += rc == 0;
    }
    if (count >= 0)
        free(zones);
    return rc == -ENOMEM ? rc : 0;
}

static int add_throttle(struct wtl_source *source, const struct wtl_cpu *cpu, bool of_package)
{
    enum wattle_domain domain = of_package ? WATTLE_DOMAIN_PACKAGE : WATTLE_DOMAIN_CORE;
    struct wattle_channel channel =
        wtl_channel_init(domain, cpu->package, WATTLE_EVENTS, WATTLE_COUNTER);
    char path[128];
    const char *what = of_package ? "package" : "core";
    channel.sub = of_package ? -1 : cpu->number;
    (void)snprintf(channel.name, sizeof channel.name, "%s_throttle", what);
    (void)snprintf(channel.label, sizeof channel.label, "throttled");
    (void)snprintf(path, sizeof path,
                   "/sys/devices/system/cpu/cpu%d/thermal_throttle/%s_throttle_count", cpu->number,
                   what);
    return wtl_file_set_add(source, path, &channel);
}

static int add_throttles(struct wtl_source *source)
{
    struct wtl_topology topology;
    int rc = wtl_topology_load(source->world, &topology);
    if (rc < 0) /* no CPU is listed: nothing to count */
        return rc == -ENOMEM ? rc : 0;
    for (size_t i = 0; i < topology.count && rc != -ENOMEM; i++) {
        const struct wtl_cpu *cpu = &topology.cpus[i];
        if (cpu->first_of_package)
            rc = add_throttle(source, cpu, true);
        if (rc != -ENOMEM && cpu->first_of_core)
            rc = add_throttle(source, cpu, false);
    }
    wtl_topology_fini(&topology);
    return rc == -ENOMEM ? rc : 0;
}

static int thermal_open(struct wtl_source *source, struct wattle_error *err)
{
    int rc = wtl_file_set_init(source);
    if (rc == 0)
        rc = add_hwmon(source);
    if (rc == 0 && source->count == 0)
        rc = add_zones(source);
    if (rc == 0)
        rc = add_throttles(source);
    if (rc < 0 || source->count > 0)
        return rc;
    return wtl_fail(err, -ENODEV,
                    "thermal: no processor temperature in " HWMON " or " ZONES
                    "; load coretemp or k10temp (virtual machines have none)");
}

extern const struct wtl_driver wtl_driver_thermal;
const struct wtl_driver wtl_driver_thermal = {
    .name = "thermal",
    .summary = "temperatures and throttling of processors",
    .flags = WTL_DRIVER_ACTIVITY,
    .open = thermal_open,
    .read = wtl_file_set_read,
    .close = wtl_file_set_close,
};
