/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal equations. For each smt_part, the subset of terms with valid coefficients and the smallest
 * residual is used. */
#include "account/node_fit.h"

#include <errno.h>
#include <math.h>

enum { ANY, CORE, FIRST_RATIO };

/* A pivot below this part of its term's own square: the looks cannot distinguish that term from the others. */
static const double determined = 1e-4;

/* An smt_part is considered better only if it lowers the residual by this part. */
static const double better = 1e-3;

/* F statistic of ratios that explain something; part of the sum of squares that rounding reaches. */
static const double significant = 10, still_significant = 3, rounding = 1e-9;

/* Looks from which the next one is predicted; predictions that make an error; part that each look has in a moving sum. */
enum { FROM_LOOKS = 10, PREDICTED_LOOKS = 10 };
static const double newest = 1.0 / 60;

/* Largest error of a prediction, and the largest part of that by CPU time. */
static const double small_error = 0.1, still_small_error = 0.15, of_by_time = 1 / 1.5,
                    still_of_by_time = 1 / 1.1;

static double smt_part_of(unsigned step)
{
    return step / (WTL_NODE_SMT_STEPS - 1.0);
}

static unsigned step_of(const struct wtl_node_model *model)
{
    return (unsigned)lround(model->smt_part * (WTL_NODE_SMT_STEPS - 1));
}

/* Eliminate a term from the other equations. False if it is not determined. */
static bool eliminate(double a[][WTL_NODE_TERMS + 1], unsigned term, double own)
{
    if (a[term][term] <= determined * own)
        return false;
    for (unsigned row = 0; row < WTL_NODE_TERMS; row++) {
        double factor = row == term ? 0 : a[row][term] / a[term][term];
        for (unsigned k = 0; factor != 0 && k <= WTL_NODE_TERMS; k++)
            a[row][k] -= factor * a[term][k];
    }
    return true;
}

/* Solve for the terms of the set; the others are 0. False if they are not determined, or one is negative. */
static bool solve(const struct wtl_node_sums *sums, unsigned set, double *x)
{
    double a[WTL_NODE_TERMS][WTL_NODE_TERMS + 1] = {{0}};
    for (unsigned i = 0; i < WTL_NODE_TERMS; i++) {
        for (unsigned k = 0; k < WTL_NODE_TERMS; k++)
            a[i][k] = set >> i & set >> k & 1 ? sums->products[i][k] : i == k;
        a[i][WTL_NODE_TERMS] = set >> i & 1 ? sums->targets[i] : 0;
    }
    for (unsigned i = 0; i < WTL_NODE_TERMS; i++)
        if (set >> i & 1 && !eliminate(a, i, sums->products[i][i]))
            return false;
    for (unsigned i = 0; i < WTL_NODE_TERMS; i++) {
        x[i] = a[i][WTL_NODE_TERMS] / a[i][i];
        if (x[i] < 0)
            return false;
    }
    return true;
}

static double residual(const struct wtl_node_fit *fit,
                       const struct wtl_node_sums *sums,
                       const double *x)
{
    double sum = fit->square;
    for (unsigned i = 0; i < WTL_NODE_TERMS; i++) {
        sum -= 2 * x[i] * sums->targets[i];
        for (unsigned k = 0; k < WTL_NODE_TERMS; k++)
            sum += x[i] * x[k] * sums->products[i][k];
    }
    return fmax(sum, 0);
}

struct solution {
    double x[WTL_NODE_TERMS], residual;
    unsigned set; /* 0 = none */
};

static struct solution best_with(const struct wtl_node_fit *fit,
                                 const struct wtl_node_sums *sums,
                                 size_t ratios)
{
    struct solution best = {.residual = INFINITY};
    for (unsigned set = 1; set < 1u << (FIRST_RATIO + ratios); set++) {
        struct solution one = {.set = set};
        if (!(set >> CORE) || !solve(sums, set, one.x))
            continue;
        one.residual = residual(fit, sums, one.x);
        if (one.residual < best.residual)
            best = one;
    }
    return best;
}

static struct solution best_of(const struct wtl_node_fit *fit, const struct wtl_node_sums *sums)
{
    return best_with(fit, sums, fit->ratios);
}

static double power_of(const struct solution *solution, const double *terms)
{
    double power_w = 0;
    for (unsigned i = 0; i < WTL_NODE_TERMS; i++)
        power_w += solution->x[i] * terms[i];
    return power_w;
}

/* Compare a look with what those before it say, before it is learnt. */
static void predict(struct wtl_node_fit *fit,
                    const struct wtl_node_sums *sums,
                    const double *terms,
                    double active_w,
                    size_t ratios)
{
    struct wtl_node_predicted *predicted = &fit->predicted;
    if (ratios == 0 || fit->looks < FROM_LOOKS)
        return;
    const struct solution with = best_with(fit, sums, ratios), without = best_with(fit, sums, 0);
    if (!with.set || !without.set)
        return;
    const double missed_w = power_of(&with, terms) - active_w,
                 by_time_w = power_of(&without, terms) - active_w;
    predicted->missed += missed_w * missed_w - newest * predicted->missed;
    predicted->missed_by_time += by_time_w * by_time_w - newest * predicted->missed_by_time;
    predicted->power += active_w * active_w - newest * predicted->power;
    predicted->looks++;
}

double wtl_node_fit_error(const struct wtl_node_fit *fit, bool ratios)
{
    const struct wtl_node_predicted *predicted = &fit->predicted;
    if (predicted->looks < PREDICTED_LOOKS || !(predicted->power > 0))
        return (double)NAN;
    return sqrt((ratios ? predicted->missed : predicted->missed_by_time) / predicted->power);
}

int wtl_node_fit_add(struct wtl_node_fit *fit,
                     const struct wtl_node_model *model,
                     const struct wtl_node_look *look,
                     const double *ratios,
                     size_t n)
{
    struct wtl_node_model with = *model;
    const unsigned usual = step_of(model);
    const double active_w = look->energy_j / look->seconds - model->idle_w;
    for (unsigned s = 0; s < WTL_NODE_SMT_STEPS; s++) {
        double terms[WTL_NODE_TERMS] = {0};
        with.smt_part = smt_part_of(s);
        int rc = wtl_node_terms(&with, look, ratios, n, terms);
        if (rc < 0)
            return rc;
        if (s == usual)
            predict(fit, &fit->sums[s], terms, active_w, n);
        for (unsigned i = 0; i < WTL_NODE_TERMS; i++) {
            for (unsigned k = 0; k < WTL_NODE_TERMS; k++)
                fit->sums[s].products[i][k] += terms[i] * terms[k];
            fit->sums[s].targets[i] += terms[i] * active_w;
        }
        fit->square += s ? 0 : active_w * active_w;
    }
    fit->ratios = n;
    fit->looks++;
    return 0;
}

/* Are looks predicted well with ratios, and better than by CPU time? False while that is unknown. */
static bool predicts(const struct wtl_node_fit *fit, bool still)
{
    const double error = wtl_node_fit_error(fit, true), by_time = wtl_node_fit_error(fit, false);
    return error <= (still ? still_small_error : small_error) &&
           error <= (still ? still_of_by_time : of_by_time) * by_time;
}

bool wtl_node_fit_tells(const struct wtl_node_fit *fit,
                        const struct wtl_node_model *model,
                        bool still)
{
    unsigned step = step_of(model);
    struct solution with = best_of(fit, &fit->sums[step]),
                    without = best_with(fit, &fit->sums[step], 0);
    double rest = (double)fit->looks - (double)(FIRST_RATIO + fit->ratios);
    double gain = without.residual - with.residual;
    return fit->ratios > 0 && rest > 0 && with.set && without.set &&
           gain > rounding * fit->square &&
           gain * rest >
               (still ? still_significant : significant) * (double)fit->ratios * with.residual &&
           predicts(fit, still);
}

int wtl_node_fit_solve(const struct wtl_node_fit *fit,
                       struct wtl_node_model *model,
                       struct wtl_node_activity *ret_activity)
{
    unsigned step = step_of(model), usual = step;
    struct solution best = best_of(fit, &fit->sums[step]);
    const double least_gain = better * best.residual + 1e-12 * fit->square;
    for (unsigned s = 0; s < WTL_NODE_SMT_STEPS; s++) {
        struct solution one = best_of(fit, &fit->sums[s]);
        if (one.residual < best.residual - (step == usual ? least_gain : 0)) {
            best = one;
            step = s;
        }
    }
    if (!best.set)
        return -ENODATA;
    if (step != usual)
        model->smt_part = smt_part_of(step);
    if (best.set >> ANY & 1)
        model->activation_w = best.x[ANY];
    *ret_activity = (struct wtl_node_activity){.core_w = best.x[CORE]};
    for (size_t k = 0; k < fit->ratios; k++)
        ret_activity->ratio_w[k] = best.x[FIRST_RATIO + k];
    return 0;
}
