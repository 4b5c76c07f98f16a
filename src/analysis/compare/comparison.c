/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two sides compared: see comparison.h. Means of logarithms with unequal variances by Welch (1947);
 * pairs by their ratios. The detectable difference is that of the two t quantiles,
 * (t(1 - alpha/2) + t(0.8)) x standard error (Bloom 1995).
 */
#include "analysis/compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/statistics/student.h"

static const double alpha95 = 0.05, power = 0.8;

/* ---- logarithms ---- */

static double log_of(double value)
{
    return value > 0 ? log(value) : (double)NAN;
}

/* Of all runs, those of A first; paired: of the ratio of each pair. */
static double *logarithms(const struct wtl_groups *groups)
{
    double *logs = malloc((groups->a_n + groups->b_n) * sizeof *logs);
    if (!logs)
        return NULL;
    for (size_t i = 0; i < groups->a_n; i++) {
        double a = log_of(groups->a[i]);
        logs[i] = groups->paired ? log_of(groups->b[i]) - a : a;
    }
    for (size_t i = 0; i < groups->b_n; i++)
        logs[groups->a_n + i] = log_of(groups->b[i]);
    return logs;
}

struct wtl_interval wtl_mean_of_runs(const double *values, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double off = log_of(values[i]) - mean;
        mean += off / (double)(i + 1);
        squares += off * (log_of(values[i]) - mean);
    }
    if (isnan(mean)) {
        struct wtl_spread spread = wtl_spread_of(values, n);
        return (struct wtl_interval){spread.mean, spread.mean - spread.ci95,
                                     spread.mean + spread.ci95};
    }
    double df = (double)n - 1, half = NAN;
    if (n > 2)
        half = wtl_student_quantile(1 - alpha95 / 2, df) * sqrt(squares / df / (double)n);
    return (struct wtl_interval){exp(mean), exp(mean - half), exp(mean + half)};
}

/* ---- standard errors ---- */

struct error_of {
    double mean, error, df;
};

/* Mean of two sides' difference with its standard error, by Welch. */
static struct error_of welch(const struct wtl_spread *a,
                             size_t a_n,
                             const struct wtl_spread *b,
                             size_t b_n)
{
    double va = a->sd * a->sd / (double)a_n, vb = b->sd * b->sd / (double)b_n;
    double df = (va + vb) * (va + vb) / (va * va / ((double)a_n - 1) + vb * vb / ((double)b_n - 1));
    if (va + vb == 0)
        df = (double)(a_n + b_n - 2);
    return (struct error_of){.mean = b->mean - a->mean, .error = sqrt(va + vb), .df = df};
}

static struct error_of of_pairs(const struct wtl_spread *pairs, size_t n)
{
    return (struct error_of){
        .mean = pairs->mean, .error = pairs->sd / sqrt((double)n), .df = (double)n - 1};
}

static double half_width(const struct error_of *error, double alpha)
{
    /* Without variation the half width is 0, also without degrees of freedom. */
    return error->error == 0 ? 0 : wtl_student_quantile(1 - alpha / 2, error->df) * error->error;
}

static int compare_differences(const struct wtl_groups *groups, struct wtl_comparison *comparison)
{
    struct error_of error;
    if (groups->paired) {
        double *pairs = malloc(groups->a_n * sizeof *pairs);
        if (!pairs)
            return -ENOMEM;
        for (size_t i = 0; i < groups->a_n; i++)
            pairs[i] = groups->b[i] - groups->a[i];
        struct wtl_spread spread = wtl_spread_of(pairs, groups->a_n);
        error = of_pairs(&spread, groups->a_n);
        free(pairs);
    } else {
        error = welch(&comparison->a, groups->a_n, &comparison->b, groups->b_n);
    }
    if (groups->estimated)
        error.error = error.df = NAN;
    double half = half_width(&error, alpha95), least = comparison->resolution * comparison->a.mean;
    half = half < least ? least : half; /* unknown stays unknown */
    comparison->difference =
        (struct wtl_interval){error.mean, error.mean - half, error.mean + half};
    return 0;
}

/* ---- the ratio ---- */

/* The variation of the runs: the pooled deviation of both sides, or of the pairs. */
static struct wtl_noise noise_of(const struct wtl_comparison *comparison,
                                 const struct wtl_spread *a,
                                 const struct wtl_spread *b)
{
    struct wtl_noise noise = {.log_sd = b->sd, .df = (double)comparison->b_n - 1};
    if (comparison->paired)
        return noise;
    double a_df = (double)comparison->a_n - 1, b_df = noise.df;
    double squares = (a_df > 0 ? a_df * a->sd * a->sd : 0) + (b_df > 0 ? b_df * b->sd * b->sd : 0);
    noise.df = a_df + b_df;
    noise.log_sd = noise.df > 0 ? sqrt(squares / noise.df) : (double)NAN;
    return noise;
}

/* A stored noise floor is used if there are too few runs. */
static struct error_of by_floor(const struct wtl_comparison *comparison,
                                const struct wtl_noise *floor,
                                double mean)
{
    double a_n = (double)comparison->a_n, b_n = (double)comparison->b_n;
    double runs = comparison->paired ? 1 / a_n : 1 / a_n + 1 / b_n;
    return (struct error_of){.mean = mean, .error = floor->log_sd * sqrt(runs), .df = floor->df};
}

/* Below this, a difference is rounding, not variation. */
static const double rounding = 1e-12;

static void fill_ratio(struct wtl_comparison *comparison, struct error_of *error)
{
    if (error->error < rounding)
        error->error = 0;
    if (fabs(error->mean) < rounding)
        error->mean = 0;
    comparison->log_error = error->error;
    comparison->df = error->df;
    comparison->ratio.value = exp(error->mean);
    comparison->ratio = wtl_comparison_ratio(comparison, alpha95);
    comparison->p = NAN;
    if (error->error > 0)
        comparison->p = wtl_student_two_sided(error->mean / error->error, error->df);
    else if (error->error == 0)
        comparison->p = error->mean == 0 ? 1 : 0;
    double quantiles =
        wtl_student_quantile(1 - alpha95 / 2, error->df) + wtl_student_quantile(power, error->df);
    comparison->detectable = expm1(error->error == 0 ? 0 : quantiles * error->error);
}

static void compare_ratios(const struct wtl_groups *groups,
                           const double *logs,
                           struct wtl_comparison *comparison)
{
    /* Paired: logs[0 .. n) are the ratios, and there is no other side. */
    struct wtl_spread a = wtl_spread_of(logs, groups->a_n), b = a;
    struct error_of error = of_pairs(&a, groups->a_n);
    if (!groups->paired) {
        b = wtl_spread_of(logs + groups->a_n, groups->b_n);
        error = welch(&a, groups->a_n, &b, groups->b_n);
    }
    bool enough = groups->a_n >= WTL_COMPARISON_RUNS && groups->b_n >= WTL_COMPARISON_RUNS;
    comparison->noise = noise_of(comparison, &a, &b);
    comparison->basis = WTL_COMPARISON_BY_RUNS;
    bool by_noise = !groups->estimated && !enough && groups->noise.log_sd >= 0;
    if (by_noise) {
        error = by_floor(comparison, &groups->noise, error.mean);
        comparison->noise = groups->noise;
        comparison->basis = WTL_COMPARISON_BY_NOISE;
    } else if (groups->estimated || groups->a_n < 2 || groups->b_n < 2) {
        error.error = error.df = NAN;
        comparison->basis = WTL_COMPARISON_BY_NOTHING;
    }
    fill_ratio(comparison, &error);
}

int wtl_compare(const struct wtl_groups *groups,
                unsigned seed,
                size_t resamples,
                struct wtl_comparison *ret_comparison)
{
    struct wtl_comparison comparison = {.a_n = groups->a_n,
                                        .b_n = groups->b_n,
                                        .paired = groups->paired,
                                        .resolution =
                                            groups->resolution > 0 ? groups->resolution : 0};
    if (groups->a_n == 0 || groups->b_n == 0 || (groups->paired && groups->a_n != groups->b_n))
        return -EINVAL;
    comparison.a_mean = wtl_mean_of_runs(groups->a, groups->a_n);
    comparison.b_mean = wtl_mean_of_runs(groups->b, groups->b_n);
    comparison.a = wtl_spread_of(groups->a, groups->a_n);
    comparison.b = wtl_spread_of(groups->b, groups->b_n);
    double *logs = logarithms(groups);
    int rc = logs ? compare_differences(groups, &comparison) : -ENOMEM;
    if (rc == 0) {
        compare_ratios(groups, logs, &comparison);
        comparison.bootstrap = (struct wtl_interval){comparison.ratio.value, NAN, NAN};
        if (comparison.basis == WTL_COMPARISON_BY_RUNS && groups->a_n >= WTL_COMPARISON_RUNS &&
            groups->b_n >= WTL_COMPARISON_RUNS && resamples > 0)
            rc = wtl_bootstrap_ratio(logs, groups->a_n, logs + groups->a_n,
                                     groups->paired ? 0 : groups->b_n, comparison.df, seed,
                                     resamples, &comparison.bootstrap);
    }
    free(logs);
    comparison.bootstrap = wtl_interval_widened(comparison.bootstrap, comparison.resolution);
    if (rc == 0)
        *ret_comparison = comparison;
    return rc;
}

struct wtl_interval wtl_interval_widened(struct wtl_interval ratio, double resolution)
{
    if (!(resolution > 0) || isnan(ratio.low) || isnan(ratio.high))
        return ratio;
    ratio.low = fmin(ratio.low, ratio.value / (1 + resolution));
    ratio.high = fmax(ratio.high, ratio.value * (1 + resolution));
    return ratio;
}

struct wtl_interval wtl_comparison_ratio(const struct wtl_comparison *comparison, double alpha)
{
    double center = log(comparison->ratio.value);
    struct error_of error = {.mean = center, .error = comparison->log_error, .df = comparison->df};
    double half = half_width(&error, alpha);
    struct wtl_interval ratio = {comparison->ratio.value, exp(center - half), exp(center + half)};
    return wtl_interval_widened(ratio, comparison->resolution);
}

/* ---- how many more ---- */

/* Would n runs per side be enough, so that a true difference of log_r is shown and the interval around
 * the present mean excludes 0 or lies within log_r? */
static bool are_enough(const struct wtl_comparison *comparison,
                       double n,
                       double log_r,
                       double alpha)
{
    double df = comparison->paired ? n - 1 : 2 * (n - 1);
    if (comparison->basis == WTL_COMPARISON_BY_NOISE)
        df = comparison->noise.df;
    double error = comparison->noise.log_sd * sqrt((comparison->paired ? 1 : 2) / n);
    if (error == 0)
        return true;
    double half = wtl_student_quantile(1 - alpha / 2, df) * error;
    double mean = fabs(log(comparison->ratio.value));
    return half + wtl_student_quantile(power, df) * error <= log_r &&
           half < fmax(mean, log_r - mean);
}

double wtl_comparison_more_runs(const struct wtl_comparison *comparison,
                                double resolve,
                                double alpha)
{
    static const double most = 1e6;
    bool by_noise = comparison->basis == WTL_COMPARISON_BY_NOISE;
    double log_r = log1p(resolve), least = by_noise ? 1 : WTL_COMPARISON_RUNS;
    double have = (double)(comparison->a_n < comparison->b_n ? comparison->a_n : comparison->b_n);
    if (!(comparison->noise.log_sd >= 0) || !(log_r > 0))
        return NAN;
    if (have >= least && are_enough(comparison, have, log_r, alpha))
        return 0;
    /* Widths fall with n: double until enough, then halve the bracket. */
    double low = fmax(have, least - 1), high = low + 1;
    while (high <= most && !are_enough(comparison, high, log_r, alpha)) {
        low = high;
        high *= 2;
    }
    if (high > most)
        return INFINITY;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (are_enough(comparison, middle, log_r, alpha))
            high = middle;
        else
            low = middle;
    }
    return high - have;
}
