/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tick grid of a counter, reconstructed from samples that are not synchronised with it.
 *
 * Finding: where samples are about a tick apart, nearly all of them show the growth of one tick. The events
 * among them, two ticks or none, come at the beat of the two periods, and each gives the phase to within the
 * difference of the periods. The number of samples between two events gives the period, their times modulo
 * the period the phase. Where samples are dense, each growth is an event.
 * Following: only samples close to a tick give information about it, namely whether the tick had come: phase
 * and period, assumed jointly normal, are updated to the mean and variance given each observation (assumed
 * density filtering of a probit likelihood).
 */
#include <math.h>

#include "model/grid.h"

#include "base/whole.h"
#include "model/statistics/quantile.h"

#define PI          3.14159265358979323846
#define WINDOW_MAX  256 /* samples used */
#define EVENTS_MIN  3
#define SIDE        5    /* samples on each side that give the growth of one tick */
#define DENSE       0.6  /* samples closer than this, in ticks: 0 or 1 tick each */
#define COUNTED_MAX 16   /* ticks between two samples if some were missed */
#define ROW_MIN     8    /* minimum mean ticks of a row that is counted */
#define COUNT_RANGE 0.05 /* of the claimed period: tolerance for a period from a count of ticks */
#define SPARSE      1.4  /* samples farther apart than this are not used */
#define KNOWN       0.01 /* range below which the period counts as known */
#define WALK_NS     0.5  /* random walk of the phase per tick, sd */
#define DRIFT_NS    2e-3 /* of the period, likewise */
#define WRONG       0.02 /* of the observations: the power may have changed just then */
#define NEAR        0.15 /* of a tick: a sample this close to a tick may show it or not */
#define NEAR_MOST   0.6  /* maximum part of the samples; with random phase it is twice NEAR */

/* The time of a tick, to within the difference of sample and tick period. */
struct event {
    double time_ns;
    size_t sample;
    int extra; /* ticks in excess of one per sample */
};

/* Growth per tick on one side of a sample, 0 if it is not steady there. */
static double side_growth(const struct wtl_grid_sample *samples, size_t first)
{
    double values[SIDE];
    size_t near = 0;

    for (size_t i = 0; i < SIDE; i++)
        values[i] = samples[first + i].growth;
    double middle = wtl_median(values, SIDE);

    for (size_t i = 0; i < SIDE; i++)
        near += fabs(values[i] - middle) < 0.2 * middle;
    return near >= SIDE - 2 ? middle : 0;
}

/* Number of ticks in a sample's growth, 0 .. most, or -1 when it cannot be determined: from the power on
 * either side, or on both. */
static int ticks_of(const struct wtl_grid_sample *samples,
                    size_t count,
                    size_t i,
                    int most,
                    int sides)
{
    double before = i > SIDE ? side_growth(samples, i - SIDE) : 0;
    double after = i + SIDE < count ? side_growth(samples, i + 1) : 0;
    int found = -1;

    for (int side = 0; side < 2; side++) {
        double one = side ? after : before;
        double n = one > 0 ? samples[i].growth / one : HUGE_VAL;

        if (n > most + 0.3 || fabs(n - rint(n)) > 0.3)
            continue;
        if (found >= 0 && found != wtl_whole_int(rint(n)))
            return -1;
        found = wtl_whole_int(rint(n));
        sides--;
    }
    return sides > 0 ? -1 : found;
}

static size_t find_events(const struct wtl_grid_sample *samples,
                          size_t count,
                          double claimed,
                          bool dense,
                          struct event *events)
{
    size_t found = 0;

    for (size_t i = 1; i < count; i++) {
        double span = samples[i].time_ns - samples[i - 1].time_ns;

        if (dense) {
            if (samples[i].growth > 0 && span < claimed * DENSE)
                events[found++] = (struct event){samples[i].time_ns - span / 2, i, 0};
            continue;
        }
        int n = ticks_of(samples, count, i, 2, 1);

        if ((n == 0 || n == 2) && fabs(span - claimed) < 0.15 * claimed)
            events[found++] =
                (struct event){samples[i - 1].time_ns + (span - claimed) / 2, i, n - 1};
    }
    return found;
}

/* The period according to neighbouring events: the mean over those pairs that deviate from the median by
 * less than half a tick, which excludes pairs with a missed event in between. */
static double period_of(const struct event *events, size_t count)
{
    double periods[WINDOW_MAX], sorted[WINDOW_MAX];
    double span = 0, ticks = 0;

    for (size_t i = 1; i < count; i++) {
        double n = (double)(events[i].sample - events[i - 1].sample) + events[i].extra;

        periods[i - 1] = (events[i].time_ns - events[i - 1].time_ns) / fmax(n, 1);
        sorted[i - 1] = periods[i - 1];
    }
    double middle = wtl_median(sorted, count - 1);

    for (size_t i = 1; i < count; i++) {
        double n = (double)(events[i].sample - events[i - 1].sample) + events[i].extra;

        if (n >= 1 && fabs(periods[i - 1] - middle) * n < middle / 2) {
            span += periods[i - 1] * n;
            ticks += n;
        }
    }
    return ticks > 0 ? span / ticks : 0;
}

/*
 * Ticks counted from sample to sample. In a row of samples that each give their number of ticks, time and
 * ticks differ only by the ages of the values at the row's two ends, which are evenly distributed over a
 * period.
 */
struct tally {
    double span_ns, ticks;
    size_t rows;
};

static struct tally tally_of(const struct wtl_grid_sample *samples, size_t count)
{
    struct tally tally = {0};
    bool open = false;

    for (size_t i = 1; i < count; i++) {
        int n = ticks_of(samples, count, i, COUNTED_MAX, 2);

        tally.rows += n >= 0 && !open;
        open = n >= 0;
        if (open) {
            tally.span_ns += samples[i].time_ns - samples[i - 1].time_ns;
            tally.ticks += n;
        }
    }
    return tally;
}

/*
 * Whether a period agrees with the counted ticks. A period in step with the samples themselves agrees with
 * any events, but not with their number. A count over short rows, or one that is far off itself, is no
 * evidence: the power changes too often.
 */
static bool goes_with(const struct tally *tally, double period, double claimed)
{
    if (tally->ticks < ROW_MIN * (double)tally->rows || tally->rows == 0 ||
        fabs(tally->span_ns / claimed / tally->ticks - 1) > COUNT_RANGE)
        return true;
    return fabs(tally->span_ns / period - tally->ticks) <
           1 + 2 * sqrt((double)(tally->rows - 1) / 6);
}

/* Fit a straight line through dense events, each within half a sample interval of its tick; numbered by
 * the claimed period from one to the next. */
static bool fit_dense(const struct event *events,
                      size_t count,
                      double claimed,
                      double *ret_period,
                      double *ret_phase)
{
    double n = 0, sn = 0, st = 0, snn = 0, snt = 0, worst = 0;

    for (size_t i = 0; i < count; i++) {
        double t = events[i].time_ns - events[0].time_ns;

        n += i ? rint((events[i].time_ns - events[i - 1].time_ns) / claimed) : 0;
        sn += n;
        st += t;
        snn += n * n;
        snt += n * t;
    }
    if (n < (double)(count - 1)) /* it grows more often than it should tick */
        return false;
    double all = (double)count;
    double period = (all * snt - sn * st) / (all * snn - sn * sn);
    double phase = (st - period * sn) / all;

    n = 0;
    for (size_t i = 0; i < count; i++) {
        n += i ? rint((events[i].time_ns - events[i - 1].time_ns) / claimed) : 0;
        worst = fmax(worst, fabs(events[i].time_ns - events[0].time_ns - phase - n * period));
    }
    *ret_period = period;
    *ret_phase = events[0].time_ns + phase;
    return worst < DENSE * claimed;
}

/* How well the events agree on a phase, 0 .. 1, and that phase as a time. */
static double agreement(const struct event *events, size_t count, double period, double *ret_phase)
{
    double x = 0, y = 0;

    for (size_t i = 0; i < count; i++) {
        double turn = 2 * PI * fmod(events[i].time_ns / period, 1);

        x += cos(turn);
        y += sin(turn);
    }
    *ret_phase = atan2(y, x) / (2 * PI) * period;
    return sqrt(x * x + y * y) / (double)count;
}

/* The best agreement close to an initial estimate of the period, which is accurate to about 2 % of a tick
 * over the time from one event to the next, or to sd. */
static double best_period(const struct event *events, size_t count, double period, double sd)
{
    double span = events[count - 1].time_ns - events[0].time_ns;
    double beat = period * period * (double)(count - 1) / span; /* farther off, the phases agree
                                                                   again */
    double range =
        sd > 0 ? fmin(0.4 * beat, 3 * sd) : fmin(0.4 * period * period / span, 0.06 * beat);
    double best = 0, best_at = period, phase;

    sd = sd > 0 ? sd : 0.02 * beat;

    for (int i = -40; i <= 40; i++) {
        double at = period + range * i / 40;
        double z = (at - period) / sd;
        double r = agreement(events, count, at, &phase) * exp(-0.5 * z * z);

        if (r > best) {
            best = r;
            best_at = at;
        }
    }
    return best_at;
}

/* An initial estimate of the period: from the events, or, if the counted ticks contradict it (samples were
 * missed between events, or some events were wrong), from those; then *ret_sd is its accuracy. */
static double first_period(const struct event *events,
                           size_t count,
                           const struct tally *tally,
                           double claimed,
                           double *ret_sd)
{
    double period = period_of(events, count);

    if (goes_with(tally, period, claimed))
        return period;
    period = tally->span_ns / tally->ticks;
    *ret_sd = period / tally->ticks * sqrt((double)tally->rows / 6);
    return period;
}

static bool is_near(double ticks)
{
    return fabs(ticks - rint(ticks)) < NEAR;
}

/*
 * Whether the samples confirm a grid. If nearly all its ticks coincide with samples, it is the rhythm of the
 * sampling, with which any event agrees. Away from its ticks, the samples must have grown by the number of
 * ticks it predicts.
 */
static bool is_borne_out(const struct wtl_grid_sample *samples,
                         size_t count,
                         double claimed,
                         double phase,
                         double period)
{
    size_t near = 0, asked = 0, contradictions = 0;

    for (size_t i = 1; i < count; i++) {
        double from = (samples[i - 1].time_ns - phase) / period;
        double to = (samples[i].time_ns - phase) / period;
        int told = ticks_of(samples, count, i, 2, 1);

        near += is_near(to);
        if (told < 0 || samples[i].time_ns - samples[i - 1].time_ns > (1 + NEAR) * claimed ||
            is_near(from) || is_near(to))
            continue;
        asked++;
        contradictions += floor(to) - floor(from) != told;
    }
    return (double)near < NEAR_MOST * (double)count &&
           (double)contradictions <= fmax(1, WRONG / 2 * (double)asked);
}

bool wtl_grid_find(const struct wtl_grid_sample *samples,
                   size_t count,
                   double claimed_ns,
                   double range,
                   struct wtl_grid *ret_grid)
{
    struct event events[WINDOW_MAX];
    double phase;

    if (count > WINDOW_MAX) {
        samples += count - WINDOW_MAX;
        count = WINDOW_MAX;
    }
    if (count < 8)
        return false;
    double first = samples[0].time_ns, last = samples[count - 1].time_ns;
    double interval = (last - first) / (double)(count - 1);
    bool dense = interval < DENSE * claimed_ns;
    size_t found = find_events(samples, count, claimed_ns, dense, events);

    if (interval > SPARSE * claimed_ns || found < EVENTS_MIN)
        return false;
    struct tally tally = tally_of(samples, count);
    double sd = 0, period = first_period(events, found, &tally, claimed_ns, &sd), agree = 1;

    if (dense && !fit_dense(events, found, claimed_ns, &period, &phase))
        return false;
    if (fabs(period - claimed_ns) > range * claimed_ns)
        return false;
    if (!dense) {
        period = best_period(events, found, period, sd);
        agree = agreement(events, found, period, &phase);
        phase += (claimed_ns - period) / 2; /* the events were placed using the claimed period */
        if (!goes_with(&tally, period, claimed_ns) ||
            !is_borne_out(samples, count, claimed_ns, phase, period))
            return false;
    }
    /* exp(-n r^2) = probability that n events without a grid agree as well (Rayleigh); the period was
     * selected from several, unless it is known. */
    double least = sd > 0 ? 5 : range < KNOWN ? 2.5 : 4.2;

    if ((double)found * agree * agree < least)
        return false;
    double scatter =
        (dense ? interval / 8 : period / (2 * PI) * sqrt(-2 * log(agree))) + period / 50;
    double span = (events[found - 1].time_ns - events[0].time_ns) / period;

    *ret_grid = (struct wtl_grid){
        .tick_ns = phase + floor((last - phase) / period) * period,
        .period_ns = period,
        .jitter_ns = period / 50,
        .variance = {scatter * scatter, 0, 4 * scatter * scatter / (span * span)},
    };
    return true;
}

double wtl_grid_ticks(const struct wtl_grid *grid, double time_ns, double *ret_age_ns)
{
    double since = time_ns - grid->tick_ns;
    double n = floor(since / grid->period_ns);

    *ret_age_ns = since - n * grid->period_ns;
    return n;
}

double wtl_grid_phase_sd_ns(const struct wtl_grid *grid)
{
    return sqrt(grid->variance[0]);
}

double wtl_grid_sd_ns(const struct wtl_grid *grid)
{
    return sqrt(grid->jitter_ns * grid->jitter_ns + grid->variance[0]);
}

/* Update the estimate: the time of tick n by `gain` times its variance, which shrinks by the fraction
 * `shrink`. */
static void update(struct wtl_grid *grid, double n, double gain, double shrink)
{
    double *v = grid->variance;
    double a = v[0] + n * v[1], b = v[1] + n * v[2]; /* covariance with tick n */

    grid->tick_ns += a * gain;
    grid->period_ns += b * gain;
    v[0] -= a * a * shrink;
    v[1] -= a * b * shrink;
    v[2] -= b * b * shrink;
}

static double variance_of_tick(const struct wtl_grid *grid, double n)
{
    return grid->variance[0] + 2 * n * grid->variance[1] + n * n * grid->variance[2];
}

void wtl_grid_observe(struct wtl_grid *grid, double n, double time_ns, bool had_come)
{
    double s2 = variance_of_tick(grid, n) + grid->jitter_ns * grid->jitter_ns;
    double s = sqrt(s2);
    double sign = had_come ? 1 : -1;
    double z = sign * (time_ns - grid->tick_ns - n * grid->period_ns) / s;
    double likely = WRONG + (1 - WRONG) * 0.5 * erfc(-z / sqrt(2));
    double r = (1 - WRONG) * exp(-0.5 * z * z) / sqrt(2 * PI) / likely;
    double shrink = r * (r + z);

    /* A surprising observation widens the estimate, within limits. */
    update(grid, n, -sign * r / s, (shrink < -0.3 ? -0.3 : shrink) / s2);
}

void wtl_grid_observe_edge(struct wtl_grid *grid, double n, double time_ns, double sd_ns)
{
    double s2 = variance_of_tick(grid, n) + grid->jitter_ns * grid->jitter_ns + sd_ns * sd_ns;
    double error = time_ns - grid->tick_ns - n * grid->period_ns;

    if (error * error < 16 * s2) /* otherwise it is not a tick of this grid */
        update(grid, n, error / s2, 1 / s2);
}

void wtl_grid_advance(struct wtl_grid *grid, double n)
{
    double *v = grid->variance;

    grid->tick_ns += n * grid->period_ns;
    v[0] += 2 * n * v[1] + n * n * v[2] + fabs(n) * WALK_NS * WALK_NS;
    v[1] += n * v[2];
    v[2] += fabs(n) * DRIFT_NS * DRIFT_NS;
}
