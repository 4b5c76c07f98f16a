/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensors, sampling and window: how the values were obtained. */
#include <math.h>
#include <string.h>

#include "model/meta_key.h"
#include "model/quality.h"
#include "report/cite/cite_text.h"
#include "report/digits.h"

/* Minimum, maximum and number of some values. */
struct range {
    double low, high;
    size_t count;
};

static void widen(struct range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = range->count ? fmin(range->low, value) : value;
    range->high = range->count++ ? fmax(range->high, value) : value;
}

/* "977 us", "15.3 uJ to 61.0 uJ"; the unit belongs to what put() leaves open. */
static void put_range(char *buf,
                      size_t n,
                      const struct range *range,
                      char *(*put)(char *buf, size_t n, double value),
                      const char *unit)
{
    char low[WTL_CITE_CELL], high[WTL_CITE_CELL];
    (void)put(low, sizeof low, range->low);
    (void)put(high, sizeof high, range->high);
    if (strcmp(low, high) == 0)
        (void)snprintf(buf, n, "%s%s", low, unit);
    else
        (void)snprintf(buf, n, "%s%s to %s%s", low, unit, high, unit);
}

static char *put_si(char *buf, size_t n, double value)
{
    return wtl_digits_si(buf, n, value, NAN);
}

/* Channels of one sensor, together. */
struct sensor {
    const char *name;
    char channels[WTL_CITE_LIST];
    struct range scale_j, scale_w, refresh_s, window_s, seen_s;
    bool counters, gauges, averages, each; /* each: values changed at nearly every reading */
};

/* How often the value was seen to change: known when a good part of the readings repeated it. */
static void note_changes(struct sensor *sensor, const struct wtl_result_channel *c, double window_s)
{
    const struct wtl_summary *s = &c->summary;
    if (s->samples < 20 || s->stale >= s->samples)
        return;
    if (s->stale * 5 >= s->samples)
        widen(&sensor->seen_s, window_s / (double)(s->samples - s->stale));
    else
        sensor->each = true;
}

static void note(struct sensor *sensor, const struct wtl_result_channel *c, double window_s)
{
    const struct wattle_channel *channel = &c->channel;
    const char *colon = strchr(channel->name, ':');
    wtl_cite_list(sensor->channels, "%.47s", colon ? colon + 1 : channel->name);
    widen(channel->quantity == WATTLE_ENERGY ? &sensor->scale_j : &sensor->scale_w, channel->scale);
    if (channel->refresh_ns > 0)
        widen(&sensor->refresh_s, 1e-9 * (double)channel->refresh_ns);
    if (channel->window_ns > 0)
        widen(&sensor->window_s, 1e-9 * (double)channel->window_ns);
    sensor->counters |= channel->kind == WATTLE_COUNTER;
    sensor->gauges |= channel->kind == WATTLE_GAUGE;
    sensor->averages |= channel->kind == WATTLE_WINDOW_AVERAGE;
    note_changes(sensor, c, window_s);
}

static void say_refresh(const struct sensor *sensor, char *list)
{
    char text[2 * WTL_CITE_CELL + 16];
    if (sensor->refresh_s.count) {
        put_range(text, sizeof text, &sensor->refresh_s, wtl_digits_time, "");
        wtl_cite_list(list, "updated every %s as documented", text);
    } else {
        wtl_cite_list(list, "documented update interval unknown");
    }
    if (sensor->seen_s.count) {
        put_range(text, sizeof text, &sensor->seen_s, wtl_digits_time, "");
        wtl_cite_list(list, "observed to change every %s", text);
    } else if (sensor->each) {
        wtl_cite_list(list, "observed to change at nearly every reading");
    }
}

static void say_sensor(struct wtl_cite *cite, const struct sensor *sensor)
{
    char list[WTL_CITE_LIST] = "", kind[WTL_CITE_LIST] = "", text[2 * WTL_CITE_CELL + 16];
    if (sensor->counters)
        wtl_cite_list(kind, "energy counters");
    if (sensor->gauges)
        wtl_cite_list(kind, "instantaneous power");
    if (sensor->averages && sensor->window_s.count) {
        put_range(text, sizeof text, &sensor->window_s, wtl_digits_time, "");
        wtl_cite_list(kind, "mean power over %s", text);
    } else if (sensor->averages) {
        wtl_cite_list(kind, "mean power over a window of unknown length");
    }
    if (sensor->scale_j.count) {
        put_range(text, sizeof text, &sensor->scale_j, put_si, "J");
        wtl_cite_list(list, "unit %s", text);
    }
    if (sensor->scale_w.count) {
        put_range(text, sizeof text, &sensor->scale_w, put_si, "W");
        wtl_cite_list(list, "unit %s", text);
    }
    say_refresh(sensor, list);
    wtl_cite_say(cite, WTL_CITE_SENSORS, "Sensor %.20s gave %s (%s): %s.", sensor->name, kind,
                 sensor->channels, list);
}

/* May these counters have noise added on purpose? */
static void say_filtering(struct wtl_cite *cite, const struct wtl_result *r)
{
    bool rapl = false, on = false;
    for (size_t i = 0; i < r->energy_count; i++) {
        const char *sensor = r->channels[i].channel.sensor;
        bool simulated = wtl_channel_is_simulated(&r->channels[i].channel);
        rapl |= !simulated && (strcmp(sensor, "powercap") == 0 || strcmp(sensor, "perf") == 0 ||
                               strcmp(sensor, "msr") == 0);
    }
    for (size_t i = 0; i < cite->facts.fact_count; i++) {
        const struct wtl_cite_fact *fact = &cite->facts.facts[i];
        on |= strncmp(fact->key, "sensor.", 7) == 0 && strstr(fact->value, "filtering is on");
    }
    if (on)
        wtl_cite_say(
            cite, WTL_CITE_SENSORS,
            "RAPL energy filtering was on: random noise is added to the counters against side "
            "channels, so the uncertainty of energy over short times exceeds the given intervals.");
    else if (rapl)
        wtl_cite_miss(cite, "whether RAPL energy filtering was on");
}

static void say_sensors(struct wtl_cite *cite, const struct wtl_result *r)
{
    for (size_t i = 0; i < r->energy_count; i++) {
        struct sensor sensor = {.name = r->channels[i].channel.sensor};
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= strcmp(r->channels[k].channel.sensor, sensor.name) != 0;
        for (size_t k = i; first && k < r->energy_count; k++)
            if (strcmp(r->channels[k].channel.sensor, sensor.name) == 0)
                note(&sensor, &r->channels[k], r->wall_time_s);
        if (first)
            say_sensor(cite, &sensor);
    }
    if (r->energy_count == 0)
        wtl_cite_say(cite, WTL_CITE_SENSORS, "No energy or power sensor was available.");
    const char *asked = wtl_cite_value(&cite->facts, WTL_META_RUN_SENSORS);
    if (asked)
        wtl_cite_say(cite, WTL_CITE_SENSORS, "The sensors were selected by the user (%.200s).",
                     asked);
    say_filtering(cite, r);
}

static void say_sampling(struct wtl_cite *cite)
{
    const struct wtl_cite_facts *facts = &cite->facts;
    struct range every = {0}, p50 = {0}, p99 = {0}, most = {0};
    char text[2 * WTL_CITE_CELL + 16], a[WTL_CITE_CELL], b[WTL_CITE_CELL], c[WTL_CITE_CELL];
    unsigned long long missed = 0, dropped = 0;
    for (size_t i = 0; i < facts->count; i++) {
        const struct wtl_result *r = &facts->results[i];
        missed += r->missed;
        dropped += r->dropped;
        if (r->interval_ns > 0)
            widen(&every, 1e-9 * (double)r->interval_ns);
        if (r->late_max_ns == 0)
            continue;
        widen(&p50, 1e-9 * (double)r->late_p50_ns);
        widen(&p99, 1e-9 * (double)r->late_p99_ns);
        widen(&most, 1e-9 * (double)r->late_max_ns);
    }
    if (!every.count) {
        wtl_cite_miss(cite, "sampling interval");
        return;
    }
    put_range(text, sizeof text, &every, wtl_digits_time, "");
    const char *cpu = wtl_cite_value(facts, WTL_META_SAMPLER_CPU);
    bool pinned = cpu && strcmp(cpu, "-1") != 0;
    wtl_cite_say(cite, WTL_CITE_SAMPLING, "They were read every %s by a thread %s%.20s.", text,
                 pinned ? "on CPU " : "that was not pinned to a CPU", pinned ? cpu : "");
    if (!most.count) {
        wtl_cite_miss(cite, "delay of readings");
        return;
    }
    wtl_cite_say(cite, WTL_CITE_SAMPLING,
                 "%seadings were delayed by a median of %s, a 99th percentile of %s and a maximum "
                 "of %s; %llu were missed, %llu lost.",
                 facts->count > 1 ? "In the worst run r" : "R",
                 wtl_digits_time(a, sizeof a, p50.high), wtl_digits_time(b, sizeof b, p99.high),
                 wtl_digits_time(c, sizeof c, most.high), missed, dropped);
}

static void say_window(struct wtl_cite *cite, const struct wtl_result *r)
{
    bool imported = wtl_cite_value(&cite->facts, WTL_META_IMPORT_FORMAT) != NULL;
    wtl_cite_say(cite, WTL_CITE_WINDOW, "Energy refers to the window from %s.",
                 imported ? "the first to the last value of the recording"
                 : r->command
                     ? "the release of the command for execution to the detection of its end"
                     : "the start to the end of the measurement");
    bool counters = false;
    for (size_t i = 0; i < r->energy_count; i++)
        counters |= r->channels[i].channel.kind == WATTLE_COUNTER;
    if (!counters)
        return;
    if (cite->facts.edges)
        wtl_cite_say(cite, WTL_CITE_WINDOW,
                     "At its start and end, counters were polled for updates (after H\xC3\xA4hnel "
                     "et al. 2012), and the tick at each border was split by time.");
    else
        wtl_cite_say(
            cite, WTL_CITE_WINDOW,
            "At its start and end, counters were interpolated between neighbouring readings.");
}

void wtl_cite_say_sensors(struct wtl_cite *cite)
{
    const struct wtl_result *r = &cite->facts.results[0];
    say_sensors(cite, r);
    say_sampling(cite);
    say_window(cite, r);
}
