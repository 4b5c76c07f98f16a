/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMUs as described in sysfs: see perf_pmu.h. An event is a list of terms ("event=0x02,umask=1"); the PMU's
 * format folder defines which bits of which word hold a term ("config:0-7,21"). Nothing specific to a PMU is
 * hard-coded here. ABI: Documentation/ABI/testing/sysfs-bus-event_source-devices-*.
 */
#include "sensors/perf_pmu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define DEVICES "/sys/bus/event_source/devices"

int wtl_pmu_load(const struct wtl_world *world, const char *name, struct wtl_pmu *ret_pmu)
{
    struct wtl_pmu pmu = {0};
    char path[160], *text;
    uint64_t type;
    if (strlen(name) >= sizeof pmu.name || strchr(name, '/') || !name[0])
        return -ENODEV;
    (void)snprintf(pmu.name, sizeof pmu.name, "%s", name);
    (void)snprintf(path, sizeof path, DEVICES "/%s/type", name);
    int rc = wtl_world_u64(world, path, &type);
    if (rc < 0)
        return rc == -ENOENT ? -ENODEV : rc;
    if (type > UINT32_MAX)
        return -EBADMSG;
    pmu.type = (uint32_t)type;
    (void)snprintf(path, sizeof path, DEVICES "/%s/cpumask", name);
    ssize_t n = wtl_world_slurp(world, path, &text);
    if (n == -ENOMEM)
        return -ENOMEM;
    if (n >= 0) {
        text[strcspn(text, "\n")] = '\0';
        int count = wtl_parse_cpulist(text, pmu.cpus, WTL_CPUS_MAX);
        free(text);
        if (count < 0)
            return -EBADMSG;
        pmu.has_cpumask = count > 0;
    }
    *ret_pmu = pmu;
    return 0;
}

static int has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

int wtl_pmu_list(const struct wtl_world *world, const struct wtl_pmu *pmu, char ***ret_names)
{
    char path[160], **names;
    (void)snprintf(path, sizeof path, DEVICES "/%s/events", pmu->name);
    int count = world->ops->list(world, path, &names), kept = 0;
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++) {
        if (!has_ending(names[i], ".scale") && !has_ending(names[i], ".unit") &&
            !has_ending(names[i], ".per-pkg") && !has_ending(names[i], ".snapshot"))
            names[kept++] = names[i];
    }
    *ret_names = names;
    return kept;
}

/* Store value's bits, lowest first, in the bit ranges of a format ("config:0-7,32-35"). */
static int place_bits(const char *format, uint64_t value, uint64_t config[3])
{
    const char *colon = strchr(format, ':');
    if (!colon || strncmp(format, "config", 6) != 0)
        return -EBADMSG;
    size_t word = colon == format + 6 ? 0 : (size_t)(format[6] - '0');
    if (word > 2)
        return -EBADMSG;
    const char *p = colon + 1;
    for (;;) {
        uint64_t low, high;
        int used = wtl_scan_u64(p, strlen(p), &low);
        if (used < 0)
            return -EBADMSG;
        p += used;
        high = low;
        if (*p == '-') {
            used = wtl_scan_u64(p + 1, strlen(p + 1), &high);
            if (used < 0)
                return -EBADMSG;
            p += used + 1;
        }
        if (high < low || high > 63)
            return -EBADMSG;
        for (uint64_t bit = low; bit <= high; bit++, value >>= 1)
            config[word] |= (value & 1) << bit;
        if (*p != ',')
            break;
        p++;
    }
    return *p || value ? -EBADMSG : 0; /* a value that does not fit would select another event */
}

static int place_term(const struct wtl_world *world,
                      const struct wtl_pmu *pmu,
                      char *term,
                      uint64_t config[3])
{
    char path[160], format[64];
    uint64_t value = 1; /* a term without a value is a flag */
    char *equals = strchr(term, '=');
    if (equals) {
        *equals = '\0';
        if (wtl_parse_hex_u64(equals + 1, &value) < 0)
            return -EBADMSG;
    }
    (void)snprintf(path, sizeof path, DEVICES "/%s/format/%.40s", pmu->name, term);
    ssize_t n = wtl_world_text(world, path, format, sizeof format);
    if (n >= 0)
        return place_bits(format, value, config);
    if (strcmp(term, "config") == 0)
        return place_bits("config:0-63", value, config);
    return -EBADMSG;
}

int wtl_pmu_event(const struct wtl_world *world,
                  const struct wtl_pmu *pmu,
                  const char *name,
                  struct wtl_pmu_event *ret_event)
{
    struct wtl_pmu_event event = {.scale = 1};
    char path[160], text[128];
    if (strlen(name) >= sizeof event.name || strchr(name, '/'))
        return -ENOENT;
    (void)snprintf(event.name, sizeof event.name, "%s", name);
    (void)snprintf(path, sizeof path, DEVICES "/%s/events/%s", pmu->name, name);
    ssize_t n = wtl_world_text(world, path, text, sizeof text);
    if (n < 0)
        return (int)n;
    char *next = text;
    while (next && *next) {
        char *term = next;
        next = strchr(term, ',');
        if (next)
            *next++ = '\0';
        int rc = place_term(world, pmu, term, event.config);
        if (rc < 0)
            return rc;
    }
    (void)snprintf(path, sizeof path, DEVICES "/%s/events/%s.scale", pmu->name, name);
    n = wtl_world_text(world, path, text, sizeof text);
    if (n >= 0 && (wtl_parse_double(text, &event.scale) < 0 || !(event.scale > 0)))
        return -EBADMSG;
    (void)snprintf(path, sizeof path, DEVICES "/%s/events/%s.unit", pmu->name, name);
    (void)wtl_world_text(world, path, event.unit, sizeof event.unit); /* if missing, "" is kept */
    *ret_event = event;
    return 0;
}
