/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs at shifted phases: see passes.h. */
#define _GNU_SOURCE
#include "cli/run/passes.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/gauge/gauge_energy.h"
#include "analysis/gauge/gauge_reading.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/text/figures.h"
#include "base/world/world.h"
#include "cli/characterize/characterize.h"
#include "cli/run/child.h"
#include "cli/run/run_options.h"
#include "model/bound.h"
#include "model/reading.h"
#include "source/registry.h"
#include "source/select.h"

/* Readings per period, so that none of its values is missed if some are late; periods of idle power before and after. */
static const double READS = 10, IDLE_PERIODS = 2;
enum { MOST_SPOILT = 10 }; /* runs that do not count, one after another */
static const double SAME_PERIOD = 0.01;

struct wtl_watched_gauge {
    struct wtl_pick pick;
    struct wattle_channel channel;
    struct wtl_gauge_reading *readings; /* on CLOCK_MONOTONIC, without those that failed; owned */
    size_t count;
};

struct wtl_gauge_watch {
    struct wtl_watched_gauge *gauges; /* owned */
    size_t count;
    uint64_t every_ns;
    pthread_t thread;
    _Atomic bool stop;
    bool runs;
    int rc; /* of the thread: 0 or -ENOMEM */
};

struct wtl_passes {
    struct wtl_passes_options options;
    struct wtl_selection *selection;
    struct wtl_gauge_watch watch;
    struct wtl_gauge *gauges;               /* parallel to those of the watch */
    struct wtl_gauge_pass_energy *energies; /* [gauges][options.count] */
    unsigned at, spoilt;
    double period_s, settling_s; /* the longest of the gauges */
    uint64_t seed, anchor_ns;    /* the phases of a block count from there */
};

/* ---- which gauges ---- */

static bool is_of_gpu(const struct wattle_channel *channel)
{
    return channel->domain == WATTLE_DOMAIN_GPU && channel->flags & WATTLE_CHANNEL_PRIMARY &&
           wtl_channel_is_energy(channel);
}

static int add_gauge(struct wtl_passes *passes, size_t i, struct wattle_error *err)
{
    const struct wattle_channel *channel = &passes->selection->channels[i];
    struct wtl_gauge *gauge = &passes->gauges[passes->watch.count];
    struct wattle_error why = {""};
    if (wtl_characterize_load(wtl_world_real(), channel->name, gauge, &why) < 0)
        return wtl_fail(err, -ENODATA,
                        "--passes: %s has no energy counter, and what its gauge does is not known; "
                        "run \"wattle characterize gpu --channel %s\" first",
                        channel->name, channel->name);
    /* Before the command has run for hours. */
    int rc = wtl_gauge_check(gauge, passes->options.count, &why);
    if (rc < 0)
        return wtl_fail(err, rc, "--passes: %s: %s", channel->name, why.text);
    if (passes->watch.count > 0 &&
        fabs(gauge->period.value / passes->gauges[0].period.value - 1) > SAME_PERIOD)
        return wtl_fail(err, -ENOTSUP,
                        "--passes: the gauges of the GPUs have different periods (%s and %s "
                        "ms); measure them one driver at a time, with --sensor",
                        WTL_IN_FIGURES(1e3 * passes->gauges[0].period.value, 4),
                        WTL_IN_FIGURES(1e3 * gauge->period.value, 4));
    passes->period_s = fmax(passes->period_s, gauge->period.value);
    passes->settling_s = fmax(passes->settling_s, wtl_gauge_settling_s(gauge));
    passes->watch.gauges[passes->watch.count++] =
        (struct wtl_watched_gauge){.pick = passes->selection->picks[i], .channel = *channel};
    return 0;
}

static int find_gauges(struct wtl_passes *passes,
                       char *not_needed,
                       size_t n,
                       struct wattle_error *err)
{
    const struct wtl_selection *s = passes->selection;
    const char *counter = NULL;
    bool all = true;
    for (size_t i = 0; i < s->recorded_count; i++) {
        if (!is_of_gpu(&s->channels[i]))
            continue;
        if (s->channels[i].kind == WATTLE_COUNTER) {
            counter = counter ? counter : s->channels[i].name;
            continue;
        }
        int rc = add_gauge(passes, i, err);
        if (rc < 0)
            return rc;
        all &= s->channels[i].window_ns > 0 && wtl_seen_part(&s->channels[i]) >= 1;
    }
    const struct wtl_gauge_watch *watch = &passes->watch;
    if (watch->count == 0 && !counter)
        return wtl_fail(err, -ENODEV,
                        "--passes: no GPU here shows its energy or power; \"wattle sensors\" tells "
                        "why");
    if (watch->count == 0)
        (void)snprintf(not_needed, n, "%s is an energy counter", counter);
    else if (all)
        (void)snprintf(not_needed, n, "%s sees all of the time", watch->gauges[0].channel.name);
    return 0;
}

static int prepare(struct wtl_passes *passes, struct wattle_error *err)
{
    size_t gauges = passes->watch.count;
    double every_s = INFINITY;
    for (size_t i = 0; i < gauges; i++)
        every_s = fmin(every_s, passes->gauges[i].period.value / READS);
    passes->watch.every_ns = (uint64_t)(every_s * 1e9);
    passes->energies = calloc(gauges * passes->options.count + 1, sizeof *passes->energies);
    return passes->energies ? 0 : wtl_no_memory_for(err, "%u passes", passes->options.count);
}

int wtl_passes_open(const struct wtl_passes_options *options,
                    struct wtl_passes **ret_passes,
                    char *not_needed,
                    size_t n,
                    struct wattle_error *err)
{
    const struct wtl_request request = {.drivers = wtl_drivers,
                                        .which = options->sensors,
                                        .settings = options->settings,
                                        .direct = true};
    struct wtl_passes *passes = calloc(1, sizeof *passes);
    not_needed[0] = '\0';
    *ret_passes = NULL;
    if (!passes)
        return wtl_no_memory_for(err, "passes");
    passes->options = *options;
    passes->seed = wtl_run_options_seed();
    int rc = wtl_selection_open(&request, wtl_world_real(), &passes->selection, err);
    size_t most = rc < 0 ? 0 : passes->selection->recorded_count;
    passes->gauges = calloc(most + 1, sizeof *passes->gauges);
    passes->watch.gauges = calloc(most + 1, sizeof *passes->watch.gauges);
    if (!passes->gauges || !passes->watch.gauges) {
        wtl_passes_close(passes);
        return wtl_no_memory_for(err, "passes");
    }
    rc = rc < 0 ? rc : find_gauges(passes, not_needed, n, err);
    rc = rc < 0 || not_needed[0] ? rc : prepare(passes, err);
    if (rc < 0 || not_needed[0])
        wtl_passes_close(passes);
    else
        *ret_passes = passes;
    return rc;
}

/* ---- the gauges, read by a thread much more often than they publish ---- */

static int read_gauge(struct wtl_watched_gauge *gauge)
{
    struct wattle_reading reading = {0};
    gauge->pick.source->driver->read(gauge->pick.source, gauge->pick.at, 1, &reading);
    double time_s = (double)reading.time_ns * 1e-9;
    bool is_later = gauge->count == 0 || gauge->readings[gauge->count - 1].time_s < time_s;
    if (reading.status < 0 || !is_later)
        return 0; /* what is missing shows as a gap */
    if (wtl_grow(&gauge->readings, gauge->count, sizeof *gauge->readings) < 0)
        return -ENOMEM;
    gauge->readings[gauge->count++] =
        (struct wtl_gauge_reading){time_s, wtl_channel_value(&gauge->channel, reading.raw)};
    return 0;
}

static void *work(void *context)
{
    struct wtl_gauge_watch *watch = context;
    uint64_t next_ns = wtl_world_monotonic(wtl_world_real());
    while (watch->rc == 0 && !atomic_load(&watch->stop)) {
        uint64_t now_ns = wtl_world_monotonic(wtl_world_real());
        next_ns = next_ns + watch->every_ns > now_ns ? next_ns + watch->every_ns : now_ns;
        for (size_t i = 0; watch->rc == 0 && i < watch->count; i++)
            watch->rc = read_gauge(&watch->gauges[i]);
        const struct timespec until = {.tv_sec = (time_t)(next_ns / 1000000000),
                                       .tv_nsec = (long)(next_ns % 1000000000)};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    return NULL;
}

/* Stop reading, if it runs. 0 or -ENOMEM: readings are missing. */
static int gauge_watch_stop(struct wtl_gauge_watch *watch)
{
    if (!watch->runs)
        return watch->rc;
    atomic_store(&watch->stop, true);
    (void)pthread_join(watch->thread, NULL);
    watch->runs = false;
    return watch->rc;
}

/* Forget the readings, and read from now on. While it runs, nothing else may use the gauges' sources. 0 or -errno with a message. */
static int gauge_watch_start(struct wtl_gauge_watch *watch, struct wattle_error *err)
{
    sigset_t all, old;
    (void)gauge_watch_stop(watch);
    for (size_t i = 0; i < watch->count; i++)
        watch->gauges[i].count = 0;
    watch->rc = 0;
    atomic_store(&watch->stop, false);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old); /* inherited: signals are the main thread's */
    int rc = -pthread_create(&watch->thread, NULL, work, watch);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    watch->runs = rc == 0;
    return rc < 0 ? wtl_fail(err, rc, "cannot start a thread that reads the gauge: %s",
                             wtl_strerror(rc))
                  : 0;
}

static void gauge_watch_fini(struct wtl_gauge_watch *watch)
{
    (void)gauge_watch_stop(watch);
    for (size_t i = 0; watch->gauges && i < watch->count; i++)
        free(watch->gauges[i].readings);
    free(watch->gauges);
    watch->gauges = NULL;
    watch->count = 0;
}

/* ---- all passes ---- */

void wtl_passes_close(struct wtl_passes *passes)
{
    if (!passes)
        return;
    gauge_watch_fini(&passes->watch);
    wtl_selection_close(passes->selection);
    free(passes->gauges);
    free(passes->energies);
    free(passes);
}

/* ---- a pass ---- */

static int wait_until(struct wtl_passes *passes, uint64_t until_ns)
{
    struct wtl_child none = wtl_child_none();
    enum wtl_wait why = wtl_child_wait(&none, passes->options.signals, NULL, until_ns);
    return why == WTL_WAIT_INTERRUPTED || passes->options.signals->came ? -EINTR : 0;
}

int wtl_passes_ready(void *context, struct wattle_error *err)
{
    struct wtl_passes *passes = context;
    int rc = gauge_watch_start(&passes->watch, err);
    uint64_t idle_ns = (uint64_t)(IDLE_PERIODS * passes->period_s * 1e9);
    uint64_t earliest_ns = wtl_world_monotonic(wtl_world_real()) + idle_ns;
    if (rc == 0)
        rc = wait_until(passes, wtl_gauge_start_ns(passes->seed, passes->at, passes->period_s,
                                                   &passes->anchor_ns, earliest_ns));
    if (rc < 0)
        (void)gauge_watch_stop(&passes->watch);
    return rc;
}

static struct wtl_gauge_pass_energy *energies_of(const struct wtl_passes *passes, size_t gauge)
{
    return &passes->energies[gauge * passes->options.count];
}

int wtl_passes_end(struct wtl_passes *passes,
                   const struct wtl_result *result,
                   struct wattle_error *err)
{
    double idle_s = IDLE_PERIODS * passes->period_s;
    int rc = wait_until(passes,
                        result->end_monotonic_ns + (uint64_t)((passes->settling_s + idle_s) * 1e9));
    int stopped = gauge_watch_stop(&passes->watch);
    if (rc < 0 || stopped < 0)
        return rc < 0 ? rc : wtl_no_memory_for(err, "the readings of a gauge");
    struct wattle_error why = {""};
    for (size_t i = 0; rc == 0 && i < passes->watch.count; i++) {
        const struct wtl_watched_gauge *gauge = &passes->watch.gauges[i];
        const struct wtl_gauge_pass pass = {gauge->readings, gauge->count,
                                            (double)result->start_monotonic_ns * 1e-9,
                                            (double)result->end_monotonic_ns * 1e-9};
        if (wtl_gauge_pass_energy(&passes->gauges[i], &pass, &energies_of(passes, i)[passes->at],
                                  &why) < 0)
            rc = wtl_fail(err, -EAGAIN, "a pass does not count and is repeated: %s: %s",
                          gauge->channel.name, why.text);
    }
    passes->spoilt = rc < 0 ? passes->spoilt + 1 : 0;
    passes->at += rc == 0;
    if (passes->spoilt == MOST_SPOILT)
        return wtl_fail(err, -ENODATA, "--passes: %d runs one after another did not count: %s",
                        MOST_SPOILT, why.text);
    return rc;
}

/* ---- all of them ---- */

static struct wtl_result_channel *find(struct wtl_result *result, const char *name)
{
    for (size_t i = 0; i < result->energy_count; i++) {
        if (strcmp(result->channels[i].channel.name, name) == 0)
            return &result->channels[i];
    }
    return NULL;
}

/* Every result has the gauges; what each is worth. */
static int estimate(const struct wtl_passes *passes,
                    struct wtl_result *results,
                    struct wtl_gauge_value *values,
                    struct wattle_error *err)
{
    for (size_t i = 0; i < passes->watch.count; i++) {
        const char *name = passes->watch.gauges[i].channel.name;
        struct wattle_error why = {""};
        for (unsigned k = 0; k < passes->options.count; k++) {
            if (!find(&results[k], name))
                return wtl_fail(err, -ENODATA, "--passes: run %u did not measure %s", k + 1, name);
        }
        int rc = wtl_gauge_energy(&passes->gauges[i], energies_of(passes, i), passes->options.count,
                                  &values[i], &why);
        if (rc < 0)
            return wtl_fail(err, rc, "--passes: %s: %s", name, why.text);
    }
    return 0;
}

/* Shares are parts of the total, which is another one now. */
static void scale_shares(struct wtl_result *result, double factor)
{
    double *const shares[] = {&result->energy_share_j, &result->others_share_j,
                              &result->share_idle_j,   &result->unattributed_j,
                              &result->own_j,          &result->share_half_j,
                              &result->gpu_share_j,    &result->gpu_others_j,
                              &result->gpu_idle_j,     &result->gpu_unattributed_j};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        *shares[i] *= factor;
}

static int set_energies(const struct wtl_passes *passes,
                        unsigned k,
                        const struct wtl_gauge_value *values,
                        struct wtl_result *result)
{
    double before_j = result->energy.j;
    for (size_t i = 0; i < passes->watch.count; i++) {
        struct wtl_result_channel *c = find(result, passes->watch.gauges[i].channel.name);
        if (!c) /* estimate() has looked */
            continue;
        c->summary.amount = energies_of(passes, i)[k].joules;
        c->summary.mean_w = c->summary.amount / result->wall_time_s;
        c->passes_half_j = fmax(values[i].half, DBL_MIN); /* 0 would be none */
    }
    int rc = wtl_result_total(result);
    if (rc == 0)
        scale_shares(result, result->energy.j / before_j);
    return rc;
}

static bool is_in_total(const struct wtl_passes *passes, size_t gauge, struct wtl_result *results)
{
    const struct wtl_result_channel *c = find(results, passes->watch.gauges[gauge].channel.name);
    return c && c->channel.flags & WATTLE_CHANNEL_IN_TOTAL;
}

/* The widest interval of the totals: by what each of the gauges leaves open. 0: none is known. */
static double total_half_j(const struct wtl_passes *passes,
                           struct wtl_result *results,
                           const struct wtl_gauge_pass_energy *totals,
                           struct wtl_gauge_value excess)
{
    double half = 0;
    for (size_t i = 0; i < passes->watch.count; i++) {
        struct wtl_gauge gauge = passes->gauges[i];
        struct wtl_gauge_value value;
        gauge.excess = excess;
        if (is_in_total(passes, i, results) &&
            wtl_gauge_energy(&gauge, totals, passes->options.count, &value, NULL) == 0 &&
            isfinite(value.half))
            half = fmax(half, fmax(value.half, DBL_MIN));
    }
    return half;
}

/* The interval of the total by the same blocks, since other channels vary with the command, too. */
static int put_total(const struct wtl_passes *passes, struct wtl_result *results)
{
    unsigned count = passes->options.count;
    struct wtl_gauge_pass_energy *totals = calloc(count + 1, sizeof *totals);
    struct wtl_gauge_value excess = {0, 0};
    if (!totals)
        return -ENOMEM;
    for (unsigned k = 0; k < count; k++)
        totals[k].joules = results[k].energy.j;
    for (size_t i = 0; i < passes->watch.count; i++) {
        const struct wtl_gauge *gauge = &passes->gauges[i];
        if (!is_in_total(passes, i, results))
            continue;
        if (fabs(gauge->excess.value) > fabs(excess.value))
            excess = gauge->excess;
        for (unsigned k = 0; k < count; k++) {
            const struct wtl_gauge_pass_energy *part = &energies_of(passes, i)[k];
            totals[k].above_j += part->above_j;
            totals[k].step_j += part->step_j;
            totals[k].settling_j += part->settling_j;
        }
    }
    double half = total_half_j(passes, results, totals, excess);
    for (unsigned k = 0; half > 0 && k < count; k++)
        results[k].passes_half_j = half;
    free(totals);
    return 0;
}

int wtl_passes_apply(struct wtl_passes *passes,
                     struct wtl_result *results,
                     struct wattle_error *err)
{
    struct wtl_gauge_value *values = calloc(passes->watch.count + 1, sizeof *values);
    if (!values)
        return wtl_no_memory_for(err, "passes");
    int rc = estimate(passes, results, values, err);
    int put_rc = 0;
    for (unsigned k = 0; rc == 0 && put_rc == 0 && k < passes->options.count; k++)
        put_rc = set_energies(passes, k, values, &results[k]);
    if (rc == 0 && put_rc == 0)
        put_rc = put_total(passes, results);
    if (put_rc < 0)
        rc = wtl_no_memory_for(err, "passes");
    free(values);
    return rc;
}
