/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares with x >= 0 (task_bounds.h). */
#include "analysis/tasks/task_bounds.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/tasks/task_fit.h"

/* A column of which less than this part is independent of the others has no value of its own. */
static const double pivot_least = 1e-10;
/* A gradient below this part of the largest right side is zero. */
static const double gradient_least = 1e-12;

struct bounds {
    const double *p, *r;
    size_t n;
    double x[WTL_FIT_TERMS];
    bool free[WTL_FIT_TERMS]; /* not at its bound */
    double lower[WTL_FIT_TERMS][WTL_FIT_TERMS];
};

/* Solve for the free ones, by Cholesky; those that depend on others go back to their bound. */
static void solve_free(struct bounds *b, double *ret)
{
    size_t at[WTL_FIT_TERMS], k = 0;
    double y[WTL_FIT_TERMS];
    for (size_t i = 0; i < b->n; i++) {
        if (!b->free[i])
            continue;
        double *row = b->lower[k], pivot = b->p[i * b->n + i], right = b->r[i];
        for (size_t j = 0; j < k; j++) {
            double sum = b->p[i * b->n + at[j]];
            for (size_t m = 0; m < j; m++)
                sum -= row[m] * b->lower[j][m];
            row[j] = sum / b->lower[j][j];
            pivot -= row[j] * row[j];
            right -= row[j] * y[j];
        }
        if (!(pivot > pivot_least)) {
            b->free[i] = false;
            b->x[i] = 0;
            continue;
        }
        row[k] = sqrt(pivot);
        y[k] = right / row[k];
        at[k++] = i;
    }
    memset(ret, 0, b->n * sizeof *ret);
    for (size_t j = k; j-- > 0;) {
        for (size_t m = j + 1; m < k; m++)
            y[j] -= b->lower[m][j] * ret[at[m]];
        ret[at[j]] = y[j] / b->lower[j][j];
    }
}

/* Go towards the solution for the free ones as far as the bounds allow, until all of it is within. */
static void settle(struct bounds *b)
{
    double z[WTL_FIT_TERMS];
    for (size_t turn = 0; turn <= b->n; turn++) {
        double step = 1;
        size_t stop = b->n;
        solve_free(b, z);
        for (size_t i = 0; i < b->n; i++)
            if (b->free[i] && z[i] <= 0 && (stop == b->n || b->x[i] / (b->x[i] - z[i]) < step)) {
                step = b->x[i] > 0 ? b->x[i] / (b->x[i] - z[i]) : 0;
                stop = i;
            }
        for (size_t i = 0; i < b->n; i++)
            if (b->free[i])
                b->x[i] += step * (z[i] - b->x[i]);
        if (stop == b->n)
            return;
        b->free[stop] = false;
        b->x[stop] = 0;
    }
}

/* The bound whose release helps most; n = none. */
static size_t steepest(const struct bounds *b, const bool *refused, double least)
{
    size_t best = b->n;
    double most = least;
    for (size_t i = 0; i < b->n; i++) {
        double gradient = b->r[i];
        if (b->free[i] || refused[i] || b->p[i * b->n + i] <= 0)
            continue;
        for (size_t j = 0; j < b->n; j++)
            gradient -= b->p[i * b->n + j] * b->x[j];
        if (gradient > most) {
            most = gradient;
            best = i;
        }
    }
    return best;
}

void wtl_bounds_solve(const double *p, const double *r, size_t n, const double *from, double *ret_x)
{
    struct bounds b = {.p = p, .r = r, .n = n};
    bool refused[WTL_FIT_TERMS] = {false};
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        b.x[i] = fmax(from[i], 0);
        b.free[i] = b.x[i] > 0 && p[i * n + i] > 0;
        least = fmax(least, gradient_least * fabs(r[i]));
    }
    settle(&b);
    for (size_t turn = 0; turn < 10 * n + 10; turn++) {
        size_t next = steepest(&b, refused, least);
        if (next == n)
            break;
        b.free[next] = true;
        settle(&b);
        /* One that goes straight back depends on others, or came by rounding. */
        if (b.free[next])
            memset(refused, 0, sizeof refused);
        else
            refused[next] = true;
    }
    memcpy(ret_x, b.x, n * sizeof *ret_x);
}
