/* SPDX-License-Identifier: BSD-3-Clause */
/* Information from edges, polls and samples next to a border: see tally_edge.h. */
#include "model/tally/tally_edge.h"

#include <math.h>

#include "model/tally/grain.h"

/* If the power changed by x from one tick to the next, the standard deviation from its linear
 * extrapolation half a tick ahead is x times this: for a random walk; more than enough for a smooth
 * change. */
static const double CHANGE_GOES_ON = 1.7;

/* Edges wider than this part of a refresh are blunt. */
static const double BLUNT = 1.0 / 40;

/* An edge within this many refreshes of a border is the tick next to it. */
static const double NEAR = 1.25;

double wtl_tally_staleness_ns(const struct wtl_tally *tally)
{
    if (tally->channel.quantity == WATTLE_ENERGY && tally->channel.refresh_ns == 0 &&
        tally->grows_in_ns == 0 && tally->grown_from_ns)
        return (double)(tally->last.time_ns - tally->grown_from_ns); /* two samples say no more */
    if (tally->channel.refresh_ns == 0)
        return (double)tally->grows_in_ns;
    return fmax((double)wtl_tally_stretch_refresh_ns(tally), 2 * tally->slow_ns);
}

double wtl_border_power(const struct wtl_edge *a, const struct wtl_edge *b)
{
    return (b->value - a->value) / (b->time_ns - a->time_ns);
}

/* The minimum distance of two successive edges, or `least_ns`. */
static double least_apart(const struct wtl_edge *edges, unsigned count, double least_ns)
{
    for (unsigned i = 1; i < count; i++)
        least_ns = fmin(least_ns, edges[i].time_ns - edges[i - 1].time_ns);
    return least_ns;
}

double wtl_border_tick_ns(const struct wtl_tally *tally, bool before)
{
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    unsigned count = before ? tally->before_count : tally->after_count;
    double least_ns = least_apart(tally->before, tally->before_count, INFINITY);
    least_ns = least_apart(tally->after, tally->after_count, least_ns);
    if (least_ns > SPACED * (double)tally->channel.refresh_ns)
        least_ns = (double)tally->channel.refresh_ns; /* no two of them are adjacent */
    double apart_ns = count > 1 ? edges[count - 1].time_ns - edges[0].time_ns : least_ns;
    return apart_ns / round(apart_ns / least_ns);
}

/* Variance in ticks due to time stamps and truncation to units, both uniformly distributed. */
double wtl_border_edge_variance(const struct wtl_tally *tally,
                                const struct wtl_edge *edge,
                                double power)
{
    double stamp = power * edge->width_ns;
    return stamp * stamp / 3 + wtl_grain_variance(&tally->channel);
}

double wtl_tally_mean_slope(const struct wtl_tally *tally)
{
    struct wtl_point from = tally->has & HAS_AHEAD ? tally->ahead : tally->first_in;
    struct wtl_point to = tally->has & HAS_BEHIND ? tally->behind : tally->last_in;
    double dt = (double)(int64_t)(to.time_ns - from.time_ns - tally->stopped_ns);
    /* The time may be almost zero, with a tick in it, which is what was used in at least one refresh. */
    dt = fmax(dt, (double)tally->channel.refresh_ns);
    return dt > 0 ? (to.value - from.value) / dt : 0;
}

/* The minimum power with which it can have grown across a border: between the nearest sample in the
 * window, whose value may be a refresh old, and the edge outside. */
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

/*
 * The standard deviation of an unobserved power: between zero and the maximum of the powers outside the
 * window next to the border, inside it and across the border, since it may have changed at any time in
 * between.
 */
static double power_unseen_sd(const struct wtl_tally *tally, double outside, bool before)
{
    double most = fmax(wtl_tally_mean_slope(tally), power_across(tally, before));
    return fmax(fabs(outside), most) / sqrt(3);
}

/*
 * Edges describe only their own time. If the border is more than a tick away, because another process used
 * the processor, the power may be any that is possible on either side or across.
 */
static double power_elsewhere_sd(const struct wtl_tally *tally,
                                 double outside,
                                 double away_ns,
                                 double tick_ns,
                                 bool before)
{
    return fmin(fmax(fabs(away_ns) / tick_ns - 1, 0), 1) * power_unseen_sd(tally, outside, before);
}

/* How the power changed at the nearest three edges, squared: the observed change minus the part that the
 * errors of the edges explain. */
struct change {
    double real, errors;
};

static struct change change_at(const struct wtl_tally *tally,
                               const struct wtl_edge *near,
                               const struct wtl_edge *next,
                               const struct wtl_edge *far)
{
    double power = wtl_border_power(near, next), tick_ns = near->time_ns - next->time_ns;
    double change = power - wtl_border_power(next, far);
    double errors = wtl_border_edge_variance(tally, near, power) +
                    4 * wtl_border_edge_variance(tally, next, power) +
                    wtl_border_edge_variance(tally, far, power);
    errors /= tick_ns * tick_ns;
    return (struct change){.real = fmax(change * change - errors, 0), .errors = errors};
}

/*
 * The same, if the edges are so blunt that the change from tick to tick is mostly their own error: the mean
 * power over all of them is extrapolated. It is two ticks old, so a change, seen or not, makes it wrong.
 */
static struct wtl_border border_by_mean(const struct wtl_tally *tally,
                                        const struct wtl_edge *edges,
                                        unsigned count,
                                        double at_ns,
                                        bool before)
{
    const struct wtl_edge *near = before ? &edges[count - 1] : &edges[0];
    const struct wtl_edge *next = before ? near - 1 : near + 1, *far = before ? next - 1 : next + 1;
    const struct wtl_edge *last = before ? &edges[0] : &edges[count - 1];
    struct change change = change_at(tally, near, next, far);
    double power = wtl_border_power(last, near), away_ns = at_ns - near->time_ns;
    double part = fabs(away_ns / (near->time_ns - last->time_ns));
    double power_sd =
        hypot(sqrt(4 * change.real + change.errors),
              power_elsewhere_sd(tally, power, away_ns, wtl_border_tick_ns(tally, before), before));
    double variance = wtl_border_edge_variance(tally, near, power) * pow(1 + part, 2) +
                      wtl_border_edge_variance(tally, last, power) * part * part +
                      pow(away_ns * power_sd, 2);
    return (struct wtl_border){.value = near->value + power * away_ns, .sd = sqrt(variance)};
}

/*
 * From the edges on the far side of a border: the power there is extrapolated to it. With two whole ticks the
 * line through their powers is used, half a tick to a whole one ahead; their difference gives the possible
 * error.
 */
static struct wtl_border border_by_edges(const struct wtl_tally *tally,
                                         const struct wtl_edge *edges,
                                         unsigned count,
                                         double at_ns,
                                         bool before)
{
    const struct wtl_edge *near = before ? &edges[count - 1] : &edges[0];
    const struct wtl_edge *next = before ? near - 1 : near + 1;
    double away_ns = at_ns - near->time_ns, tick_ns = fabs(next->time_ns - near->time_ns);
    double power = wtl_border_power(near, next), ahead = 0, power_sd = 0.1 * power;
    double near_variance = wtl_border_edge_variance(tally, near, power),
           next_variance = wtl_border_edge_variance(tally, next, power);
    double far_variance = 0;
    if (count > 2) {
        const struct wtl_edge *far = before ? next - 1 : next + 1;
        far_variance = wtl_border_edge_variance(tally, far, power);
        double change = power - wtl_border_power(next, far);
        double apart_ns = fabs(far->time_ns - near->time_ns) / 2;
        ahead = fmin((tick_ns + fabs(away_ns)) / 2 / apart_ns, 1);
        power += change * ahead;
        power_sd = CHANGE_GOES_ON * sqrt(change_at(tally, near, next, far).real);
    }
    double part = fabs(away_ns) / tick_ns;
    power_sd = hypot(power_sd, power_elsewhere_sd(tally, power, away_ns,
                                                  wtl_border_tick_ns(tally, before), before));
    /* The weights of the edges' errors follow from the formula above. */
    double variance = near_variance * pow(1 + part * (1 + ahead), 2) +
                      next_variance * pow(part * (1 + 2 * ahead), 2) +
                      far_variance * pow(part * ahead, 2) + pow(away_ns * power_sd, 2);
    return (struct wtl_border){.value = near->value + power * away_ns, .sd = sqrt(variance)};
}

double wtl_tally_greatest_slope(const struct wtl_tally *tally)
{
    double watts = tally->power.count ? tally->power.max : 0;
    double slope = fmax(wtl_tally_mean_slope(tally), watts / tally->channel.scale * 1e-9);
    slope = fmax(slope, tally->surge);
    if (tally->before_count > 1)
        slope = fmax(slope,
                     wtl_border_power(&tally->before[0], &tally->before[tally->before_count - 1]));
    return slope;
}

double wtl_tally_lag_sd(const struct wtl_tally *tally)
{
    return sqrt(1.0 / 3) * wtl_tally_staleness_ns(tally) * wtl_tally_greatest_slope(tally);
}

/* Power of the window from its start, or up to its end. */
static double slope_near(const struct wtl_tally *tally, bool before)
{
    struct wtl_point from = before ? tally->first_in : tally->recent[0];
    struct wtl_point to = before ? tally->later : tally->last_in;
    bool whole = before ? tally->losses == 0 : from.time_ns >= tally->lost_until_ns;
    if (!whole || from.time_ns == 0 || to.time_ns <= from.time_ns)
        return wtl_tally_mean_slope(tally);
    return (to.value - from.value) / (double)(to.time_ns - from.time_ns);
}

double wtl_tally_at_sample(const struct wtl_tally *tally, struct wtl_point sample, bool before)
{
    return sample.value + slope_near(tally, before) * (double)tally->channel.refresh_ns / 2;
}

struct wtl_between wtl_stand_tick(const struct wtl_tally *tally, const struct wtl_stand *stand)
{
    double from_ns = wtl_since_origin(tally, stand->from.time_ns);
    double low_ns = wtl_since_origin(tally, stand->to.time_ns) - (double)tally->channel.refresh_ns;
    if (stand->before_ns)
        low_ns = fmax(low_ns, wtl_since_origin(tally, stand->before_ns));
    return (struct wtl_between){fmin(low_ns, from_ns), from_ns};
}

/*
 * What was used up to a time between two samples, with this power. If they are less than a refresh apart, one tick came
 * between them or, if the value is the same, before the first one.
 */
static double between_samples(const struct wtl_tally *tally,
                              struct wtl_point a,
                              struct wtl_point b,
                              bool before,
                              double slope)
{
    uint64_t time_ns = before ? tally->start_ns : tally->end_ns;
    const struct wtl_stand *ended = before ? &tally->stand_in : &tally->stand_out;
    const struct wtl_stand *stand = ended->to.time_ns ? ended : &tally->stand;
    double refresh_ns = (double)tally->channel.refresh_ns, at_ns = wtl_border_at_ns(tally, before);
    bool close = (double)(int64_t)(b.time_ns - a.time_ns) < refresh_ns;
    struct wtl_between tick = {wtl_since_origin(tally, a.time_ns),
                               wtl_since_origin(tally, b.time_ns)};
    if (close && b.value > a.value)
        return b.value + slope * (at_ns - wtl_middle_ns(tick));
    if (close)
        return a.value + slope * (at_ns - wtl_middle_ns(wtl_stand_tick(tally, stand)));
    return wtl_line_at(a, b, time_ns) + (b.value > a.value ? slope * refresh_ns / 2 : 0);
}

/* The power of the window up to its latest new value, or its mean if the ticks of the new values kept do not tell it. */
static double slope_up_to_end(const struct wtl_tally *tally)
{
    const struct wtl_grown *last = NULL;
    for (unsigned i = WTL_TALLY_STEPS; i > WTL_TALLY_STEPS - tally->step_count; i--) {
        const struct wtl_grown *step = &tally->steps[i - 1];
        if (tally->losses || step->before_ns < tally->start_ns)
            break;
        if (step->at.time_ns > tally->end_ns)
            continue;
        if (!last)
            last = step;
        struct wtl_between from = wtl_tick_between(tally, step->before_ns, step->at.time_ns);
        struct wtl_between to = wtl_tick_between(tally, last->before_ns, last->at.time_ns);
        if (last != step && wtl_are_timed(from, to))
            return (last->at.value - step->at.value) / (wtl_middle_ns(to) - wtl_middle_ns(from));
    }
    return wtl_tally_mean_slope(tally);
}

struct wtl_border wtl_border_by_line(const struct wtl_tally *tally,
                                     struct wtl_point a,
                                     struct wtl_point b,
                                     bool before)
{
    uint64_t time_ns = before ? tally->start_ns : tally->end_ns;
    double dt = fmax((double)(int64_t)(b.time_ns - a.time_ns), (double)tally->channel.refresh_ns);
    double slope = dt > 0 ? (b.value - a.value) / dt : 0;
    double near = fmin(fabs((double)(int64_t)(time_ns - a.time_ns)),
                       fabs((double)(int64_t)(b.time_ns - time_ns)));
    double unsure_ns = hypot(wtl_tally_staleness_ns(tally), near);
    /* It stands still here, and how much of its next step belongs here is unknown. */
    if (tally->channel.refresh_ns == 0 && b.value <= a.value && tally->step > 0)
        return (struct wtl_border){
            .value = a.value,
            .sd = sqrt(tally->step * tally->step / 3 + wtl_grain_variance(&tally->channel))};
    if (b.value <= a.value) /* both are within one tick, which gives no power */
        slope = before ? wtl_tally_mean_slope(tally) : slope_up_to_end(tally);
    double value = between_samples(tally, a, b, before, slope);
    if (slope <= 0 && dt <= (double)tally->channel
                                .refresh_ns) /* nor does the window: it may be any that was seen */
        slope = wtl_tally_greatest_slope(tally);
    return (struct wtl_border){.value = value,
                               .sd = sqrt(slope * unsure_ns * slope * unsure_ns / 3 +
                                          wtl_grain_variance(&tally->channel))};
}

/* Mean power outside the window, next to one of its borders: from the edges there, else from the very
 * first or last sample, else unknown (0). */
static double power_outside(const struct wtl_tally *tally, bool before)
{
    const struct wtl_edge *shown = &tally->shown[!before];
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    unsigned count = before ? tally->before_count : tally->after_count;
    double least_ns = 2 * (double)tally->channel.refresh_ns;
    struct wtl_edge end = {0}; /* the very first sample */
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
 * From the values of polls next to a border, which two plain reads would also give: the last tick, whose time
 * is known only to within the refresh. The edges say little about the power from there to the border: they
 * are far away.
 */
static struct wtl_border border_by_shown(const struct wtl_tally *tally, double at_ns, bool before)
{
    const struct wtl_edge *shown = &tally->shown[!before];
    double away_ns = at_ns - shown->time_ns;
    double power = !before && away_ns > 0 ? 0 : power_outside(tally, before);
    if (power <= 0)
        power = wtl_tally_mean_slope(tally);
    double power_sd = power_unseen_sd(tally, power, before);
    return (struct wtl_border){
        .value = shown->value + power * away_ns,
        .sd = sqrt(wtl_border_edge_variance(tally, shown, power) + pow(away_ns * power_sd, 2))};
}

const struct wtl_edge *wtl_border_edge_near(const struct wtl_tally *tally, bool before)
{
    double at_ns = wtl_border_at_ns(tally, before);
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

struct wtl_border wtl_border_spanning(struct wtl_border border, double apart, double noise)
{
    if (apart * apart > noise)
        border.sd = hypot(border.sd, apart / sqrt(3));
    return border;
}

/*
 * The more accurate of the results from edges and polls. If the edges are more accurate, their interval is
 * extended to the polled value; with steady power only if the two contradict each other. Both errors are then
 * uniform, not normal: hence the 3.
 */
static struct wtl_border surer_of_two(const struct wtl_tally *tally,
                                      struct wtl_border by_edges,
                                      struct wtl_border shown,
                                      bool before)
{
    if (shown.sd < by_edges.sd)
        return shown;
    const struct wtl_edge *edges = before ? &tally->before[tally->before_count - 2] : tally->after;
    double in = wtl_tally_mean_slope(tally), out = wtl_border_power(&edges[0], &edges[1]);
    bool steady = fabs(in - out) < 0.1 * fmax(in, out);
    double noise = by_edges.sd * by_edges.sd;
    if (steady)
        noise = 3 * (noise + shown.sd * shown.sd);
    return wtl_border_spanning(by_edges, shown.value - by_edges.value, noise);
}

/* From edges or, if these are far from the border or missing, from the values of the polls next to it, if
 * more accurate. Infinite without polls. */
struct wtl_border wtl_border_by_polls(const struct wtl_tally *tally, bool before)
{
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    unsigned count = before ? tally->before_count : tally->after_count;
    double at_ns = wtl_border_at_ns(tally, before);
    double refresh_ns = (double)tally->channel.refresh_ns;
    struct wtl_border border = {.sd = INFINITY};
    if (tally->slow_ns > 0 || wtl_tally_is_slow(tally))
        return border; /* what they show may be older than claimed */
    if (count >= 2)
        border = border_by_edges(tally, edges, count, at_ns, before);
    if (count > 2 && edges[before ? count - 1 : 0].width_ns > BLUNT * refresh_ns)
        border = surer(border, border_by_mean(tally, edges, count, at_ns, before));
    if (!wtl_border_edge_near(tally, before) &&
        tally->has & (before ? HAS_SHOWN_START : HAS_SHOWN_END))
        border = surer_of_two(tally, border, border_by_shown(tally, at_ns, before), before);
    return border;
}
