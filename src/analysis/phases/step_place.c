/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a step is: see step_place.h. */
#include "analysis/phases/step_place.h"

#include <math.h>

/* Deviations beyond this many standard deviations cost no more. */
#define CLIP 3.0
/* Places that cost up to this much more than the best one belong to its interval. */
#define MORE 7.0

static double level_of(const double *x, size_t stride, size_t n, double sd)
{
    double mean = 0, count = 0, moved = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i * stride])) {
            count++;
            mean += (x[i * stride] - mean) / count;
        }
    if (!(count > 0))
        return NAN;
    for (size_t i = 0; i < n && sd > 0; i++)
        if (isfinite(x[i * stride]))
            moved += fmax(-CLIP * sd, fmin(CLIP * sd, x[i * stride] - mean));
    return mean + moved / count;
}

void wtl_step_levels(const double *x,
                     size_t stride,
                     size_t n,
                     size_t at,
                     struct wtl_level_step *step)
{
    double sd = step->sd / sqrt(1 - step->phi * step->phi);
    step->before = level_of(x, stride, at, sd);
    step->after = level_of(x + at * stride, stride, n - at, sd);
}

/* Autocorrelation about the levels, corrected for the rows that the levels cost. */
static double phi_of(const double *x,
                     size_t stride,
                     size_t n,
                     size_t at,
                     const struct wtl_level_step *step)
{
    double lagged = 0, squares = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        double away = x[i * stride] - (i < at ? step->before : step->after);
        if (!isfinite(away))
            continue;
        lagged += i != at ? away * before : 0;
        squares += away * away;
        before = away;
    }
    double phi = squares > 0 ? lagged / squares : 0;
    phi += 2 * (1 + 3 * phi) / (double)n;
    return isfinite(phi) ? fmax(0, fmin(0.95, phi)) : 0;
}

/* Spread without autocorrelation; `most`: values count at most as its multiple. */
static double sd_of(const double *x,
                    size_t stride,
                    size_t n,
                    size_t at,
                    const struct wtl_level_step *step,
                    double most)
{
    double sum = 0, count = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        double away = x[i * stride] - (i < at ? step->before : step->after);
        if (!isfinite(away))
            continue;
        double left = away - step->phi * before;
        before = away;
        if (i == at)
            continue;
        sum += fmin(left * left, most * most);
        count++;
    }
    return count > 0 ? sqrt(sum / count) : 0;
}

void wtl_step_noise(const double *x,
                    size_t stride,
                    size_t n,
                    size_t at,
                    struct wtl_level_step *ret_step)
{
    struct wtl_level_step step = {0};
    wtl_step_levels(x, stride, n, at, &step);
    step.phi = phi_of(x, stride, n, at, &step);
    step.sd = sd_of(x, stride, n, at, &step, INFINITY);
    step.sd = sd_of(x, stride, n, at, &step, CLIP * step.sd);
    wtl_step_levels(x, stride, n, at, &step);
    *ret_step = step;
}

/* Cost of a value that deviates by `away`, after one that deviated by `last`. */
static double cost(const struct wtl_level_step *step, double away, double last)
{
    double left = (away - (isfinite(last) ? step->phi * last : 0)) / step->sd;
    double square = left * left;
    return square < CLIP * CLIP ? square : isnan(square) ? 0 : CLIP * CLIP;
}

void wtl_step_costs(const double *x,
                    size_t stride,
                    const struct wtl_level_step *step,
                    size_t from,
                    size_t count,
                    double *costs)
{
    double sum = 0;
    if (!isfinite(step->before) || !isfinite(step->after))
        return;
    for (size_t k = 0; k < count; k++) {
        double value = x[(from + k) * stride], last = x[(from + k - 1) * stride];
        costs[k] += sum + cost(step, value - step->after, last - step->before);
        sum += cost(step, value - step->before, last - step->before);
    }
    sum = 0;
    for (size_t k = count; k-- > 0;) {
        double value = x[(from + k) * stride], last = x[(from + k - 1) * stride];
        costs[k] += sum;
        sum += cost(step, value - step->after, last - step->after);
    }
}

size_t wtl_step_best(const double *costs, size_t count, size_t *ret_low, size_t *ret_high)
{
    size_t best = 0, low, high;
    for (size_t k = 1; k < count; k++)
        best = costs[k] < costs[best] ? k : best;
    for (low = 0; low < best && costs[low] > costs[best] + MORE; low++)
        ;
    for (high = count > 0 ? count - 1 : 0; high > best && costs[high] > costs[best] + MORE; high--)
        ;
    if (ret_low)
        *ret_low = low;
    if (ret_high)
        *ret_high = high;
    return best;
}
