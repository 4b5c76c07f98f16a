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

enum { WTL_HULL_ROOM = 64 };

/* One side: sign * sum is convex through the vertices. A vertex is the last time before a change. */
struct wtl_hull {
    unsigned count;
    double time[WTL_HULL_ROOM], sum[WTL_HULL_ROOM]; /* first: time 0, sum 0 */
};

struct wtl_cusum {
    double count, sum;       /* values so far */
    struct wtl_hull side[2]; /* rise, fall */
};

static inline void wtl_cusum_clear(struct wtl_cusum *cusum)
{
    cusum->count = cusum->sum = 0;
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
        hull->sum[i - 1] = hull->sum[i];
    }
    hull->count--;
}

/* Add the end of the series so far as a vertex, before the next value. */
static inline void wtl_hull_add(struct wtl_hull *hull, double sign, double time, double sum)
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
    hull->sum[hull->count++] = sum;
}

/* Add a value. */
static inline void wtl_cusum_add(struct wtl_cusum *cusum, double value)
{
    if (cusum->count > 0) {
        wtl_hull_add(&cusum->side[0], 1, cusum->count, cusum->sum);
        wtl_hull_add(&cusum->side[1], -1, cusum->count, cusum->sum);
    }
    cusum->count++;
    cusum->sum += value;
}

/*
 * The largest ratio: the squared difference between the means after and before a time, over its variance for values of
 * variance 1; twice the logarithm of the likelihood ratio. *ret_time: the number of values before the change.
 */
static inline double wtl_cusum_best(const struct wtl_cusum *cusum, double *ret_time)
{
    double n = cusum->count, mean = cusum->sum / n, best = 0, at = 0;
    for (int s = 0; s < 2; s++) {
        const struct wtl_hull *hull = &cusum->side[s];
        for (unsigned i = 1; i < hull->count; i++) {
            double t = hull->time[i], away = hull->sum[i] - t * mean;
            double ratio = away * away / (t * (n - t));
            at = ratio > best ? t : at;
            best = ratio > best ? ratio : best;
        }
    }
    *ret_time = at;
    return best * n;
}

#endif
