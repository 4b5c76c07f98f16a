/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metric plugin for Score-P: see metric_plugin.h. One thread reads all sensors, converts each reading to a value, and appends it to the list
 * of each metric; Score-P takes the lists. Memory is limited: a metric keeps at most VALUES_MAX values between two calls.
 */
#define _GNU_SOURCE
#include "metric_plugin.h"

#include <fnmatch.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wattle/sensors.h>

enum { VALUES_MAX = 4 << 20, METRICS_MAX = 1024, FIRST = 1024, NAME_MAX_J = WATTLE_NAME_MAX + 4 };

struct metric {
    size_t channel;
    bool joules; /* since the begin, instead of watts */
    struct metric_pair *pairs;
    size_t count, room;
    bool full;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wattle_sensors *sensors;
static struct wattle_reading *before, *now;
static double
    *energy_j; /* by channel, since the begin; NaN after a failed reading until the next good one */
static size_t channel_count;
static struct metric metrics[METRICS_MAX];
static size_t metric_count;
static uint64_t (*clock_of_host)(void);
static uint64_t interval_ns = 10000000;
static pthread_t sampler;
static bool running, ends;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

/* "10ms", "1s", "500us" */
static uint64_t parse_interval(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    double unit = strcmp(end, "ms") == 0   ? 1e6
                  : strcmp(end, "us") == 0 ? 1e3
                  : strcmp(end, "s") == 0  ? 1e9
                                           : 0;
    double ns = value * unit;
    return ns >= 1e6 && ns <= 1e12 ? (uint64_t)ns : 0;
}

static int32_t initialize(void)
{
    struct wattle_error err = {""};
    const char *text = secure_getenv("WATTLE_SCOREP_INTERVAL");
    if (text && *text) {
        uint64_t ns = parse_interval(text);
        if (ns == 0) {
            (void)fprintf(stderr,
                          "wattle: WATTLE_SCOREP_INTERVAL: \"%.40s\" is not a time of at least "
                          "1ms, such as 10ms\n",
                          text);
            return -1;
        }
        interval_ns = ns;
    }
    if (wattle_sensors_open(NULL, &sensors, &err) < 0) {
        (void)fprintf(stderr, "wattle: %s\n", err.text);
        return -1;
    }
    channel_count = wattle_sensors_channel_count(sensors);
    before = calloc(channel_count + 1, sizeof *before);
    now = calloc(channel_count + 1, sizeof *now);
    energy_j = calloc(channel_count + 1, sizeof *energy_j);
    return before && now && energy_j ? 0 : -1;
}

static bool is_counter(const struct wattle_channel *channel)
{
    return channel->quantity == WATTLE_ENERGY && channel->kind == WATTLE_COUNTER;
}

static bool is_offered(const struct wattle_channel *channel, bool joules)
{
    return is_counter(channel) || (!joules && channel->quantity == WATTLE_POWER);
}

/* Names of metrics: that of the channel, with "/J" for its energy. */
static void name_metric(const struct wattle_channel *channel, bool joules, char name[NAME_MAX_J])
{
    (void)snprintf(name, NAME_MAX_J, "%s%s", channel->name, joules ? "/J" : "");
}

static bool fill_properties(struct metric_properties *ret,
                            const struct wattle_channel *channel,
                            bool joules)
{
    char name[NAME_MAX_J], about[192];
    static const char *const qualities[] = {[WATTLE_MEASURED] = "measured",
                                            [WATTLE_DERIVED] = "derived",
                                            [WATTLE_ESTIMATED] = "estimated"};
    const char *quality =
        channel->flags & WATTLE_CHANNEL_SIMULATED ? "simulated" : qualities[channel->quality];
    name_metric(channel, joules, name);
    (void)snprintf(about, sizeof about, "%s of the node (%s)",
                   joules                ? "energy since the begin"
                   : is_counter(channel) ? "mean power since the last value"
                                         : "power",
                   quality);
    *ret = (struct metric_properties){.name = strdup(name),
                                      .description = strdup(about),
                                      .mode = joules                ? METRIC_ACCUMULATED_START
                                              : is_counter(channel) ? METRIC_ABSOLUTE_LAST
                                                                    : METRIC_ABSOLUTE_POINT,
                                      .value_type = METRIC_VALUE_DOUBLE,
                                      .base = METRIC_BASE_DECIMAL,
                                      .unit = strdup(joules ? "J" : "W")};
    return ret->name && ret->description && ret->unit;
}

static struct metric_properties *get_event_info(char *token)
{
    struct metric_properties *list = calloc(2 * channel_count + 1, sizeof *list);
    size_t count = 0, n = token ? strlen(token) : 0;
    bool joules = n >= 2 && strcmp(token + n - 2, "/J") == 0;
    for (size_t i = 0; list && token && i < channel_count; i++) {
        const struct wattle_channel *channel = wattle_sensors_channel(sensors, i);
        char name[NAME_MAX_J];
        name_metric(channel, joules, name);
        if (!is_offered(channel, joules) || fnmatch(token, name, 0) != 0)
            continue;
        if (!fill_properties(&list[count], channel, joules)) {
            list[count] = (struct metric_properties){.name = NULL};
            break;
        }
        count++;
    }
    if (count == 0)
        (void)fprintf(stderr, "wattle: no channel \"%.60s\"; \"wattle sensors\" lists them\n",
                      token ? token : "");
    return list;
}

static int32_t add_counter(char *wanted)
{
    char name[NAME_MAX_J];
    for (size_t i = 0; wanted && i < 2 * channel_count; i++) {
        const struct wattle_channel *channel = wattle_sensors_channel(sensors, i / 2);
        bool joules = i % 2;
        name_metric(channel, joules, name);
        if (strcmp(name, wanted) != 0 || !is_offered(channel, joules) ||
            metric_count == METRICS_MAX)
            continue;
        metrics[metric_count] = (struct metric){.channel = i / 2, .joules = joules};
        return (int32_t)metric_count++;
    }
    return -1;
}

static void set_clock_function(uint64_t (*clock)(void))
{
    clock_of_host = clock;
}

/* ---- the thread ---- */

static void append(struct metric *metric, uint64_t time, double value)
{
    if (metric->full)
        return;
    if (metric->count == metric->room) {
        size_t room = metric->room ? 2 * metric->room : FIRST;
        struct metric_pair *pairs = room <= VALUES_MAX ? malloc(room * sizeof *pairs) : NULL;
        if (!pairs) {
            metric->full = true;
            (void)fprintf(
                stderr,
                "wattle: %s: values from here on are lost; use a longer WATTLE_SCOREP_INTERVAL\n",
                wattle_sensors_channel(sensors, metric->channel)->name);
            return;
        }
        if (metric->count)
            memcpy(pairs, metric->pairs, metric->count * sizeof *pairs);
        free(metric->pairs);
        metric->pairs = pairs;
        metric->room = room;
    }
    metric->pairs[metric->count].time = time;
    memcpy(&metric->pairs[metric->count++].value, &value, sizeof value);
}

/* The value of a metric at this reading; NaN = unknown. */
static double value_of(const struct metric *metric)
{
    const size_t i = metric->channel;
    const struct wattle_channel *channel = wattle_sensors_channel(sensors, i);
    if (now[i].status)
        return NAN;
    if (!is_counter(channel))
        return (double)(int64_t)now[i].raw * channel->scale;
    if (metric->joules)
        return energy_j[i];
    return wattle_sensors_difference(sensors, i, &before[i], &now[i]) /
           ((double)(now[i].time_ns - before[i].time_ns) * 1e-9);
}

/* Called with the lock. first: there is nothing before. */
static void take_sample(bool first)
{
    struct wattle_error err = {""};
    uint64_t time = clock_of_host();
    (void)wattle_sensors_read(sensors, now, channel_count, &err);
    time += (clock_of_host() - time) / 2;
    for (size_t i = 0; i < channel_count && !first; i++) {
        double more = wattle_sensors_difference(sensors, i, &before[i], &now[i]);
        /* The energy of what was not read is unknown for good. */
        energy_j[i] += is_counter(wattle_sensors_channel(sensors, i)) ? more : 0;
    }
    for (size_t i = 0; i < metric_count; i++) {
        bool starts = first && is_counter(wattle_sensors_channel(sensors, metrics[i].channel)) &&
                      !metrics[i].joules;
        if (!starts)
            append(&metrics[i], time, value_of(&metrics[i]));
    }
    memcpy(before, now, channel_count * sizeof *now);
}

static void *sample(void *unused)
{
    struct timespec next;
    (void)unused;
    (void)clock_gettime(CLOCK_REALTIME, &next);
    (void)pthread_mutex_lock(&lock);
    while (!ends) {
        next.tv_nsec += (long)(interval_ns % 1000000000u);
        next.tv_sec += (time_t)(interval_ns / 1000000000u) + next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        while (!ends && pthread_cond_timedwait(&wake, &lock, &next) == 0)
            continue;
        if (!ends)
            take_sample(false);
    }
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

static void begin(void)
{
    sigset_t all, old;
    if (running || metric_count == 0 || !clock_of_host)
        return;
    take_sample(true);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    running = pthread_create(&sampler, NULL, sample, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!running)
        (void)fprintf(stderr, "wattle: cannot start a thread, so there is no power\n");
}

static void end(void)
{
    if (!running)
        return;
    (void)pthread_mutex_lock(&lock);
    ends = true;
    (void)pthread_cond_signal(&wake);
    (void)pthread_mutex_unlock(&lock);
    (void)pthread_join(sampler, NULL);
    running = ends = false;
    take_sample(false); /* up to the end */
}

static void synchronize(bool is_responsible, int mode)
{
    if (!is_responsible)
        return;
    if (mode == METRIC_END)
        end();
    else
        begin();
}

/* Score-P frees the list. */
static uint64_t get_all_values(int32_t id, struct metric_pair **ret_pairs)
{
    *ret_pairs = NULL;
    if (id < 0 || (size_t)id >= metric_count)
        return 0;
    end(); /* hosts without synchronize() */
    (void)pthread_mutex_lock(&lock);
    struct metric *metric = &metrics[id];
    uint64_t count = metric->count;
    *ret_pairs = metric->pairs;
    metric->pairs = NULL;
    metric->count = metric->room = 0;
    metric->full = false;
    (void)pthread_mutex_unlock(&lock);
    return count;
}

static void finalize(void)
{
    end();
    for (size_t i = 0; i < metric_count; i++)
        free(metrics[i].pairs);
    metric_count = 0;
    free(before);
    free(now);
    free(energy_j);
    before = now = NULL;
    energy_j = NULL;
    wattle_sensors_close(sensors);
    sensors = NULL;
}

__attribute__((visibility("default"))) struct metric_plugin_info
SCOREP_MetricPlugin_wattle_plugin_get_info(void)
{
    return (struct metric_plugin_info){.version = METRIC_VERSION,
                                       .run_per = METRIC_PER_HOST,
                                       .sync = METRIC_ASYNC,
                                       .delta_t = UINT64_MAX, /* once, at the end */
                                       .initialize = initialize,
                                       .finalize = finalize,
                                       .get_event_info = get_event_info,
                                       .add_counter = add_counter,
                                       .set_clock_function = set_clock_function,
                                       .get_all_values = get_all_values,
                                       .synchronize = synchronize};
}
