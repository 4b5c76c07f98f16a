/* SPDX-License-Identifier: BSD-3-Clause */
/* Counter values at the borders of the window: see tally.h for the method. */
#include "model/tally/tally_border.h"

#include <math.h>

#include "model/bound.h"
#include "model/tally/grain.h"
#include "model/tally/tally_doubt.h"

/* A new value more than this many refreshes after the sample before it is not that of the next tick. */
enum { NEXT_TICKS = 2 };

/* Whether the first edge after the end is the next tick: polls saw no earlier one. */
static bool is_next_tick(const struct wtl_tally *tally)
{
    return tally->after_count >= 2 &&
           (!(tally->has & HAS_SHOWN_END) || tally->shown[1].value == tally->tick_value);
}

bool wtl_tally_stands(const struct wtl_tally *tally, const struct wtl_stand *stand)
{
    uint64_t still_ns = stand->failed ? UINT64_MAX : stand->to.time_ns - stand->from.time_ns;
    return wtl_stands_still(&tally->channel, still_ns);
}

bool wtl_tally_leaps(const struct wtl_tally *tally,
                     const struct wtl_stand *stand,
                     struct wtl_point now)
{
    double time_ns = (double)(now.time_ns - stand->from.time_ns) + wtl_tally_staleness_ns(tally);
    return stand->lost && wtl_counts_always(&tally->channel) &&
           now.value - stand->from.value > WTL_LEAP * wtl_tally_greatest_slope(tally) * time_ns + 2;
}

/* A border inside a standstill: between the value before it and the one after it. If there was none after
 * it, the counter is assumed to have continued at its maximum rate. */
static struct wtl_border border_by_stand(const struct wtl_tally *tally,
                                         const struct wtl_stand *stand,
                                         uint64_t time_ns)
{
    uint64_t at_ns = time_ns > stand->from.time_ns ? time_ns : stand->from.time_ns;
    double step = stand->next.value - stand->from.value, value = stand->from.value;
    if (stand->next.time_ns) {
        value = wtl_line_at(stand->from, stand->next, at_ns);
    } else {
        uint64_t before_ns = stand->before_ns ? stand->before_ns : stand->from.time_ns;
        step = wtl_tally_greatest_slope(tally) *
               (double)(at_ns - before_ns + tally->channel.refresh_ns);
    }
    return (struct wtl_border){.value = value,
                               .sd = sqrt(step * step / 3 + wtl_grain_variance(&tally->channel))};
}

/* What it would have counted at its maximum rate since the sample before a stand, minus the known part: it
 * may have stopped. As a standard deviation. */
static double stopped_sd(const struct wtl_tally *tally, const struct wtl_stand *stand, double known)
{
    if (!stand->before_ns || !wtl_counts_always(&tally->channel))
        return 0;
    double most = wtl_tally_greatest_slope(tally) * (double)(stand->to.time_ns - stand->before_ns);
    return sqrt(1.0 / 3) * fmax(most - known, 0);
}

/*
 * The same at the end, for a counter whose polls should have seen a tick after the end (it was polled before
 * the start, or ticks slowly), but did not: it may have stopped since its last two samples, as far as their
 * growth permits.
 */
static double unseen_sd(const struct wtl_tally *tally)
{
    bool polled = tally->before_count > 0 || tally->has & HAS_SHOWN_START ||
                  wtl_ticks_slowly(&tally->channel);
    if (!tally->ended || tally->after_count > 0 || !polled)
        return 0;
    return stopped_sd(tally, &tally->stand, tally->stand.grown);
}

/* The tick after the one whose value was shown at a border. */
static struct wtl_between next_tick(const struct wtl_tally *tally, const struct wtl_update *update)
{
    return wtl_tick_between(tally, update->last_ns, update->next.time_ns);
}

/* For a counter that ticks slowly: the value shown at a border, if known, and one of the next two; else NULL. */
static const struct wtl_update *update_at(const struct wtl_tally *tally, bool before)
{
    const struct wtl_update *update = before ? &tally->update_in : &tally->update_out;
    uint64_t at_ns = before ? tally->start_ns : tally->end_ns;
    uint64_t refresh_ns = tally->channel.refresh_ns;
    const struct wtl_stand *shown = &update->shown;
    bool known = update->next.time_ns > at_ns && shown->to.time_ns && !shown->lost &&
                 update->next.time_ns - update->last_ns <= NEXT_TICKS * refresh_ns &&
                 shown->from.time_ns <= at_ns + refresh_ns / WTL_TALLY_CLOSE &&
                 !wtl_tally_stands(tally, shown);
    return known && wtl_ticks_slowly(&tally->channel) ? update : NULL;
}

/* Power of the window between the ticks next to its borders, in ticks per ns; < 0 = unknown. */
static double power_between(const struct wtl_tally *tally)
{
    const struct wtl_update *in = update_at(tally, true), *out = update_at(tally, false);
    if (!in || !out || tally->losses)
        return -1;
    double apart_ns =
        wtl_middle_ns(wtl_stand_tick(tally, &out->shown)) - wtl_middle_ns(next_tick(tally, in));
    double least_ns = (double)tally->channel.refresh_ns / 2;
    return apart_ns > least_ns ? (out->shown.from.value - in->next.value) / apart_ns : -1;
}

/* Power between the first and the last sample of the window, in ticks per ns; < 0 = unknown. */
static double power_inside(const struct wtl_tally *tally)
{
    struct wtl_point from = tally->first_in, to = tally->last_in;
    double apart_ns = (double)(int64_t)(to.time_ns - from.time_ns);
    bool known = tally->has & HAS_FIRST_IN && tally->has & HAS_LAST_IN && !tally->losses;
    return known && apart_ns > 2 * (double)tally->channel.refresh_ns
               ? (to.value - from.value) / apart_ns
               : -1;
}

/* A power in ticks per ns, and its standard deviation. */
struct power {
    double mean, sd;
};

/* From a tick to a later one, of which the values are known. */
static struct power power_from(struct wtl_between from,
                               double low,
                               struct wtl_between to,
                               double high)
{
    double apart_ns = fmax(wtl_middle_ns(to) - wtl_middle_ns(from), 1);
    double mean = (high - low) / apart_ns;
    double unsure_ns = hypot(to.high_ns - to.low_ns, from.high_ns - from.low_ns) / sqrt(12);
    return (struct power){.mean = mean, .sd = mean * unsure_ns / apart_ns};
}

static struct wtl_between tick_of(const struct wtl_tally *tally, const struct wtl_grown *grown)
{
    return wtl_tick_between(tally, grown->before_ns, grown->at.time_ns);
}

/* The latest new value of the window that tells the power up to a tick; NULL: none. */
static const struct wtl_grown *step_before(const struct wtl_tally *tally, struct wtl_between tick)
{
    for (unsigned i = WTL_TALLY_STEPS; i > WTL_TALLY_STEPS - tally->step_count; i--) {
        const struct wtl_grown *step = &tally->steps[i - 1];
        if (step->before_ns >= tally->start_ns && wtl_are_timed(tick_of(tally, step), tick))
            return step;
    }
    return NULL;
}

/* The power of the window next to a border: over the ticks there or, where these do not tell them apart, over the window.
 * mean < 0 = unknown. */
static struct power power_next_to(const struct wtl_tally *tally,
                                  const struct wtl_update *update,
                                  bool before)
{
    double whole = power_between(tally);
    struct power power = {.mean = whole < 0 ? power_inside(tally) : whole};
    struct wtl_between shown = wtl_stand_tick(tally, &update->shown);
    const struct wtl_grown *beyond = before ? &update->beyond : step_before(tally, shown);
    if (tally->losses || !beyond || beyond->at.time_ns == 0)
        return power;
    struct power local = before ? power_from(next_tick(tally, update), update->next.value,
                                             tick_of(tally, beyond), beyond->at.value)
                                : power_from(tick_of(tally, beyond), beyond->at.value, shown,
                                             update->shown.from.value);
    return power.mean >= 0 && fabs(local.mean - power.mean) <= 2 * local.sd ? power : local;
}

/*
 * For a counter that ticks slowly: the energy at the border is between the last value shown and the next one,
 * whatever the power does. The power of the window next to the border is extrapolated to it, which is right if the power
 * changes with the window; constant power between the two ticks, which is right if it does not, may give a
 * different value. sd infinite: one of the two was not seen.
 */
static struct wtl_border border_by_update(const struct wtl_tally *tally, bool before)
{
    const struct wtl_update *update = update_at(tally, before);
    if (!update)
        return (struct wtl_border){.sd = INFINITY};
    struct wtl_between shown = wtl_stand_tick(tally, &update->shown);
    struct wtl_between next = next_tick(tally, update);
    struct power power = power_next_to(tally, update, before);
    double at_ns = wtl_border_at_ns(tally, before);
    double low = update->shown.from.value, high = update->next.value;
    double tick_ns = fmax(wtl_middle_ns(next) - wtl_middle_ns(shown), 1),
           slope = (high - low) / tick_ns;
    /* Either tick may have come between the border and the sample next to it. Displayed values are
     * truncated to units. */
    double early = slope * fmax(shown.high_ns - at_ns, 0);
    double late = slope * fmax(at_ns - wtl_since_origin(tally, update->last_ns), 0);
    double part = fmax((at_ns - wtl_middle_ns(shown)) / tick_ns, 0);
    double even = fmin(low + part * (high - low), high + late), value = even;
    double away_ns = before ? wtl_middle_ns(next) - at_ns : at_ns - wtl_middle_ns(shown);
    if (power.mean >= 0 && away_ns > 0) /* else the border is on the other side of that tick */
        value = fmin(fmax(before ? high - power.mean * away_ns : low + power.mean * away_ns, low),
                     high);
    part = fmin(part, 1);
    double stamps =
        slope / 2 *
        hypot((1 - part) * (shown.high_ns - shown.low_ns), part * (next.high_ns - next.low_ns));
    double power_off = power.sd * fmax(away_ns, 0);
    double grain = wtl_grain_ticks(&tally->channel);
    struct wtl_border border = {.value = value,
                                .sd = sqrt(stamps * stamps / 3 + power_off * power_off +
                                           wtl_grain_variance(&tally->channel)),
                                .below = value - low + early + grain / 2,
                                .above = high - value + late + grain / 2};
    return wtl_border_spanning(border, even - value, 0);
}

/*
 * Between two samples. Those of a relayed counter may both be a tick away from the border: then the line
 * between them mixes the power of the window with that outside. The power of the window is extrapolated from
 * the sample inside, whose value is that of a tick half a refresh ago on average; the interval covers the
 * line, too.
 */
static struct wtl_border border_by_samples(const struct wtl_tally *tally,
                                           struct wtl_point a,
                                           struct wtl_point b,
                                           bool before)
{
    uint64_t time_ns = before ? tally->start_ns : tally->end_ns;
    struct wtl_border border = wtl_border_by_line(tally, a, b, before);
    double power = power_inside(tally), line = border.value;
    const struct wtl_point *inside = before ? &b : &a;
    if (!(tally->channel.flags & WATTLE_CHANNEL_RELAYED) || power < 0 || b.value <= a.value)
        return border;
    double since_ns = (double)(int64_t)(time_ns - inside->time_ns);
    double value = inside->value + power * (since_ns + (double)tally->channel.refresh_ns / 2);
    border.value = fmin(fmax(value, a.value), b.value + power * (double)tally->channel.refresh_ns);
    return wtl_border_spanning(border, line - border.value, 0);
}

struct wtl_border wtl_tally_start_border(const struct wtl_tally *tally)
{
    const struct wtl_stand *stand = tally->stand_in.to.time_ns ? &tally->stand_in : &tally->stand;
    if (!wtl_border_edge_near(tally, true) && wtl_tally_stands(tally, stand) && stand->next.time_ns)
        return border_by_stand(tally, stand, tally->start_ns);
    if (tally->start_lost && tally->has & HAS_AHEAD) /* it continues from there after the gap */
        return (struct wtl_border){.value = tally->ahead.value};
    struct wtl_border border = border_by_update(tally, true);
    if (isfinite(border.sd))
        return border;
    border = wtl_border_by_polls(tally, true);
    if (isfinite(border.sd) && wtl_border_edge_near(tally, true))
        return wtl_tally_doubt_start(tally, border);
    if (isfinite(border.sd))
        return border;
    if ((tally->has & HAS_AHEAD) && (tally->has & (HAS_FIRST_IN | HAS_BEHIND)))
        return border_by_samples(tally, tally->ahead,
                                 tally->has & HAS_FIRST_IN ? tally->first_in : tally->behind, true);
    /* Nothing is known about the time before; its value was reached up to a tick earlier. */
    struct wtl_point only = tally->has & HAS_AHEAD ? tally->ahead : tally->first_in;
    return (struct wtl_border){.value = wtl_tally_at_sample(tally, only, true),
                               .sd = wtl_tally_lag_sd(tally)};
}

/* Its value after standing still at the end: at its next tick or, if that was not seen, in the newest
 * samples. */
static struct wtl_point next_shown(const struct wtl_tally *tally)
{
    const struct wtl_edge *edge = &tally->after[0];
    if (tally->after_count == 0)
        return tally->stand.from;
    return (struct wtl_point){.time_ns = tally->origin_ns + (uint64_t)(int64_t)edge->time_ns,
                              .value = edge->value};
}

/*
 * Polls after the end saw the counter stand still for longer than it can, or its next tick is far larger than
 * the time since the last poll explains: it had stopped, and the next tick shows what was used in the
 * meantime.
 */
static bool stood_at_end(const struct wtl_tally *tally)
{
    if (!(tally->has & HAS_SHOWN_END) || !wtl_counts_always(&tally->channel))
        return false;
    double grown = next_shown(tally).value - tally->shown[1].value;
    double watched_ns = tally->shown_until_ns - tally->shown_from_ns;
    if (wtl_stands_still(&tally->channel, (uint64_t)watched_ns))
        return grown > 0;
    if (tally->after_count == 0)
        return false;
    const struct wtl_edge *next = &tally->after[0];
    double since_ns =
        fmax(next->time_ns - tally->shown_until_ns, 0) + (double)tally->channel.refresh_ns;
    double slope = wtl_tally_greatest_slope(tally);
    /* If seen late, it covers a time in which the power may be that after the end. */
    double late_ns = tally->shown_from_ns - wtl_border_at_ns(tally, false);
    if (tally->after_count > 1 && late_ns > (double)tally->channel.refresh_ns)
        slope = fmax(slope, wtl_border_power(next, next + 1));
    return grown > WTL_STAND_REFRESHES * slope * since_ns + 2;
}

/* Between the last sample and that tick: when it stopped is unknown. */
static struct wtl_border end_by_next_tick(const struct wtl_tally *tally)
{
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : tally->ahead;
    struct wtl_point next = next_shown(tally);
    double step = next.value - tally->shown[1].value;
    return (struct wtl_border){.value = wtl_line_at(last, next, tally->end_ns),
                               .sd = sqrt(step * step / 3 + wtl_grain_variance(&tally->channel))};
}

/* At the end, from the neighbouring samples. */
static struct wtl_border end_by_samples(const struct wtl_tally *tally)
{
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : tally->ahead;
    const struct wtl_stand *stand = tally->stand_out.to.time_ns ? &tally->stand_out : &tally->stand;
    struct wtl_border border = {.value = wtl_tally_at_sample(tally, last, false),
                                .sd = wtl_tally_lag_sd(tally)};
    if (wtl_tally_stands(tally, stand))
        border = border_by_stand(tally, stand, tally->end_ns);
    else if (tally->has & HAS_BEHIND)
        border = border_by_samples(tally, last, tally->behind, false);
    /* It was never read again, or not seen counting after failed reads: it may have stopped before. */
    bool lost = !(tally->has & HAS_BEHIND) && tally->end_ns > last.time_ns;
    bool failed = tally->failed_until_ns && tally->stand.from.time_ns <= tally->failed_until_ns;
    if (lost || failed)
        border.sd = hypot(border.sd, stopped_sd(tally, &tally->stand, 0));
    else if (wtl_tally_stands(tally, stand)) /* the same if it was seen standing still */
        border.sd = hypot(border.sd, stopped_sd(tally, stand, 0));
    else
        border.sd = hypot(border.sd, unseen_sd(tally));
    return border;
}

struct wtl_border wtl_tally_end_border(const struct wtl_tally *tally)
{
    const struct wtl_stand *stand = tally->stand_out.to.time_ns ? &tally->stand_out : &tally->stand;
    bool near = wtl_border_edge_near(tally, false);
    const struct wtl_stand *now = &tally->stand; /* its value has not changed since then */
    struct wtl_border border = wtl_border_by_polls(tally, false);
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : tally->ahead;
    if (tally->end_lost) /* what it shows later is not related to the count so far */
        return (struct wtl_border){.value = last.value};
    struct wtl_border by_update = border_by_update(tally, false);
    if (isfinite(by_update.sd))
        return by_update;
    if (stood_at_end(tally))
        return end_by_next_tick(tally);
    if (now->from.time_ns >= tally->end_ns && wtl_tally_stands(tally, now)) {
        border = end_by_samples(tally);
        border.sd = hypot(border.sd, stopped_sd(tally, now, 0));
        return border;
    }
    if (isfinite(border.sd) && (near || !wtl_tally_stands(tally, stand))) {
        if (near || is_next_tick(tally))
            border = wtl_tally_doubt_end(tally, wtl_tally_start_border(tally), border);
        border.sd = hypot(border.sd, unseen_sd(tally));
        return border;
    }
    if (tally->lost_until_ns >= tally->end_ns) /* the time up to the end is unknown */
        return (struct wtl_border){.value = last.value};
    return end_by_samples(tally);
}
