/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intervals of insights: see pose_interval.h. The model itself is recomputed at both ends of each
 * source of uncertainty, so this file contains no formula of an insight or a metric.
 */
#include "analysis/pose/pose_interval.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/statistics/spread.h"
#include "model/statistics/student.h"

/* Absolute values, then logarithms of ratios, of the scope and of a verdict. */
enum { SCOPE = 2 * WTL_POSE_INSIGHTS, GAIN, BALANCE, BEYOND, VALUES };

struct values {
    double at[VALUES];
};

/* How far each value may be below and above, squared. */
struct reach {
    double below[VALUES], above[VALUES];
};

/* A model that can be moved, or another version in it. The metric is a copy: evaluating it
 * elsewhere must not change it. */
struct mover {
    struct wtl_pose pose;
    struct wtl_pose_metric metric;
    const struct wtl_pose_point *candidate; /* NULL = none */
    bool moves_candidate;
    struct values here;
};

struct wtl_pose_doubt wtl_pose_doubt_unknown(void)
{
    return (struct wtl_pose_doubt){.t_sd_s = (double)NAN,
                                   .e_sd_j = (double)NAN,
                                   .correlation = (double)NAN,
                                   .e_resolution_j = (double)NAN,
                                   .e_low_j = (double)NAN,
                                   .e_high_j = (double)NAN,
                                   .pmin_half_w = (double)NAN,
                                   .pmax_half_w = (double)NAN};
}

int wtl_pose_doubt_of_runs(const double *t_s,
                           const double *e_j,
                           size_t n,
                           struct wtl_pose_code *code,
                           struct wtl_pose_doubt *ret_doubt)
{
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(t_s[i]) || !isfinite(e_j[i]) || t_s[i] <= 0 || e_j[i] <= 0)
            return -EINVAL;
    }
    if (n == 0)
        return -EINVAL;
    struct wtl_spread t = wtl_spread_of(t_s, n), e = wtl_spread_of(e_j, n);
    doubt.runs = n;
    if (n >= 3) {
        double products = 0;
        for (size_t i = 0; i < n; i++)
            products += (t_s[i] - t.mean) * (e_j[i] - e.mean);
        double whole = (double)(n - 1) * t.sd * e.sd;
        doubt.t_sd_s = t.sd;
        doubt.e_sd_j = e.sd;
        doubt.correlation = whole > 0 ? fmax(-1, fmin(1, products / whole)) : 0;
    }
    code->t_s = t.mean;
    code->e_j = e.mean;
    *ret_doubt = doubt;
    return 0;
}

/* ---- moving ---- */

static struct values values_of(const struct wtl_pose *pose,
                               const struct wtl_pose_metric *metric,
                               const struct wtl_pose_point *candidate)
{
    struct values values;
    struct wtl_pose_verdict verdict = {
        .gain = (double)NAN, .balance = (double)NAN, .beyond = (double)NAN};
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        values.at[i] = pose->insights[i].absolute;
        values.at[WTL_POSE_INSIGHTS + i] = log(pose->insights[i].ratio);
    }
    if (candidate)
        verdict = wtl_pose_classify(pose, metric, *candidate);
    values.at[SCOPE] = log(pose->scope);
    values.at[GAIN] = log(verdict.gain);
    values.at[BALANCE] = verdict.balance;
    values.at[BEYOND] = verdict.beyond;
    return values;
}

/* The run time and energy to move. */
static struct wtl_pose_point point_of(const struct mover *mover)
{
    return mover->moves_candidate
               ? *mover->candidate
               : (struct wtl_pose_point){mover->pose.code.t_s, mover->pose.code.e_j};
}

/* The values when the four numbers are multiplied by exp of these; NaN where there is no model. */
static struct values moved(const struct mover *mover, double t, double e, double pmin, double pmax)
{
    struct wtl_pose_metric metric = mover->metric;
    struct wtl_pose_code code = mover->pose.code;
    struct wtl_pose pose = mover->pose;
    struct wtl_pose_point at = point_of(mover);
    struct values values;
    at.t_s *= exp(t);
    at.e_j *= exp(e);
    if (mover->moves_candidate)
        return values_of(&pose, &metric, &at);
    code.t_s = at.t_s;
    code.e_j = at.e_j;
    code.pmin_w *= exp(pmin);
    code.pmax_w *= exp(pmax);
    if (wtl_pose_of(&code, &metric, &pose, NULL) == 0)
        return values_of(&pose, &metric, mover->candidate);
    for (int i = 0; i < VALUES; i++)
        values.at[i] = (double)NAN;
    return values;
}

/* Add one value's range, given its values at the two ends of a source. */
static void add_one(struct reach *reach, int i, double here, double one, double other)
{
    double low = one < other ? one : other; /* unlike fmin() for NaN */
    double high = one < other ? other : one;
    double below = here - low, above = high - here;
    reach->below[i] += below > 0 || isnan(below) ? below * below : 0;
    reach->above[i] += above > 0 || isnan(above) ? above * above : 0;
}

static void add_ends(struct reach *reach,
                     const struct values *here,
                     const struct values *one,
                     const struct values *other)
{
    for (int i = 0; i < VALUES; i++)
        add_one(reach, i, here->at[i], one->at[i], other->at[i]);
}

/* ---- the sources ---- */

/* Standard errors of the means of log t and log E, scaled so that 1 is the end of a 95 %
 * interval. */
struct runs {
    double t, e, correlation;
};

static struct runs runs_of(struct wtl_pose_point at, const struct wtl_pose_doubt *doubt)
{
    double n = (double)doubt->runs;
    double far = wtl_student_quantile(0.975, n - 1) / sqrt(n);
    return (struct runs){.t = far * doubt->t_sd_s / at.t_s,
                         .e = far * doubt->e_sd_j / at.e_j,
                         .correlation = isnan(doubt->correlation) ? 0 : doubt->correlation};
}

static void add_runs(struct reach *reach, const struct mover *mover, const struct runs *runs)
{
    static const double step = 1e-4;
    struct values t_up = moved(mover, step, 0, 0, 0), t_down = moved(mover, -step, 0, 0, 0);
    struct values e_up = moved(mover, 0, step, 0, 0), e_down = moved(mover, 0, -step, 0, 0);
    for (int i = 0; i < VALUES; i++) {
        double by_t = (t_up.at[i] - t_down.at[i]) / (2 * step) * runs->t;
        double by_e = (e_up.at[i] - e_down.at[i]) / (2 * step) * runs->e;
        if (isnan(by_t) || isnan(by_e)) { /* no model one step away: the distance is unknown */
            reach->below[i] = reach->above[i] = (double)NAN;
            continue;
        }
        double both = runs->correlation * by_t * by_e;
        double size = sqrt(fmax(by_t * by_t + by_e * by_e + 2 * both, 0));
        double to_t = 0, to_e = 0;
        if (size > 0) { /* the covariance times the gradient, divided by its norm */
            to_t = runs->t * (by_t + runs->correlation * by_e) / size;
            to_e = runs->e * (by_e + runs->correlation * by_t) / size;
        }
        struct values one = moved(mover, to_t, to_e, 0, 0);
        struct values other = moved(mover, -to_t, -to_e, 0, 0);
        add_one(reach, i, mover->here.at[i], one.at[i], other.at[i]);
    }
}

/* A bound known to +- half, as a factor: never below 0. */
static double part_of(double half, double value)
{
    return value > 0 ? half / value : 0;
}

static void add_resolution(struct reach *reach,
                           const struct mover *mover,
                           const struct wtl_pose_doubt *doubt)
{
    static const double least = 1e-9; /* minimum of E: 0 J has no logarithm */
    double e_j = point_of(mover).e_j;
    double low_j = e_j - doubt->e_resolution_j, high_j = e_j + doubt->e_resolution_j;
    if (isfinite(doubt->e_low_j) && isfinite(doubt->e_high_j)) {
        low_j = doubt->e_low_j;
        high_j = doubt->e_high_j;
    }
    struct values one = moved(mover, 0, log(fmax(high_j / e_j, least)), 0, 0);
    struct values other = moved(mover, 0, log(fmax(low_j / e_j, least)), 0, 0);
    add_ends(reach, &mover->here, &one, &other);
}

static void add_bounds(struct reach *reach, const struct mover *mover, double pmin, double pmax)
{
    struct values one = moved(mover, 0, 0, pmin, pmax), other = moved(mover, 0, 0, -pmin, -pmax);
    add_ends(reach, &mover->here, &one, &other);
}

/* ---- public functions ---- */

static bool makes_sense(const struct wtl_pose_doubt *doubt)
{
    return !(doubt->t_sd_s < 0) && !(doubt->e_sd_j < 0) && !(fabs(doubt->correlation) > 1) &&
           !(doubt->e_resolution_j < 0) && !(doubt->pmin_half_w < 0) && !(doubt->pmax_half_w < 0);
}

static struct wtl_pose_range range_of(double here, double below, double above)
{
    struct wtl_pose_range range = {here - sqrt(below), here + sqrt(above)};
    if (!isfinite(range.low) || !isfinite(range.high))
        range.low = range.high = (double)NAN;
    return range;
}

/* Which sources an uncertainty has. */
static bool of_runs(const struct wtl_pose_doubt *doubt)
{
    return doubt->runs >= 3 && !isnan(doubt->t_sd_s + doubt->e_sd_j);
}

static bool of_resolution(const struct wtl_pose_doubt *doubt)
{
    return !isnan(doubt->e_resolution_j);
}

static bool of_bounds(const struct wtl_pose_doubt *doubt)
{
    return !isnan(doubt->pmin_half_w) || !isnan(doubt->pmax_half_w);
}

static bool is_known(const struct wtl_pose_doubt *doubt)
{
    return of_runs(doubt) || of_resolution(doubt) || of_bounds(doubt);
}

static void add_doubt(struct reach *reach,
                      const struct mover *mover,
                      const struct wtl_pose_doubt *doubt)
{
    if (of_runs(doubt)) {
        struct runs runs = runs_of(point_of(mover), doubt);
        add_runs(reach, mover, &runs);
    }
    if (of_resolution(doubt))
        add_resolution(reach, mover, doubt);
    if (mover->moves_candidate)
        return;
    if (!isnan(doubt->pmin_half_w))
        add_bounds(reach, mover, part_of(doubt->pmin_half_w, mover->pose.code.pmin_w), 0);
    if (!isnan(doubt->pmax_half_w))
        add_bounds(reach, mover, 0, part_of(doubt->pmax_half_w, mover->pose.code.pmax_w));
}

static struct wtl_pose_range ratio_of(struct wtl_pose_range range)
{
    return (struct wtl_pose_range){exp(range.low), exp(range.high)};
}

int wtl_pose_intervals_of(const struct wtl_pose *pose,
                          const struct wtl_pose_metric *metric,
                          const struct wtl_pose_doubt *doubt,
                          struct wtl_pose_intervals *ret_intervals)
{
    struct wtl_pose_intervals intervals = {.of_runs = of_runs(doubt),
                                           .of_resolution = of_resolution(doubt),
                                           .of_bounds = of_bounds(doubt)};
    struct mover mover = {.pose = *pose, .metric = *metric, .here = values_of(pose, metric, NULL)};
    struct reach reach = {{0}, {0}};
    if (!makes_sense(doubt))
        return -EINVAL;
    add_doubt(&reach, &mover, doubt);
    bool known = is_known(doubt);
    for (int i = 0; i <= SCOPE; i++) {
        double here = known ? mover.here.at[i] : (double)NAN;
        struct wtl_pose_range range = range_of(here, reach.below[i], reach.above[i]);
        if (i < WTL_POSE_INSIGHTS)
            intervals.absolute[i] = range;
        else if (i < SCOPE)
            intervals.ratio[i - WTL_POSE_INSIGHTS] = ratio_of(range);
        else
            intervals.scope = ratio_of(range);
    }
    *ret_intervals = intervals;
    return 0;
}

/* ---- other versions ---- */

/* Is 0 within the range of this value? */
static bool may_turn(const struct mover *mover, const struct reach *reach, int i)
{
    double here = mover->here.at[i];
    double far = sqrt(here > 0 ? reach->below[i] : reach->above[i]);
    return isnan(far) || far >= fabs(here);
}

int wtl_pose_verdict_interval_of(const struct wtl_pose *pose,
                                 const struct wtl_pose_metric *metric,
                                 const struct wtl_pose_doubt *doubt,
                                 struct wtl_pose_point candidate,
                                 const struct wtl_pose_doubt *candidate_doubt,
                                 struct wtl_pose_verdict_interval *ret_interval)
{
    struct wtl_pose_verdict_interval interval = {{(double)NAN, (double)NAN}, true};
    struct mover mover = {.pose = *pose,
                          .metric = *metric,
                          .candidate = &candidate,
                          .here = values_of(pose, metric, &candidate)};
    struct reach reach = {{0}, {0}};
    if (!makes_sense(doubt) || !makes_sense(candidate_doubt))
        return -EINVAL;
    add_doubt(&reach, &mover, doubt);
    mover.moves_candidate = true;
    add_doubt(&reach, &mover, candidate_doubt);
    if (is_known(doubt) || is_known(candidate_doubt)) {
        double gain = mover.here.at[GAIN];
        bool better = gain > 0, by_power = mover.here.at[BALANCE] > 0;
        interval.gain = ratio_of(range_of(gain, reach.below[GAIN], reach.above[GAIN]));
        interval.decided = !may_turn(&mover, &reach, GAIN) &&
                           (!better || (!may_turn(&mover, &reach, BALANCE) &&
                                        (by_power || !may_turn(&mover, &reach, BEYOND))));
    }
    *ret_interval = interval;
    return 0;
}

/* ---- machines ---- */

int wtl_pose_system_intervals_of(double pmin_w,
                                 double pmax_w,
                                 double pmin_half_w,
                                 double pmax_half_w,
                                 const struct wtl_pose_metric *metric,
                                 struct wtl_pose_range ret_ratios[WTL_POSE_INSIGHTS])
{
    const double halves[] = {pmin_half_w, pmax_half_w};
    double here[WTL_POSE_INSIGHTS], below[WTL_POSE_INSIGHTS] = {0}, above[WTL_POSE_INSIGHTS] = {0};
    bool known = !isnan(pmin_half_w) || !isnan(pmax_half_w);
    if (pmin_half_w < 0 || pmax_half_w < 0 ||
        wtl_pose_system(pmin_w, pmax_w, metric, here, NULL) < 0)
        return -EINVAL;
    for (int end = 0; end < 4; end++) {
        double half = halves[end / 2], sign = end % 2 ? 1 : -1, there[WTL_POSE_INSIGHTS];
        double low = end / 2 == 0 ? pmin_w * exp(sign * part_of(half, pmin_w)) : pmin_w;
        double high = end / 2 == 1 ? pmax_w * exp(sign * part_of(half, pmax_w)) : pmax_w;
        if (isnan(half))
            continue;
        int rc = wtl_pose_system(low, high, metric, there, NULL);
        for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
            double far = rc < 0 ? (double)NAN : log(there[i]) - log(here[i]);
            *(far < 0 ? &below[i] : &above[i]) += far * far;
        }
    }
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++)
        ret_ratios[i] = ratio_of(range_of(known ? log(here[i]) : (double)NAN, below[i], above[i]));
    return 0;
}
