/* SPDX-License-Identifier: BSD-3-Clause */
/* The PMUs of the cores: see core_pmu.h. */
#include "counters/columns/core_pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define DEVICES "/sys/bus/event_source/devices"

/* 0, or -ENOENT if it is not the PMU of some cores. */
static int load_one(const struct wtl_world *world, const char *name, struct wtl_core_pmu *ret_pmu)
{
    char path[128], text[4096];
    uint64_t type;
    *ret_pmu = (struct wtl_core_pmu){.type = 0};
    if (strlen(name) >= sizeof ret_pmu->name)
        return -ENOENT;
    (void)snprintf(path, sizeof path, DEVICES "/%s/cpus", name);
    if (wtl_world_text(world, path, text, sizeof text) < 0 ||
        wtl_parse_cpulist(text, ret_pmu->cpus, WTL_CPUS_MAX) <= 0)
        return -ENOENT;
    (void)snprintf(path, sizeof path, DEVICES "/%s/type", name);
    if (wtl_world_u64(world, path, &type) < 0 || type > UINT32_MAX)
        return -ENOENT;
    (void)snprintf(ret_pmu->name, sizeof ret_pmu->name, "%s", name);
    ret_pmu->type = (uint32_t)type;
    return 0;
}

int wtl_core_pmus_load(const struct wtl_world *world, struct wtl_core_pmus *ret_pmus)
{
    char **names;
    *ret_pmus = (struct wtl_core_pmus){.count = 0};
    int count = world->ops->list(world, DEVICES, &names), rc = 0;
    if (count < 0)
        return count == -ENOMEM ? count : 0;
    for (int i = 0; i < count; i++) {
        struct wtl_core_pmu pmu;
        if (strcmp(names[i], "cpu") == 0)
            ret_pmus->present = true;
        if (load_one(world, names[i], &pmu) < 0)
            continue;
        ret_pmus->present = true;
        if (ret_pmus->count == WTL_CORE_PMUS)
            rc = -E2BIG;
        else
            ret_pmus->list[ret_pmus->count++] = pmu;
    }
    free((void *)names);
    if (ret_pmus->count == 1)
        ret_pmus->count = 0; /* the generic events are its own */
    return rc;
}

bool wtl_core_pmus_split(const struct wtl_core_pmus *pmus, const struct wtl_perf_code *code)
{
    return pmus->count > 0 &&
           (code->type == PERF_TYPE_HARDWARE || code->type == PERF_TYPE_HW_CACHE);
}

struct wtl_perf_code wtl_core_pmus_code(const struct wtl_core_pmus *pmus,
                                        size_t i,
                                        const struct wtl_perf_code *code)
{
    struct wtl_perf_code own = *code;
    own.config |= (uint64_t)pmus->list[i].type << 32;
    return own;
}

bool wtl_core_pmus_has(const struct wtl_core_pmus *pmus, const struct wtl_perf_code *code, int cpu)
{
    for (size_t i = 0; i < pmus->count; i++) {
        const struct wtl_core_pmu *pmu = &pmus->list[i];
        bool own = code->type == pmu->type ||
                   (wtl_core_pmus_split(pmus, code) && code->config >> 32 == pmu->type);
        if (own)
            return pmu->cpus[cpu / 8] >> (cpu % 8) & 1;
    }
    return true;
}
