/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact regions: see <wattle/exact.h>. Each is a separate session that waits for edges at both
 * borders, like a whole measurement (decision 0003); so wraps, gaps and suspends within a long one
 * are detected, too.
 */
#define _GNU_SOURCE
#include <wattle/exact.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wattle/region.h>

#include "base/fail.h"
#include "measure/measurement.h"
#include "model/public_summary.h"
#include "record/edges.h"
#include "record/regions/region_place.h"
#include "record/replay.h"
#include "source/registry.h"
#include "trace/own_event.h"

enum { EDGES = 3 };

/*
 * The power does not change exactly when begin returns and end is called: regulators and other
 * threads take time. With a normal error of 20 us (BLUR_NS of split.c), of which only one side adds
 * to the region, the sum over two borders is below 2.2 of these in 95 % of cases.
 */
static const double BLUR_S = 1.1 * 20e-6; /* per watt, for both borders together */

static const uint64_t INTERVAL_NS = 100000000; /* short enough to see every counter wrap */

struct wattle_exact {
    pid_t owner;
    const struct wtl_world *world;
    struct wtl_selection *selection;
    struct wtl_session *session;             /* session of the open region; NULL = none */
    uint32_t region, wait;                   /* ids of names */
    uint64_t start_ns, asked_ns;             /* begin of the open region, and the call of begin */
    uint64_t window_ns, before_ns, after_ns; /* the last region; window 0 = none */
    struct wtl_summary *summaries;           /* [recorded_count] of the last region */
};

static int check(const struct wattle_exact *exact, struct wattle_error *err)
{
    if (!exact)
        return wtl_fail(err, -EINVAL,
                        "exact region: NULL was given; call wattle_exact_open() first");
    if (exact->owner != getpid())
        return wtl_fail(
            err, -EINVAL,
            "exact region: belongs to the process before fork; open another one in this process");
    return 0;
}

static int check_edges(const struct wtl_selection *selection, struct wattle_error *err)
{
    for (size_t i = 0; i < selection->recorded_count; i++) {
        if (wtl_edges_visible(&selection->channels[i]))
            return 0;
    }
    return wtl_fail(
        err, -ENOTSUP,
        "exact region: no counter has updates to wait for; use the recorder and its interval");
}

int wattle_exact_open(const char *which, struct wattle_exact **ret_exact, struct wattle_error *err)
{
    struct wtl_request request = {.drivers = wtl_drivers, .which = which};
    if (!ret_exact)
        return wtl_fail(
            err, -EINVAL,
            "exact region: ret_exact is NULL; give the address of a struct wattle_exact *");
    struct wattle_exact *exact = calloc(1, sizeof *exact);
    if (!exact)
        return wtl_no_memory_for(err, "an exact region");
    exact->owner = getpid();
    exact->world = wtl_world_library();
    exact->wait = wattle_region_id(WTL_EXACT_WAIT);
    int rc = wtl_replay_or_select(&request, exact->world, &exact->selection, err);
    rc = rc < 0 ? rc : wtl_selection_check(exact->selection, err);
    rc = rc < 0 ? rc : check_edges(exact->selection, err);
    if (rc == 0) {
        exact->summaries = calloc(exact->selection->recorded_count, sizeof *exact->summaries);
        rc = exact->summaries ? 0 : wtl_no_memory_for(err, "an exact region");
    }
    if (rc < 0) {
        wattle_exact_close(exact);
        return rc;
    }
    *ret_exact = exact;
    return 0;
}

void wattle_exact_close(struct wattle_exact *exact)
{
    if (!exact || exact->owner != getpid())
        return;
    if (exact->session)
        wattle_region_end(exact->region);
    wtl_session_destroy(exact->session);
    if (exact->selection)
        wtl_selection_close(exact->selection);
    free(exact->summaries);
    free(exact);
}

size_t wattle_exact_channel_count(const struct wattle_exact *exact)
{
    return exact ? exact->selection->recorded_count : 0;
}

const struct wattle_channel *wattle_exact_channel(const struct wattle_exact *exact, size_t channel)
{
    return channel < wattle_exact_channel_count(exact) ? &exact->selection->channels[channel]
                                                       : NULL;
}

static int create_session(struct wattle_exact *exact, struct wattle_error *err)
{
    struct wtl_session_options options = {.world = exact->world,
                                          .selection = exact->selection,
                                          .interval_ns = INTERVAL_NS,
                                          .sampler_cpu = WTL_SAMPLER_CPU_AUTO,
                                          .edges_before = EDGES,
                                          .edges_after = EDGES};
    return wtl_measurement_session(&options, &exact->session, err);
}

int wattle_exact_begin(struct wattle_exact *exact, const char *name, struct wattle_error *err)
{
    int rc = check(exact, err);
    if (rc < 0)
        return rc;
    if (exact->session)
        return wtl_fail(
            err, -EBUSY,
            "exact region: one is open; end it, or open another object for nested ones");
    uint32_t region = wattle_region_id(name);
    if (!region)
        return wtl_fail(err, -EINVAL, "exact region: the name must have 1 to 255 bytes of UTF-8");
    uint64_t asked_ns = wtl_world_monotonic(exact->world);
    wattle_region_begin(exact->wait);
    rc = create_session(exact, err);
    if (rc == 0)
        wtl_session_prepare(exact->session);
    wattle_region_end(exact->wait);
    if (rc < 0)
        return rc;
    exact->region = region;
    exact->asked_ns = asked_ns;
    exact->start_ns = wtl_world_monotonic(exact->world);
    wtl_session_begin(exact->session, exact->start_ns);
    wattle_region_begin(region);
    return 0;
}

static struct wattle_summary summary_of(const struct wattle_exact *exact, size_t channel)
{
    return wtl_public_summary(&exact->selection->channels[channel], &exact->summaries[channel],
                              exact->window_ns);
}

static struct wattle_summary total_of(const struct wattle_exact *exact)
{
    struct wattle_summary total = {0};
    for (size_t i = 0; i < exact->selection->recorded_count; i++) {
        if (!(exact->selection->channels[i].flags & WATTLE_CHANNEL_IN_TOTAL))
            continue;
        struct wattle_summary one = summary_of(exact, i);
        wtl_public_summary_add(&total, &exact->selection->channels[i], &one);
    }
    return total;
}

static void put_event(uint32_t type, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wtl_region_event(type, bits);
}

int wattle_exact_end(struct wattle_exact *exact, struct wattle_error *err)
{
    int rc = check(exact, err);
    if (rc < 0)
        return rc;
    if (!exact->session)
        return wtl_fail(err, -EINVAL,
                        "exact region: none is open; call wattle_exact_begin() first");
    uint64_t end_ns = wtl_world_monotonic(exact->world);
    wattle_region_end(exact->region);
    wattle_region_begin(exact->wait);
    wtl_session_end(exact->session, end_ns);
    for (size_t i = 0; i < exact->selection->recorded_count; i++) {
        double jump_w = wtl_session_jump_w(exact->session, i);
        wtl_session_summary(exact->session, i, &exact->summaries[i]);
        if (!isnan(jump_w))
            exact->summaries[i].amount_half += BLUR_S * jump_w;
    }
    wtl_session_destroy(exact->session);
    exact->session = NULL;
    wattle_region_end(exact->wait);
    exact->window_ns = end_ns - exact->start_ns;
    exact->before_ns = exact->start_ns - exact->asked_ns;
    exact->after_ns = wtl_world_monotonic(exact->world) - end_ns;
    struct wattle_summary total = total_of(exact);
    wtl_region_event(WTL_EVENT_EXACT_WAIT_NS, exact->before_ns + exact->after_ns);
    bool some = exact->selection->total.count > 0;
    put_event(WTL_EVENT_EXACT_ENERGY_J, some ? total.energy_j : (double)NAN);
    put_event(WTL_EVENT_EXACT_HALF_J, some ? total.resolution_interval_j : (double)NAN);
    return 0;
}

/* check() for calls that need an ended region. */
static int check_ended(const struct wattle_exact *exact, struct wattle_error *err)
{
    int rc = check(exact, err);
    if (rc == 0 && !exact->window_ns)
        rc = wtl_fail(err, -EINVAL,
                      "exact region: none has ended; call wattle_exact_begin() and _end() first");
    return rc;
}

int wattle_exact_summary(const struct wattle_exact *exact,
                         size_t channel,
                         struct wattle_summary *ret_summary,
                         struct wattle_error *err)
{
    int rc = check_ended(exact, err);
    rc = rc < 0 ? rc : wtl_sized_check(&wtl_public_summary_sized, ret_summary, err);
    if (rc < 0)
        return rc;
    if (channel >= exact->selection->recorded_count)
        return wtl_fail(err, -EINVAL, "exact region: no channel %zu; there are %zu, from 0",
                        channel, exact->selection->recorded_count);
    struct wattle_summary summary = summary_of(exact, channel);
    wtl_sized_give(&wtl_public_summary_sized, &summary, ret_summary);
    return 0;
}

int wattle_exact_total(const struct wattle_exact *exact,
                       struct wattle_summary *ret_summary,
                       const char **ret_contains,
                       const char **ret_excludes,
                       struct wattle_error *err)
{
    int rc = check_ended(exact, err);
    rc = rc < 0 ? rc : wtl_sized_check(&wtl_public_summary_sized, ret_summary, err);
    if (rc < 0)
        return rc;
    if (exact->selection->total.count == 0)
        return wtl_fail(
            err, -ENODATA,
            "exact region: the channels cannot be summed to a total; use them one by one");
    struct wattle_summary total = total_of(exact);
    wtl_sized_give(&wtl_public_summary_sized, &total, ret_summary);
    if (ret_contains)
        *ret_contains = exact->selection->total.contains;
    if (ret_excludes)
        *ret_excludes = exact->selection->total.excludes;
    return 0;
}

void wattle_exact_waited(const struct wattle_exact *exact,
                         uint64_t *ret_before_ns,
                         uint64_t *ret_after_ns)
{
    if (ret_before_ns)
        *ret_before_ns = exact ? exact->before_ns : 0;
    if (ret_after_ns)
        *ret_after_ns = exact ? exact->after_ns : 0;
}
