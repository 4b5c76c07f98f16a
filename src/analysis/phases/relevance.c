/* SPDX-License-Identifier: BSD-3-Clause */
/* Which counters the power follows: see relevance.h. */
#include "analysis/phases/relevance.h"

#include <math.h>
#include <string.h>

#include "model/statistics/student.h"

/* Below this share of a column's square, what remains after the columns before it is rounding: a linear combination. */
#define COLLINEAR 1e-10
/* Correlations that agree to 9 digits are a tie. */
#define TIE 1e9

void wtl_relevance_begin(struct wtl_relevance_sums *sums,
                         const struct wtl_counter_rows *rows,
                         bool cross)
{
    memset(sums, 0, sizeof *sums);
    sums->rows = rows;
    sums->cross = cross;
}

static const double *row_of(const struct wtl_relevance_sums *sums, size_t row)
{
    return sums->rows->rate + row * sums->rows->columns;
}

static bool differs(double a, double b)
{
    return !(a == b);
}

/* The step from row - 1 to row. */
static void count_changes(struct wtl_relevance_sums *sums, size_t row, int by)
{
    const double *now = row_of(sums, row), *before = row_of(sums, row - 1);
    for (size_t c = 0; c < sums->rows->columns; c++)
        if (differs(now[c], before[c]))
            sums->changes[c] += (size_t)by;
    if (differs(sums->rows->power_w[row], sums->rows->power_w[row - 1]))
        sums->power_changes += (size_t)by;
}

static void count_row(struct wtl_relevance_sums *sums, size_t row, int by)
{
    const double *rate = row_of(sums, row);
    double sign = by, watts = sums->rows->power_w[row] - sums->origin_w, value[WTL_ROW_COLUMNS];
    if (!isfinite(watts))
        return;
    sums->count += (size_t)by;
    sums->sum_w += sign * watts;
    sums->square_w += sign * watts * watts;
    for (size_t c = 0; c < sums->rows->columns; c++) {
        bool has = isfinite(rate[c]);
        value[c] = has ? rate[c] - sums->origin[c] : 0;
        sums->have[c] += has ? (size_t)by : 0;
        sums->sum[c] += sign * value[c];
        sums->square[c] += sign * value[c] * value[c];
        sums->with_w[c] += sign * value[c] * watts;
    }
    for (size_t i = 0; sums->cross && i < sums->rows->columns; i++)
        for (size_t k = i + 1; k < sums->rows->columns; k++)
            sums->product[i][k] += sign * value[i] * value[k];
}

void wtl_relevance_add(struct wtl_relevance_sums *sums, size_t row)
{
    if (sums->started) {
        count_changes(sums, row, 1);
    } else {
        const double *rate = row_of(sums, row);
        for (size_t c = 0; c < sums->rows->columns; c++)
            sums->origin[c] = isfinite(rate[c]) ? rate[c] : 0;
        sums->origin_w = isfinite(sums->rows->power_w[row]) ? sums->rows->power_w[row] : 0;
        sums->started = true;
    }
    count_row(sums, row, 1);
}

void wtl_relevance_remove(struct wtl_relevance_sums *sums, size_t row)
{
    count_changes(sums, row + 1, -1);
    count_row(sums, row, -1);
}

/* Sum of products of deviations from the means. */
static double about_mean(double product, double sum_a, double sum_b, double n)
{
    return product - sum_a * sum_b / n;
}

/* Correlation of each column with the power; 0 where it cannot be relevant. Returns the columns that can. */
static uint16_t correlate(const struct wtl_relevance_sums *sums, double *ret_with_w)
{
    double n = (double)sums->count;
    double power = about_mean(sums->square_w, sums->sum_w, sums->sum_w, n);
    uint16_t usable = 0;
    for (size_t c = 0; c < sums->rows->columns; c++) {
        ret_with_w[c] = 0;
        if (sums->count < WTL_ROW_PHASE_MIN || sums->have[c] < sums->count ||
            sums->changes[c] == 0 || sums->power_changes == 0)
            continue;
        double own = about_mean(sums->square[c], sums->sum[c], sums->sum[c], n);
        double both = about_mean(sums->with_w[c], sums->sum[c], sums->sum_w, n);
        double correlation = both / (sqrt(own) * sqrt(power));
        if (!(own > 0) || !(power > 0) || !isfinite(correlation))
            continue;
        ret_with_w[c] = fmax(-1, fmin(1, correlation));
        usable |= (uint16_t)(1u << c);
    }
    return usable;
}

/* The usable columns by |correlation|, strongest first, ties by id. Returns how many. */
static size_t order(const double *with_w, size_t columns, uint16_t usable, uint8_t *ret_order)
{
    size_t count = 0;
    for (size_t c = 0; c < columns; c++) {
        size_t at = count;
        if (!(usable >> c & 1))
            continue;
        double size = round(fabs(with_w[c]) * TIE);
        for (; at > 0 && round(fabs(with_w[ret_order[at - 1]]) * TIE) < size; at--)
            ret_order[at] = ret_order[at - 1];
        ret_order[at] = (uint8_t)c;
        count++;
    }
    return count;
}

/* Columns of the regression, in correlation form. */
struct regression {
    size_t n;
    uint8_t column[WTL_ROW_COLUMNS];
    double factor[WTL_ROW_COLUMNS][WTL_ROW_COLUMNS]; /* Cholesky, lower */
    double with_w[WTL_ROW_COLUMNS];
};

static double correlation_of(const struct wtl_relevance_sums *sums, size_t a, size_t b)
{
    double n = (double)sums->count;
    size_t i = a < b ? a : b, k = a < b ? b : a;
    double both = about_mean(sums->product[i][k], sums->sum[i], sums->sum[k], n);
    double one = about_mean(sums->square[i], sums->sum[i], sums->sum[i], n);
    double other = about_mean(sums->square[k], sums->sum[k], sums->sum[k], n);
    return both / (sqrt(one) * sqrt(other));
}

/* One more column, unless it is a linear combination of those before it. */
static void include_column(struct regression *fit,
                           const struct wtl_relevance_sums *sums,
                           size_t column,
                           double with_w)
{
    double left = 1, *row = fit->factor[fit->n];
    for (size_t k = 0; k < fit->n; k++) {
        double value = correlation_of(sums, column, fit->column[k]);
        for (size_t j = 0; j < k; j++)
            value -= row[j] * fit->factor[k][j];
        row[k] = value / fit->factor[k][k];
        left -= row[k] * row[k];
    }
    if (!(left > COLLINEAR))
        return;
    row[fit->n] = sqrt(left);
    fit->column[fit->n] = (uint8_t)column;
    fit->with_w[fit->n++] = with_w;
}

/* Column k of the inverse of the factor: its squares add up to the variance of a coefficient. */
static void inverse_column(const struct regression *fit, size_t k, double *ret)
{
    for (size_t i = 0; i < fit->n; i++) {
        double value = i == k ? 1 : 0;
        for (size_t j = k; j < i; j++)
            value -= fit->factor[i][j] * ret[j];
        ret[i] = i < k ? 0 : value / fit->factor[i][i];
    }
}

static uint16_t significant(const struct wtl_relevance_sums *sums,
                            const double *with_w,
                            uint16_t usable,
                            double significance)
{
    struct regression fit = {0};
    double half[WTL_ROW_COLUMNS], inverse[WTL_ROW_COLUMNS], unexplained = 1;
    uint16_t set = 0;
    for (size_t c = 0; c < sums->rows->columns; c++)
        if (usable >> c & 1)
            include_column(&fit, sums, c, with_w[c]);
    if (sums->count < fit.n + 2)
        return 0;
    double freedom = (double)(sums->count - fit.n - 1);
    for (size_t i = 0; i < fit.n; i++) {
        half[i] = fit.with_w[i];
        for (size_t j = 0; j < i; j++)
            half[i] -= fit.factor[i][j] * half[j];
        half[i] /= fit.factor[i][i];
        unexplained -= half[i] * half[i];
    }
    for (size_t k = 0; k < fit.n; k++) {
        double coefficient = 0, variance = 0;
        inverse_column(&fit, k, inverse);
        for (size_t i = k; i < fit.n; i++) {
            coefficient += inverse[i] * half[i];
            variance += inverse[i] * inverse[i];
        }
        double error = sqrt(fmax(unexplained, 0x1p-52) / freedom * variance);
        if (wtl_student_two_sided(coefficient / error, freedom) < significance)
            set |= (uint16_t)(1u << fit.column[k]);
    }
    return set;
}

struct wtl_relevance wtl_relevance_of(const struct wtl_relevance_sums *sums,
                                      const struct wtl_phase_options *options)
{
    struct wtl_relevance relevance = {0};
    double with_w[WTL_ROW_COLUMNS];
    uint8_t ranked[WTL_ROW_COLUMNS];
    uint16_t usable = correlate(sums, with_w);
    size_t count = order(with_w, sums->rows->columns, usable, ranked);
    relevance.ranked = (unsigned)(count < WTL_PHASE_RANKS ? count : WTL_PHASE_RANKS);
    memcpy(relevance.rank, ranked, relevance.ranked);
    if (options->relevance == WTL_PHASE_REGRESSION) {
        relevance.set = significant(sums, with_w, usable, options->significance);
        return relevance;
    }
    for (size_t i = 0; i < count && i < options->top; i++)
        relevance.set |= (uint16_t)(1u << ranked[i]);
    return relevance;
}

struct wtl_relevance wtl_relevance_between(const struct wtl_counter_rows *rows,
                                           size_t first,
                                           size_t last,
                                           const struct wtl_phase_options *options)
{
    struct wtl_relevance_sums sums;
    wtl_relevance_begin(&sums, rows, options->relevance == WTL_PHASE_REGRESSION);
    for (size_t row = first; row <= last; row++)
        wtl_relevance_add(&sums, row);
    return wtl_relevance_of(&sums, options);
}
