/* SPDX-License-Identifier: BSD-3-Clause */
/* What a counter had at the borders of the window: see tally.h for the method. */
#include "model/tally/tally_border.h"

#include <math.h>

#include "model/bound.h"
#include "model/tally/tally_doubt.h"

/* Power that changed by x from one tick to the next is, half a tick on, off its own line by a
 * standard deviation of this times x: for a random walk; more than enough for a smooth change. */
static const double CHANGE_GOES_ON = 1.7;

/* Edges wider than this part of a refresh are blunt. */
static const double BLUNT = 1.0 / 40;

/* Growth of so many times what the greatest power explains is of another time as well. */
static const double LEAP = 1.5;

/* An edge within so many refreshes of a border is the tick next to it. */
static const double NEAR = 1.25;

/* How old a value that is shown may be. */
static double staleness_ns(const struct wtl_tally *tally)
{
    if (tally->channel.refresh_ns == 0)
        return (double)tally->grows_in_ns;
    return fmax((double)tally->channel.refresh_ns, 2 * tally->slow_ns);
}

/* Mean power between two edges, in ticks per ns. */
double wtl_border_power(const struct wtl_edge *a, const struct wtl_edge *b)
{
    return (b->value - a->value) / (b->time_ns - a->time_ns);
}

/* Stamps and whole units make an edge wrong by so many ticks, evenly. */
double wtl_border_edge_variance(const struct wtl_edge *edge, double power)
{
    double stamp = power * edge->width_ns;
    return stamp * stamp / 3 + 1.0 / 12;
}

/* Ticks by ns from the first sample that counts to the last, without the time whose ticks are lost. */
static double mean_slope(const struct wtl_tally *tally)
{
    struct wtl_point from = tally->has & HAS_AHEAD ? tally->ahead : tally->first_in;
    struct wtl_point to = tally->has & HAS_BEHIND ? tally->behind : tally->last_in;
    double dt = (double)(int64_t)(to.time_ns - from.time_ns - tally->stopped_ns);
    if (tally->stopped_ns) /* what is left may be next to nothing, with a tick in it */
        dt = fmax(dt, (double)tally->channel.refresh_ns);
    return dt > 0 ? (to.value - from.value) / dt : 0;
}

/* The least power with which it can have grown as it did over a border: between the sample in the window that is next to it, which
 * shows a value of up to a refresh ago, and the edge beyond it. */
static double power_across(const struct wtl_tally *tally, bool before)
{
    unsigned count = before ? tally->before_count : tally->after_count;
    struct wtl_point in = before ? tally->first_in : tally->last_in;
    if (count == 0 || !(tally->has & (before ? HAS_FIRST_IN : HAS_LAST_IN)))
        return 0;
    const struct wtl_edge *edge = before ? &tally->before[count - 1] : &tally->after[0];
    double apart_ns = (double)(int64_t)(in.time_ns - tally->origin_ns) - edge->time_ns;
    return fabs(in.value - edge->value) / (fabs(apart_ns) + (double)tally->channel.refresh_ns);
}

/* The standard deviation of a power that nobody saw: from none to the greatest of that outside of the window, next to the
 * border, that in it and that across the border, since it may have changed anywhere between. */
static double power_unseen_sd(const struct wtl_tally *tally, double outside, bool before)
{
    double most = fmax(mean_slope(tally), power_across(tally, before));
    return fmax(fabs(outside), most) / sqrt(3);
}

/*
 * Edges tell of their own time only. Where the border is more than a tick away, since somebody else had the
 * processor in between, the power may be anything that it may be on either side or across.
 */
static double power_elsewhere_sd(const struct wtl_tally *tally,
                                 double outside,
                                 double away_ns,
                                 double tick_ns,
                                 bool before)
{
    return fmin(fmax(fabs(away_ns) / tick_ns - 1, 0), 1) * power_unseen_sd(tally, outside, before);
}

/* How the power changed at the nearest three edges, squared: by what is seen, or less what the edges' own errors explain. */
struct change {
    double real, errors;
};

static struct change change_at(const struct wtl_edge *near,
                               const struct wtl_edge *next,
                               const struct wtl_edge *far)
{
    double power = wtl_border_power(near, next), tick_ns = near->time_ns - next->time_ns;
    double change = power - wtl_border_power(next, far);
    double errors = wtl_border_edge_variance(near, power) +
                    4 * wtl_border_edge_variance(next, power) +
                    wtl_border_edge_variance(far, power);
    errors /= tick_ns * tick_ns;
    return (struct change){.real = fmax(change * change - errors, 0), .errors = errors};
}

/*
 * The same, when the edges are so blunt that the change from tick to tick is mostly their own error: the mean power
 * over all of them continues. That is of two ticks ago, by which a change makes it wrong, seen or not.
 */
static struct wtl_border border_by_mean(const struct wtl_tally *tally,
                                        const struct wtl_edge *edges,
                                        unsigned count,
                                        double at_ns,
                                        double refresh_ns,
                                        bool before)
{
    const struct wtl_edge *near = before ? &edges[count - 1] : &edges[0];
    const struct wtl_edge *next = before ? near - 1 : near + 1, *far = before ? next - 1 : next + 1;
    const struct wtl_edge *last = before ? &edges[0] : &edges[count - 1];
    struct change change = change_at(near, next, far);
    double power = wtl_border_power(last, near), away_ns = at_ns - near->time_ns;
    double part = fabs(away_ns / (near->time_ns - last->time_ns));
    double power_sd = hypot(sqrt(4 * change.real + change.errors),
                            power_elsewhere_sd(tally, power, away_ns, refresh_ns, before));
    double variance = wtl_border_edge_variance(near, power) * pow(1 + part, 2) +
                      wtl_border_edge_variance(last, power) * part * part +
                      pow(away_ns * power_sd, 2);
    return (struct wtl_border){.value = near->value + power * away_ns, .sd = sqrt(variance)};
}

/*
 * From the edges on the far side of a border: the power there continues up to it. With two whole
 * ticks the line through their powers is followed, half a tick to a whole one ahead; how much they
 * differ says how far that may be wrong.
 */
static struct wtl_border border_by_edges(const struct wtl_tally *tally,
                                         const struct wtl_edge *edges,
                                         unsigned count,
                                         double at_ns,
                                         double refresh_ns,
                                         bool before)
{
    const struct wtl_edge *near = before ? &edges[count - 1] : &edges[0];
    const struct wtl_edge *next = before ? near - 1 : near + 1;
    double away_ns = at_ns - near->time_ns, tick_ns = fabs(next->time_ns - near->time_ns);
    double power = wtl_border_power(near, next), ahead = 0, power_sd = 0.1 * power;
    double near_variance = wtl_border_edge_variance(near, power),
           next_variance = wtl_border_edge_variance(next, power);
    double far_variance = 0;
    if (count > 2) {
        const struct wtl_edge *far = before ? next - 1 : next + 1;
        far_variance = wtl_border_edge_variance(far, power);
        double change = power - wtl_border_power(next, far);
        double apart_ns = fabs(far->time_ns - near->time_ns) / 2;
        ahead = fmin((tick_ns + fabs(away_ns)) / 2 / apart_ns, 1);
        power += change * ahead;
        power_sd = CHANGE_GOES_ON * sqrt(change_at(near, next, far).real);
    }
    double part = fabs(away_ns) / tick_ns;
    power_sd = hypot(power_sd, power_elsewhere_sd(tally, power, away_ns,
                                                  fmin(tick_ns, SPACED * refresh_ns), before));
    /* How much of the edges' errors goes into the result follows from the formula above. */
    double variance = near_variance * pow(1 + part * (1 + ahead), 2) +
                      next_variance * pow(part * (1 + 2 * ahead), 2) +
                      far_variance * pow(part * ahead, 2) + pow(away_ns * power_sd, 2);
    return (struct wtl_border){.value = near->value + power * away_ns, .sd = sqrt(variance)};
}

/* The greatest that was seen, just before the start included: afterwards it may never have counted as it should. */
static double greatest_slope(const struct wtl_tally *tally)
{
    double watts = tally->power.count ? tally->power.max : 0;
    double slope = fmax(mean_slope(tally), watts / tally->channel.scale * 1e-9);
    slope = fmax(slope, tally->surge);
    if (tally->before_count > 1)
        slope = fmax(slope,
                     wtl_border_power(&tally->before[0], &tally->before[tally->before_count - 1]));
    return slope;
}

double wtl_tally_lag_sd(const struct wtl_tally *tally)
{
    return sqrt(1.0 / 3) * staleness_ns(tally) * greatest_slope(tally);
}

/* Between two samples; the counter's last tick lies up to one refresh before either. */
static struct wtl_border border_by_line(const struct wtl_tally *tally,
                                        struct wtl_point a,
                                        struct wtl_point b,
                                        uint64_t time_ns)
{
    double dt = (double)(int64_t)(b.time_ns - a.time_ns);
    double slope = dt > 0 ? (b.value - a.value) / dt : 0;
    double near = fmin(fabs((double)(int64_t)(time_ns - a.time_ns)),
                       fabs((double)(int64_t)(b.time_ns - time_ns)));
    double unsure_ns = hypot(staleness_ns(tally), near);
    /* It stands still here, and how much of its next step belongs here nobody knows. */
    if (tally->channel.refresh_ns == 0 && b.value <= a.value && tally->step > 0)
        return (struct wtl_border){.value = a.value,
                                   .sd = sqrt(tally->step * tally->step / 3 + 1.0 / 12)};
    if (b.value <= a.value) /* both lie in one tick, which says nothing of the power */
        slope = mean_slope(tally);
    return (struct wtl_border){.value = wtl_line_at(a, b, time_ns),
                               .sd = sqrt(slope * unsure_ns * slope * unsure_ns / 3 + 1.0 / 12)};
}

/* Mean power outside of the window, next to one of its borders: by the edges there, else by the first or the last
 * sample of all, else (0) not known. */
static double power_outside(const struct wtl_tally *tally, bool before)
{
    const struct wtl_edge *shown = &tally->shown[!before];
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    unsigned count = before ? tally->before_count : tally->after_count;
    double least_ns = 2 * (double)tally->channel.refresh_ns;
    struct wtl_edge end = {0}; /* the first sample of all */
    if (count > 0 && fabs(shown->time_ns - edges[before ? count - 1 : 0].time_ns) > least_ns)
        return wtl_border_power(&edges[before ? count - 1 : 0], shown);
    if (count > 1)
        return wtl_border_power(&edges[0], &edges[count - 1]);
    if (!before) {
        end.time_ns = (double)(int64_t)(tally->last.time_ns - tally->origin_ns);
        end.value = tally->last.value;
    }
    double apart_ns = fabs(shown->time_ns - end.time_ns);
    return apart_ns > least_ns && apart_ns < 50 * least_ns ? wtl_border_power(&end, shown) : 0;
}

/*
 * From what the polls next to a border show, which two plain reads would show as well: the last tick, whose time is
 * not known but for the refresh. What the power was from there to the border the edges tell little of: they are far.
 * inside: that of the window, where this tick lies in it.
 */
static struct wtl_border border_by_shown(const struct wtl_tally *tally, double at_ns, bool before)
{
    const struct wtl_edge *shown = &tally->shown[!before];
    double away_ns = at_ns - shown->time_ns;
    double power = !before && away_ns > 0 ? 0 : power_outside(tally, before);
    if (power <= 0)
        power = mean_slope(tally);
    double power_sd = power_unseen_sd(tally, power, before);
    return (struct wtl_border){
        .value = shown->value + power * away_ns,
        .sd = sqrt(wtl_border_edge_variance(shown, power) + pow(away_ns * power_sd, 2))};
}

/* The edge nearest to a border, when it is that of the tick next to it; else NULL. */
static const struct wtl_edge *edge_near(const struct wtl_tally *tally, bool before, double at_ns)
{
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    unsigned count = before ? tally->before_count : tally->after_count;
    const struct wtl_edge *near = count < 2 ? NULL : before ? &edges[count - 1] : &edges[0];
    double reach_ns = NEAR * (double)tally->channel.refresh_ns;
    return near && fabs(at_ns - near->time_ns) <= reach_ns ? near : NULL;
}

double wtl_border_at_ns(const struct wtl_tally *tally, bool before)
{
    return (double)(int64_t)((before ? tally->start_ns : tally->end_ns) - tally->origin_ns);
}

static struct wtl_border surer(struct wtl_border a, struct wtl_border b)
{
    return b.sd < a.sd ? b : a;
}

/* Another way arrives `apart` ticks from this border, which has the variance `noise`: where it is more than that, the interval reaches over both. */
struct wtl_border wtl_border_spanning(struct wtl_border border, double apart, double noise)
{
    if (apart * apart > noise)
        border.sd = hypot(border.sd, apart / sqrt(3));
    return border;
}

/* The surer of what edges and of what polls tell. Edges that are surer reach for what was shown: a steady power gives no reason to, unless
 * they contradict each other, and what both leave open is even, not normal: hence the 3. */
static struct wtl_border surer_of_two(const struct wtl_tally *tally,
                                      struct wtl_border by_edges,
                                      struct wtl_border shown,
                                      bool before)
{
    if (shown.sd < by_edges.sd)
        return shown;
    const struct wtl_edge *edges = before ? &tally->before[tally->before_count - 2] : tally->after;
    double in = mean_slope(tally), out = wtl_border_power(&edges[0], &edges[1]);
    bool steady = fabs(in - out) < 0.1 * fmax(in, out);
    double noise = by_edges.sd * by_edges.sd;
    if (steady)
        noise = 3 * (noise + shown.sd * shown.sd);
    return wtl_border_spanning(by_edges, shown.value - by_edges.value, noise);
}

/* By edges; where they are far from the border, or where there are none, by what the polls next to it showed, when
 * that is known better. Infinite without polls. */
struct wtl_border wtl_border_by_polls(const struct wtl_tally *tally, bool before)
{
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    unsigned count = before ? tally->before_count : tally->after_count;
    double at_ns = wtl_border_at_ns(tally, before);
    double refresh_ns = (double)tally->channel.refresh_ns;
    struct wtl_border border = {.sd = INFINITY};
    if (tally->slow_ns > 0)
        return border;
    if (count >= 2)
        border = border_by_edges(tally, edges, count, at_ns, refresh_ns, before);
    if (count > 2 && edges[before ? count - 1 : 0].width_ns > BLUNT * refresh_ns)
        border = surer(border, border_by_mean(tally, edges, count, at_ns, refresh_ns, before));
    if (!edge_near(tally, before, at_ns) && tally->has & (before ? HAS_SHOWN_START : HAS_SHOWN_END))
        border = surer_of_two(tally, border, border_by_shown(tally, at_ns, before), before);
    return border;
}

/* Polls saw nothing after the end that is earlier than the tick before the first edge. */
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
    double time_ns = (double)(now.time_ns - stand->from.time_ns) + staleness_ns(tally);
    return stand->lost && wtl_counts_always(&tally->channel) &&
           now.value - stand->from.value > LEAP * greatest_slope(tally) * time_ns + 2;
}

/* A border inside of a standstill: somewhere between the value before it and the one behind it. Where
 * none came, it would have counted on as fast as it ever did. */
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
        step = greatest_slope(tally) * (double)(at_ns - before_ns + tally->channel.refresh_ns);
    }
    return (struct wtl_border){.value = value, .sd = sqrt(step * step / 3 + 1.0 / 12)};
}

/* What it would have counted, as fast as it ever did, since the sample before a stand, less what is known of that: it may
 * have stopped. As a standard deviation. */
static double stopped_sd(const struct wtl_tally *tally, const struct wtl_stand *stand, double known)
{
    if (!stand->before_ns || !wtl_counts_always(&tally->channel))
        return 0;
    double most = greatest_slope(tally) * (double)(stand->to.time_ns - stand->before_ns);
    return sqrt(1.0 / 3) * fmax(most - known, 0);
}

/* The same at the end, for a counter that was polled before the start and showed no tick behind the end: it may have
 * stopped since its last two samples, as far as their growth leaves that open. */
static double unseen_sd(const struct wtl_tally *tally)
{
    bool polled = tally->before_count > 0 || tally->has & HAS_SHOWN_START;
    if (!tally->ended || tally->after_count > 0 || !polled)
        return 0;
    return stopped_sd(tally, &tally->stand, tally->stand.grown);
}

/* A tick came at some time between these. */
struct between {
    double low_ns, high_ns;
};

static double middle_ns(const struct between *tick)
{
    return (tick->low_ns + tick->high_ns) / 2;
}

static double since_origin(const struct wtl_tally *tally, uint64_t time_ns)
{
    return (double)(int64_t)(time_ns - tally->origin_ns);
}

/* The tick whose value was shown at a border, and the one behind it. */
static void ticks_of(const struct wtl_tally *tally,
                     const struct wtl_update *update,
                     struct between *ret_shown,
                     struct between *ret_next)
{
    const struct wtl_stand *shown = &update->shown;
    double refresh_ns = (double)tally->channel.refresh_ns;
    double from_ns = since_origin(tally, shown->from.time_ns);
    double next_ns = since_origin(tally, update->next.time_ns);
    double low_ns = since_origin(tally, shown->to.time_ns) - refresh_ns;
    if (shown->before_ns)
        low_ns = fmax(low_ns, since_origin(tally, shown->before_ns));
    *ret_shown = (struct between){fmin(low_ns, from_ns), from_ns};
    low_ns = fmax(since_origin(tally, update->last_ns), next_ns - refresh_ns);
    *ret_next = (struct between){low_ns, next_ns};
}

/* Of a counter that ticks slowly: what it showed at a border, if that is known, and what next; else NULL. */
static const struct wtl_update *update_at(const struct wtl_tally *tally, bool before)
{
    const struct wtl_update *update = before ? &tally->update_in : &tally->update_out;
    uint64_t at_ns = before ? tally->start_ns : tally->end_ns;
    const struct wtl_stand *shown = &update->shown;
    bool known = update->next.time_ns > at_ns && shown->to.time_ns && !shown->lost &&
                 shown->from.time_ns <= at_ns + tally->channel.refresh_ns / WTL_TALLY_CLOSE &&
                 !wtl_tally_stands(tally, shown);
    return known && wtl_ticks_slowly(&tally->channel) ? update : NULL;
}

/* Power of the window between the ticks next to its borders, in ticks per ns; < 0 = not known. */
static double power_between(const struct wtl_tally *tally)
{
    const struct wtl_update *in = update_at(tally, true), *out = update_at(tally, false);
    struct between from, to, other;
    if (!in || !out || tally->losses)
        return -1;
    ticks_of(tally, in, &other, &from);
    ticks_of(tally, out, &to, &other);
    double apart_ns = middle_ns(&to) - middle_ns(&from);
    double least_ns = (double)tally->channel.refresh_ns / 2;
    return apart_ns > least_ns ? (out->shown.from.value - in->next.value) / apart_ns : -1;
}

/*
 * Of a counter that ticks slowly: the energy at the border lies between what it showed last and what it showed next, whatever the
 * power does. The power of the window is followed up to it, which is right where the power changes with the window; an even
 * one between the two ticks, which is right where it does not, may arrive elsewhere. sd infinite: one of the two was not seen.
 */
static struct wtl_border border_by_update(const struct wtl_tally *tally, bool before)
{
    const struct wtl_update *update = update_at(tally, before);
    struct between shown, next;
    if (!update)
        return (struct wtl_border){.sd = INFINITY};
    ticks_of(tally, update, &shown, &next);
    double at_ns = wtl_border_at_ns(tally, before), power = power_between(tally);
    double low = update->shown.from.value, high = update->next.value;
    double tick_ns = fmax(middle_ns(&next) - middle_ns(&shown), 1), slope = (high - low) / tick_ns;
    double part = fmin(fmax((at_ns - middle_ns(&shown)) / tick_ns, 0), 1);
    double even = low + part * (high - low), value = even;
    if (power >= 0 && before)
        value = fmin(fmax(high - power * (1 - part) * tick_ns, low), high);
    else if (power >= 0)
        value = fmax(fmin(low + power * part * tick_ns, high), low);
    double stamps =
        slope / 2 *
        hypot((1 - part) * (shown.high_ns - shown.low_ns), part * (next.high_ns - next.low_ns));
    /* Either tick may have come between the border and the sample next to it. What is shown is cut to units. */
    double early = slope * fmax(shown.high_ns - at_ns, 0);
    double late = slope * fmax(at_ns - since_origin(tally, update->last_ns), 0);
    struct wtl_border border = {.value = value,
                                .sd = sqrt(stamps * stamps / 3 + 1.0 / 12),
                                .below = value - low + early + 0.5,
                                .above = high - value + late + 0.5};
    return wtl_border_spanning(border, even - value, 0);
}

struct wtl_border wtl_tally_start_border(const struct wtl_tally *tally)
{
    const struct wtl_stand *stand = tally->stand_in.to.time_ns ? &tally->stand_in : &tally->stand;
    if (!edge_near(tally, true, wtl_border_at_ns(tally, true)) && wtl_tally_stands(tally, stand) &&
        stand->next.time_ns)
        return border_by_stand(tally, stand, tally->start_ns);
    if (tally->start_lost && tally->has & HAS_AHEAD) /* it goes on from there behind the gap */
        return (struct wtl_border){.value = tally->ahead.value};
    struct wtl_border border = border_by_update(tally, true);
    if (isfinite(border.sd))
        return border;
    border = wtl_border_by_polls(tally, true);
    if (isfinite(border.sd) && edge_near(tally, true, wtl_border_at_ns(tally, true)))
        return wtl_tally_doubt_start(tally, border);
    if (isfinite(border.sd))
        return border;
    if ((tally->has & HAS_AHEAD) && (tally->has & (HAS_FIRST_IN | HAS_BEHIND)))
        return border_by_line(tally, tally->ahead,
                              tally->has & HAS_FIRST_IN ? tally->first_in : tally->behind,
                              tally->start_ns);
    /* Nothing is known of the time before it; what it shows was there up to a tick before. */
    struct wtl_point only = tally->has & HAS_AHEAD ? tally->ahead : tally->first_in;
    return (struct wtl_border){.value = only.value, .sd = wtl_tally_lag_sd(tally)};
}

/* What it shows after it stood at the end: from its next tick on, or where that was not seen, in the newest samples. */
static struct wtl_point next_shown(const struct wtl_tally *tally)
{
    const struct wtl_edge *edge = &tally->after[0];
    if (tally->after_count == 0)
        return tally->stand.from;
    return (struct wtl_point){.time_ns = tally->origin_ns + (uint64_t)(int64_t)edge->time_ns,
                              .value = edge->value};
}

/* Polls after the end saw the counter stand still for longer than it can, or its next tick is far more than the time since
 * the last of them explains: it had stopped, and the next tick shows what passed meanwhile. */
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
    double slope = greatest_slope(tally);
    /* Seen late, it is of a time whose power may be that after the end. */
    double late_ns = tally->shown_from_ns - wtl_border_at_ns(tally, false);
    if (tally->after_count > 1 && late_ns > (double)tally->channel.refresh_ns)
        slope = fmax(slope, wtl_border_power(next, next + 1));
    return grown > WTL_STAND_REFRESHES * slope * since_ns + 2;
}

/* Between the last sample and that tick: it is not known when it stopped. */
static struct wtl_border end_by_next_tick(const struct wtl_tally *tally)
{
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : tally->ahead;
    struct wtl_point next = next_shown(tally);
    double step = next.value - tally->shown[1].value;
    return (struct wtl_border){.value = wtl_line_at(last, next, tally->end_ns),
                               .sd = sqrt(step * step / 3 + 1.0 / 12)};
}

/* At the end, from the samples beside it. */
static struct wtl_border end_by_samples(const struct wtl_tally *tally)
{
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : tally->ahead;
    const struct wtl_stand *stand = tally->stand_out.to.time_ns ? &tally->stand_out : &tally->stand;
    struct wtl_border border = {.value = last.value, .sd = wtl_tally_lag_sd(tally)};
    if (wtl_tally_stands(tally, stand))
        border = border_by_stand(tally, stand, tally->end_ns);
    else if (tally->has & HAS_BEHIND)
        border = border_by_line(tally, last, tally->behind, tally->end_ns);
    /* It was never read again, or after reads that failed not seen to count: it may have stopped before. */
    bool lost = !(tally->has & HAS_BEHIND) && tally->end_ns > last.time_ns;
    bool failed = tally->failed_until_ns && tally->stand.from.time_ns <= tally->failed_until_ns;
    if (lost || failed)
        border.sd = hypot(border.sd, stopped_sd(tally, &tally->stand, 0));
    else if (wtl_tally_stands(tally, stand)) /* the same of one that was seen to stand */
        border.sd = hypot(border.sd, stopped_sd(tally, stand, 0));
    else
        border.sd = hypot(border.sd, unseen_sd(tally));
    return border;
}

struct wtl_border wtl_tally_end_border(const struct wtl_tally *tally)
{
    const struct wtl_stand *stand = tally->stand_out.to.time_ns ? &tally->stand_out : &tally->stand;
    bool near = edge_near(tally, false, wtl_border_at_ns(tally, false));
    const struct wtl_stand *now = &tally->stand; /* since then it has shown no other value */
    struct wtl_border border = wtl_border_by_polls(tally, false);
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : tally->ahead;
    if (tally->end_lost) /* what it shows later does not follow from the count up to it */
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
            border = wtl_tally_doubt_end(tally, border);
        border.sd = hypot(border.sd, unseen_sd(tally));
        return border;
    }
    if (tally->lost_until_ns >= tally->end_ns) /* nothing is known of the time up to it */
        return (struct wtl_border){.value = last.value};
    return end_by_samples(tally);
}

double wtl_tally_jump_w(const struct wtl_tally *tally)
{
    unsigned last = tally->before_count;
    if (!tally->ended || last < 2 || tally->after_count < 2)
        return NAN;
    double inside = (wtl_tally_end_border(tally).value - wtl_tally_start_border(tally).value) /
                    (double)(tally->end_ns - tally->start_ns);
    double before = wtl_border_power(&tally->before[last - 2], &tally->before[last - 1]);
    double after = wtl_border_power(&tally->after[0], &tally->after[1]);
    return (fabs(inside - before) + fabs(inside - after)) * tally->channel.scale * 1e9;
}

bool wtl_tally_edges_lost(const struct wtl_tally *tally)
{
    if (!tally->ended || !(tally->has & (HAS_AHEAD | HAS_FIRST_IN)) ||
        !(tally->has & (HAS_LAST_IN | HAS_BEHIND)))
        return false;
    bool seen = edge_near(tally, true, wtl_border_at_ns(tally, true)) &&
                edge_near(tally, false, wtl_border_at_ns(tally, false));
    double half = Z95 * hypot(wtl_tally_start_border(tally).sd, wtl_tally_end_border(tally).sd);
    return !seen && half > 2 * (mean_slope(tally) * (double)tally->channel.refresh_ns + 1);
}
