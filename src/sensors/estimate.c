/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `estimate`: a counter of joules for machines without sensors. Between two reads the machine was busy
 * for a known fraction u of the time; the counter grows by P(u) of the plan times the time. u is
 * averaged over windows: over less than the resolution of the busy time it would be noise, and since P is
 * concave, noise in u would reduce the energy.
 *
 * Conversion is the purpose of this driver, so read() computes in doubles; it does not allocate.
 */
#include "sensors/estimate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/text/figures.h"
#include "model/calibration/curve.h"
#include "sensors/power_curve.h"
#include "sensors/server_power.h"
#include "source/busy.h"
#include "source/driver.h"
#include "source/virtual.h"

/* ---- plan ---- */

/*
 * The assumed power over load of this machine, and its origin. Derives power over load from the machine's description and the settings. Settings take precedence: a curve
 * of points is used unchanged; idle_w and full_w replace the ends from the table; tdp_w replaces the value
 * from the list. A guest cannot see its host: it is assigned its threads' part of a typical host of the
 * family, or of any family, with a correspondingly wide interval.
 */

struct estimate_plan {
    struct wtl_curve watts; /* over load 0 .. 1 */
    double idle_w, full_w;
    enum wtl_power_tier tier;
    double ratio_low, ratio_high;
    int threads;    /* of the machine, or of the guest */
    char label[32]; /* origin of the watts, short */
    char basis[96]; /* the same as a phrase */
    struct wtl_virtual where;
    bool battery; /* a laptop: not covered by the servers in the table */
};

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

static void describe(struct estimate_plan *plan, const char *key, const struct wtl_server_watts *w)
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
                        struct estimate_plan *plan)
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

static void take_given(const struct given *given, struct estimate_plan *plan)
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
                      struct estimate_plan *plan,
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

/* Choose from the machine and the driver's settings. Returns 0, -EINVAL for an invalid setting, or the
 * reason why the processor cannot be identified. */
static int estimate_plan(const struct wtl_source *source,
                         struct estimate_plan *ret_plan,
                         struct wattle_error *err)
{
    const struct wtl_world *world = source->world;
    struct estimate_plan plan = {0};
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

/* ---- the driver ---- */

#define WINDOW_NS    UINT64_C(100000000) /* governors and turbo settle in tens of milliseconds */
#define UJ_PER_J     1e6
#define STEPS_WINDOW 10 /* minimum steps of the busy time in a window: u to about 10 % */

struct estimate {
    struct wtl_busy busy;
    struct wtl_curve watts;
    double idle_w;
    uint64_t window_ns;
    uint64_t anchor_ns, anchor_busy_ns; /* start of the window */
    double anchor_j;                    /* energy up to it */
    double load;                        /* of the previous window */
    bool has_load;
    uint64_t last_uj; /* last value shown: never decreases */
};

/* The load since the window began. Until the window is complete, the previous one is included with the
 * weight of one step of the busy time, which stabilises the beginning. */
static double load_since(const struct estimate *e, uint64_t now_ns, uint64_t busy_ns, bool complete)
{
    double capacity = (double)(now_ns - e->anchor_ns) * e->busy.cpus;
    double used = (double)(busy_ns - e->anchor_busy_ns);
    double step = complete || !e->has_load ? 0 : (double)e->busy.resolution_ns;
    double load = (used + e->load * step) / (capacity + step);
    return load < 1 ? load : 1;
}

static int advance(struct estimate *e, const struct wtl_world *world, uint64_t *ret_uj)
{
    uint64_t busy_ns;
    int rc = wtl_busy_read(&e->busy, &busy_ns);
    if (rc < 0)
        return rc;
    uint64_t now_ns = wtl_world_monotonic(world);
    if (now_ns > e->anchor_ns) {
        bool complete = now_ns - e->anchor_ns >= e->window_ns;
        double load = load_since(e, now_ns, busy_ns, complete);
        double seconds = (double)(now_ns - e->anchor_ns) * 1e-9;
        double energy_j = e->anchor_j + wtl_curve_at(&e->watts, load) * seconds;
        uint64_t uj = (uint64_t)(energy_j * UJ_PER_J);
        if (uj > e->last_uj)
            e->last_uj = uj;
        if (complete) {
            e->anchor_ns = now_ns;
            e->anchor_busy_ns = busy_ns;
            e->anchor_j = energy_j;
            e->load = load;
            e->has_load = true;
        }
    }
    *ret_uj = e->last_uj;
    return 0;
}

static void estimate_read(struct wtl_source *source,
                          size_t first,
                          size_t n,
                          struct wattle_reading *out)
{
    (void)first; /* there is only one channel */
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct wattle_reading){0};
        out[i].status = advance(source->impl, source->world, &out[i].raw);
    }
}

static void write_note(struct wtl_source *source, const struct estimate_plan *plan)
{
    const char *remedy = "see \"wattle sensors\" for how to measure";
    bool given = plan->tier == WTL_POWER_GIVEN || plan->tier == WTL_POWER_POINTS;
    if (plan->where.machine[0] && !given)
        wtl_source_note(source,
                        "runs in a virtual machine (%s): the estimate is the share of its %d "
                        "threads in an unknown host; the true value is %.2f to %.2f times that; to "
                        "measure, run on the host or pass its counters through",
                        plan->where.machine, plan->threads, plan->ratio_low, plan->ratio_high);
    else if (plan->where.container[0])
        wtl_source_note(
            source,
            "runs in a container (%s%s): the estimate is for the whole machine, including other "
            "load; to measure, give the container access to the host's powercap",
            plan->where.container, plan->where.cpu_limit > 0 ? ", CPU limited" : "");
    else if (plan->battery && !given)
        wtl_source_note(source,
                        "has a battery: the tables are for servers, and laptops draw less; set "
                        "idle_w and full_w, or %s",
                        remedy);
    else
        wtl_source_note(source, "no sensor, power from load and %s; %s", plan->basis, remedy);
}

static int add_channel(struct wtl_source *source,
                       const struct estimate *e,
                       const struct estimate_plan *plan)
{
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_NODE, 0, WATTLE_ENERGY, WATTLE_COUNTER);
    channel.quality = WATTLE_ESTIMATED;
    channel.scale = 1 / UJ_PER_J;
    channel.refresh_ns = e->busy.resolution_ns / e->busy.cpus;
    channel.max_w = plan->full_w;
    for (size_t i = 0; i < plan->watts.count; i++) {
        if (plan->watts.y[i] > channel.max_w)
            channel.max_w = plan->watts.y[i];
    }
    channel.ratio_low = plan->ratio_low;
    channel.ratio_high = plan->ratio_high;
    (void)snprintf(channel.label, sizeof channel.label, "%s", plan->label);
    (void)snprintf(channel.location, sizeof channel.location, "%s to %s W by %.60s; %.60s",
                   WTL_IN_FIGURES(plan->idle_w, 4), WTL_IN_FIGURES(plan->full_w, 4), plan->basis,
                   e->busy.where);
    int rc = wtl_source_add(source, &channel);
    return rc < 0 ? rc : 0;
}

static int estimate_open(struct wtl_source *source, struct wattle_error *err)
{
    struct estimate_plan plan = {.idle_w = 0};
    int rc = estimate_plan(source, &plan, err);
    if (rc < 0)
        return rc;
    struct estimate *e = calloc(1, sizeof *e);
    if (!e)
        return -ENOMEM;
    source->impl = e;
    e->busy.fd = -1;
    struct wattle_error why = {0};
    rc = wtl_busy_open(&e->busy, source->world, wtl_source_param(source, "busy"), &why);
    if (rc < 0)
        return wtl_fail(err, rc, "estimate: %s", why.text);
    e->watts = plan.watts;
    e->idle_w = plan.idle_w;
    uint64_t steps_ns = STEPS_WINDOW * e->busy.resolution_ns / e->busy.cpus;
    e->window_ns = steps_ns > WINDOW_NS ? steps_ns : WINDOW_NS;
    rc = wtl_busy_read(&e->busy, &e->anchor_busy_ns);
    e->anchor_ns = wtl_world_monotonic(source->world);
    if (rc == 0)
        rc = add_channel(source, e, &plan);
    if (rc < 0)
        return wtl_fail(err, rc, "estimate: %s: %s", e->busy.where, wtl_strerror(rc));
    write_note(source, &plan);
    return 0;
}

static void estimate_close(struct wtl_source *source)
{
    struct estimate *e = source->impl;
    if (e)
        wtl_busy_close(&e->busy);
    free(e);
    source->impl = NULL;
}

static const struct wtl_param params[] = {
    {"idle_w", "", "power of the idle machine at the wall, in watts"},
    {"full_w", "", "power with all processors busy, in watts"},
    {"curve", "mean", "curve of power over load: a name, or points LOAD:WATTS+LOAD:WATTS..."},
    {"tdp_w", "", "thermal design power of one processor, overriding the built-in list"},
    {"busy", "auto", "source of busy time: auto, cpuacct, stat or schedstat"},
    {0},
};

extern const struct wtl_driver wtl_driver_estimate;
const struct wtl_driver wtl_driver_estimate = {
    .name = "estimate",
    .summary = "power of the machine estimated from its load, if no sensor is available",
    .flags = WTL_DRIVER_FALLBACK,
    .params = params,
    .open = estimate_open,
    .read = estimate_read,
    .close = estimate_close,
};

int wtl_estimate_idle(const struct wtl_source *source, double *ret_idle_w, unsigned *ret_cpus)
{
    if (source->driver != &wtl_driver_estimate || !source->impl)
        return -EINVAL;
    const struct estimate *e = source->impl;
    *ret_idle_w = e->idle_w;
    *ret_cpus = e->busy.cpus;
    return 0;
}
