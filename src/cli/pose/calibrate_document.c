/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/pose/calibrate_document.h"

#include <math.h>
#include <string.h>

#include "cli/run/idle.h"
#include "model/quality.h"
#include "report/json_value.h"

/* ---- warnings ---- */

static void warn_of_cpus(const struct wtl_calibrate *calibrate,
                         wtl_calibrate_warn *warn,
                         void *context)
{
    char text[400];
    if (calibrate->threads < calibrate->online) {
        (void)snprintf(text, sizeof text,
                       "the loads use %u of %u CPUs, since no more may be used here (affinity, "
                       "cpuset) or --threads says so: the whole machine can draw more than Pmax",
                       calibrate->threads, calibrate->online);
        warn(context, "FEWER_CPUS", text);
    }
    if (calibrate->threads > calibrate->online) {
        (void)snprintf(text, sizeof text,
                       "there are %u threads for %u CPUs: they take turns, which is not what the "
                       "benchmarks are meant for",
                       calibrate->threads, calibrate->online);
        warn(context, "MORE_THREADS", text);
    }
    if (calibrate->cpu_limit > 0 && calibrate->cpu_limit < calibrate->threads) {
        (void)snprintf(
            text, sizeof text,
            "the control group allows %.4g CPUs for %u threads: they are stopped now and "
            "then, and power is lower than of a busy machine",
            calibrate->cpu_limit, calibrate->threads);
        warn(context, "CPU_LIMIT", text);
    }
}

static void warn_of_others(const struct wtl_calibrate *calibrate,
                           wtl_calibrate_warn *warn,
                           void *context)
{
    char text[400];
    if (!(calibrate->busy_cpus > WTL_IDLE_CPUS) || !calibrate->has_idle)
        return;
    (void)snprintf(text, sizeof text,
                   "the machine was not idle before: others used %.2g CPUs, and their power is in "
                   "all numbers; calibrate again when it is idle",
                   calibrate->busy_cpus);
    warn(context, "NOT_IDLE", text);
}

static void warn_of_quality(const struct wtl_calibrate *calibrate,
                            wtl_calibrate_warn *warn,
                            void *context)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    any = any ? any : calibrate->has_idle ? &calibrate->idle : NULL;
    if (any && any->total.quality == WATTLE_ESTIMATED)
        warn(context, "ESTIMATED",
             "no sensor of this machine can be read: the bounds are estimated from CPU load by a "
             "model of the processor, which cannot tell one busy loop from another; \"wattle "
             "doctor\" says what would give measured ones");
}

/* Flags of a load's runs, once each, with how many runs have it. */
static void warn_of_flags(const struct wtl_calibrate_load *load,
                          wtl_calibrate_warn *warn,
                          void *context)
{
    for (size_t f = 0; f < load->repeat.mean.flag_count; f++) {
        const struct wtl_result_flag *flag = &load->repeat.mean.flags[f];
        size_t runs = 0;
        char text[400];
        for (size_t i = 0; i < load->count; i++) {
            for (size_t k = 0; k < load->results[i].flag_count; k++)
                runs += strcmp(load->results[i].flags[k].name, flag->name) == 0;
        }
        (void)snprintf(text, sizeof text, "%s, %zu of %zu runs: %s", load->name, runs, load->count,
                       flag->text);
        warn(context, flag->name, text);
    }
}

/* Which drifted: power, or the temperature alone. */
static void warn_of_drift(const struct wtl_calibrate_load *load,
                          wtl_calibrate_warn *warn,
                          void *context)
{
    char text[400];
    size_t powers = 0, temperatures = 0;
    double steepest = 0, warmest = 0;
    for (size_t i = 0; i < load->count; i++) {
        const struct wtl_settling *s = &load->runs[i].settling;
        powers += s->power_drifts;
        temperatures += s->celsius_drifts && !s->power_drifts;
        if (s->power_drifts && fabs(s->power_per_min) > fabs(steepest))
            steepest = s->power_per_min;
        if (s->celsius_drifts && fabs(s->celsius_per_min) > fabs(warmest))
            warmest = s->celsius_per_min;
    }
    (void)snprintf(text, sizeof text,
                   "%s: in %zu of %zu runs power still drifted when --settle was over, by up to "
                   "%+.2g %% per minute",
                   load->name, powers, load->count, 100 * steepest);
    if (powers > 0)
        warn(context, "NOT_SETTLED", text);
    (void)snprintf(text, sizeof text,
                   "%s: in %zu of %zu runs power stood, but the temperature of the processor still "
                   "drifted when --settle was over, by up to %+.2g degrees per minute",
                   load->name, temperatures, load->count, warmest);
    if (temperatures > 0)
        warn(context, "NOT_SETTLED", text);
}

static void warn_of_load(const struct wtl_calibrate_load *load,
                         wtl_calibrate_warn *warn,
                         void *context)
{
    char text[800];
    warn_of_drift(load, warn, context);
    if (load->settled + load->drifted < load->count) {
        (void)snprintf(text, sizeof text,
                       "%s: %zu of %zu runs have too few readings to tell whether power stood; a "
                       "longer --time has more",
                       load->name, load->count - load->settled - load->drifted, load->count);
        warn(context, "SETTLING_UNKNOWN", text);
    }
    if (load->dropped > 0) {
        (void)snprintf(text, sizeof text, "%s: %u runs do not count: %s", load->name, load->dropped,
                       load->dropped_for);
        warn(context, "DROPPED", text);
    }
    if (load->repeated)
        warn_of_flags(load, warn, context);
}

static void warn_of_bounds(const struct wtl_calibrate *calibrate,
                           wtl_calibrate_warn *warn,
                           void *context)
{
    char names[200] = "", text[400];
    size_t used = 0;
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        const struct wtl_calibrate_load *load = &calibrate->loads[i];
        if (load->count > 0 && load->count < 3 && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     load->name);
    }
    (void)snprintf(text, sizeof text,
                   "%s: fewer than 3 runs count, which have no interval: nobody can tell how far "
                   "to trust the bounds",
                   names);
    if (used)
        warn(context, "FEW_RUNS", text);
}

void wtl_calibrate_each_warning(const struct wtl_calibrate *calibrate,
                                wtl_calibrate_warn *warn,
                                void *context)
{
    warn_of_quality(calibrate, warn, context);
    warn_of_bounds(calibrate, warn, context);
    warn_of_others(calibrate, warn, context);
    warn_of_cpus(calibrate, warn, context);
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++)
        warn_of_load(&calibrate->loads[i], warn, context);
}

/* ---- the document ---- */

static json_t *run_of(const struct wtl_result *result, const struct wtl_calibrate_run *run)
{
    struct wtl_json o = wtl_json_object(), flags = wtl_json_array();
    bool known = run->settling.state != WTL_SETTLING_OPEN;
    for (size_t i = 0; i < result->flag_count; i++)
        wtl_json_add(&flags, wtl_json_text(result->flags[i].name));
    wtl_json_set(&o, "power_w", wtl_json_number(result->total_w));
    wtl_json_set(&o, "time_s", wtl_json_number(result->wall_time_s));
    wtl_json_set(&o, "waited_s", wtl_json_number(run->waited_s));
    wtl_json_set(&o, "settled",
                 known ? json_boolean(run->settling.state == WTL_SETTLING_STEADY) : json_null());
    wtl_json_set(&o, "drift_per_min", wtl_json_number(run->settling.power_per_min));
    wtl_json_set(&o, "temperature_c", wtl_json_number(run->temperature_c));
    wtl_json_set(&o, "start_monotonic_ns", wtl_json_count(result->start_monotonic_ns));
    wtl_json_set(&o, "end_monotonic_ns", wtl_json_count(result->end_monotonic_ns));
    wtl_json_set(&o, "flags", wtl_json_done(&flags));
    return wtl_json_done(&o);
}

static json_t *power_of(const struct wtl_calibrate *calibrate,
                        const struct wtl_calibrate_load *load,
                        size_t item)
{
    struct wtl_calibrate_power p;
    struct wtl_json o = wtl_json_object();
    (void)wtl_calibrate_power_of(calibrate, load, item, &p);
    wtl_json_set(&o, "item", wtl_json_text(wtl_calibrate_item(calibrate, item)));
    wtl_json_set_quality(&o, true, p.quality,
                         wtl_result_is_simulated(wtl_calibrate_any(calibrate)));
    wtl_json_set(&o, "power_w", wtl_json_number(p.power_w));
    wtl_json_set(&o, "half_w", wtl_json_number(p.half_w));
    wtl_json_set(&o, "low_w", wtl_json_number(p.low_w));
    wtl_json_set(&o, "high_w", wtl_json_number(p.high_w));
    return wtl_json_done(&o);
}

static json_t *load_of(const struct wtl_calibrate *calibrate, const struct wtl_calibrate_load *load)
{
    struct wtl_json o = wtl_json_object(), runs = wtl_json_array(), power = wtl_json_array();
    for (size_t i = 0; i < load->count; i++)
        wtl_json_add(&runs, run_of(&load->results[i], &load->runs[i]));
    for (size_t item = 0; load->repeated && wtl_calibrate_item(calibrate, item); item++)
        wtl_json_add(&power, power_of(calibrate, load, item));
    wtl_json_set(&o, "name", wtl_json_text(load->name));
    wtl_json_set(&o, "bound", wtl_json_text(load->of_pmax ? "pmax" : "pmin"));
    wtl_json_set(&o, "how", wtl_json_text(load->how));
    wtl_json_set(&o, "cannot_run", wtl_json_text(load->why[0] ? load->why : NULL));
    wtl_json_set(&o, "dropped", wtl_json_count(load->dropped));
    wtl_json_set(&o, "dropped_for", wtl_json_text(load->dropped ? load->dropped_for : NULL));
    wtl_json_set(&o, "settled", wtl_json_count(load->settled));
    wtl_json_set(&o, "power", wtl_json_done(&power));
    wtl_json_set(&o, "runs", wtl_json_done(&runs));
    return wtl_json_done(&o);
}

static json_t *bounds_of(const struct wtl_calibrate *calibrate)
{
    struct wtl_json bounds = wtl_json_array();
    for (size_t item = 0; wtl_calibrate_any(calibrate) && wtl_calibrate_item(calibrate, item);
         item++) {
        struct wtl_pose_bounds b;
        struct wattle_error none;
        if (wtl_calibrate_bounds(calibrate, item, &b, &none) < 0 ||
            !wtl_calibrate_sound(&b, none.text, sizeof none.text))
            continue;
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "item", wtl_json_text(wtl_calibrate_item(calibrate, item)));
        wtl_json_set(&o, "pmin_w", wtl_json_number(b.pmin.power_w));
        wtl_json_set(&o, "pmin_half_w", wtl_json_number(b.pmin.half_w));
        wtl_json_set(&o, "pmin_name", wtl_json_text(b.pmin.name));
        wtl_json_set(&o, "pmax_w", wtl_json_number(b.pmax.power_w));
        wtl_json_set(&o, "pmax_half_w", wtl_json_number(b.pmax.half_w));
        wtl_json_set(&o, "pmax_name", wtl_json_text(b.pmax.name));
        wtl_json_add(&bounds, wtl_json_done(&o));
    }
    return wtl_json_done(&bounds);
}

static json_t *conditions_of(const struct wtl_calibrate *calibrate, const struct wtl_result *any)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "cpu", wtl_json_text(calibrate->cpu[0] ? calibrate->cpu : NULL));
    wtl_json_set(&o, "cpus", wtl_json_count(calibrate->threads));
    wtl_json_set(&o, "cpus_online", wtl_json_count(calibrate->online));
    wtl_json_set(&o, "governor", wtl_json_text(any ? any->governor : NULL));
    wtl_json_set(&o, "epp", wtl_json_text(any ? any->epp : NULL));
    wtl_json_set(&o, "turbo", any && any->turbo >= 0 ? json_boolean(any->turbo) : json_null());
    wtl_json_set(&o, "min_khz", any && any->min_khz ? wtl_json_count(any->min_khz) : json_null());
    wtl_json_set(&o, "max_khz", any && any->max_khz ? wtl_json_count(any->max_khz) : json_null());
    wtl_json_set(&o, "idle_w",
                 wtl_json_number(calibrate->has_idle ? calibrate->idle.total_w : (double)NAN));
    wtl_json_set(&o, "busy_cpus",
                 wtl_json_number(calibrate->has_idle ? calibrate->busy_cpus : (double)NAN));
    return wtl_json_done(&o);
}

static json_t *plan_of(const struct wtl_calibrate *calibrate)
{
    const struct wtl_calibrate_options *options = &calibrate->options;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "runs", wtl_json_count(options->runs));
    wtl_json_set(&o, "time_s", wtl_json_number((double)options->time_ns * 1e-9));
    wtl_json_set(&o, "settle_s", wtl_json_number((double)options->settle_ns * 1e-9));
    wtl_json_set(&o, "seed", wtl_json_count(options->seed));
    wtl_json_set(&o, "about_s", wtl_json_number(calibrate->about_s));
    wtl_json_set(&o, "most_s", wtl_json_number(calibrate->most_s));
    return wtl_json_done(&o);
}

static void add_warning(void *context, const char *name, const char *text)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(name));
    wtl_json_set(&o, "text", wtl_json_text(text));
    wtl_json_add(context, wtl_json_done(&o));
}

json_t *wtl_calibrate_document(const struct wtl_calibrate *calibrate)
{
    const struct wtl_result *any = wtl_calibrate_any(calibrate);
    struct wtl_json o = wtl_json_document("wattle.calibrate/1");
    struct wtl_json loads = wtl_json_array(), warnings = wtl_json_array();
    for (size_t i = 0; i < WTL_CALIBRATE_LOADS; i++) {
        if (calibrate->loads[i].asked)
            wtl_json_add(&loads, load_of(calibrate, &calibrate->loads[i]));
    }
    wtl_calibrate_each_warning(calibrate, add_warning, &warnings);
    wtl_json_set(&o, "host", wtl_json_text(any ? any->host : NULL));
    wtl_json_set(&o, "contains", wtl_json_text(any ? any->total.contains : NULL));
    wtl_json_set_quality(&o, any, any ? any->total.quality : WATTLE_MEASURED,
                         any && wtl_result_is_simulated(any));
    wtl_json_set(&o, "conditions", conditions_of(calibrate, any));
    wtl_json_set(&o, "plan", plan_of(calibrate));
    wtl_json_set(&o, "loads", wtl_json_done(&loads));
    wtl_json_set(&o, "bounds", bounds_of(calibrate));
    wtl_json_set(&o, "file", wtl_json_text(calibrate->path));
    wtl_json_set(&o, "stored", json_boolean(calibrate->stored));
    wtl_json_set(&o, "not_stored",
                 wtl_json_text(calibrate->not_stored[0] ? calibrate->not_stored : NULL));
    wtl_json_set(&o, "warnings", wtl_json_done(&warnings));
    return wtl_json_done(&o);
}
