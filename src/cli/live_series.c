/* SPDX-License-Identifier: BSD-3-Clause */
/* Power now and its history from energies: see live_series.h. */
#include "cli/live_series.h"

#include <math.h>
#include <string.h>

/* As the statistics of a tally have it. */
enum { TICKS = 20 };

/* A sensor that has shown nothing for so many of its updates, readings or looks has fallen silent. */
enum { SILENT = 3 };
static const uint64_t SILENT_LEAST_NS = 1500000000;

static const struct wtl_series_point *point_back(const struct wtl_series *series, size_t back)
{
    return &series->points[(series->looks - 1 - back) % WTL_SERIES_LENGTH];
}

static void know_nothing(struct wtl_series *series, enum wtl_series_state state)
{
    series->state = state;
    series->power_w = NAN;
    series->window_ns = 0;
}

/* The mean from an older point to the newest. */
static void take_mean(struct wtl_series *series,
                      const struct wattle_channel *channel,
                      const struct wtl_series_point *from,
                      const struct wtl_series_point *to)
{
    uint64_t span_ns = to->time_ns - from->time_ns, unknown_ns = to->unknown_ns - from->unknown_ns;
    double joules = to->energy_j - from->energy_j;
    if (isnan(joules) || to->unknown_ns < from->unknown_ns || unknown_ns * 2 > span_ns) {
        know_nothing(series, WTL_SERIES_GAP);
        return;
    }
    if (channel->kind == WATTLE_COUNTER && joules <= 0) {
        know_nothing(series, WTL_SERIES_STANDS);
        return;
    }
    series->state = WTL_SERIES_KNOWN;
    series->window_ns = span_ns - unknown_ns;
    series->power_w = joules / (double)series->window_ns * 1e9;
}

/* The newest point that lies at least need_ns before the newest of all. */
static void look_back(struct wtl_series *series,
                      const struct wattle_channel *channel,
                      uint64_t need_ns)
{
    size_t kept = series->looks < WTL_SERIES_LENGTH ? series->looks : WTL_SERIES_LENGTH;
    const struct wtl_series_point *to = point_back(series, 0);
    for (size_t back = 1; back < kept; back++) {
        const struct wtl_series_point *from = point_back(series, back);
        if (!isnan(from->energy_j) && to->time_ns > from->time_ns &&
            to->time_ns - from->time_ns >= need_ns) {
            take_mean(series, channel, from, to);
            return;
        }
    }
    know_nothing(series, WTL_SERIES_WAITS);
}

/* How far apart good readings have been so far. */
static uint64_t spacing_ns(const struct wtl_summary *summary)
{
    uint64_t span_ns = summary->last_ns - summary->first_ns;
    return summary->samples > 0 && summary->first_ns ? span_ns / summary->samples : 0;
}

static bool is_silent(const struct wtl_summary *summary,
                      const struct wattle_channel *channel,
                      uint64_t now_ns,
                      uint64_t every_ns)
{
    uint64_t spaced_ns = spacing_ns(summary), last_ns = summary->last_ns;
    uint64_t most_ns = every_ns > channel->refresh_ns ? every_ns : channel->refresh_ns;
    most_ns = SILENT * (most_ns > spaced_ns ? most_ns : spaced_ns);
    if (most_ns < SILENT_LEAST_NS)
        most_ns = SILENT_LEAST_NS;
    return last_ns > 0 && now_ns > last_ns && now_ns - last_ns > most_ns;
}

void wtl_series_past(struct wtl_series *series, double power_w)
{
    if (series->history_count == WTL_SERIES_LENGTH) {
        memmove(series->history_w, series->history_w + 1,
                sizeof series->history_w - sizeof *series->history_w);
        series->history_count--;
    }
    series->history_w[series->history_count++] = (float)power_w;
    if (power_w > series->peak_w)
        series->peak_w = power_w;
}

static void add_point(struct wtl_series *series, struct wtl_series_point point)
{
    series->points[series->looks % WTL_SERIES_LENGTH] = point;
    series->looks++;
}

static uint64_t newest_ns(const struct wtl_series *series)
{
    return series->looks ? point_back(series, 0)->time_ns : 0;
}

void wtl_series_begin(struct wtl_series *series, uint64_t start_ns)
{
    add_point(series, (struct wtl_series_point){.time_ns = start_ns});
}

void wtl_series_look(struct wtl_series *series,
                     const struct wattle_channel *channel,
                     const struct wtl_summary *summary,
                     uint64_t now_ns,
                     uint64_t every_ns)
{
    struct wtl_series_point now = {.time_ns = summary->last_ns,
                                   .energy_j = summary->energy_j,
                                   .unknown_ns = summary->unknown_ns};
    uint64_t need_ns = channel->kind == WATTLE_COUNTER ? TICKS * channel->refresh_ns : 0;
    if (series->looks == 0 && isnan(now.energy_j)) {
        know_nothing(series, WTL_SERIES_WAITS);
        return;
    }
    if (now.time_ns < newest_ns(series))
        now.time_ns = newest_ns(series); /* nothing has been read yet */
    add_point(series, now);
    if (is_silent(summary, channel, now_ns, every_ns))
        know_nothing(series, WTL_SERIES_SILENT);
    else if (isnan(now.energy_j))
        know_nothing(series, summary->samples < 2 ? WTL_SERIES_WAITS : WTL_SERIES_GAP);
    else
        look_back(series, channel, need_ns);
    if (series->state != WTL_SERIES_WAITS || series->history_count > 0)
        wtl_series_past(series, series->power_w);
}

void wtl_series_lately(struct wtl_series *series, double power_w, uint64_t window_ns)
{
    if (isnan(power_w) || series->state != WTL_SERIES_WAITS)
        return;
    series->state = WTL_SERIES_KNOWN;
    series->power_w = power_w;
    series->window_ns = window_ns;
}

void wtl_series_silence(struct wtl_series *series)
{
    if (series->state != WTL_SERIES_NONE)
        know_nothing(series, WTL_SERIES_SILENT);
}

void wtl_series_end(struct wtl_series *series, double mean_w, uint64_t window_ns)
{
    know_nothing(series, isnan(mean_w) ? WTL_SERIES_GAP : WTL_SERIES_AVERAGE);
    series->power_w = mean_w;
    series->window_ns = window_ns;
}

void wtl_series_reset(struct wtl_series *series)
{
    series->peak_w = series->power_w > 0 ? series->power_w : 0; /* not for NaN */
    series->history_count = 0;
}

const char *wtl_series_state_word(enum wtl_series_state state)
{
    static const char *const words[] = {
        [WTL_SERIES_KNOWN] = "",        [WTL_SERIES_WAITS] = "...", [WTL_SERIES_STANDS] = "stands",
        [WTL_SERIES_SILENT] = "silent", [WTL_SERIES_GAP] = "gap",   [WTL_SERIES_AVERAGE] = "",
        [WTL_SERIES_NONE] = "-"};
    return words[state];
}
