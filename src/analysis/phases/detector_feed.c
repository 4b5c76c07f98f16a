/* SPDX-License-Identifier: BSD-3-Clause */
/* From a row to series of white noise, and their CUSUMs: see detector_parts.h. */
#include <math.h>
#include <string.h>

#include "analysis/phases/detector_parts.h"

/* Quartiles of the normal distribution. Which values they are matters little, since the share below is unknown before
 * and after a change. */
static const double cuts[WTL_DETECTOR_CUTS] = {-0.6745, 0, 0.6745};

static double clip(double x)
{
    return x > WTL_DETECTOR_CLIP    ? WTL_DETECTOR_CLIP
           : x < -WTL_DETECTOR_CLIP ? -WTL_DETECTOR_CLIP
                                    : x;
}

/* Without autocorrelation, in standard deviations. Not clipped: what several columns have in common must stay in common. */
static double standard(struct wtl_detector_column *column, double value, double share)
{
    double away = value - column->level, left;
    const struct wtl_column_noise *noise = &column->noise;
    if (!isfinite(away)) /* a missing value says nothing */
        return column->centre;
    left = column->started ? away - noise->phi * column->before : away * (1 - noise->phi);
    column->before = away;
    column->started = true;
    left *= noise->inverse_sd;
    if (!isfinite(left))
        return column->centre;
    left = left > WTL_DETECTOR_FAR    ? WTL_DETECTOR_FAR
           : left < -WTL_DETECTOR_FAR ? -WTL_DETECTOR_FAR
                                      : left;
    column->centre += clip(left - column->centre) * share;
    return left;
}

/* Remove the correlation between columns. */
static void whiten(const struct wtl_detector *d, double *value)
{
    for (size_t i = d->columns; i-- > 0;) {
        double sum = d->whiten[i][i] * value[i];
        for (size_t k = 0; k < i && d->is_mixed[i]; k++)
            sum += d->whiten[i][k] * value[k];
        value[i] = sum;
    }
}

/* Outliers count as 3 standard deviations about the mean of the phase. */
static void clip_all(struct wtl_detector *d, double *value, size_t from, size_t to, double share)
{
    for (size_t i = from; i < to; i++) {
        double away = clip(value[i] - d->centre[i]);
        value[i] = d->centre[i] + away;
        d->centre[i] += away * share;
    }
}

/* The sum of all, even against odd, pairs against pairs. */
static void project(const struct wtl_detector *d, double *value)
{
    double part[4] = {0}, unit = 1 / sqrt((double)d->columns), *projection = value + d->columns;
    for (size_t i = 0; i < d->columns; i++)
        part[i & 3] += value[i];
    projection[0] = unit * (part[0] + part[1] + part[2] + part[3]);
    projection[1] = unit * (part[0] - part[1] + part[2] - part[3]);
    projection[2] = unit * (part[0] + part[1] - part[2] - part[3]);
}

static void cut(const struct wtl_detector *d, double *value)
{
    for (size_t i = d->columns; i-- > 0;)
        for (size_t q = WTL_DETECTOR_CUTS; q-- > 0;)
            value[i * WTL_DETECTOR_CUTS + q] = value[i] <= cuts[q] ? 1 : 0;
}

/* The variance of a share. */
static double share_variance(const struct wtl_cusum *cusum)
{
    double share = (cusum->sum + 0.5) / (cusum->count + 1);
    return share * (1 - share);
}

void wtl_detector_feed(struct wtl_detector *d, uint64_t row)
{
    double value[WTL_DETECTOR_SERIES + WTL_DETECTOR_CUTS], count = d->cusum[0].count;
    const double *pushed = wtl_detector_row(d, row);
    double *sums = d->sums + (row % WTL_DETECTOR_RING) * d->series;
    double share = 1 / (count + 2), before = 1 / fmax(count, 1), inverse = 1 / (count + 1);
    bool shares = d->options.method == WTL_PHASE_NP_FOCUS;
    for (size_t i = 0; i < d->columns; i++)
        value[i] = standard(&d->column[i], pushed[i], share);
    whiten(d, value);
    clip_all(d, value, 0, d->columns, share);
    if (shares) {
        cut(d, value);
    } else if (d->series > d->columns) {
        project(d, value);
        clip_all(d, value, d->columns, d->series, share);
    }
    for (size_t i = 0; i < d->series; i++) {
        struct wtl_cusum *cusum = &d->cusum[i];
        wtl_cusum_add(cusum, value[i], before);
        if ((row + i) % WTL_CUSUM_ROUND == 0)
            wtl_cusum_look_back(cusum);
        sums[i] = cusum->sum;
        d->best[i] = wtl_cusum_best(cusum, value[i], d->inverses, inverse, &d->best_at[i]);
        if (shares)
            d->best[i] /= share_variance(cusum);
    }
}

/* A level for the phase: the mean of its first rows, each moved to at most its neighbours'. */
static double level_of(struct wtl_detector *d, size_t column, uint64_t row)
{
    double sum = 0, count = 0;
    uint64_t end = row + WTL_DETECTOR_LEARN < d->rows ? row + WTL_DETECTOR_LEARN : d->rows;
    for (uint64_t r = row; r < end; r++) {
        double here = wtl_detector_row(d, r)[column];
        double last = wtl_detector_row(d, r > row ? r - 1 : r)[column];
        double next = wtl_detector_row(d, r + 1 < end ? r + 1 : r)[column];
        double low = fmin(last, next), high = fmax(last, next);
        here = r > row && r + 1 < end ? fmax(low, fmin(high, here)) : here;
        if (!isfinite(here))
            continue;
        count++;
        sum += (here - sum) / count;
    }
    return sum;
}

void wtl_detector_feed_from(struct wtl_detector *d, uint64_t row)
{
    d->fed_from = row;
    for (size_t i = 0; i < d->series; i++) {
        wtl_cusum_clear(&d->cusum[i]);
        d->centre[i] = 0;
    }
    for (size_t i = 0; i < d->columns; i++) {
        d->column[i].level = level_of(d, i, row);
        d->column[i].before = d->column[i].centre = 0;
        d->column[i].started = false;
    }
    for (; row < d->rows; row++)
        wtl_detector_feed(d, row);
}
