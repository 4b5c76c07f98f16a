/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The document "wattle.run/1". Every field is always there; what is unknown is null.
 */
#include "report/json_result.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/repeat.h"
#include "model/gap.h"
#include "model/labels.h"
#include "model/quality.h"
#include "report/json_value.h"

static json_t *names_of(uint32_t reasons)
{
    struct wtl_json list = wtl_json_array();
    for (unsigned k = 0; k < WTL_GAP_REASON_COUNT; k++) {
        if (reasons >> k & 1)
            wtl_json_add(&list, json_string(wtl_gap_reason_name((enum wtl_gap_reason)k)));
    }
    return wtl_json_done(&list);
}

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

static void set_gaps(struct wtl_json *o, const struct wtl_summary *s)
{
    wtl_json_set(o, "samples", wtl_json_count(s->samples));
    wtl_json_set(o, "stale", wtl_json_count(s->stale));
    wtl_json_set(o, "gaps", wtl_json_count(s->gaps));
    wtl_json_set(o, "gap_s", wtl_json_number(seconds(s->gap_ns)));
    wtl_json_set(o, "unknown_s", wtl_json_number(seconds(s->unknown_ns)));
    wtl_json_set(o, "gap_reasons", names_of(s->gap_reasons));
}

static json_t *channel_of(const struct wtl_result_channel *c)
{
    const struct wattle_channel *channel = &c->channel;
    const struct wtl_summary *s = &c->summary;
    const struct wtl_energy energy = wtl_result_energy(c);
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(channel->name));
    wtl_json_set(&o, "domain", json_string(wattle_domain_name(channel->domain)));
    wtl_json_set(&o, "index", json_integer(channel->index));
    wtl_json_set(&o, "sub", channel->sub < 0 ? json_null() : json_integer(channel->sub));
    wtl_json_set(&o, "sensor", wtl_json_text(channel->sensor));
    wtl_json_set(&o, "label", wtl_json_text(channel->label[0] ? channel->label : NULL));
    wtl_json_set_quality(&o, true, channel->quality, wtl_channel_is_simulated(channel));
    wtl_json_set(&o, "primary", json_boolean(channel->flags & WATTLE_CHANNEL_PRIMARY));
    wtl_json_set(&o, "in_total", json_boolean(c->channel.flags & WATTLE_CHANNEL_IN_TOTAL));
    wtl_json_set(&o, "within", wtl_json_text(channel->within[0] ? channel->within : NULL));
    wtl_json_set_energy(&o, &energy);
    wtl_json_set(&o, "mean_w", wtl_json_number(s->mean_w));
    wtl_json_set(&o, "min_w", wtl_json_number(s->min_w));
    wtl_json_set(&o, "max_w", wtl_json_number(s->max_w));
    wtl_json_set(&o, "sd_w", wtl_json_number(s->sd_w));
    wtl_json_set(
        &o, "stat_window_ms",
        wtl_json_number(s->stat_window_ns ? (double)s->stat_window_ns * 1e-6 : (double)NAN));
    set_gaps(&o, s);
    return wtl_json_done(&o);
}

static json_t *activity_of(const struct wtl_result_channel *c)
{
    const struct wtl_summary *s = &c->summary;
    bool counter = c->channel.kind == WATTLE_COUNTER;
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(c->channel.name));
    wtl_json_set(&o, "sensor", wtl_json_text(c->channel.sensor));
    wtl_json_set(&o, "label", wtl_json_text(c->channel.label[0] ? c->channel.label : NULL));
    wtl_json_set(&o, "quantity", json_string(wattle_quantity_name(c->channel.quantity)));
    wtl_json_set(&o, "unit", json_string(wattle_quantity_unit(c->channel.quantity)));
    wtl_json_set(&o, "sum", wtl_json_number(counter ? s->energy_j : (double)NAN));
    wtl_json_set(&o, "mean", wtl_json_number(counter ? (double)NAN : s->mean_w));
    wtl_json_set(&o, "min", wtl_json_number(counter ? (double)NAN : s->min_w));
    wtl_json_set(&o, "max", wtl_json_number(counter ? (double)NAN : s->max_w));
    set_gaps(&o, s);
    return wtl_json_done(&o);
}

static json_t *list_channels(const struct wtl_result *r, bool energy)
{
    struct wtl_json list = wtl_json_array();
    size_t from = energy ? 0 : r->energy_count, to = energy ? r->energy_count : r->channel_count;
    for (size_t i = from; i < to; i++)
        wtl_json_add(&list, energy ? channel_of(&r->channels[i]) : activity_of(&r->channels[i]));
    return wtl_json_done(&list);
}

/* "GPUs, network" as ["GPUs", "network"]. */
static json_t *split_words(const char *text)
{
    struct wtl_json list = wtl_json_array();
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ",");
        wtl_json_add(&list, json_stringn(p, n));
        p += n;
        p += strspn(p, ", ");
    }
    return wtl_json_done(&list);
}

static json_t *total_of(const struct wtl_result *r)
{
    struct wtl_json o = wtl_json_object();
    bool some = r->total.count > 0;
    struct wtl_json names = wtl_json_array();
    for (size_t i = 0; i < r->energy_count; i++) {
        if (r->channels[i].channel.flags & WATTLE_CHANNEL_IN_TOTAL)
            wtl_json_add(&names, wtl_json_text(r->channels[i].channel.name));
    }
    wtl_json_set_energy(&o, &r->energy);
    wtl_json_set(&o, "mean_w", wtl_json_number(r->total_w));
    wtl_json_set(&o, "unknown_s", wtl_json_number(seconds(r->total_unknown_ns)));
    wtl_json_set_quality(&o, some, r->total.quality, wtl_result_is_simulated(r));
    wtl_json_set(&o, "channels", wtl_json_done(&names));
    wtl_json_set(&o, "contains", wtl_json_text(some ? r->total.contains : NULL));
    wtl_json_set(&o, "excludes", split_words(r->total.excludes));
    return wtl_json_done(&o);
}

static json_t *process_of(const struct wtl_result *r)
{
    struct wtl_json o = wtl_json_object();
    bool share = !isnan(r->energy_share_j);
    wtl_json_set(&o, "cpu_s", wtl_json_number(r->cpu_s));
    bool whole = r->max_rss_bytes >= 0 && r->max_rss_bytes < 0x1p63;
    wtl_json_set(&o, "max_rss_bytes",
                 whole ? wtl_json_count((uint64_t)r->max_rss_bytes) : json_null());
    wtl_json_set(&o, "energy_share_j", wtl_json_number(r->energy_share_j));
    wtl_json_set_quality(&o, share, r->share_quality, share && wtl_result_is_simulated(r));
    return wtl_json_done(&o);
}

static void set_flags(struct wtl_json *o, const struct wtl_result *r)
{
    struct wtl_json names = wtl_json_array(), texts = wtl_json_object();
    for (size_t i = 0; i < r->flag_count; i++) {
        wtl_json_add(&names, wtl_json_text(r->flags[i].name));
        wtl_json_set(&texts, r->flags[i].name, wtl_json_text(r->flags[i].text));
    }
    wtl_json_set(o, "flags", wtl_json_done(&names));
    wtl_json_set(o, "flag_texts", wtl_json_done(&texts));
}

static json_t *frequency_of(const struct wtl_result *r)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "governor", wtl_json_text(r->governor));
    wtl_json_set(&o, "epp", wtl_json_text(r->epp));
    wtl_json_set(&o, "turbo", r->turbo < 0 ? json_null() : json_boolean(r->turbo));
    wtl_json_set(&o, "min_khz", r->min_khz ? wtl_json_count(r->min_khz) : json_null());
    wtl_json_set(&o, "max_khz", r->max_khz ? wtl_json_count(r->max_khz) : json_null());
    return wtl_json_done(&o);
}

static json_t *idle_of(const struct wtl_result *r)
{
    if (isnan(r->idle_before_w) && isnan(r->idle_after_w))
        return json_null();
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "before_w", wtl_json_number(r->idle_before_w));
    wtl_json_set(&o, "after_w", wtl_json_number(r->idle_after_w));
    wtl_json_set(&o, "above_j", wtl_json_number(r->above_idle_j));
    return wtl_json_done(&o);
}

static json_t *work_of(const struct wtl_result *r)
{
    if (!(r->work > 0)) /* nor is it NaN */
        return json_null();
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "amount", wtl_json_number(r->work));
    wtl_json_set(&o, "unit", wtl_json_text(r->work_unit));
    wtl_json_set(&o, "j_per_unit", wtl_json_number(r->energy.j / r->work));
    return wtl_json_done(&o);
}

static json_t *time_in(uint64_t ns, double unit, bool known)
{
    return wtl_json_number(known ? (double)ns * unit : (double)NAN);
}

static json_t *labels_of(const struct wtl_result *r)
{
    struct wtl_json o = wtl_json_object();
    struct wtl_label label;
    for (const char *at = r->labels ? r->labels : ""; wtl_labels_next(&at, &label);)
        wtl_json_set(&o, label.key, wtl_json_text(label.value));
    return wtl_json_done(&o);
}

/* A measurement that was cut off has not come to tell what it cost and how late it was. */
static json_t *own_of(const struct wtl_result *r)
{
    struct wtl_json o = wtl_json_object();
    bool told = !isnan(r->own_cpu_s), timed = told && r->late_max_ns > 0;
    wtl_json_set(&o, "cpu_s", wtl_json_number(r->own_cpu_s));
    wtl_json_set(&o, "energy_j", wtl_json_number(r->own_j));
    wtl_json_set(&o, "interval_ms", time_in(r->interval_ns, 1e-6, r->interval_ns > 0));
    wtl_json_set(&o, "late_p50_us", time_in(r->late_p50_ns, 1e-3, timed));
    wtl_json_set(&o, "late_p99_us", time_in(r->late_p99_ns, 1e-3, timed));
    wtl_json_set(&o, "late_max_us", time_in(r->late_max_ns, 1e-3, timed));
    wtl_json_set(&o, "missed", told ? wtl_json_count(r->missed) : json_null());
    wtl_json_set(&o, "dropped", told ? wtl_json_count(r->dropped) : json_null());
    wtl_json_set(&o, "sampler_cpu",
                 r->sampler_cpu < 0 ? json_null() : json_integer(r->sampler_cpu));
    return wtl_json_done(&o);
}

static json_t *time_or_null(uint64_t ns)
{
    return ns ? wtl_json_count(ns) : json_null();
}

/* The fields that a document and each of its runs have. */
static void set_result(struct wtl_json *o, const struct wtl_result *r)
{
    double edp = r->energy.j * r->wall_time_s;
    wtl_json_set(o, "command", wtl_json_text(r->command));
    wtl_json_set(o, "target", wtl_json_text(r->target));
    wtl_json_set(o, "host", wtl_json_text(r->host));
    wtl_json_set(o, "exit_code", r->exit_code < 0 ? json_null() : json_integer(r->exit_code));
    wtl_json_set(o, "wall_time_s", wtl_json_number(r->wall_time_s));
    wtl_json_set(o, "start_monotonic_ns", time_or_null(r->start_monotonic_ns));
    wtl_json_set(o, "end_monotonic_ns", time_or_null(r->end_monotonic_ns));
    wtl_json_set(o, "start_realtime_ns", time_or_null(r->start_realtime_ns));
    wtl_json_set(o, "channels", list_channels(r, true));
    wtl_json_set(o, "total", total_of(r));
    wtl_json_set(o, "edp_js", wtl_json_number(edp));
    wtl_json_set(o, "ed2p_js2", wtl_json_number(edp * r->wall_time_s));
    wtl_json_set(o, "process", process_of(r));
    set_flags(o, r);
    wtl_json_set(o, "frequency", frequency_of(r));
    wtl_json_set(o, "idle", idle_of(r));
    wtl_json_set(o, "work", work_of(r));
    wtl_json_set(o, "labels", labels_of(r));
    wtl_json_set(o, "activity", list_channels(r, false));
    wtl_json_set(o, "wattle", own_of(r));
    wtl_json_set(o, "trace", wtl_json_text(r->trace));
}

static json_t *spread_of(const struct wtl_spread *spread)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "mean", wtl_json_number(spread->mean));
    wtl_json_set(&o, "sd", wtl_json_number(spread->sd));
    wtl_json_set(&o, "ci95", wtl_json_number(spread->ci95));
    return wtl_json_done(&o);
}

static json_t *repeat_of(const struct wtl_repeat *repeat)
{
    struct wtl_json o = wtl_json_object(), channels = wtl_json_object();
    for (size_t i = 0; i < repeat->mean.energy_count; i++) {
        struct wtl_json one = wtl_json_object();
        wtl_json_set(&one, "energy_j", spread_of(&repeat->channel_j[i]));
        wtl_json_set(&one, "mean_w", spread_of(&repeat->channel_w[i]));
        wtl_json_set(&channels, repeat->mean.channels[i].channel.name, wtl_json_done(&one));
    }
    wtl_json_set(&o, "n", wtl_json_count(repeat->n));
    wtl_json_set(&o, "wall_time_s", spread_of(&repeat->wall_time_s));
    wtl_json_set(&o, "energy_j", spread_of(&repeat->energy_j));
    wtl_json_set(&o, "mean_w", spread_of(&repeat->power_w));
    wtl_json_set(&o, "edp_js", spread_of(&repeat->edp_js));
    wtl_json_set(&o, "ed2p_js2", spread_of(&repeat->ed2p_js2));
    wtl_json_set(&o, "cpu_s", spread_of(&repeat->cpu_s));
    wtl_json_set(&o, "channels", wtl_json_done(&channels));
    return wtl_json_done(&o);
}

static json_t *runs_of(const struct wtl_result *results, size_t count)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < count; i++) {
        struct wtl_json o = wtl_json_object();
        set_result(&o, &results[i]);
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

json_t *wtl_json_results_value(const struct wtl_result *results, size_t count)
{
    struct wtl_json o = wtl_json_document("wattle.run/1");
    if (count == 1) {
        set_result(&o, &results[0]);
        return wtl_json_done(&o);
    }
    struct wtl_repeat repeat;
    if (wtl_repeat_of(results, count, &repeat) < 0) {
        o.failed = 1;
        return wtl_json_done(&o);
    }
    set_result(&o, &repeat.mean);
    wtl_json_set(&o, "repeat", repeat_of(&repeat));
    wtl_json_set(&o, "runs", runs_of(results, count));
    wtl_repeat_fini(&repeat);
    return wtl_json_done(&o);
}

int wtl_json_results(FILE *out, const struct wtl_result *results, size_t count)
{
    return wtl_json_print(out, wtl_json_results_value(results, count));
}
