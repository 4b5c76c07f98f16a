/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derives power over load from the machine's description and the settings. Settings take precedence: a curve
 * of points is used unchanged; idle_w and full_w replace the ends from the table; tdp_w replaces the value
 * from the list. A guest cannot see its host: it is assigned its threads' part of a typical host of the
 * family, or of any family, with a correspondingly wide interval.
 */
#include "sensors/estimate_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "sensors/power_curve.h"

struct given {
    double idle_w, full_w, tdp_w; /* 0 = not given */
    const char *curve;
};

static int watts_setting(const struct wtl_source *source,
                         const char *name,
                         double *ret,
                         struct wattle_error *err)
{
    const char *text = wtl_source_param(source, name);
    double value;
    if (!text[0])
        return 0;
    if (wtl_parse_double(text, &value) < 0 || !(value > 0) || value > 1e6)
        return wtl_fail(err, -EINVAL, "estimate: %s=%s: must be watts above 0", name, text);
    *ret = value;
    return 0;
}

static int read_settings(const struct wtl_source *source,
                         struct given *given,
                         struct wattle_error *err)
{
    int rc = watts_setting(source, "idle_w", &given->idle_w, err);
    if (rc == 0)
        rc = watts_setting(source, "full_w", &given->full_w, err);
    if (rc == 0)
        rc = watts_setting(source, "tdp_w", &given->tdp_w, err);
    if (rc == 0 && given->idle_w > 0 && given->full_w > 0 && given->idle_w > given->full_w)
        rc = wtl_fail(err, -EINVAL, "estimate: idle_w=%g is more than full_w=%g", given->idle_w,
                      given->full_w);
    given->curve = wtl_source_param(source, "curve");
    return rc;
}

static double memory_gb(const struct wtl_world *world)
{
    char text[8192]; /* about 1.5 kB */
    uint64_t kib = 0;
    if (wtl_world_text(world, "/proc/meminfo", text, sizeof text) < 0)
        return 0;
    const char *at = strstr(text, "MemTotal:");
    if (at) {
        at += strlen("MemTotal:");
        at += strspn(at, " \t");
        (void)wtl_scan_u64(at, strlen(at), &kib); /* stays 0: unknown */
    }
    return (double)kib / (1024.0 * 1024.0);
}

static bool has_battery(const struct wtl_world *world)
{
    return world->ops->exists(world, "/sys/class/power_supply/BAT0") ||
           world->ops->exists(world, "/sys/class/power_supply/BAT1");
}

static void describe(struct wtl_estimate_plan *plan,
                     const char *key,
                     const struct wtl_server_watts *w)
{
    const char *family = wtl_cpu_family_name(w->family);
    char *basis = plan->basis, *label = plan->label;
    size_t n = sizeof plan->basis, m = sizeof plan->label;
    switch (plan->tier) {
    case WTL_POWER_MODEL:
        (void)snprintf(basis, n, "%u SPECpower server%s with this processor (%s)", w->servers,
                       w->servers == 1 ? "" : "s", key);
        (void)snprintf(label, m, "SPECpower %.20s", key);
        break;
    case WTL_POWER_TDP:
        (void)snprintf(basis, n, "SPECpower servers of the %s family, TDP %g W", family, w->tdp_w);
        (void)snprintf(label, m, "%s, TDP %g W", family, w->tdp_w);
        break;
    case WTL_POWER_FAMILY:
        (void)snprintf(basis, n, "SPECpower servers of the %s family", family);
        (void)snprintf(label, m, "%s family", family);
        break;
    case WTL_POWER_TDP_ONLY:
        (void)snprintf(basis, n, "SPECpower servers of any family, TDP %g W", w->tdp_w);
        (void)snprintf(label, m, "any server, TDP %g W", w->tdp_w);
        break;
    case WTL_POWER_VM_FAMILY:
        (void)snprintf(basis, n, "%d threads of an unknown %s host", plan->threads, family);
        (void)snprintf(label, m, "part of a %s host", family);
        break;
    case WTL_POWER_VM:
        (void)snprintf(basis, n, "%d threads of an unknown host", plan->threads);
        (void)snprintf(label, m, "part of an unknown host");
        break;
    default:
        (void)snprintf(basis, n, "SPECpower servers of any processor");
        (void)snprintf(label, m, "any server");
        break;
    }
}

/* The watts from the tables for this machine or guest. */
static void from_tables(const struct wtl_world *world,
                        const struct wtl_cpuinfo *info,
                        const struct given *given,
                        struct wtl_estimate_plan *plan)
{
    struct wtl_server_machine server = {
        .family = wtl_cpu_family_of(info),
        .tdp_w = given->tdp_w,
        .chips = info->sockets,
        .cores = info->cores,
        .ghz = info->ghz,
        .memory_gb = memory_gb(world),
        .smt = info->threads > info->cores,
    };
    struct wtl_server_watts watts;
    wtl_cpu_key(info->name, server.key);
    if (plan->where.machine[0]) {
        const struct wtl_cpu_tdp *row = wtl_cpu_tdp_find(server.key);
        wtl_thread_power(row && row->family ? row->family : server.family, plan->threads, &watts);
    } else {
        wtl_server_power(&server, &watts);
    }
    plan->tier = watts.tier;
    plan->idle_w = watts.idle_w;
    plan->full_w = watts.full_w;
    describe(plan, server.key, &watts);
}

static const struct wtl_power_curve *find_curve(const char *name)
{
    for (size_t i = 0; i < wtl_power_curve_count; i++) {
        if (strcmp(wtl_power_curves[i].name, name) == 0)
            return &wtl_power_curves[i];
    }
    return NULL;
}

static int unknown_curve(const char *name, struct wattle_error *err)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < wtl_power_curve_count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 wtl_power_curves[i].name);
    return wtl_fail(err, -EINVAL,
                    "estimate: curve '%s' is unknown; use one of %s, or points "
                    "LOAD:WATTS+LOAD:WATTS...",
                    name, names);
}

static void take_given(const struct given *given, struct wtl_estimate_plan *plan)
{
    bool both = given->idle_w > 0 && given->full_w > 0;
    if (given->idle_w > 0)
        plan->idle_w = given->idle_w;
    if (given->full_w > 0)
        plan->full_w = given->full_w;
    if (plan->idle_w > plan->full_w) { /* one end is given, beyond the other end from the table */
        if (given->idle_w > 0)
            plan->full_w = plan->idle_w;
        else
            plan->idle_w = plan->full_w;
    }
    if (both) {
        plan->tier = WTL_POWER_GIVEN;
        (void)snprintf(plan->label, sizeof plan->label, "idle_w and full_w set");
        (void)snprintf(plan->basis, sizeof plan->basis, "the settings idle_w=%g full_w=%g",
                       given->idle_w, given->full_w);
    } else if (given->idle_w > 0 || given->full_w > 0) {
        size_t n = strlen(plan->basis);
        (void)snprintf(plan->basis + n, sizeof plan->basis - n, "; %s set",
                       given->idle_w > 0 ? "idle_w" : "full_w");
    }
}

static int make_curve(const struct given *given,
                      struct wtl_estimate_plan *plan,
                      struct wattle_error *err)
{
    if (strchr(given->curve, ':')) {
        int rc = wtl_curve_parse(given->curve, &plan->watts, err);
        if (rc < 0)
            return rc;
        plan->idle_w = wtl_curve_at(&plan->watts, 0);
        plan->full_w = wtl_curve_at(&plan->watts, 1);
        plan->tier = WTL_POWER_POINTS;
        (void)snprintf(plan->label, sizeof plan->label, "curve set");
        (void)snprintf(plan->basis, sizeof plan->basis, "the points of the setting curve=");
        return 0;
    }
    const struct wtl_power_curve *shape = find_curve(given->curve);
    if (!shape)
        return unknown_curve(given->curve, err);
    double rise = plan->full_w - plan->idle_w;
    if (plan->tier == WTL_POWER_VM || plan->tier == WTL_POWER_VM_FAMILY) {
        /* A guest's load adds to that of a host at medium load: use the mean slope up to that point. */
        static const double straight[] = {0, 1};
        double slope = shape->part[WTL_POWER_CURVE_POINTS / 2] / 0.5;
        wtl_curve_grid(&plan->watts, straight, 2, plan->idle_w, rise * slope);
        plan->full_w = plan->idle_w + rise * slope;
    } else {
        wtl_curve_grid(&plan->watts, shape->part, WTL_POWER_CURVE_POINTS, plan->idle_w, rise);
    }
    return 0;
}

int wtl_estimate_plan(const struct wtl_source *source,
                      struct wtl_estimate_plan *ret_plan,
                      struct wattle_error *err)
{
    const struct wtl_world *world = source->world;
    struct wtl_estimate_plan plan = {0};
    struct given given = {0};
    struct wtl_cpuinfo info;
    int rc = read_settings(source, &given, err);
    if (rc < 0)
        return rc;
    rc = wtl_cpuinfo_read(world, &info);
    rc = rc < 0 ? rc : wtl_cpuinfo_count(world, &info);
    if (rc < 0)
        return wtl_fail(err, rc, "estimate: /proc/cpuinfo: %s; is /proc mounted?",
                        wtl_strerror(rc));
    wtl_virtual_detect(world, &plan.where);
    if (info.hypervisor && !plan.where.machine[0])
        (void)snprintf(plan.where.machine, sizeof plan.where.machine, "unknown hypervisor");
    plan.threads = info.threads;
    plan.battery = has_battery(world);
    from_tables(world, &info, &given, &plan);
    take_given(&given, &plan);
    rc = make_curve(&given, &plan, err);
    if (rc < 0)
        return rc;
    plan.ratio_low = wtl_power_intervals[plan.tier].low;
    plan.ratio_high = wtl_power_intervals[plan.tier].high;
    *ret_plan = plan;
    return 0;
}
