/* SPDX-License-Identifier: BSD-3-Clause */
/* Current power and its history, from energies: see live_history.h. */
#include "cli/top/live_history.h"

#include <math.h>
#include <string.h>

/* As the statistics of a tally have it. */
enum { TICKS = 20 };

/* A sensor without a new value for this many of its updates, readings or screen updates is silent. */
enum { SILENT = 3 };
static const uint64_t SILENT_LEAST_NS = 1500000000;

static const struct wtl_history_point *point_back(const struct wtl_history *history, size_t back)
{
    return &history->points[(history->looks - 1 - back) % WTL_HISTORY_LENGTH];
}

static void know_nothing(struct wtl_history *history, enum wtl_history_state state)
{
    history->state = state;
    history->power_w = NAN;
    history->window_ns = 0;
}

/* The mean from an older point to the newest. */
static void take_mean(struct wtl_history *history,
                      const struct wattle_channel *channel,
                      const struct wtl_history_point *from,
                      const struct wtl_history_point *to)
{
    uint64_t span_ns = to->time_ns - from->time_ns, unknown_ns = to->unknown_ns - from->unknown_ns;
    double joules = to->energy_j - from->energy_j;
    if (isnan(joules) || to->unknown_ns < from->unknown_ns || unknown_ns * 2 > span_ns) {
        know_nothing(history, WTL_HISTORY_GAP);
        return;
    }
    if (channel->kind == WATTLE_COUNTER && joules <= 0) {
        know_nothing(history, WTL_HISTORY_STANDS);
        return;
    }
    history->state = WTL_HISTORY_KNOWN;
    history->window_ns = span_ns - unknown_ns;
    history->power_w = joules / (double)history->window_ns * 1e9;
}

/* The newest point at least need_ns before the newest of all. */
static void look_back(struct wtl_history *history,
                      const struct wattle_channel *channel,
                      uint64_t need_ns)
{
    size_t kept = history->looks < WTL_HISTORY_LENGTH ? history->looks : WTL_HISTORY_LENGTH;
    const struct wtl_history_point *to = point_back(history, 0);
    for (size_t back = 1; back < kept; back++) {
        const struct wtl_history_point *from = point_back(history, back);
        if (!isnan(from->energy_j) && to->time_ns > from->time_ns &&
            to->time_ns - from->time_ns >= need_ns) {
            take_mean(history, channel, from, to);
            return;
        }
    }
    know_nothing(history, WTL_HISTORY_WAITS);
}

/* Interval between good readings so far. */
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

void wtl_history_past(struct wtl_history *history, double power_w)
{
    if (history->history_count == WTL_HISTORY_LENGTH) {
        memmove(history->history_w, history->history_w + 1,
                sizeof history->history_w - sizeof *history->history_w);
        history->history_count--;
    }
    history->history_w[history->history_count++] = (float)power_w;
    if (power_w > history->peak_w)
        history->peak_w = power_w;
}

static void add_point(struct wtl_history *history, struct wtl_history_point point)
{
    history->points[history->looks % WTL_HISTORY_LENGTH] = point;
    history->looks++;
}

static uint64_t newest_ns(const struct wtl_history *history)
{
    return history->looks ? point_back(history, 0)->time_ns : 0;
}

/* Up to when its energy and unknown time count: a gap may extend past the newest good reading, which the mean after it must not
 * contain again. */
static uint64_t counted_ns(const struct wtl_history *history,
                           const struct wtl_summary *summary,
                           uint64_t now_ns)
{
    uint64_t newest = newest_ns(history),
             known = history->looks ? point_back(history, 0)->unknown_ns : 0;
    uint64_t gap_end_ns = newest + (summary->unknown_ns > known ? summary->unknown_ns - known : 0);
    if (gap_end_ns > now_ns)
        gap_end_ns = now_ns > newest ? now_ns : newest;
    return summary->last_ns > gap_end_ns ? summary->last_ns : gap_end_ns;
}

void wtl_history_begin(struct wtl_history *history, uint64_t start_ns)
{
    add_point(history, (struct wtl_history_point){.time_ns = start_ns});
}

void wtl_history_lately(struct wtl_history *history, double power_w, uint64_t window_ns)
{
    if (isnan(power_w) || history->state != WTL_HISTORY_WAITS)
        return;
    history->state = WTL_HISTORY_KNOWN;
    history->power_w = power_w;
    history->window_ns = window_ns;
}

/* Without an energy: a gauge that sees a part of the time, of a device that states no maximum, has a power all the same. */
static void know_power(struct wtl_history *history,
                       const struct wattle_channel *channel,
                       const struct wtl_summary *summary)
{
    bool is_whole = channel->kind != WATTLE_COUNTER && summary->samples > 1 &&
                    isfinite(summary->last_w) && summary->unknown_ns == 0;
    know_nothing(history, summary->samples < 2 || is_whole ? WTL_HISTORY_WAITS : WTL_HISTORY_GAP);
    if (is_whole)
        wtl_history_lately(history, summary->last_w, summary->stat_window_ns);
}

void wtl_history_look(struct wtl_history *history,
                      const struct wattle_channel *channel,
                      const struct wtl_summary *summary,
                      uint64_t now_ns,
                      uint64_t every_ns)
{
    struct wtl_history_point now = {.time_ns = counted_ns(history, summary, now_ns),
                                    .energy_j = summary->amount,
                                    .unknown_ns = summary->unknown_ns};
    uint64_t need_ns = channel->kind == WATTLE_COUNTER ? TICKS * channel->refresh_ns : 0;
    if (history->looks == 0 && isnan(now.energy_j)) {
        know_nothing(history, WTL_HISTORY_WAITS);
        return;
    }
    add_point(history, now);
    if (is_silent(summary, channel, now_ns, every_ns))
        know_nothing(history, WTL_HISTORY_SILENT);
    else if (isnan(now.energy_j))
        know_power(history, channel, summary);
    else
        look_back(history, channel, need_ns);
    if (history->state != WTL_HISTORY_WAITS || history->history_count > 0)
        wtl_history_past(history, history->power_w);
}

void wtl_history_silence(struct wtl_history *history)
{
    if (history->state != WTL_HISTORY_NONE)
        know_nothing(history, WTL_HISTORY_SILENT);
}

void wtl_history_end(struct wtl_history *history, double mean_w, uint64_t window_ns)
{
    know_nothing(history, isnan(mean_w) ? WTL_HISTORY_GAP : WTL_HISTORY_AVERAGE);
    history->power_w = mean_w;
    history->window_ns = window_ns;
}

void wtl_history_reset(struct wtl_history *history)
{
    history->peak_w = history->power_w > 0 ? history->power_w : 0; /* not for NaN */
    history->history_count = 0;
}

const char *wtl_history_state_word(enum wtl_history_state state)
{
    static const char *const words[] = {
        [WTL_HISTORY_KNOWN] = "",         [WTL_HISTORY_WAITS] = "...",
        [WTL_HISTORY_STANDS] = "stalled", [WTL_HISTORY_SILENT] = "silent",
        [WTL_HISTORY_GAP] = "gap",        [WTL_HISTORY_AVERAGE] = "",
        [WTL_HISTORY_NONE] = "-"};
    return words[state];
}
