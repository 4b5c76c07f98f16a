/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Least squares from sums of products (task_fit.h). Columns are scaled to unit length; rank and kernel come from the
 * eigenvectors of their products, by Jacobi's rotations. Unknowns belong together if the projection on the kernel has
 * an entry for both: it is block diagonal where the kernel falls apart.
 */
#include "analysis/tasks/task_fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/task_bounds.h"

/* An eigenvalue below this part of the largest is zero: products of exact columns leave 1e-16. */
static const double rank_least = 1e-11;
/* An entry of the projection on the kernel that is not rounding. */
static const double kernel_least = 1e-6;

enum { SWEEPS = 60 };

struct solver {
    size_t n;                    /* unknowns that are not fixed */
    size_t term[WTL_FIT_TERMS];  /* their numbers */
    double scale[WTL_FIT_TERMS]; /* length of the column; 0 = it is zero */
    double right[WTL_FIT_TERMS]; /* scaled A'b, less what is fixed */
    double *products;            /* [n][n], scaled */
    double *vectors, *rest;      /* [n][n] */
    double values[WTL_FIT_TERMS];
};

static double product(const struct wtl_fit_sums *s, size_t i, size_t j)
{
    return i >= j ? s->products[i * s->terms + j] : s->products[j * s->terms + i];
}

static double *rights(const struct wtl_fit_sums *s)
{
    return s->products + s->terms * s->terms;
}

void wtl_fit_add(struct wtl_fit_sums *sums, const double *a, double b, double w)
{
    double *right = rights(sums);
    for (size_t i = 0; i < sums->terms; i++) {
        if (a[i] == 0)
            continue;
        double *row = sums->products + i * sums->terms, wa = w * a[i];
        for (size_t j = 0; j <= i; j++)
            row[j] += wa * a[j];
        right[i] += wa * b;
    }
    sums->equations++;
    sums->weight += w;
    sums->right += w * b;
    sums->square += w * b * b;
}

void wtl_fit_merge(struct wtl_fit_sums *sums, const struct wtl_fit_sums *others, double times)
{
    size_t room = wtl_fit_room(sums->terms);
    for (size_t i = 0; i < room; i++)
        sums->products[i] += times * others->products[i];
    if (times > 0)
        sums->equations += (size_t)times * others->equations;
    sums->weight += times * others->weight;
    sums->right += times * others->right;
    sums->square += times * others->square;
}

/* ---- eigenvectors ---- */

static void rotate(struct solver *s, double *m, size_t p, size_t q)
{
    size_t n = s->n;
    double apq = m[p * n + q], theta = (m[q * n + q] - m[p * n + p]) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), sine = t * c;
    for (size_t k = 0; k < n; k++) {
        double kp = m[k * n + p], kq = m[k * n + q];
        m[k * n + p] = c * kp - sine * kq;
        m[k * n + q] = sine * kp + c * kq;
    }
    for (size_t k = 0; k < n; k++) {
        double pk = m[p * n + k], qk = m[q * n + k];
        m[p * n + k] = c * pk - sine * qk;
        m[q * n + k] = sine * pk + c * qk;
        double vp = s->vectors[k * n + p], vq = s->vectors[k * n + q];
        s->vectors[k * n + p] = c * vp - sine * vq;
        s->vectors[k * n + q] = sine * vp + c * vq;
    }
}

/* Of s->products: values, and vectors as columns. */
static void eigenvectors(struct solver *s)
{
    size_t n = s->n;
    double *m = s->rest;
    memcpy(m, s->products, n * n * sizeof *m);
    memset(s->vectors, 0, n * n * sizeof *s->vectors);
    for (size_t i = 0; i < n; i++)
        s->vectors[i * n + i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                off += m[p * n + q] * m[p * n + q];
        if (off < 1e-30)
            break;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (fabs(m[p * n + q]) > 1e-18)
                    rotate(s, m, p, q);
    }
    for (size_t i = 0; i < n; i++)
        s->values[i] = m[i * n + i];
}

/* ---- the parts of a solution ---- */

static int prepare(struct solver *s,
                   const struct wtl_fit_sums *sums,
                   const struct wtl_fit_known *known)
{
    *s = (struct solver){.n = 0};
    for (size_t i = 0; i < sums->terms; i++)
        if (!known || isnan(known->value[i]))
            s->term[s->n++] = i;
    size_t n = s->n;
    s->products = calloc(3 * n * n + 1, sizeof *s->products);
    if (!s->products)
        return -ENOMEM;
    s->vectors = s->products + n * n;
    s->rest = s->vectors + n * n;
    for (size_t i = 0; i < n; i++) {
        size_t term = s->term[i];
        double own = product(sums, term, term);
        s->scale[i] = own > 0 ? sqrt(own) : 0;
        double right = rights(sums)[term];
        for (size_t k = 0; known && k < sums->terms; k++)
            if (!isnan(known->value[k]))
                right -= product(sums, term, k) * known->value[k];
        s->right[i] = s->scale[i] > 0 ? right / s->scale[i] : 0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (s->scale[i] > 0 && s->scale[j] > 0)
                s->products[i * n + j] =
                    product(sums, s->term[i], s->term[j]) / (s->scale[i] * s->scale[j]);
    return 0;
}

static double largest(const struct solver *s)
{
    double most = 0;
    for (size_t i = 0; i < s->n; i++)
        most = fmax(most, s->values[i]);
    return most;
}

static bool is_zero(const struct solver *s, size_t vector)
{
    return !(s->values[vector] > rank_least * largest(s));
}

/* The kernel in the units of x, orthonormal, into s->rest as rows; returns its dimension. */
static size_t kernel_of(const struct solver *s)
{
    size_t n = s->n, count = 0;
    for (size_t v = 0; v < n; v++) {
        if (!is_zero(s, v))
            continue;
        double *row = s->rest + count * n, length = 0;
        for (size_t i = 0; i < n; i++)
            row[i] = s->vectors[i * n + v] / (s->scale[i] > 0 ? s->scale[i] : 1);
        for (size_t k = 0; k < count; k++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += row[i] * s->rest[k * n + i];
            for (size_t i = 0; i < n; i++)
                row[i] -= along * s->rest[k * n + i];
        }
        for (size_t i = 0; i < n; i++)
            length += row[i] * row[i];
        for (size_t i = 0; i < n; i++)
            row[i] /= sqrt(length);
        count++;
    }
    return count;
}

/* The solution of least norm, in x. */
static void least_norm(const struct solver *s, size_t kernel, double *x)
{
    size_t n = s->n;
    memset(x, 0, n * sizeof *x);
    for (size_t v = 0; v < n; v++) {
        double along = 0;
        if (is_zero(s, v))
            continue;
        for (size_t i = 0; i < n; i++)
            along += s->vectors[i * n + v] * s->right[i];
        for (size_t i = 0; i < n; i++)
            x[i] += s->vectors[i * n + v] * along / s->values[v];
    }
    for (size_t i = 0; i < n; i++)
        x[i] = s->scale[i] > 0 ? x[i] / s->scale[i] : 0;
    for (size_t k = 0; k < kernel; k++) {
        double along = 0;
        for (size_t i = 0; i < n; i++)
            along += x[i] * s->rest[k * n + i];
        for (size_t i = 0; i < n; i++)
            x[i] -= along * s->rest[k * n + i];
    }
}

/* Unknowns that the kernel connects get the same group. */
static void find_groups(const struct solver *s, size_t kernel, struct wtl_fit *fit)
{
    size_t n = s->n;
    int mark[WTL_FIT_TERMS];
    for (size_t i = 0; i < n; i++) {
        double own = 0;
        for (size_t k = 0; k < kernel; k++)
            own += s->rest[k * n + i] * s->rest[k * n + i];
        mark[i] = own > kernel_least ? (int)i : -1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            double both = 0;
            for (size_t k = 0; k < kernel; k++)
                both += s->rest[k * n + i] * s->rest[k * n + j];
            if (mark[i] < 0 || mark[j] < 0 || mark[i] == mark[j] || fabs(both) < kernel_least)
                continue;
            int from = mark[j], to = mark[i];
            for (size_t k = 0; k < n; k++)
                mark[k] = mark[k] == from ? to : mark[k];
        }
    for (size_t i = 0; i < n; i++) {
        int group = -1;
        for (size_t j = 0; j < i && mark[i] >= 0; j++)
            if (mark[j] == mark[i])
                group = fit->group[s->term[j]];
        fit->group[s->term[i]] = mark[i] < 0 ? -1 : group >= 0 ? group : (int)fit->groups++;
    }
}

static void find_errors(const struct solver *s,
                        const struct wtl_fit_sums *sums,
                        struct wtl_fit *fit)
{
    size_t n = s->n;
    double df = (double)sums->equations - (double)fit->rank;
    double variance = df > 0 && sums->weight > 0 ? fit->rss / df : (double)NAN;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t v = 0; v < n; v++)
            if (!is_zero(s, v))
                sum += s->vectors[i * n + v] * s->vectors[i * n + v] / s->values[v];
        if (fit->group[s->term[i]] < 0 && s->scale[i] > 0)
            fit->error[s->term[i]] = sqrt(variance * sum) / s->scale[i];
    }
}

/* b'b - 2 x'A'b + x'A'A x, and the gradient. */
static void find_rest(const struct wtl_fit_sums *sums, struct wtl_fit *fit)
{
    const double *right = rights(sums);
    double rss = sums->square;
    for (size_t i = 0; i < sums->terms; i++) {
        double along = 0;
        for (size_t j = 0; j < sums->terms; j++)
            along += product(sums, i, j) * fit->x[j];
        fit->gradient[i] = right[i] - along;
        rss -= fit->x[i] * (right[i] + fit->gradient[i]);
    }
    fit->rss = fmax(rss, 0);
}

int wtl_fit_solve(const struct wtl_fit_sums *sums,
                  const struct wtl_fit_known *known,
                  enum wtl_fit_method method,
                  const double *start,
                  bool quick,
                  struct wtl_fit *ret_fit)
{
    struct solver s;
    struct wtl_fit *fit = ret_fit;
    double x[WTL_FIT_TERMS], from[WTL_FIT_TERMS];
    size_t kernel = 0;
    int rc = prepare(&s, sums, known);
    if (rc < 0)
        return rc;
    *fit = (struct wtl_fit){.terms = sums->terms};
    for (size_t i = 0; i < WTL_FIT_TERMS; i++) {
        fit->group[i] = -1;
        fit->error[i] = NAN;
    }
    if (!quick || method == WTL_FIT_OLS) {
        eigenvectors(&s);
        kernel = kernel_of(&s);
        fit->rank = s.n - kernel;
        find_groups(&s, kernel, fit);
    }
    if (method == WTL_FIT_OLS) {
        least_norm(&s, kernel, x);
    } else {
        for (size_t i = 0; i < s.n; i++)
            from[i] = start ? start[s.term[i]] * s.scale[i] : 0;
        wtl_bounds_solve(s.products, s.right, s.n, from, x);
        for (size_t i = 0; i < s.n; i++)
            x[i] = s.scale[i] > 0 ? x[i] / s.scale[i] : 0;
    }
    for (size_t i = 0; known && i < sums->terms; i++)
        fit->x[i] = known->value[i];
    for (size_t i = 0; i < s.n; i++)
        fit->x[s.term[i]] = x[i];
    find_rest(sums, fit);
    if (!quick)
        find_errors(&s, sums, fit);
    free(s.products);
    return 0;
}
