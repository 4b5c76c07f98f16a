/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PELT (R. Killick, P. Fearnhead, I. Eckley, Optimal detection of changepoints with a linear computational cost, JASA 107
 * (2012), 1590-1598): the division of the whole recording whose sum of squares plus a penalty per phase is least. Each
 * column is brought to noise of variance 1 without autocorrelation first, both from differences, which do not see the
 * phases. It needs the end of the recording, its penalty assumes normal noise, and it has no defence against drift: it is
 * here to compare.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/phase_bounds.h"
#include "base/fail.h"

/* Its time grows with the square of the length of a phase. */
#define ROWS_MAX 200000
#define MIN_ROWS 4
/* Enough to get from the changes themselves to what is usual: with many of them, changes look like autocorrelation. */
#define CLIP_PASSES 12

struct pelt {
    size_t rows, columns, min_rows;
    double *sum;   /* [(rows + 1) * columns]: running sums */
    double *least; /* [rows + 1]: cost of the best division up to a row */
    size_t *from;  /* [rows + 1]: begin of its last phase */
    size_t *open;  /* candidates for that */
    double penalty;
};

/* Mean square of differences at this distance, outliers clipped. */
static double difference(const double *x, size_t n, size_t distance)
{
    double whole = 0, last = INFINITY;
    for (int pass = 0; pass < CLIP_PASSES && !(whole >= 0.95 * last); pass++) {
        double most = pass > 0 ? 9 * whole : INFINITY, sum = 0, count = 0;
        last = pass > 0 ? whole : INFINITY;
        for (size_t i = distance; i < n; i++) {
            double step = x[i] - x[i - distance];
            if (!isfinite(step))
                continue;
            sum += fmin(step * step, most);
            count++;
        }
        whole = count > 0 ? sum / count : 0;
    }
    return whole;
}

/* One column as white noise of variance 1 about its means, into its running sum. Missing values repeat the last one. */
static void prepare(struct pelt *pelt, double *x, size_t column)
{
    double one = difference(x, pelt->rows, 1), two = difference(x, pelt->rows, 2);
    double phi = one > 0 ? fmax(0, fmin(0.95, two / one - 1)) : 0;
    double sd = sqrt(one * (1 + phi) / 2), origin = 0, last = 0, sum = 0;
    bool started = false;
    for (size_t i = 0; i < pelt->rows; i++) {
        double away = isfinite(x[i]) ? x[i] - (started ? origin : x[i]) : last;
        origin = started || !isfinite(x[i]) ? origin : x[i];
        started = started || isfinite(x[i]);
        double left = sd > 0 ? (away - phi * last) / sd : 0;
        last = away;
        sum += isfinite(left) ? left : 0;
        pelt->sum[(i + 1) * pelt->columns + column] = sum;
    }
}

/* Sum of squares about the mean of rows first .. end - 1, without what does not depend on the division. */
static double cost(const struct pelt *pelt, size_t first, size_t end)
{
    const double *from = pelt->sum + first * pelt->columns, *to = pelt->sum + end * pelt->columns;
    double squares = 0;
    for (size_t c = 0; c < pelt->columns; c++)
        squares += (to[c] - from[c]) * (to[c] - from[c]);
    return -squares / (double)(end - first);
}

static void divide(struct pelt *pelt)
{
    size_t count = 1;
    pelt->open[0] = 0;
    pelt->least[0] = -pelt->penalty;
    for (size_t end = pelt->min_rows; end <= pelt->rows; end++) {
        size_t kept = 0;
        pelt->least[end] = INFINITY;
        for (size_t i = 0; i < count; i++) {
            double with = pelt->least[pelt->open[i]] + cost(pelt, pelt->open[i], end);
            if (with + pelt->penalty < pelt->least[end]) {
                pelt->least[end] = with + pelt->penalty;
                pelt->from[end] = pelt->open[i];
            }
        }
        for (size_t i = 0; i < count; i++)
            if (pelt->least[pelt->open[i]] + cost(pelt, pelt->open[i], end) <= pelt->least[end])
                pelt->open[kept++] = pelt->open[i];
        count = kept;
        if (end >= 2 * pelt->min_rows)
            pelt->open[count++] = end - pelt->min_rows + 1;
    }
}

/* The begins of the phases, from the last one back. */
static int list_phases(const struct pelt *pelt, struct wtl_phase_bounds *bounds)
{
    size_t end = pelt->rows;
    while (end > 0) {
        if (wtl_phase_bounds_add(bounds, pelt->from[end]) < 0)
            return -ENOMEM;
        end = pelt->from[end];
    }
    for (size_t i = 0, k = bounds->count; i + 1 < k--; i++) {
        struct wtl_phase other = bounds->list[i];
        bounds->list[i] = bounds->list[k];
        bounds->list[k] = other;
    }
    return 0;
}

/* Of a chi-squared variable with one degree of freedom per column (B. Laurent, P. Massart 2000). */
static double penalty_of(double false_alarms, size_t columns)
{
    double x = -log(false_alarms), k = (double)columns;
    return k + 2 * sqrt(k * x) + 2 * x;
}

static void prepare_all(struct pelt *pelt, const struct wtl_counter_rows *rows, double *column)
{
    for (size_t c = 0; c < rows->columns; c++) {
        for (size_t i = 0; i < rows->rows; i++)
            column[i] = rows->rate[i * rows->columns + c];
        prepare(pelt, column, c);
    }
    memcpy(column, rows->power_w, rows->rows * sizeof *column);
    prepare(pelt, column, rows->columns);
}

int wtl_phase_find_pelt(const struct wtl_counter_rows *rows,
                        const struct wtl_phase_options *options,
                        struct wtl_phase_bounds *bounds,
                        struct wattle_error *err)
{
    struct pelt pelt = {.rows = rows->rows, .columns = rows->columns + 1};
    if (rows->rows > ROWS_MAX)
        return wtl_fail(err, -ERANGE,
                        "%zu rows are too many for the method pelt (at most %d); use focus, or a "
                        "longer step",
                        rows->rows, ROWS_MAX);
    pelt.min_rows = options->min_rows ? options->min_rows : MIN_ROWS;
    if (pelt.min_rows > rows->rows)
        pelt.min_rows = rows->rows;
    pelt.penalty = penalty_of(options->false_alarms_per_row, pelt.columns);
    pelt.sum = calloc((pelt.rows + 1) * pelt.columns, sizeof *pelt.sum);
    pelt.least = calloc(pelt.rows + 1, sizeof *pelt.least);
    pelt.from = calloc(pelt.rows + 1, sizeof *pelt.from);
    pelt.open = calloc(pelt.rows + 1, sizeof *pelt.open);
    int rc = pelt.sum && pelt.least && pelt.from && pelt.open ? 0 : -ENOMEM;
    if (rc == 0) {
        prepare_all(&pelt, rows, pelt.least);
        divide(&pelt);
        rc = list_phases(&pelt, bounds);
    }
    free(pelt.sum);
    free(pelt.least);
    free(pelt.from);
    free(pelt.open);
    return rc < 0 ? wtl_no_memory_for(err, "the phases of %zu rows", rows->rows) : 0;
}
