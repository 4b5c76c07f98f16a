/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is it a step? What a sum of evidence over all windows cannot tell from a step is a slow drift, and noise that is more
 * autocorrelated than was known. Around the step each series is fitted by a level, a step and a slope, which may be as
 * steep as drift is; what is left says how certain the step is.
 */
#include <math.h>

#include "analysis/phases/detector_parts.h"

/* Rows before the step that say what was before. */
#define BEFORE 256
/* Drift: standard deviations per row. */
#define DRIFT (1.0 / 300)
/* What the test loses to the slope and to autocorrelation, on a true step. */
#define CONFIRM 1.0

static double sum_to(const struct wtl_detector *d, size_t series, uint64_t row)
{
    return row <= d->fed_from ? 0 : d->sums[((row - 1) % WTL_DETECTOR_RING) * d->series + series];
}

static double stat_at(const struct wtl_detector *d, size_t series, uint64_t row)
{
    double n = d->cusum[series].count, t = (double)(row - d->fed_from);
    double away = sum_to(d, series, row) - t * d->cusum[series].sum / n;
    double ratio = away * away * n / (t * (n - t));
    if (d->options.method != WTL_PHASE_NP_FOCUS)
        return ratio;
    double share = (d->cusum[series].sum + 0.5) / (n + 1);
    return ratio / (share * (1 - share));
}

/* The sum over series of the evidence that is more than noise; of the quartiles of a column, the best. */
static double total(const struct wtl_detector *d,
                    uint64_t row,
                    double (*stat)(const struct wtl_detector *, size_t, uint64_t))
{
    size_t group = d->options.method == WTL_PHASE_NP_FOCUS ? WTL_DETECTOR_CUTS : 1;
    double sum = 0;
    for (size_t i = 0; i < d->series; i += group) {
        double best = 0;
        for (size_t q = 0; q < group; q++)
            best = fmax(best, stat(d, i + q, row));
        sum += fmax(0, best - WTL_DETECTOR_QUIET);
    }
    return sum;
}

double wtl_detector_evidence(const struct wtl_detector *d, uint64_t row)
{
    return total(d, row, stat_at);
}

/* Sums of a regression on a level, a step and a slope. */
struct step_fit {
    double n, step, slope, step_slope, slope_slope;
    double y, step_y, slope_y, y_y;
};

static void add_value(struct step_fit *fit, double t, double y)
{
    double step = t >= 0 ? 1 : 0;
    fit->n++;
    fit->step += step;
    fit->slope += t;
    fit->step_slope += step * t;
    fit->slope_slope += t * t;
    fit->y += y;
    fit->step_y += step * y;
    fit->slope_y += t * y;
    fit->y_y += y * y;
}

/* The squared step over its variance, for noise of variance 1; *ret_step and *ret_slope are the coefficients. */
static double solve(const struct step_fit *fit, double *ret_step, double *ret_slope)
{
    double n = fit->n;
    double aa = fit->step - fit->step * fit->step / n;
    double ab = fit->step_slope - fit->step * fit->slope / n;
    double bb = fit->slope_slope - fit->slope * fit->slope / n + 1 / (DRIFT * DRIFT);
    double ay = fit->step_y - fit->step * fit->y / n, by = fit->slope_y - fit->slope * fit->y / n;
    double left = aa - ab * ab / bb, right = ay - ab * by / bb;
    *ret_step = right / left;
    *ret_slope = (by - ab * *ret_step) / bb;
    return right * right / left;
}

/* Variance of a mean of what is left, relative to that of white noise of variance 1. */
static double excess(const struct wtl_detector *d,
                     size_t series,
                     uint64_t from,
                     uint64_t row,
                     double level,
                     double step,
                     double slope)
{
    double before = 0, lagged = 0, squares = 0, n = (double)(d->rows - from);
    for (uint64_t r = from; r < d->rows; r++) {
        double t = (double)r - (double)row;
        double left = sum_to(d, series, r + 1) - sum_to(d, series, r) - level - slope * t -
                      (t >= 0 ? step : 0);
        lagged += left * before;
        squares += left * left;
        before = left;
    }
    double phi = squares > 0 ? lagged / squares - 1 / sqrt(n) : 0, variance = squares / n;
    phi = fmax(0, fmin(0.95, phi));
    if (d->options.method == WTL_PHASE_NP_FOCUS)
        return fmax(variance, 1e-3) * (1 + phi) / (1 - phi);
    /* Where nearly nothing is left, neither is autocorrelation: of a column that is constant. */
    return variance < 0.25 ? 1 : fmax(variance, 1) * (1 + phi) / (1 - phi);
}

static double stat_of_step(const struct wtl_detector *d, size_t series, uint64_t row)
{
    struct step_fit fit = {0};
    uint64_t from = row > BEFORE ? row - BEFORE : 0, oldest = wtl_detector_oldest(d);
    double step, slope;
    if (stat_at(d, series, row) < WTL_DETECTOR_QUIET)
        return 0;
    from = from > d->fed_from ? from : d->fed_from;
    from = from > oldest ? from : oldest + 1;
    if (from >= row)
        return 0;
    for (uint64_t r = from; r < d->rows; r++)
        add_value(&fit, (double)r - (double)row, sum_to(d, series, r + 1) - sum_to(d, series, r));
    double stat = solve(&fit, &step, &slope);
    double level = (fit.y - step * fit.step - slope * fit.slope) / fit.n;
    return stat / excess(d, series, from, row, level, step, slope);
}

bool wtl_detector_confirm(const struct wtl_detector *d, uint64_t row)
{
    return total(d, row, stat_of_step) >= CONFIRM * d->need;
}
