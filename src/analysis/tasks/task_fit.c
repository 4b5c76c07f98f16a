/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Least squares from sums of products (task_fit.h). Columns are scaled to unit length; rank and kernel come from the
 * eigenvectors of their products, by Jacobi's rotations. Unknowns belong together if the projection on the kernel has
 * an entry for both: it is block diagonal where the kernel falls apart.
 */
#include "analysis/tasks/task_fit.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- least squares with x >= 0 ---- */

/* Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, on sums of products. */

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

/*
 * Minimise x' P x - 2 r' x over x >= 0, where P[n][n] is symmetric with ones, or zeros, on its diagonal and n is at most
 * WTL_FIT_TERMS. `from` is where the search begins; those of its values that are not positive begin at the bound. Of
 * columns that depend on each other only one gets a value.
 */
static void bounds_solve(const double *p,
                         const double *r,
                         size_t n,
                         const double *from,
                         double *ret_x)
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

/* ---- the solver ---- */

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

/* Entry of the projection on the kernel. */
static double projection(const struct solver *s, size_t kernel, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < kernel; k++)
        sum += s->rest[k * s->n + i] * s->rest[k * s->n + j];
    return sum;
}

static void join(int *mark, size_t n, int from, int to)
{
    for (size_t k = 0; k < n; k++)
        mark[k] = mark[k] == from ? to : mark[k];
}

/* Unknowns that the kernel connects get the same group. */
static void find_groups(const struct solver *s, size_t kernel, struct wtl_fit *fit)
{
    size_t n = s->n;
    int mark[WTL_FIT_TERMS], number[WTL_FIT_TERMS];
    for (size_t i = 0; i < n; i++) {
        mark[i] = projection(s, kernel, i, i) > kernel_least ? (int)i : -1;
        number[i] = -1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (mark[i] >= 0 && mark[j] >= 0 && fabs(projection(s, kernel, i, j)) >= kernel_least)
                join(mark, n, mark[j], mark[i]);
    /* A mark is the number of one of the unknowns of its group. */
    for (size_t i = 0; i < n; i++) {
        if (mark[i] < 0)
            continue;
        if (number[mark[i]] < 0)
            number[mark[i]] = (int)fit->groups++;
        fit->group[s->term[i]] = number[mark[i]];
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
    double x[WTL_FIT_TERMS], from[WTL_FIT_TERMS] = {0};
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
        bounds_solve(s.products, s.right, s.n, from, x);
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

int wtl_fit_inverse(const struct wtl_fit_sums *sums, const struct wtl_fit_known *known, double *ret)
{
    struct solver s;
    if (prepare(&s, sums, known) < 0)
        return -ENOMEM;
    eigenvectors(&s);
    memset(ret, 0, sums->terms * sums->terms * sizeof *ret);
    for (size_t i = 0; i < s.n; i++)
        for (size_t j = 0; j < s.n; j++) {
            double sum = 0;
            for (size_t v = 0; v < s.n; v++)
                if (!is_zero(&s, v))
                    sum += s.vectors[i * s.n + v] * s.vectors[j * s.n + v] / s.values[v];
            if (s.scale[i] > 0 && s.scale[j] > 0)
                ret[s.term[i] * sums->terms + s.term[j]] = sum / (s.scale[i] * s.scale[j]);
        }
    free(s.products);
    return 0;
}
