/* SPDX-License-Identifier: BSD-3-Clause */
/* The noise of a recording, given its phases: see second_pass.h. */
#include <math.h>

#include "analysis/phases/stored/second_pass.h"
#include "base/whole.h"

#define PHI_MAX 0.98
/* Margin of phi, in its standard errors. */
#define MARGIN 1.0
/* Outliers count as so many standard deviations; and where outliers are rare. */
#define CLIP     3.0
#define CLIP_FAR 6.0
/* Share of values beyond CLIP that is still rare; 0.27 % of normal noise. */
#define RARE 0.01
/* Correlations below this are left. */
#define WEAK 0.15
/* What a column has of its own counts for at least this share of its variance. */
#define LEAST_OWN 0.02
/* A spread of less than this share of the value is rounding. */
#define ROUNDING 1e-6
#define PASSES   12

static double clip(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

/* ---- without correlation ---- */

/* Root of the mean square of n values, outliers clipped. */
static double clipped_rms(const double *x, size_t n)
{
    double kept = INFINITY;
    for (int pass = 0; pass < PASSES; pass++) {
        double sum = 0, count = 0, last = kept;
        for (size_t i = 0; i < n; i++)
            if (isfinite(x[i])) {
                sum += fmin(x[i] * x[i], CLIP * CLIP * last);
                count++;
            }
        kept = count > 0 ? sum / count : 0;
        if (!(kept < 0.95 * last))
            break;
    }
    return isfinite(kept) ? sqrt(kept) : 0;
}

/* Scale a series so that its differences are about 1, from its first value on. */
static void scale_series(struct wtl_second_pass *pass, size_t c)
{
    size_t stride = pass->series;
    double *x = pass->x + c, origin = 0, size = 0, count = 0, scale = 0;
    for (size_t i = 0; i < pass->rows && !(count > 0); i++)
        if (isfinite(x[i * stride])) {
            origin = x[i * stride];
            count = 1;
        }
    for (size_t i = 0; i < pass->rows; i++)
        size = isfinite(x[i * stride]) ? fmax(size, fabs(x[i * stride])) : size;
    pass->room[0] = 0;
    for (size_t i = 1; i < pass->rows; i++)
        pass->room[i] = x[i * stride] - x[(i - 1) * stride];
    scale = fmax(clipped_rms(pass->room + 1, pass->rows - 1), ROUNDING * size);
    for (size_t i = 0; i < pass->rows; i++) {
        double value = (x[i * stride] - origin) / scale;
        x[i * stride] = isfinite(value) ? value : NAN;
    }
}

/* Of differences of columns, clipped. */
static double correlation(const struct wtl_second_pass *pass, size_t a, size_t b)
{
    double sum = 0, of_a = 0, of_b = 0;
    for (size_t i = 1; i < pass->rows; i++) {
        const double *here = pass->x + i * pass->series, *last = here - pass->series;
        double x = clip(here[a] - last[a], CLIP), y = clip(here[b] - last[b], CLIP);
        if (!isfinite(x) || !isfinite(y))
            continue;
        sum += x * y;
        of_a += x * x;
        of_b += y * y;
    }
    double own = sqrt(of_a * of_b), value = own > 0 ? sum / own : 0;
    return fabs(value) < fmax(WEAK, 4 / sqrt((double)pass->rows)) ? 0 : value;
}

/* The inverse of the Cholesky factor of the correlations. */
static void find_mix(const struct wtl_second_pass *pass,
                     double mix[WTL_SECOND_SERIES][WTL_SECOND_SERIES])
{
    double factor[WTL_SECOND_SERIES][WTL_SECOND_SERIES] = {{0}};
    for (size_t i = 0; i < pass->series; i++) {
        for (size_t k = 0; k <= i; k++) {
            double value = i == k ? 1 : correlation(pass, i, k);
            for (size_t j = 0; j < k; j++)
                value -= factor[i][j] * factor[k][j];
            factor[i][k] = k < i ? value / factor[k][k] : sqrt(fmax(value, LEAST_OWN));
        }
        for (size_t k = 0; k <= i; k++) {
            double value = i == k ? 1 : 0;
            for (size_t j = k; j < i; j++)
                value -= factor[i][j] * mix[j][k];
            mix[i][k] = value / factor[i][i];
        }
    }
}

void wtl_second_prepare(struct wtl_second_pass *pass)
{
    double mix[WTL_SECOND_SERIES][WTL_SECOND_SERIES] = {{0}};
    for (size_t c = 0; c < pass->series; c++)
        scale_series(pass, c);
    find_mix(pass, mix);
    for (size_t r = 0; r < pass->rows; r++) {
        double *x = pass->x + r * pass->series;
        for (size_t i = pass->series; i-- > 0;) {
            double sum = mix[i][i] * x[i];
            for (size_t k = 0; k < i; k++) /* a missing value is missing in its own series only */
                sum += mix[i][k] != 0 && isfinite(x[k]) ? mix[i][k] * x[k] : 0;
            x[i] = sum;
        }
    }
}

/* ---- about the levels ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The level of a series in rows first .. end - 1: its median, then the mean of what is near. */
static double level_of(struct wtl_second_pass *pass, size_t c, size_t first, size_t end, double sd)
{
    size_t count = 0;
    double sum = 0;
    for (size_t r = first; r < end; r++) {
        double x = pass->x[r * pass->series + c];
        if (isfinite(x))
            pass->room[count++] = x;
    }
    if (count == 0)
        return NAN;
    wtl_sort(pass->room, count, sizeof *pass->room, compare);
    double median = (pass->room[count / 2] + pass->room[(count - 1) / 2]) / 2;
    if (!(sd > 0))
        return median;
    for (size_t i = 0; i < count; i++)
        sum += clip(pass->room[i] - median, CLIP * sd);
    return median + sum / (double)count;
}

/* Residuals of all series, in `white`. */
static void take_levels(struct wtl_second_pass *pass)
{
    for (size_t p = 0; p < pass->count; p++)
        for (size_t c = 0; c < pass->series; c++) {
            double sd = pass->sd[c] / sqrt(1 - pass->phi[c] * pass->phi[c]);
            double level = level_of(pass, c, pass->begin[p], pass->begin[p + 1], sd);
            for (size_t r = pass->begin[p]; r < pass->begin[p + 1]; r++) {
                double away = pass->x[r * pass->series + c] - level;
                pass->white[r * pass->series + c] = isfinite(away) ? away : NAN;
                pass->start[r * pass->series + c] = level;
            }
        }
}

/* phi from the lag, and from differences, which change little if there are too few phases or too many. */
static double phi_of(const struct wtl_second_pass *pass, size_t c, double most)
{
    double lagged = 0, squares = 0, one = 0, two = 0, count = 0;
    for (size_t p = 0; p < pass->count; p++)
        for (size_t r = pass->begin[p]; r < pass->begin[p + 1]; r++) {
            const double *left = pass->white + r * pass->series + c;
            double here = clip(left[0], most);
            if (!isfinite(here))
                continue;
            squares += here * here;
            count++;
            if (r < pass->begin[p] + 2)
                continue;
            double last = clip(*(left - pass->series), most);
            double before = clip(*(left - 2 * pass->series), most);
            if (!isfinite(last) || !isfinite(before))
                continue;
            lagged += here * last * (r == pass->begin[p] + 2 ? 2 : 1);
            one += (here - last) * (here - last);
            two += (here - before) * (here - before);
        }
    if (!(squares > 0) || !(one > 0))
        return 0;
    double phi = lagged / squares;
    phi += (1 + 3 * fmax(phi, 0)) * (double)pass->count / count;
    double differences = two / one - 1, error = 1 / sqrt(count);
    return fmax(0, fmin(PHI_MAX, fmax(differences - error, fmin(phi, differences + 2 * error))));
}

/* Each is known from few rows: as far as they differ by chance only, all have the same. */
static void settle_phi(struct wtl_second_pass *pass)
{
    double mean = 0, spread = 0, count = 0, n = (double)pass->rows;
    for (size_t c = 0; c < pass->series; c++)
        if (pass->sd[c] > 0) {
            mean += pass->phi[c];
            count++;
        }
    mean /= fmax(count, 1);
    for (size_t c = 0; c < pass->series; c++)
        if (pass->sd[c] > 0)
            spread += (pass->phi[c] - mean) * (pass->phi[c] - mean);
    spread /= fmax(count - 1, 1);
    double chance = (1 - mean * mean) / n;
    double own = spread > 2 * chance ? (spread - chance) / spread : 0;
    double error = sqrt(chance * fmax(own, 1 / fmax(count, 1)));
    for (size_t c = 0; c < pass->series; c++) {
        double phi = mean + own * (pass->phi[c] - mean);
        pass->phi[c] = fmin(PHI_MAX, phi + (phi > 0.05 ? MARGIN * error : 0));
    }
}

/* What is left of series c without autocorrelation, of all rows but the first of a phase; into `room`. */
static size_t innovations(struct wtl_second_pass *pass, size_t c)
{
    size_t count = 0;
    for (size_t p = 0; p < pass->count; p++)
        for (size_t r = pass->begin[p] + 1; r < pass->begin[p + 1]; r++) {
            const double *left = pass->white + r * pass->series + c;
            double value = left[0] - pass->phi[c] * *(left - pass->series);
            if (isfinite(value))
                pass->room[count++] = value;
        }
    return count;
}

/* `white`: about the levels again, with outliers clipped. */
static void whiten(struct wtl_second_pass *pass, size_t c, double most)
{
    double phi = pass->phi[c], inverse = pass->sd[c] > 0 ? 1 / pass->sd[c] : 0, last = NAN;
    double level_before = 0;
    for (size_t r = 0; r < pass->rows; r++) {
        double *white = pass->white + r * pass->series + c, away = *white;
        double level = pass->start[r * pass->series + c];
        double left = isfinite(last) ? away - phi * last : away * sqrt(1 - phi * phi);
        last = away;
        left = isfinite(left) ? clip(left * inverse, most) : 0;
        level = isfinite(level) ? level * inverse : level_before;
        *white = level - (r > 0 ? phi * level_before : 0) + left;
        level_before = level;
    }
}

/* An autocorrelation that is known from few values may be larger, which makes all evidence larger. */
static void raise_evidence(struct wtl_second_pass *pass)
{
    double phi = 0, values = (double)pass->rows * (double)pass->series;
    for (size_t c = 0; c < pass->series; c++)
        phi = fmax(phi, pass->phi[c]);
    pass->raise = 1 + 3 * phi / sqrt(values * (1 - phi));
}

void wtl_second_noise(struct wtl_second_pass *pass)
{
    for (int round = 0; round < 2; round++) {
        take_levels(pass);
        for (size_t c = 0; c < pass->series; c++) {
            double sd = pass->sd[c] / sqrt(1 - pass->phi[c] * pass->phi[c]);
            pass->phi[c] = phi_of(pass, c, sd > 0 ? 4 * sd : INFINITY);
        }
        settle_phi(pass);
        for (size_t c = 0; c < pass->series; c++) {
            size_t n = innovations(pass, c);
            double rows = (double)n, levels = (double)pass->count;
            pass->sd[c] = clipped_rms(pass->room, n) * sqrt(rows / fmax(rows - levels, rows / 2));
            pass->sd[c] = isfinite(pass->sd[c]) ? fmax(pass->sd[c], 1e-3) : 0;
        }
    }
    for (size_t c = 0; c < pass->series; c++) {
        size_t n = innovations(pass, c), far = 0;
        for (size_t i = 0; i < n; i++)
            far += fabs(pass->room[i]) > CLIP * pass->sd[c];
        whiten(pass, c, (double)far > RARE * (double)n ? CLIP : CLIP_FAR);
    }
    raise_evidence(pass);
}
