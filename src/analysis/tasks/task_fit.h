/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Least squares for few unknowns and many equations: minimise sum of w (a x - b)^2 from sums of products, so that
 * memory does not grow with the equations, and sums of blocks can be combined in any way (bootstrap).
 *
 * Some unknowns may be fixed. Of the others the solution says which cannot be told apart: a group are unknowns
 * for which different values give the same equations, and of which only their weighted sum is determined.
 * Without bounds the solution is the one of least norm; with x >= 0 it is that of Lawson and Hanson.
 */
#ifndef WTL_ANALYSIS_TASK_FIT_H
#define WTL_ANALYSIS_TASK_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* Most unknowns. */
enum { WTL_FIT_TERMS = 64 };

/* Sums over equations; zero but for `terms`, and `products` with room for terms x terms, then terms numbers. */
struct wtl_fit_sums {
    size_t terms;
    size_t equations;
    double weight;    /* sum of w */
    double square;    /* of w b b */
    double right;     /* of w b */
    double *products; /* [terms][terms], of w a a; the lower triangle; then [terms], of w a b */
};

/* Numbers of doubles that `products` needs. */
static inline size_t wtl_fit_room(size_t terms)
{
    return terms * terms + terms;
}

/* Add an equation with a[terms]; add the sums of others, `times` times (times may be negative). */
void wtl_fit_add(struct wtl_fit_sums *sums, const double *a, double b, double w);
void wtl_fit_merge(struct wtl_fit_sums *sums, const struct wtl_fit_sums *others, double times);

enum wtl_fit_method {
    WTL_FIT_NNLS, /* x >= 0 */
    WTL_FIT_OLS   /* any x */
};

/* What is known before: NaN = to be found. */
struct wtl_fit_known {
    double value[WTL_FIT_TERMS];
};

struct wtl_fit {
    size_t terms, rank; /* rank: of the unknowns that are not fixed */
    double x[WTL_FIT_TERMS];
    double
        gradient[WTL_FIT_TERMS]; /* A'(b - A x); at the optimum 0, or <= 0 where x = 0 is a bound */
    double rss;
    /* Group of each unknown, from 0, -1 = it is determined on its own, or fixed; the number of groups. An unknown that
     * occurs in no equation is a group of one. */
    int group[WTL_FIT_TERMS];
    size_t groups;
    double error
        [WTL_FIT_TERMS]; /* standard error for independent errors of equal size; NaN = not determined */
};

/*
 * Solve. `start` (may be NULL) is a solution for similar sums, from which x >= 0 is found faster. quick: only x and
 * rss. Returns 0 or -ENOMEM.
 */
int wtl_fit_solve(const struct wtl_fit_sums *sums,
                  const struct wtl_fit_known *known,
                  enum wtl_fit_method method,
                  const double *start,
                  bool quick,
                  struct wtl_fit *ret_fit);

/*
 * The pseudo-inverse of the products of the unknowns that are not fixed, into ret[terms * terms], 0 for those that are.
 * Returns 0 or -ENOMEM.
 */
int wtl_fit_inverse(const struct wtl_fit_sums *sums,
                    const struct wtl_fit_known *known,
                    double *ret);

#endif
