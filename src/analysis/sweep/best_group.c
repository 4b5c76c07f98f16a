/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings that cannot be told from the best: see best_group.h. */
#define _GNU_SOURCE
#include "analysis/sweep/best_group.h"

#include <errno.h>
#include <math.h>

#include "model/statistics/student.h"

/* Grids of the two integrals below: fine enough for 1e-4 of the critical value. */
enum { NORMAL_STEPS = 120, SCALE_STEPS = 48, BISECTIONS = 30 };
#define NORMAL_RANGE 6.0

/* Probability that n normal differences with a common control are all below h (correlation 1/2). */
static double all_below(size_t n, double h)
{
    double sum = 0, weights = 0;
    for (int i = 0; i <= NORMAL_STEPS; i++) {
        double z = NORMAL_RANGE * (2.0 * i / NORMAL_STEPS - 1);
        double weight = exp(-z * z / 2);
        double below = 0.5 * erfc(-(z + h * M_SQRT2) * M_SQRT1_2);
        sum += weight * pow(below, (double)n);
        weights += weight;
    }
    return sum / weights;
}

/* The same with an estimated standard deviation: averaged over its distribution, chi / sqrt(df). */
static double all_below_t(size_t n, double h, double df)
{
    if (!(df < 1000))
        return all_below(n, h);
    double spread = 5 / sqrt(2 * df), low = fmax(1e-3, 1 - spread), high = 1 + 1.4 * spread;
    double sum = 0, weights = 0;
    for (int i = 0; i <= SCALE_STEPS; i++) {
        double s = low + (high - low) * i / SCALE_STEPS;
        double weight = exp((df - 1) * log(s) - df * (s * s - 1) / 2);
        sum += weight * all_below(n, h * s);
        weights += weight;
    }
    return sum / weights;
}

double wtl_dunnett_critical(size_t n, double df, double alpha)
{
    if (n == 0 || !(df > 0) || !(alpha > 0 && alpha < 0.5))
        return NAN;
    /* Between one comparison and Bonferroni's bound. */
    double low, high;
    if (df < 1000) {
        low = wtl_student_quantile(1 - alpha, df);
        high = wtl_student_quantile(1 - alpha / (double)n, df);
    } else {
        low = wtl_normal_quantile(1 - alpha);
        high = wtl_normal_quantile(1 - alpha / (double)n);
    }
    if (n == 1 || df < 2)
        return high; /* the grid is too coarse for the heaviest tails; the bound is safe */
    for (int i = 0; i < BISECTIONS && high - low > 1e-5; i++) {
        double middle = (low + high) / 2;
        if (all_below_t(n, middle, df) < 1 - alpha)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Means of settings and the variation that is left without them and the blocks. */
static int fit(const struct wtl_sweep_costs *costs, struct wtl_best_group *group)
{
    double total = 0, squares = 0;
    size_t k = costs->settings, n = costs->blocks;
    for (size_t i = 0; i < k; i++) {
        group->mean[i] = 0;
        for (size_t b = 0; b < n; b++) {
            double value = costs->values[b * k + i];
            if (!(value > 0) || !isfinite(value))
                return -EINVAL;
            group->mean[i] += log(value) / (double)n;
        }
        total += group->mean[i] / (double)k;
    }
    for (size_t b = 0; b < n; b++) {
        double block = 0;
        for (size_t i = 0; i < k; i++)
            block += log(costs->values[b * k + i]) / (double)k;
        for (size_t i = 0; i < k; i++) {
            double rest = log(costs->values[b * k + i]) - block - group->mean[i] + total;
            squares += rest * rest;
        }
    }
    group->df = (double)((n - 1) * (k - 1));
    group->log_sd = group->df > 0 ? sqrt(squares / group->df) : (double)NAN;
    return 0;
}

int wtl_best_group_find(const struct wtl_sweep_costs *costs, struct wtl_best_group *ret)
{
    size_t k = costs->settings, n = costs->blocks;
    *ret = (struct wtl_best_group){.critical = NAN, .margin = INFINITY, .log_sd = NAN};
    if (k == 0 || k > WTL_SWEEP_SETTINGS || n == 0 || fit(costs, ret) < 0)
        return -EINVAL;
    for (size_t i = 1; i < k; i++) {
        if (ret->mean[i] < ret->mean[ret->best])
            ret->best = i;
    }
    double error = 0;
    if (ret->df > 0) {
        ret->critical = costs->critical > 0 ? costs->critical
                                            : wtl_dunnett_critical(k - 1, ret->df, costs->alpha);
        error = ret->critical * ret->log_sd * sqrt(2.0 / (double)n);
        ret->margin = expm1(error);
    }
    double least = ret->mean[ret->best];
    for (size_t i = 0; i < k; i++) {
        double sensors =
            costs->resolution ? hypot(costs->resolution[i], costs->resolution[ret->best]) : 0;
        ret->in[i] = k == 1 || n < 2 || i == ret->best || ret->mean[i] - least <= error + sensors;
        ret->size += ret->in[i];
    }
    for (size_t i = 0; i < k; i++)
        ret->mean[i] = exp(ret->mean[i]);
    return 0;
}

void wtl_best_group_interval(const struct wtl_best_group *group,
                             size_t setting,
                             size_t blocks,
                             double *ret_low,
                             double *ret_high)
{
    double half = NAN;
    if (group->df > 0)
        half = wtl_student_quantile(0.975, group->df) * group->log_sd / sqrt((double)blocks);
    *ret_low = group->mean[setting] * exp(-half);
    *ret_high = group->mean[setting] * exp(half);
}
