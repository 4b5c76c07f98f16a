/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `limits`: the power limits in force, from the constraints of powercap zones
 * (Documentation/power/powercap/powercap.rst). A limit says how much power may be drawn, not how much is. Those of a zone that is
 * switched off are not in force, and not shown.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "counters/file_set.h"
#include "model/zone.h"

#define SUBS_MAX 64

static int add_constraint(struct wtl_source *source, const struct wtl_zone *zone, int constraint)
{
    struct wattle_channel channel =
        wtl_channel_init(zone->domain, zone->index, WATTLE_POWER_LIMIT, WATTLE_GAUGE);
    char path[128], what[24];
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/constraint_%d_name", zone->folder,
                   constraint);
    if (wtl_world_text(source->world, path, what, sizeof what) < 0)
        return -ENOENT;
    channel.scale = 1e-6;
    (void)snprintf(channel.label, sizeof channel.label, "%.12s %.18s", zone->name, what);
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/constraint_%d_power_limit_uw", zone->folder,
                   constraint);
    /* Constraints of the same place are numbered consecutively: dies, and MSR and MMIO limits of one package. */
    int rc = -EINVAL;
    for (channel.sub = constraint; rc == -EINVAL && channel.sub < SUBS_MAX; channel.sub++)
        rc = wtl_file_set_add(source, path, &channel);
    return rc;
}

static bool is_off(const struct wtl_world *world, const char *folder)
{
    char path[128];
    uint64_t enabled;
    (void)snprintf(path, sizeof path, WTL_ZONES "/%.60s/enabled", folder);
    return wtl_world_u64(world, path, &enabled) == 0 && enabled == 0;
}

static int limits_open(struct wtl_source *source, struct wattle_error *err)
{
    char **zones;
    int count = source->world->ops->list(source->world, WTL_ZONES, &zones);
    if (count == -ENOMEM)
        return count;
    if (count < 0)
        return wtl_fail(err, -ENODEV,
                        "limits: " WTL_ZONES
                        ": %s; virtual machines and kernels without intel_rapl have none",
                        wtl_strerror(count));
    int rc = wtl_file_set_init(source);
    for (int i = 0; i < count && rc == 0; i++) {
        struct wtl_zone zone;
        if (!wtl_zone_is(zones[i]) || wtl_zone_identify(source->world, zones[i], &zone, NULL) < 0 ||
            is_off(source->world, zones[i]))
            continue;
        for (int constraint = 0; constraint < 3 && rc == 0; constraint++) {
            if (add_constraint(source, &zone, constraint) == -ENOMEM)
                rc = -ENOMEM;
        }
    }
    free(zones);
    if (rc < 0 || source->count > 0)
        return rc;
    return wtl_fail(err, -ENODEV, "limits: no zone in " WTL_ZONES " has a power limit in force");
}

extern const struct wtl_driver wtl_driver_limits;
const struct wtl_driver wtl_driver_limits = {
    .name = "limits",
    .summary = "power limits in force",
    .flags = WTL_DRIVER_ACTIVITY,
    .open = limits_open,
    .read = wtl_file_set_read,
    .close = wtl_file_set_close,
};
