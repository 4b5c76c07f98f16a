/* SPDX-License-Identifier: BSD-3-Clause */
/* Drift over run order: see drift.h. */
#include "analysis/compare/drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/whole.h"
#include "model/statistics/quantile.h"
#include "model/statistics/student.h"

struct count {
    double score, variance;
    double *slopes; /* of the logarithms, one for each pair of runs */
    size_t slope_count;
};

/* Add a side: Kendall's score, its variance with equal values, the slopes. */
static void add_side(struct count *count, const double *values, size_t n)
{
    double n_d = (double)n, ties = 0;
    for (size_t i = 0; i < n; i++) {
        size_t equal =
            1; /* this and the later ones; summed over i: t (t - 1) / 2 of a group of t */
        for (size_t k = i + 1; k < n; k++) {
            count->score += (values[k] > values[i]) - (values[k] < values[i]);
            count->slopes[count->slope_count++] = log(values[k] / values[i]) / (double)(k - i);
            equal += values[k] == values[i];
        }
        /* The member of a group with e behind and with it adds what makes t (t - 1) (2 t + 5). */
        double e = (double)equal;
        ties += e * (e - 1) * (2 * e + 5) - (e - 1) * (e - 2) * (2 * e + 3);
    }
    count->variance += (n_d * (n_d - 1) * (2 * n_d + 5) - ties) / 18;
}

int wtl_drift_of(const double *a,
                 size_t a_n,
                 const double *b,
                 size_t b_n,
                 struct wtl_drift *ret_drift)
{
    struct wtl_drift drift = {.p = NAN, .per_run = NAN};
    struct count count = {.slopes = malloc((a_n * a_n + b_n * b_n + 1) * sizeof(double))};
    if (!count.slopes)
        return -ENOMEM;
    add_side(&count, a, a_n);
    if (b_n > 0)
        add_side(&count, b, b_n);
    size_t n = count.slope_count;
    if (a_n >= 4 || b_n >= 4) {
        /* The score has steps of 2: half of one is taken off, towards 0. */
        double score = fmax(fabs(count.score) - 1, 0);
        drift.p =
            count.variance > 0 ? 2 * wtl_normal_probability(-score / sqrt(count.variance)) : 1;
    }
    double unknown = 0;
    for (size_t i = 0; i < n; i++)
        unknown += count.slopes[i];
    if (n > 0 && isfinite(unknown)) {
        drift.per_run = expm1(wtl_median(count.slopes, n));
    }
    free(count.slopes);
    *ret_drift = drift;
    return 0;
}

/* Sums of one side around its means. */
struct sums {
    double mean_x, mean_y, xx, xy, yy;
};

static struct sums sums_of(const double *values, const double *when, size_t n)
{
    struct sums sums = {0};
    for (size_t i = 0; i < n; i++) {
        sums.mean_x += when[i] / (double)n;
        sums.mean_y += (values[i] > 0 ? log(values[i]) : (double)NAN) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double x = when[i] - sums.mean_x, y = log(values[i]) - sums.mean_y;
        sums.xx += x * x;
        sums.xy += x * y;
        sums.yy += y * y;
    }
    return sums;
}

double wtl_drift_allowed_p(const double *a,
                           const double *a_when,
                           size_t a_n,
                           const double *b,
                           const double *b_when,
                           size_t b_n)
{
    if (a_n + b_n < 4)
        return NAN;
    struct sums sa = sums_of(a, a_when, a_n), sb = sums_of(b, b_when, b_n);
    double xx = sa.xx + sb.xx, xy = sa.xy + sb.xy, df = (double)(a_n + b_n) - 3;
    double slope = xy / xx, apart = sb.mean_x - sa.mean_x;
    double rest = fmax(sa.yy + sb.yy - slope * xy, 0);
    double difference = sb.mean_y - sa.mean_y - slope * apart;
    double error = sqrt(rest / df * (1 / (double)a_n + 1 / (double)b_n + apart * apart / xx));
    if (isnan(error) || isnan(difference))
        return NAN;
    if (error < 1e-12) /* rounding, not variation */
        return fabs(difference) < 1e-12 ? 1 : 0;
    return wtl_student_two_sided(difference / error, df);
}
