/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices, lines and samples: see pm_meter.h. */
#include "service/pm_meter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void wtl_pm_meters_fini(struct wtl_pm_meters *meters)
{
    for (size_t i = 0; i < meters->count; i++)
        free(meters->list[i].lines);
    free(meters->list);
    meters->list = NULL;
    meters->count = 0;
}

const struct wtl_pm_meter *wtl_pm_meters_find(const struct wtl_pm_meters *meters, const char *name)
{
    for (size_t i = 0; i < meters->count; i++) {
        if (strcmp(meters->list[i].name, name) == 0)
            return &meters->list[i];
    }
    return NULL;
}

void wtl_pm_trail_begin(struct wtl_pm_trail *trail, const struct wtl_pm_value *now)
{
    trail->shown_w = (double)NAN;
    trail->last = *now;
    if (now->status != 0)
        trail->last.time_ns = 0;
}

static bool follows(const struct wtl_pm_value *last, const struct wtl_pm_value *now)
{
    return last->time_ns > 0 && last->unknown_ns == now->unknown_ns &&
           last->since_ns == now->since_ns;
}

double wtl_pm_trail_next(struct wtl_pm_trail *trail,
                         const struct wtl_pm_value *now,
                         uint64_t now_ns,
                         uint64_t patience_ns,
                         bool *ret_fresh)
{
    *ret_fresh = now->status == 0 && now->time_ns > trail->last.time_ns;
    /* The page, or its value, is late: what comes next counts from the last value, and may be the mean over all of the time. */
    bool late =
        now->status == -ESTALE || (now->status == 0 && !*ret_fresh && now_ns > now->time_ns &&
                                   now_ns - now->time_ns > patience_ns);
    if (late) {
        trail->shown_w = (double)NAN;
    } else if (now->status != 0) {
        wtl_pm_trail_begin(trail, now); /* what comes next begins anew */
    } else if (*ret_fresh) {
        double power_w = (double)NAN;
        if (now->instant)
            power_w = now->power_w;
        else if (follows(&trail->last, now))
            power_w = (now->energy_j - trail->last.energy_j) /
                      ((double)(now->time_ns - trail->last.time_ns) * 1e-9);
        trail->last = *now;
        trail->shown_w = power_w;
    }
    return trail->shown_w;
}
