/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks whether the power extrapolated to a border matches the tick that contains the border. See
 * tally_doubt.h. */
#include "model/tally/tally_doubt.h"

#include <math.h>

#include "model/tally/grain.h"

/* A sample within this part of a tick from a tick may show it or not. */
static const double CLOSE = 1.0 / 16;

/* Irregularity of the ticks: the squared difference between two successive intervals with the same number
 * of ticks. */
static double unevenness(const struct wtl_edge *edges, unsigned count, double tick_ns)
{
    double uneven = 0;
    for (unsigned i = 2; i < count; i++) {
        double a_ns = edges[i - 1].time_ns - edges[i - 2].time_ns;
        double b_ns = edges[i].time_ns - edges[i - 1].time_ns;
        if (round(a_ns / tick_ns) == round(b_ns / tick_ns))
            uneven = fmax(uneven, (a_ns - b_ns) * (a_ns - b_ns));
    }
    return uneven;
}

/* The distance between ticks, from the edges on one side, and the standard deviation of the time of an
 * unseen tick next to them. */
struct pace {
    double tick_ns, sd_ns;
};

static struct pace pace_of(const struct wtl_tally *tally, bool before)
{
    const struct wtl_edge *edges = before ? tally->before : tally->after;
    const struct wtl_edge *first = &edges[0];
    const struct wtl_edge *last = &edges[(before ? tally->before_count : tally->after_count) - 1];
    double tick_ns = wtl_border_tick_ns(tally, before);
    double uneven = fmax(unevenness(tally->before, tally->before_count, tick_ns),
                         unevenness(tally->after, tally->after_count, tick_ns));
    double stamps = (first->width_ns * first->width_ns + last->width_ns * last->width_ns) / 3;
    /* If each tick deviates by d, the two distances differ by sqrt(6) d, and this time by 2 d. */
    return (struct pace){.tick_ns = tick_ns, .sd_ns = sqrt(stamps + uneven * 4 / 6)};
}

/* The tick that contains a border, and its other end, which was not seen: at the start the later end, at
 * the end the earlier one. */
struct border_tick {
    struct wtl_edge unseen;
    double tick_ns, sd_ns; /* sd_ns: of the time of `unseen` */
};

static struct border_tick last_tick(const struct wtl_tally *tally)
{
    struct pace pace = pace_of(tally, false);
    return (struct border_tick){
        .unseen = {.time_ns = tally->after[0].time_ns - pace.tick_ns, .value = tally->tick_value},
        .tick_ns = pace.tick_ns,
        .sd_ns = pace.sd_ns};
}

/* The value of an early sample belongs to a tick extrapolated from those before the start, unless the
 * sample is too close to a tick to decide. The first such tick; false: none. */
static bool first_tick(const struct wtl_tally *tally, struct border_tick *ret_tick)
{
    const struct wtl_edge *near = &tally->before[tally->before_count - 1];
    struct pace pace = pace_of(tally, true);
    for (unsigned i = 0; i < tally->early_count; i++) {
        double at_ns = (double)(int64_t)(tally->early[i].time_ns - tally->origin_ns);
        double ticks = floor((at_ns - near->time_ns) / pace.tick_ns);
        double age_ns = at_ns - near->time_ns - ticks * pace.tick_ns,
               sd_ns = (1 + ticks) / 2 * pace.sd_ns;
        double unsure_ns = fmax(CLOSE * pace.tick_ns, 2 * sd_ns);
        if (ticks < 1 || fmin(age_ns, pace.tick_ns - age_ns) < unsure_ns)
            continue;
        *ret_tick = (struct border_tick){.unseen = {.time_ns = near->time_ns + ticks * pace.tick_ns,
                                                    .value = tally->early[i].value},
                                         .tick_ns = pace.tick_ns,
                                         .sd_ns = sd_ns};
        return true;
    }
    return false;
}

/* Power of the window up to an edge, and its standard deviation, in ticks per ns. NaN: unknown. */
struct power_in {
    double power, sd;
};

static struct power_in power_up_to(const struct wtl_tally *tally,
                                   struct wtl_border from,
                                   const struct border_tick *tick)
{
    const struct wtl_edge *to = &tick->unseen;
    double from_ns = wtl_border_at_ns(tally, true), stale_ns = 0;
    double far_ns = WTL_TALLY_FAR * (double)tally->channel.refresh_ns;
    for (unsigned i = 0; i < 2; i++) {
        double at_ns = (double)(int64_t)(tally->recent[i].time_ns - tally->origin_ns);
        if (tally->recent[i].time_ns == 0 || to->time_ns - at_ns < far_ns)
            continue;
        /* It shows a value that is up to a tick old. */
        from = (struct wtl_border){.value = tally->recent[i].value};
        from_ns = at_ns - tick->tick_ns / 2;
        stale_ns = tick->tick_ns / sqrt(12);
    }
    double apart_ns = to->time_ns - from_ns;
    if (tally->losses || apart_ns < tick->tick_ns)
        return (struct power_in){.power = NAN, .sd = NAN};
    double power = (to->value - from.value) / apart_ns;
    double off = hypot(power * hypot(stale_ns, tick->sd_ns), from.sd);
    return (struct power_in){.power = power, .sd = off / apart_ns};
}

/* The same from an edge up to a later sample, which shows a value up to a tick old, or to the end. */
static struct power_in power_since(const struct wtl_tally *tally, const struct border_tick *tick)
{
    struct wtl_border to = {.value = tally->later.value};
    double to_ns = (double)(int64_t)(tally->later.time_ns - tally->origin_ns) - tick->tick_ns / 2;
    double stale_ns = tick->tick_ns / sqrt(12);
    if (tally->later.time_ns == 0) {
        to = wtl_border_by_polls(tally, false);
        to_ns = wtl_border_at_ns(tally, false);
        stale_ns = 0;
    }
    double apart_ns = to_ns - tick->unseen.time_ns;
    if (tally->losses || !isfinite(to.sd) || apart_ns < tick->tick_ns)
        return (struct power_in){.power = NAN, .sd = NAN};
    double power = (to.value - tick->unseen.value) / apart_ns;
    double off = hypot(power * hypot(stale_ns, tick->sd_ns), to.sd);
    return (struct power_in){.power = power, .sd = off / apart_ns};
}

/* Standard deviation of the power between two edges, where the time of one has this standard deviation. */
static double power_sd(const struct wtl_tally *tally,
                       const struct wtl_edge *a,
                       const struct wtl_edge *b,
                       double time_sd_ns)
{
    double power = wtl_border_power(a, b), off = power * time_sd_ns;
    double variance =
        wtl_border_edge_variance(tally, a, power) + wtl_border_edge_variance(tally, b, power);
    return sqrt(variance + off * off) / fabs(b->time_ns - a->time_ns);
}

/*
 * The power outside the window was extrapolated to the border from the two nearest edges: `border`. This is
 * wrong if the power changed between these and the border, which the growth of the tick containing the border
 * reveals: extrapolating the power of the window from the other end of this tick to the border gives a
 * different value. Either value is right, or one in between; but if the power changed from one to the other,
 * none beyond constant growth over the tick.
 */
static struct wtl_border doubt(const struct wtl_tally *tally,
                               struct wtl_border border,
                               double at_ns,
                               const struct wtl_edge *near,
                               const struct wtl_edge *next,
                               const struct border_tick *tick,
                               struct power_in in)
{
    double since_ns = at_ns - tick->unseen.time_ns;
    double even = wtl_border_power(near, &tick->unseen), out = wtl_border_power(near, next);
    double out_sd = power_sd(tally, near, next, 0);
    double even_sd = power_sd(tally, near, &tick->unseen, tick->sd_ns);
    bool so_inside = fabs(in.power - out) < 4 * hypot(in.sd, out_sd);
    if (so_inside && fabs(even - out) < 4 * hypot(even_sd, out_sd))
        return border; /* it has not changed */
    if (isnan(in.power))
        in = (struct power_in){.power = even};
    double by_in = tick->unseen.value + in.power * since_ns - border.value;
    /* If the end is before this tick, its growth gives no information. */
    bool outside = (since_ns < 0) == (near->time_ns > tick->unseen.time_ns);
    double by_even = outside ? by_in : tick->unseen.value + even * since_ns - border.value;
    /* A step from one power to the other cannot make it grow by more than both or by less than both: a
     * burst can, and it may be entirely on the other side. */
    double beyond = fmin(fabs(even - out), fabs(even - in.power));
    bool burst =
        (even - out) * (even - in.power) > 0 && beyond > 4 * hypot(even_sd, hypot(in.sd, out_sd));
    double apart = burst ? fabs(by_in) : fmin(fabs(by_even), fabs(by_in));
    double noise = pow(in.power * tick->sd_ns, 2) + pow(in.sd * since_ns, 2) +
                   wtl_grain_variance(&tally->channel) + border.sd * border.sd;
    if (by_even * by_in > 0)
        return wtl_border_spanning(border, apart, noise);
    /* They differ on the other side: the power changed inside the window. */
    return wtl_border_spanning(border, apart / 2, noise / 4);
}

struct wtl_border wtl_tally_doubt_start(const struct wtl_tally *tally, struct wtl_border border)
{
    const struct wtl_edge *near = &tally->before[tally->before_count - 1];
    struct border_tick tick;
    if (!first_tick(tally, &tick))
        return border;
    return doubt(tally, border, wtl_border_at_ns(tally, true), near, near - 1, &tick,
                 power_since(tally, &tick));
}

struct wtl_border wtl_tally_doubt_end(const struct wtl_tally *tally,
                                      struct wtl_border start,
                                      struct wtl_border border)
{
    struct border_tick tick = last_tick(tally);
    return doubt(tally, border, wtl_border_at_ns(tally, false), &tally->after[0], &tally->after[1],
                 &tick, power_up_to(tally, start, &tick));
}
