/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functional pruning CUSUM of one series (G. Romano, I. Eckley, P. Fearnhead, G. Rigaill, Fast online changepoint
 * detection via functional pruning CUSUM statistics, JMLR 24 (2023), 1-36): the likelihood ratio of a change at any time
 * so far, for all window lengths at once, with the mean before the change unknown.
 *
 * Of all times only those can be the best one, now or later, at which the running sum is a vertex of its convex hull:
 * the lower hull for a rise, the upper one for a fall. On n values of noise that are about log(n) of them.
 */
#ifndef WTL_ANALYSIS_HULL_H
#define WTL_ANALYSIS_HULL_H

#include <stddef.h>

enum {
    WTL_HULL_ROOM = 64,
    WTL_CUSUM_RECENT = 24, /* changes up to so many values ago are examined with each value */
    WTL_CUSUM_ROUND = 8    /* the older ones with every eighth: their ratio moves slowly */
};

/* One side: sign * sum is convex through the vertices. A vertex is the last time before a change. */
struct wtl_hull {
    unsigned count;
    double time[WTL_HULL_ROOM], sum[WTL_HULL_ROOM]; /* first: time 0, sum 0 */
    double inverse[WTL_HULL_ROOM];                  /* 1 / time */
};

struct wtl_cusum {
    double count, sum;        /* values so far */
    double old_time, old_sum; /* the best of the older ones; time 0 = none */
    struct wtl_hull side[2];  /* rise, fall */
};

static inline void wtl_cusum_clear(struct wtl_cusum *cusum)
{
    cusum->count = cusum->sum = cusum->old_time = cusum->old_sum = 0;
    for (int s = 0; s < 2; s++) {
        cusum->side[s].count = 1;
        cusum->side[s].time[0] = cusum->side[s].sum[0] = 0;
    }
}

/* Where it is full, the change that is longest ago is no longer looked for: after 2^64 values at the earliest, or in
 * a series that bends on purpose. */
static inline void wtl_hull_drop_oldest(struct wtl_hull *hull)
{
    for (unsigned i = 2; i < hull->count; i++) {
        hull->time[i - 1] = hull->time[i];
        hull->inverse[i - 1] = hull->inverse[i];
        hull->sum[i - 1] = hull->sum[i];
    }
    hull->count--;
}

/* Add the end of the series so far as a vertex, before the next value. */
static inline void wtl_hull_add(struct wtl_hull *hull,
                                double sign,
                                double time,
                                double sum,
                                double inverse)
{
    unsigned k = hull->count;
    while (k >= 2) {
        double before = (hull->sum[k - 1] - hull->sum[k - 2]) * (time - hull->time[k - 1]);
        double after = (sum - hull->sum[k - 1]) * (hull->time[k - 1] - hull->time[k - 2]);
        if (sign * (after - before) > 0)
            break;
        k--;
    }
    hull->count = k;
    if (k == WTL_HULL_ROOM)
        wtl_hull_drop_oldest(hull);
    hull->time[hull->count] = time;
    hull->inverse[hull->count] = inverse;
    hull->sum[hull->count++] = sum;
}

/* Add a value. inverse: 1 / count of the values before it. The end of the series so far becomes a vertex only if the
 * series bends there in the right direction: the next vertex would remove it otherwise. */
static inline void wtl_cusum_add(struct wtl_cusum *cusum, double value, double inverse)
{
    double n = cusum->count, sum = cusum->sum;
    for (int s = 0; s < 2 && n > 0; s++) {
        struct wtl_hull *hull = &cusum->side[s];
        unsigned top = hull->count - 1;
        double sign = s == 0 ? 1 : -1;
        if (sign * (value * (n - hull->time[top]) - (sum - hull->sum[top])) > 0)
            wtl_hull_add(hull, sign, n, sum, inverse);
    }
    cusum->count++;
    cusum->sum += value;
}

/* Find the best of the changes that are more than WTL_CUSUM_RECENT - WTL_CUSUM_ROUND values ago. */
static inline void wtl_cusum_look_back(struct wtl_cusum *cusum)
{
    double n = cusum->count, mean = cusum->sum / n, best = 0;
    cusum->old_time = 0;
    for (int s = 0; s < 2; s++) {
        const struct wtl_hull *hull = &cusum->side[s];
        for (unsigned i = 1; i < hull->count; i++) {
            double t = hull->time[i], away = hull->sum[i] - t * mean;
            if (n - t <= WTL_CUSUM_RECENT - WTL_CUSUM_ROUND)
                break;
            double ratio = away * away / (t * (n - t));
            if (ratio > best) {
                best = ratio;
                cusum->old_time = t;
                cusum->old_sum = hull->sum[i];
            }
        }
    }
}

/*
 * The largest ratio: the squared difference between the means after and before a time, over its variance for values of
 * variance 1; twice the logarithm of the likelihood ratio. *ret_time: the number of values before the change.
 * inverses[k] = 1 / k, up to WTL_CUSUM_RECENT; inverse = 1 / count. Recent rises are examined after values above the mean,
 * recent falls after others: what a value speaks against was better before it.
 */
static inline double wtl_cusum_best(const struct wtl_cusum *cusum,
                                    double value,
                                    const double *inverses,
                                    double inverse,
                                    double *ret_time)
{
    double n = cusum->count, mean = cusum->sum * inverse, best = 0, at = 0;
    if (cusum->old_time > 0) {
        double away = cusum->old_sum - cusum->old_time * mean;
        at = cusum->old_time;
        best = away * away / (at * (n - at)) * n;
    }
    const struct wtl_hull *hull = &cusum->side[value > mean ? 0 : 1];
    for (unsigned i = hull->count - 1; i > 0; i--) {
        double t = hull->time[i], away = hull->sum[i] - t * mean;
        if (n - t > WTL_CUSUM_RECENT)
            break;
        double ratio = away * away * (hull->inverse[i] + inverses[(unsigned)(n - t)]);
        at = ratio > best ? t : at;
        best = ratio > best ? ratio : best;
    }
    *ret_time = at;
    return best;
}

#endif
