/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver `estimate`: a counter of joules for machines without sensors. Between two reads the machine was busy
 * for a known fraction u of the time; the counter grows by P(u) from estimate_plan.c times the time. u is
 * averaged over windows: over less than the resolution of the busy time it would be noise, and since P is
 * concave, noise in u would reduce the energy.
 *
 * Conversion is the purpose of this driver, so read() computes in doubles; it does not allocate.
 */
#include "sensors/estimate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "sensors/estimate_plan.h"
#include "source/busy.h"

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

static void write_note(struct wtl_source *source, const struct wtl_estimate_plan *plan)
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
                       const struct wtl_estimate_plan *plan)
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
    struct wtl_estimate_plan plan;
    int rc = wtl_estimate_plan(source, &plan, err);
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
