/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the noise of each column is like: autocorrelation of residuals about the mean of a block (corrected for the rows
 * that the mean costs), the spread of what is left (outliers clipped), and the correlation between columns.
 */
#include <math.h>
#include <string.h>

#include "analysis/phases/detector_parts.h"

/* The spread is that of so many rows; of the rest, half is forgotten after so many. */
#define MEMORY_SPREAD 512.0
#define MEMORY_REST   8192.0
/* Margin of phi, in its standard errors. */
#define MARGIN  1.5
#define PHI_MAX 0.98
/* Changes that need feeding again. */
#define NEW_SD  1.1
#define NEW_PHI 0.05
/* A block whose spread differs by more than this is of another kind of phase. */
#define OTHER_SD 2.0
/* Rows that no correlation between columns is worth: those of few rows are mostly chance. */
#define PRIOR_ROWS 64.0
/* Correlations below this in all of a row are left. */
#define WEAK 0.1
/* What a column has of its own counts for at least this share of its variance. */
#define LEAST_OWN 0.02
/* A spread of less than this share of the value is rounding. */
#define ROUNDING 1e-6
/* That of a column that is always 0: anything else is infinitely far away. */
#define SMALLEST 1e-150
/* Enough to get from any outlier to what is usual. */
#define CLIP_PASSES 12

/* One step towards mean and spread with outliers clipped; returns the spread. */
static double clip_step(const double *x, size_t n, double *mean, double sd)
{
    double moved = 0, square = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        double away = x[i] - *mean;
        if (!isfinite(away))
            continue;
        away = fmax(-3 * sd, fmin(3 * sd, away));
        moved += away;
        square += away * away;
        count++;
    }
    if (!(count > 1))
        return 0;
    moved /= count;
    *mean += moved;
    return sqrt(fmax(0, (square - count * moved * moved) / (count - 1)));
}

/* The residuals of a column in a block about its mean, outliers clipped; returns the mean. */
static double residuals(const struct wtl_detector *d, size_t column, uint64_t first, uint64_t end)
{
    double *left = d->scratch, mean = 0, sd = INFINITY, last;
    size_t n = (size_t)(end - first);
    for (size_t i = 0; i < n; i++)
        left[i] = wtl_detector_row(d, first + i)[column];
    (void)clip_step(left, n, &mean, sd);
    for (int pass = 0; pass < CLIP_PASSES; pass++) {
        last = sd;
        sd = clip_step(left, n, &mean, sd);
        if (!(sd < 0.95 * last))
            break;
    }
    for (size_t i = 0; i < n; i++) {
        double away = left[i] - mean;
        left[i] = isfinite(away) ? fmax(-3 * sd, fmin(3 * sd, away)) : 0;
    }
    return mean;
}

static void forget(double *sum, double rows, double memory)
{
    *sum *= exp2(-rows / memory);
}

static void learn_phi(struct wtl_column_noise *noise, const double *left, size_t n)
{
    double rows = (double)n, lagged = 0, squares = 0, one = 0, two = 0;
    for (size_t i = 1; i < n; i++)
        lagged += left[i] * left[i - 1];
    for (size_t i = 2; i < n; i++) {
        double step = left[i] - left[i - 1], wide = left[i] - left[i - 2];
        one += step * step;
        two += wide * wide;
    }
    for (size_t i = 0; i < n; i++)
        squares += left[i] * left[i];
    if (!(squares > 0) || !isfinite(squares) || !isfinite(lagged))
        return;
    /* Each block with its own spread: phases differ in it. */
    forget(&noise->lagged, rows, MEMORY_REST);
    forget(&noise->squares, rows, MEMORY_REST);
    forget(&noise->rows, rows, MEMORY_REST);
    forget(&noise->blocks, rows, MEMORY_REST);
    forget(&noise->one, rows, MEMORY_REST);
    forget(&noise->two, rows, MEMORY_REST);
    noise->one += one / squares;
    noise->two += two / squares;
    noise->lagged += lagged / squares * rows;
    noise->squares += rows;
    noise->rows += rows;
    noise->blocks += 1;
    double phi = noise->lagged / noise->squares;
    phi += (1 + 3 * fmax(phi, 0)) * noise->blocks / noise->rows;
    phi = fmax(0, fmin(PHI_MAX, phi));
    phi += MARGIN * sqrt((1 - phi * phi) / noise->rows);
    /* A change that was not noticed looks like autocorrelation, but hardly shows in differences. */
    double differences = noise->one > 0 ? noise->two / noise->one : 1;
    double most = differences * (1 + 2 * sqrt(2 / noise->rows)) - 1;
    noise->phi = fmin(PHI_MAX, fmax(0, fmin(phi, most)));
}

/* Root of the mean square, outliers clipped. */
static double clipped_sd(const double *left, size_t n)
{
    double rows = n > 2 ? (double)(n - 1) : 1, kept = INFINITY, last;
    for (int pass = 0; pass < CLIP_PASSES; pass++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += fmin(left[i] * left[i], 9 * kept);
        last = kept;
        kept = sum / rows;
        if (!(kept < 0.95 * last))
            break;
    }
    return sqrt(kept);
}

/* Of the block, without autocorrelation; the residuals become those without it. */
static double spread(double *left, size_t n, double phi)
{
    for (size_t i = n; i-- > 1;)
        left[i] -= phi * left[i - 1];
    left[0] *= sqrt(1 - phi * phi);
    return clipped_sd(left, n);
}

static void learn_sd(struct wtl_column_noise *noise, double sd, size_t n, double known)
{
    double weight = (double)n / ((double)n + fmin(known, MEMORY_SPREAD));
    if (!isfinite(sd))
        return;
    if (!(sd < noise->sd * OTHER_SD) || sd * OTHER_SD < noise->sd)
        weight = 1;
    noise->sd = sqrt(noise->sd * noise->sd * (1 - weight) + sd * sd * weight);
}

/* The correlation between columns, from standard residuals kept in `block`. */
static void learn_common(struct wtl_detector *d, const double *block, size_t n)
{
    for (size_t i = 0; i < d->columns; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = 0;
            for (size_t r = 0; r < n; r++)
                sum += block[i * WTL_DETECTOR_BLOCK + r] * block[k * WTL_DETECTOR_BLOCK + r];
            forget(&d->common[i][k], (double)n, MEMORY_REST);
            d->common[i][k] += isfinite(sum) ? sum : 0;
        }
    forget(&d->common_rows, (double)n, MEMORY_REST);
    d->common_rows += (double)n;
}

static double correlation(const struct wtl_detector *d, size_t i, size_t k)
{
    double own = sqrt(d->common[i][i]) * sqrt(d->common[k][k]);
    double share = d->common_rows / (d->common_rows + PRIOR_ROWS);
    return i == k ? 1 : own > 0 ? share * d->common[i][k] / own : 0;
}

/* The inverse of the Cholesky factor of the correlations. Weak ones are left alone. */
static void find_whitening(struct wtl_detector *d)
{
    double factor[WTL_DETECTOR_COLUMNS][WTL_DETECTOR_COLUMNS] = {{0}};
    for (size_t i = 0; i < d->columns; i++) {
        d->is_mixed[i] = false;
        for (size_t k = 0; k <= i; k++) {
            double value = correlation(d, i, k);
            for (size_t j = 0; j < k; j++)
                value -= factor[i][j] * factor[k][j];
            factor[i][k] = k < i ? value / factor[k][k] : sqrt(fmax(value, LEAST_OWN));
            d->is_mixed[i] = d->is_mixed[i] || (k < i && fabs(factor[i][k]) > WEAK);
        }
        for (size_t k = 0; k <= i; k++) {
            double value = i == k ? 1 : 0;
            for (size_t j = k; j < i; j++)
                value -= factor[i][j] * d->inverse[j][k];
            d->inverse[i][k] = value / factor[i][i];
        }
        for (size_t k = 0; k < i && !d->is_mixed[i]; k++)
            d->inverse[i][k] = 0;
    }
    d->whitened_rows = d->common_rows;
}

/* What the spread of each series is in fact, since whitening is never exact. The matrix is scaled by it. */
static void learn_own(struct wtl_detector *d, const double *block, size_t n, double known)
{
    double weight = (double)n / ((double)n + fmin(known, MEMORY_SPREAD));
    for (size_t i = 0; i < d->columns; i++) {
        for (size_t r = 0; r < n; r++) {
            double sum = 0;
            for (size_t k = 0; k <= i; k++)
                sum += d->inverse[i][k] * block[k * WTL_DETECTOR_BLOCK + r];
            d->scratch[r] = sum;
        }
        double sd = clipped_sd(d->scratch, n);
        d->own[i] = sqrt(d->own[i] * d->own[i] * (1 - weight) + sd * sd * weight);
    }
}

static void scale_whitening(struct wtl_detector *d)
{
    for (size_t i = 0; i < d->columns; i++)
        for (size_t k = 0; k <= i; k++)
            d->whiten[i][k] = d->inverse[i][k] / (d->own[i] > 0 ? d->own[i] : 1);
}

bool wtl_detector_learn(struct wtl_detector *d, uint64_t first, uint64_t end)
{
    double *block = d->scratch + WTL_DETECTOR_RING;
    size_t n = (size_t)(end - first);
    /* Correlations are known better and better. */
    bool differs = d->common_rows + (double)n >= 2 * d->whitened_rows;
    for (size_t i = 0; i < d->columns; i++) {
        struct wtl_column_noise *noise = &d->column[i].noise, before = *noise;
        double mean = residuals(d, i, first, end);
        learn_phi(noise, d->scratch, n);
        double sd = spread(d->scratch, n, noise->phi);
        learn_sd(noise, sd, n, before.rows);
        noise->sd = fmax(noise->sd, fmax(ROUNDING * fabs(mean), SMALLEST));
        noise->inverse_sd = 1 / noise->sd;
        for (size_t r = 0; r < n; r++)
            block[i * WTL_DETECTOR_BLOCK + r] =
                fmax(-6, fmin(6, d->scratch[r] * noise->inverse_sd));
        differs = differs || !(noise->sd <= before.sd * NEW_SD) || noise->sd * NEW_SD < before.sd ||
                  fabs(noise->phi - before.phi) > NEW_PHI;
    }
    double known = d->common_rows;
    learn_common(d, block, n);
    if (differs)
        find_whitening(d);
    learn_own(d, block, n, known);
    scale_whitening(d);
    d->learnt_to = end;
    return differs;
}
