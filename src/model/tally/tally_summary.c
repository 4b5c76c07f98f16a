/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a tally: see tally.h. */
#include <math.h>

#include "model/bound.h"
#include "model/reading.h"
#include "model/tally/tally.h"
#include "model/tally/tally_border.h"

/* A stretch that begins or ends at a border counts if its energy is known to within this part. */
static const double SURE = 0.01;

/* Time at the ends of the window without samples: a sensor that appeared late or never returned. */
static uint64_t unseen_ns(const struct wtl_tally *tally)
{
    uint64_t unseen = 0;
    if (!(tally->has & HAS_AHEAD) && (tally->has & HAS_FIRST_IN))
        unseen += tally->first_in.time_ns - tally->start_ns - tally->lost_ahead_ns;
    if (!(tally->has & HAS_BEHIND) && (tally->has & HAS_LAST_IN)) {
        uint64_t seen_ns = tally->last_in.time_ns;
        if (seen_ns < tally->lost_until_ns)
            seen_ns = tally->lost_until_ns; /* already counted as a gap up to here */
        unseen += tally->end_ns - seen_ns;
    }
    return unseen;
}

/*
 * A counter that no sample saw counting may have used all that its domain can draw since its last update: a
 * run shorter than one update is not 0 J. Neither is a longer one in which the counter stood still, but not
 * yet long enough to have stalled.
 */
static double unshown_j(const struct wtl_tally *tally, double seconds)
{
    const struct wattle_channel *channel = &tally->channel;
    double since_s = fmin(seconds, (double)channel->refresh_ns * 1e-9);
    if (wtl_tally_stands(tally, &tally->stand))
        since_s = seconds;
    return wtl_counts_always(channel) && tally->last.value == 0
               ? since_s * wtl_greatest_power_w(channel)
               : 0;
}

/* The extremes of the stretches, and the mean of all the time, which is a stretch as well. */
static void summarise_power(const struct wtl_tally *tally, struct wtl_summary *summary)
{
    const struct wtl_tally_power *power = &tally->power;
    double n = (double)power->count, mean = power->sum / n;
    summary->last_w = power->last;
    summary->min_w = fmin(fmin(summary->min_w, power->min), summary->mean_w);
    summary->max_w = fmax(fmax(summary->max_w, power->max), summary->mean_w);
    if (power->count > 1)
        summary->sd_w = sqrt(fmax(0, power->square / n - mean * mean) * n / (n - 1));
}

/* By what windows leave open. */
static void widen(struct wtl_summary *summary, double half_j)
{
    summary->amount_half = fmax(summary->amount_half, half_j);
    if (isinf(half_j)) /* most of it was not seen, and nothing bounds it */
        summary->amount = summary->amount_half = NAN;
}

/* One from a border to a sample, if the value at the border is known well enough for it. */
static void include_stretch(const struct wtl_tally *tally,
                            struct wtl_border border,
                            double grown,
                            double ns,
                            struct wtl_summary *summary)
{
    double watts = grown * tally->channel.scale / ns * 1e9;
    if (!(Z95 * border.sd <= SURE * grown))
        return;
    summary->min_w = fmin(summary->min_w, watts);
    summary->max_w = fmax(summary->max_w, watts);
}

/* The first stretch from the start on, and the last one up to the end: together with the others they are all of the window. */
static void include_ends(const struct wtl_tally *tally,
                         struct wtl_border start,
                         struct wtl_border end,
                         struct wtl_summary *summary)
{
    const struct wtl_tally_power *power = &tally->power;
    struct wtl_point first = power->opened, last = power->closed_from;
    if (tally->was_slow || !tally->started || !tally->ended)
        return;
    if (first.time_ns && tally->in_gaps.total_ns == 0)
        include_stretch(tally, start, first.value - start.value,
                        (double)(first.time_ns - tally->start_ns), summary);
    if (last.time_ns && tally->has & HAS_SEGMENT)
        include_stretch(tally, end, end.value - last.value, (double)(tally->end_ns - last.time_ns),
                        summary);
}

static void summarise_counter(const struct wtl_tally *tally,
                              double seconds,
                              struct wtl_summary *summary)
{
    double scale = tally->channel.scale;
    if (!tally->started && tally->ahead_samples < 2) { /* polls before the measurement */
        summary->unknown_ns = tally->end_ns - tally->start_ns;
        return;
    }
    if (!(tally->has & (HAS_AHEAD | HAS_FIRST_IN)) || !(tally->has & (HAS_LAST_IN | HAS_BEHIND))) {
        if (tally->ended) /* fewer than two samples: nothing is known */
            summary->unknown_ns = tally->end_ns - tally->start_ns;
        return;
    }
    struct wtl_border start = wtl_tally_start_border(tally), end = wtl_tally_end_border(tally);
    summary->unknown_ns += unseen_ns(tally);
    double ticks = fmax(0, end.value - start.value); /* 0: less than one; the interval says so */
    double known_ticks = fmin(end.value, tally->counted_to) -
                         fmax(start.value, tally->counted_from) - tally->unplaced;
    summary->amount = fmax(0, known_ticks) * scale;
    /* Before each loss, and again after it, the value was that of an earlier time. */
    double lags =
        hypot(sqrt((double)tally->losses) * wtl_tally_lag_sd(tally), sqrt(tally->leaps / 3));
    summary->amount_half =
        fmax(Z95 * hypot(hypot(start.sd, end.sd), lags) * scale, unshown_j(tally, seconds));
    double least = wtl_least_half(ticks, fmax(0, ticks - end.below - start.above),
                                  ticks + end.above + start.below);
    /* The borders contradict each other: it is only certain that the 0 is at most what the power can have
     * added. */
    double most = wtl_tally_greatest_slope(tally) * seconds * 1e9;
    if (end.value < start.value)
        least = fmax(least, most);
    summary->amount_half = fmax(summary->amount_half, least * scale);
    summary->first_value = tally->origin_value + (uint64_t)(int64_t)llround(start.value);
    summary->last_value = summary->first_value + (uint64_t)llround(ticks);
    double known = seconds - (double)summary->unknown_ns * 1e-9;
    if (known > 0)
        summary->mean_w = summary->amount / known;
    if (tally->power.count > 0)
        include_ends(tally, start, end, summary);
    if (tally->channel.quantity == WATTLE_ENERGY)
        widen(summary, wtl_window_half_j(&tally->channel, summary->mean_w, known, 1));
}

/* The value of a gauge may be as old as its refresh and its window: a change across a border may have
 * happened on either side of it. */
static double stale_variance(const struct wtl_tally *tally, struct wtl_point a, struct wtl_point b)
{
    double age_s = (double)(tally->channel.refresh_ns + tally->channel.window_ns) * 1e-9;
    double wrong_j = b.time_ns ? (b.value - a.value) * age_s : 0;
    return wrong_j * wrong_j / 3;
}

/* What a window average leaves open at the ends: with the greater one of the samples on either side of each. */
static double open_ends_j(const struct wtl_tally *tally,
                          struct wtl_point first,
                          struct wtl_point last)
{
    double start_w = fmax(first.value, tally->has & HAS_FIRST_IN ? tally->first_in.value : 0);
    double end_w = fmax(last.value, tally->has & HAS_BEHIND ? tally->behind.value : 0);
    double least_w = fmin(fmin(first.value, last.value), tally->power.min);
    return wtl_window_ends_j(&tally->channel, start_w, end_w, least_w);
}

static void summarise_gauge(const struct wtl_tally *tally, struct wtl_summary *summary)
{
    double covered = (double)tally->weight_ns * 1e-9;
    if (covered <= 0) {
        if (tally->ended)
            summary->unknown_ns = tally->end_ns - tally->start_ns;
        return;
    }
    struct wtl_point first = tally->has & HAS_AHEAD ? tally->ahead : tally->first_in;
    struct wtl_point last = tally->has & HAS_LAST_IN ? tally->last_in : first;
    summary->first_value = (uint64_t)(int64_t)llround(first.value / tally->channel.scale);
    summary->last_value = (uint64_t)(int64_t)llround(last.value / tally->channel.scale);
    summary->mean_w = tally->integral / covered;
    summary->amount = tally->integral;
    summary->unknown_ns = tally->end_ns - tally->start_ns - tally->weight_ns;
    double quantum = wtl_quantum_half(&tally->quantum, &tally->channel) * covered;
    double variance = tally->variance + stale_variance(tally, first, tally->first_in) +
                      stale_variance(tally, last, tally->behind);
    summary->amount_half = hypot(Z95 * sqrt(variance), quantum);
    if (tally->channel.quantity != WATTLE_POWER)
        return;
    summary->amount_half = hypot(summary->amount_half, open_ends_j(tally, first, last));
    double missed_j = wtl_window_missed_j(&tally->channel, summary->mean_w, tally->power.max,
                                          covered, tally->missed_ns * 1e-9);
    summary->amount_half = hypot(summary->amount_half, missed_j);
    widen(summary, wtl_window_half_j(&tally->channel, summary->mean_w, covered, 1));
}

void wtl_tally_summary(const struct wtl_tally *tally, struct wtl_summary *ret_summary)
{
    struct wtl_tally view = *tally;
    if (!view.started && (view.has & HAS_LAST)) {
        /* begin was never called: the window is the sampled time */
        view.start_ns = view.first_ns;
        view.ahead = view.first_in = (struct wtl_point){.time_ns = view.first_ns};
        view.has |= HAS_AHEAD;
    }
    if (!view.ended) {
        view.end_ns = view.last.time_ns > view.start_ns ? view.last.time_ns : view.start_ns;
        view.last_in = view.last;
        view.has |= view.has & HAS_LAST ? HAS_LAST_IN : 0;
    }
    double seconds = (double)(int64_t)(view.end_ns - view.start_ns) * 1e-9;
    struct wtl_summary summary = {.amount = NAN,
                                  .amount_half = NAN,
                                  .mean_w = NAN,
                                  .min_w = NAN,
                                  .max_w = NAN,
                                  .sd_w = NAN,
                                  .last_w = NAN,
                                  .taken_back = view.taken_back * view.channel.scale,
                                  .stat_window_ns = wtl_tally_stretch_ns(&view),
                                  .samples = view.samples,
                                  .stale = view.stale,
                                  .gaps = view.gaps,
                                  .gap_ns = view.in_gaps.total_ns,
                                  .unknown_ns = view.lost.total_ns,
                                  .gap_reasons = view.gap_reasons,
                                  .first_ns = view.first_ns,
                                  .last_ns = view.has & HAS_LAST ? view.last.time_ns : 0};
    if (view.channel.kind == WATTLE_COUNTER)
        summarise_counter(&view, seconds, &summary);
    else
        summarise_gauge(&view, &summary);
    if (summary.gap_ns < summary.unknown_ns) /* it includes the time without samples at the ends */
        summary.gap_ns = summary.unknown_ns;
    bool some_known = summary.unknown_ns == 0 || summary.unknown_ns < view.end_ns - view.start_ns;
    if (!some_known) /* then an unchanged value does not mean 0 J */
        summary.amount = summary.amount_half = summary.mean_w = NAN;
    bool short_of = summary.stat_window_ns > view.stat_window_ns && !view.was_slow;
    if (!short_of && view.power.count > 0 && some_known)
        summarise_power(&view, &summary);
    else
        summary.min_w = summary.max_w = NAN;
    *ret_summary = summary;
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

uint64_t wtl_tally_poll_stood_ns(const struct wtl_tally *tally)
{
    return wtl_stands_still(&tally->channel, tally->poll_stood_ns) ? tally->poll_stood_ns : 0;
}

bool wtl_tally_edges_lost(const struct wtl_tally *tally)
{
    if (!tally->ended || !(tally->has & (HAS_AHEAD | HAS_FIRST_IN)) ||
        !(tally->has & (HAS_LAST_IN | HAS_BEHIND)) || wtl_tally_is_slow(tally) ||
        wtl_tally_poll_stood_ns(tally) > 0)
        return false;
    bool seen = wtl_border_edge_near(tally, true) && wtl_border_edge_near(tally, false);
    double half = Z95 * hypot(wtl_tally_start_border(tally).sd, wtl_tally_end_border(tally).sd);
    return !seen &&
           half > 2 * (wtl_tally_mean_slope(tally) * (double)tally->channel.refresh_ns + 1);
}
