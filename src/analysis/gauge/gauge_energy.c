/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/gauge/gauge_energy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/random.h"
#include "base/text/figures.h"
#include "model/statistics/student.h"

static const double LEAST_EXCESS = 0.005; /* less is within the error of the calibration */
static const double MISSED = 0.05;        /* the chance that all passes miss the same moment */
enum { SETTLED_TAUS = 10 };               /* e^-10 of a step is left */

double wtl_gauge_phase(uint64_t seed, size_t i)
{
    double first = wtl_random_uniform(seed, i / WTL_GAUGE_BLOCK);
    return fmod(first + (double)(i % WTL_GAUGE_BLOCK) / WTL_GAUGE_BLOCK, 1);
}

uint64_t wtl_gauge_start_ns(uint64_t seed,
                            size_t i,
                            double period_s,
                            uint64_t *anchor_ns,
                            uint64_t earliest_ns)
{
    double phase = wtl_gauge_phase(seed, i);
    if (i % WTL_GAUGE_BLOCK == 0)
        *anchor_ns = earliest_ns;
    double gone = (double)(earliest_ns - *anchor_ns) * 1e-9 / period_s;
    double periods = phase + ceil(gone - phase);
    return *anchor_ns + (uint64_t)(periods * period_s * 1e9);
}

/* Of a calibration that does not know it, a part counts as nothing. */
static double known(double value)
{
    return isfinite(value) && value > 0 ? value : 0;
}

double wtl_gauge_lag_s(const struct wtl_gauge *gauge)
{
    return known(gauge->delay.value) + known(gauge->tau.value) +
           (known(gauge->window.value) + known(gauge->period.value)) / 2;
}

double wtl_gauge_settling_s(const struct wtl_gauge *gauge)
{
    return known(gauge->delay.value) + known(gauge->window.value) + 2 * known(gauge->period.value) +
           SETTLED_TAUS * known(gauge->tau.value);
}

/* The integral of the readings over [from, to] by straight lines: a change is as likely before as after the middle between
 * two readings. NaN if they do not cover it. */
static double integral(const struct wtl_gauge_pass *pass, double from, double to)
{
    double sum = 0;
    const struct wtl_gauge_reading *r = pass->readings;
    if (pass->count < 2 || r[0].time_s > from || r[pass->count - 1].time_s < to)
        return NAN;
    for (size_t i = 1; i < pass->count; i++) {
        double a = fmax(r[i - 1].time_s, from), b = fmin(r[i].time_s, to);
        if (b <= a)
            continue;
        double slope = (r[i].watts - r[i - 1].watts) / (r[i].time_s - r[i - 1].time_s);
        double middle = r[i - 1].watts + slope * ((a + b) / 2 - r[i - 1].time_s);
        sum += middle * (b - a);
    }
    return sum;
}

static double longest_gap(const struct wtl_gauge_pass *pass)
{
    double longest = 0;
    for (size_t i = 1; i < pass->count; i++)
        longest = fmax(longest, pass->readings[i].time_s - pass->readings[i - 1].time_s);
    return longest;
}

int wtl_gauge_pass_energy(const struct wtl_gauge *gauge,
                          const struct wtl_gauge_pass *pass,
                          struct wtl_gauge_pass_energy *ret_energy,
                          struct wattle_error *err)
{
    double period_s = known(gauge->period.value), tail_s = wtl_gauge_settling_s(gauge);
    double lag_s = wtl_gauge_lag_s(gauge), settled_s = pass->end_s + tail_s;
    double first_s = pass->count ? pass->readings[0].time_s : INFINITY;
    double last_s = pass->count ? pass->readings[pass->count - 1].time_s : -INFINITY;
    *ret_energy = (struct wtl_gauge_pass_energy){.joules = NAN};
    if (!(pass->begin_s - first_s >= period_s) || !(last_s - settled_s >= period_s))
        return wtl_fail(err, -ENODATA,
                        "the idle power is not known: read the gauge from %s s before the start "
                        "until %s s after the end",
                        WTL_IN_FIGURES(period_s, 3), WTL_IN_FIGURES(tail_s + period_s, 3));
    if (period_s > 0 && longest_gap(pass) > 0.9 * period_s)
        return wtl_fail(err, -ENODATA,
                        "the gauge was not read for %s ms, in which a value of its period of "
                        "%s ms may have been missed",
                        WTL_IN_FIGURES(longest_gap(pass) * 1e3, 3),
                        WTL_IN_FIGURES(period_s * 1e3, 3));
    double before_w = integral(pass, first_s, pass->begin_s) / (pass->begin_s - first_s);
    double after_w = integral(pass, settled_s, last_s) / (last_s - settled_s);
    ret_energy->before_w = before_w;
    ret_energy->after_w = after_w;
    ret_energy->joules =
        integral(pass, pass->begin_s, settled_s) - before_w * lag_s - after_w * (tail_s - lag_s);
    double middle_s = (settled_s + last_s) / 2;
    ret_energy->above_j =
        ret_energy->joules - (before_w + after_w) / 2 * (pass->end_s - pass->begin_s);
    ret_energy->step_j = (after_w - before_w) / 2 * tail_s;
    /* What is still coming is missing in the integral, and raises the idle power that is taken off. */
    double late_j = integral(pass, settled_s, middle_s) - integral(pass, middle_s, last_s);
    ret_energy->settling_j = late_j * (1 + tail_s / (last_s - settled_s));
    return 0;
}

/* The excess of a gauge that is not linear, if it is more than chance. */
static double excess_of(const struct wtl_gauge *gauge)
{
    double excess = fabs(gauge->excess.value);
    return excess > known(gauge->excess.half) && excess > LEAST_EXCESS ? excess : 0;
}

/* The standard deviation, in parts of the mean, of how often `sights` windows a period on average see a moment: each moment is seen
 * by as many of them or by one more. */
static double uneven(double sights)
{
    double part = sights - floor(sights);
    return sqrt(part * (1 - part)) / sights;
}

/* What blocks leave of the spread of single passes at random phases, for power that is a short moment in each period: 0 if the
 * windows of a block see each moment equally often, 1 if the blocks are no better than chance. */
static double left_by_blocks(double window)
{
    double one = uneven(window) / sqrt(WTL_GAUGE_BLOCK);
    return one > 0 ? fmin(uneven(WTL_GAUGE_BLOCK * window) / one, 1) : 0;
}

/* The same of a gauge: the greatest of what its calibration leaves open. */
static double left_of(const struct wtl_gauge *gauge)
{
    double window = known(gauge->window.value) / gauge->period.value;
    double half = known(gauge->window.half) / gauge->period.value, most = 0;
    if (!(window > half))
        return 1;
    for (int i = -1; i <= 1; i++)
        most = fmax(most, left_by_blocks(window + i * half));
    return most;
}

/* The fewest blocks: where the windows of one do not see all moments, so many that none is missed by all. */
static size_t least_blocks(const struct wtl_gauge *gauge)
{
    double seen = WTL_GAUGE_BLOCK * (known(gauge->window.value) + known(gauge->tau.value)) /
                  gauge->period.value;
    if (!(seen > 0 && seen < 1))
        return WTL_GAUGE_BLOCKS;
    return (size_t)fmax(WTL_GAUGE_BLOCKS, ceil(log(MISSED) / log1p(-seen)));
}

/* Of the mean of the passes: by their blocks, and at least by what blocks leave of the spread of all of them. A few blocks
 * that agree by chance say nothing: two windows beside each other see a moment or not. */
static double half_by_blocks(const struct wtl_gauge *gauge,
                             const struct wtl_gauge_pass_energy *passes,
                             size_t blocks,
                             double mean)
{
    double squares = 0, all = 0, n = (double)blocks;
    for (size_t b = 0; b < blocks; b++) {
        double of_block = 0;
        for (size_t i = 0; i < WTL_GAUGE_BLOCK; i++) {
            double joules = passes[b * WTL_GAUGE_BLOCK + i].joules;
            of_block += joules / WTL_GAUGE_BLOCK;
            all += (joules - mean) * (joules - mean);
        }
        squares += (of_block - mean) * (of_block - mean);
    }
    double of_blocks = squares / (n - 1);
    double of_passes = all / (WTL_GAUGE_BLOCK * n - 1) / WTL_GAUGE_BLOCK, left = left_of(gauge);
    return wtl_student_quantile(0.975, n - 1) * sqrt(fmax(of_blocks, left * left * of_passes) / n);
}

int wtl_gauge_check(const struct wtl_gauge *gauge, size_t count, struct wattle_error *err)
{
    size_t least = least_blocks(gauge);
    if (count / WTL_GAUGE_BLOCK < least)
        return wtl_fail(
            err, -ENODATA,
            "%zu passes at shifted phases say nothing about the time that the gauge does "
            "not see; at least %zu are needed",
            count, least * WTL_GAUGE_BLOCK);
    if (excess_of(gauge) > WTL_GAUGE_EXCESS)
        return wtl_fail(
            err, -ENODATA,
            "the gauge shows %.1f %% more of a load that changes than of one that stands, "
            "so its energy is not that of the job",
            100 * gauge->excess.value);
    return 0;
}

int wtl_gauge_energy(const struct wtl_gauge *gauge,
                     const struct wtl_gauge_pass_energy *passes,
                     size_t count,
                     struct wtl_gauge_value *ret_joules,
                     struct wattle_error *err)
{
    size_t blocks = count / WTL_GAUGE_BLOCK;
    double mean = 0, above = 0, step = 0, settling = 0;
    double n = (double)(blocks * WTL_GAUGE_BLOCK);
    int rc = wtl_gauge_check(gauge, count, err);
    *ret_joules = (struct wtl_gauge_value){NAN, NAN};
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < blocks * WTL_GAUGE_BLOCK; i++) {
        mean += passes[i].joules / n;
        above += passes[i].above_j / n;
        step += passes[i].step_j / n;
        settling += passes[i].settling_j / n;
    }
    ret_joules->value = mean;
    ret_joules->half = half_by_blocks(gauge, passes, blocks, mean) + fabs(step) + fabs(settling) +
                       excess_of(gauge) * fabs(above);
    return 0;
}

int wtl_gauge_bound(const struct wtl_gauge_bounds *bounds,
                    struct wtl_gauge_value *ret_joules,
                    struct wattle_error *err)
{
    const struct wtl_gauge_bounds *b = bounds;
    *ret_joules = (struct wtl_gauge_value){b->seen_j, 0};
    if (!(b->unseen_s > 0))
        return 0;
    double low = b->floor_w * b->unseen_s, high = b->ceiling_w * b->unseen_s;
    *ret_joules = (struct wtl_gauge_value){b->seen_j + (low + high) / 2, (high - low) / 2};
    if (isfinite(low) && isfinite(high) && high >= low)
        return 0;
    *ret_joules = (struct wtl_gauge_value){NAN, NAN};
    return wtl_fail(err, -ENODATA,
                    "the gauge did not see %s s of %s s, and the least and greatest power in that "
                    "time are not known",
                    WTL_IN_FIGURES(b->unseen_s, 3), WTL_IN_FIGURES(b->seen_s + b->unseen_s, 3));
}
