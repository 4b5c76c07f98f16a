/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/predict/remainder.h"

#include <math.h>

#include "model/statistics/student.h"

enum { FOR_A_SLOPE = 6 /* predecessors */, HALVINGS = 60 };

struct sums {
    double n, x, y, xx, xy, yy; /* means, and sums of products of deviations */
};

static struct sums add_up(const double *x, const double *y, size_t n)
{
    struct sums s = {.n = (double)n};
    for (size_t i = 0; i < n; i++) {
        s.x += x[i] / s.n;
        s.y += y[i] / s.n;
    }
    for (size_t i = 0; i < n; i++) {
        s.xx += (x[i] - s.x) * (x[i] - s.x);
        s.xy += (x[i] - s.x) * (y[i] - s.y);
        s.yy += (y[i] - s.y) * (y[i] - s.y);
    }
    return s;
}

struct wtl_remainder wtl_remainder_of(const double *before,
                                      const double *after,
                                      size_t n,
                                      double before_now)
{
    struct sums s = add_up(before, after, n);
    if (n == 1) {
        double ratio = before[0] > 0 && before_now > 0 ? before_now / before[0] : 1;
        return (struct wtl_remainder){after[0] * ratio, NAN, NAN, 1};
    }
    bool slope = n >= FOR_A_SLOPE && s.xx > 1e-18 * s.n * s.x * s.x && isfinite(before_now);
    double b = slope ? s.xy / s.xx : 0, off = slope ? before_now - s.x : 0;
    double df = s.n - (slope ? 2 : 1);
    double variance = fmax(s.yy - b * s.xy, 0) / df;
    double wider = 1 + 1 / s.n + (slope ? off * off / s.xx : 0);
    return (struct wtl_remainder){s.y + b * off, sqrt(variance * wider), df, 1};
}

static double weight_below(const struct wtl_remainder *parts, size_t n, double x)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        double off = x - parts[i].mean;
        double p = parts[i].sd > 0 ? wtl_student_probability(off / parts[i].sd, parts[i].df)
                                   : (off > 0) + 0.5 * (off == 0);
        sum += parts[i].weight * p;
        all += parts[i].weight;
    }
    return all > 0 ? sum / all : NAN;
}

double wtl_remainder_quantile(const struct wtl_remainder *parts, size_t n, double p)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(parts[i].sd) || !isfinite(parts[i].mean))
            return NAN;
        double half = parts[i].sd > 0 ? parts[i].sd * wtl_student_quantile(0.9999, parts[i].df) : 0;
        low = fmin(low, parts[i].mean - half);
        high = fmax(high, parts[i].mean + half);
    }
    if (!(low <= high))
        return NAN;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;
        if (weight_below(parts, n, middle) < p)
            low = middle;
        else
            high = middle;
    }
    return fmax(low + (high - low) / 2, 0);
}
