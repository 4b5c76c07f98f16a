/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics and where they are equal: see pose_metric.h. */
#include "analysis/pose_metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

enum {
    GRID = 33,         /* points each way at which an expression is looked at */
    OCTAVES = 6,       /* each way from the run time */
    BISECTIONS = 1100, /* more than it takes from one end of the doubles to the other */
};

/* g of the header, for the three; of a separable expression from its own value. */
static double g_of(const struct wtl_pose_metric *metric, double p_w)
{
    switch (metric->kind) {
    case WTL_POSE_ET_N:
        return pow(p_w, 1 / metric->h);
    case WTL_POSE_EDS:
        return metric->alpha * p_w + metric->beta;
    case WTL_POSE_EDD:
        return hypot(metric->alpha * p_w, metric->beta);
    case WTL_POSE_EXPRESSION:
        break;
    }
    return pow(wtl_pose_metric_value(metric, p_w, 1), 1 / metric->h);
}

/* ---- text ---- */

/* A number, or arithmetic with numbers: "0.30/3.6e6". */
static int parse_parameter(const char *text, double *ret)
{
    struct wtl_expression *expression;
    if (wtl_expression_compile(text, NULL, 0, &expression, NULL) < 0)
        return -EINVAL;
    *ret = wtl_expression_value(expression, NULL);
    wtl_expression_destroy(expression);
    return isfinite(*ret) ? 0 : -EINVAL;
}

static int parse_pair(const char *text, struct wtl_pose_metric *metric, struct wattle_error *err)
{
    const char *comma = strchr(text, ',');
    size_t n = comma ? (size_t)(comma - text) : 0;
    char first[128];
    if (n == 0 || n >= sizeof first)
        return wtl_fail(err, -EINVAL,
                        "metric: expected EDS:ALPHA,BETA or EDD:ALPHA,BETA, for example EDS:1,900");
    memcpy(first, text, n);
    first[n] = '\0';
    if (parse_parameter(first, &metric->alpha) < 0 || parse_parameter(comma + 1, &metric->beta) < 0)
        return wtl_fail(err, -EINVAL,
                        "metric: \"%s\": ALPHA,BETA must be two numbers, for example 1,900, or "
                        "prices, 0.30/3.6e6,2.50/3600",
                        text);
    if (metric->alpha < 0 || metric->beta < 0 || metric->alpha + metric->beta <= 0)
        return wtl_fail(
            err, -EINVAL,
            "metric: \"%s\": ALPHA and BETA must not be negative, and one of them above 0", text);
    metric->separable = true;
    metric->h = 1;
    return 0;
}

/* "E", "Et", "Et^N", and the names that two of them go by: whether it is one of them. */
static bool is_et_n(const char *text, double *ret_n)
{
    *ret_n = 0;
    if (strcmp(text, "E") == 0)
        return true;
    *ret_n = 1;
    if (strcmp(text, "Et") == 0 || strcmp(text, "EDP") == 0)
        return true;
    *ret_n = 2;
    if (strcmp(text, "ED2P") == 0)
        return true;
    return strncmp(text, "Et^", 3) == 0 && wtl_parse_double(text + 3, ret_n) == 0;
}

int wtl_pose_metric_parse(const char *text,
                          struct wtl_pose_metric *ret_metric,
                          struct wattle_error *err)
{
    static const char *const variables[] = {"E", "t"};
    *ret_metric = (struct wtl_pose_metric){.alpha = 1, .h = (double)NAN};
    if (strncmp(text, "EDS", 3) == 0 || strncmp(text, "EDD", 3) == 0) {
        ret_metric->kind = text[2] == 'S' ? WTL_POSE_EDS : WTL_POSE_EDD;
        return parse_pair(text[3] == ':' ? text + 4 : "", ret_metric, err);
    }
    if (is_et_n(text, &ret_metric->n)) {
        if (!(ret_metric->n >= 0) || !isfinite(ret_metric->n))
            return wtl_fail(err, -EINVAL,
                            "metric: \"%s\": N must be 0 or more, or run time would be a gain",
                            text);
        ret_metric->kind = WTL_POSE_ET_N;
        ret_metric->separable = true;
        ret_metric->h = ret_metric->n + 1;
        return 0;
    }
    ret_metric->kind = WTL_POSE_EXPRESSION;
    int rc = wtl_expression_compile(text, variables, 2, &ret_metric->expression, err);
    if (rc == 0 && !wtl_expression_uses(ret_metric->expression, 0) &&
        !wtl_expression_uses(ret_metric->expression, 1)) {
        wtl_pose_metric_fini(ret_metric);
        return wtl_fail(err, -EINVAL, "metric: \"%s\": says nothing of energy E or time t", text);
    }
    return rc;
}

void wtl_pose_metric_fini(struct wtl_pose_metric *metric)
{
    wtl_expression_destroy(metric->expression);
    metric->expression = NULL;
}

/* ---- does it rise? ---- */

/* A place on the grid: power by rows, run time by columns, both in equal steps of the logarithm. */
struct grid {
    double t_s, low_w, high_w;
};

static void place(const struct grid *grid, int row, int column, double *ret_e_j, double *ret_t_s)
{
    double low = grid->low_w / 4;
    double span = log2(grid->high_w * 4 / low);
    *ret_t_s = grid->t_s * exp2((2.0 * column / (GRID - 1) - 1) * OCTAVES);
    *ret_e_j = low * exp2(span * row / (GRID - 1)) * grid->t_s;
}

static int check_place(const struct wtl_pose_metric *metric,
                       const struct grid *grid,
                       int row,
                       int column,
                       struct wattle_error *err)
{
    double e, t, more_e, more_t;
    const char *text = wtl_expression_text(metric->expression);
    place(grid, row, column, &e, &t);
    place(grid, row + 1, column + 1, &more_e, &more_t);
    double here = wtl_pose_metric_value(metric, e, t);
    double dearer = wtl_pose_metric_value(metric, more_e, t);
    double later = wtl_pose_metric_value(metric, e, more_t);
    if (!isfinite(here))
        return wtl_fail(err, -EDOM, "metric: \"%s\" has no value at E = %.6g J, t = %.6g s", text,
                        e, t);
    if (here < 0)
        return wtl_fail(err, -EDOM,
                        "metric: \"%s\" is negative at E = %.6g J, t = %.6g s; a cost is not", text,
                        e, t);
    double slack = 1e-12 * fabs(here);
    if (dearer < here - slack)
        return wtl_fail(err, -EDOM,
                        "metric: \"%s\" falls with energy from %.6g J to %.6g J at t = %.6g s",
                        text, e, more_e, t);
    if (later < here - slack)
        return wtl_fail(err, -EDOM,
                        "metric: \"%s\" falls with time from %.6g s to %.6g s at E = %.6g J", text,
                        t, more_t, e);
    if (wtl_pose_metric_value(metric, more_e, more_t) <= here + slack)
        return wtl_fail(err, -EDOM, "metric: \"%s\" does not rise at E = %.6g J, t = %.6g s", text,
                        e, t);
    return 0;
}

/* The exponent h by which the cost grows along the ray of a place, from one octave. */
static double exponent_at(const struct wtl_pose_metric *metric,
                          const struct grid *grid,
                          int row,
                          int column)
{
    double e, t;
    place(grid, row, column, &e, &t);
    return log2(wtl_pose_metric_value(metric, 2 * e, 2 * t) / wtl_pose_metric_value(metric, e, t));
}

static void look_for_exponent(struct wtl_pose_metric *metric, const struct grid *grid)
{
    double h = exponent_at(metric, grid, 0, 0);
    metric->separable = isfinite(h) && h > 0;
    for (int row = 0; row < GRID; row++) {
        for (int column = 0; metric->separable && column < GRID; column++)
            metric->separable = fabs(exponent_at(metric, grid, row, column) - h) <= 1e-9 * h;
    }
    metric->h = metric->separable ? h : (double)NAN;
}

int wtl_pose_metric_check(struct wtl_pose_metric *metric,
                          double t_s,
                          double low_w,
                          double high_w,
                          struct wattle_error *err)
{
    /* A floor of 0 W has no logarithm; a thousandth of the ceiling stands for it. */
    struct grid grid = {.t_s = t_s, .low_w = fmax(low_w, high_w / 1000), .high_w = high_w};
    if (metric->kind != WTL_POSE_EXPRESSION)
        return 0;
    int rc = 0;
    for (int row = 0; rc == 0 && row < GRID - 1; row++) {
        for (int column = 0; rc == 0 && column < GRID - 1; column++)
            rc = check_place(metric, &grid, row, column, err);
    }
    if (rc < 0)
        return rc;
    look_for_exponent(metric, &grid);
    return 0;
}

/* ---- values ---- */

double wtl_pose_metric_value(const struct wtl_pose_metric *metric, double e_j, double t_s)
{
    switch (metric->kind) {
    case WTL_POSE_ET_N:
        return e_j * pow(t_s, metric->n);
    case WTL_POSE_EDS:
        return metric->alpha * e_j + metric->beta * t_s;
    case WTL_POSE_EDD:
        return hypot(metric->alpha * e_j, metric->beta * t_s);
    case WTL_POSE_EXPRESSION:
        break;
    }
    return wtl_expression_value(metric->expression, (double[]){e_j, t_s});
}

double wtl_pose_metric_ratio(const struct wtl_pose_metric *metric,
                             double t_s,
                             double from_w,
                             double x_s,
                             double to_w)
{
    if (metric->kind == WTL_POSE_ET_N) /* (a/b)^h of g's roots would lose digits for large N */
        return from_w / to_w * pow(t_s / x_s, metric->h);
    if (metric->separable)
        return pow(t_s * g_of(metric, from_w) / (x_s * g_of(metric, to_w)), metric->h);
    return wtl_pose_metric_value(metric, from_w * t_s, t_s) /
           wtl_pose_metric_value(metric, to_w * x_s, x_s);
}

/* ---- where it is equal ---- */

/* What an unknown stands for: the time on a ray, or the energy at a time. */
struct search {
    const struct wtl_pose_metric *metric;
    double ray_w; /* NaN: x is energy */
    double t_s;
};

static double cost_at(const struct search *search, double x)
{
    if (isnan(search->ray_w))
        return wtl_pose_metric_value(search->metric, x, search->t_s);
    return wtl_pose_metric_value(search->metric, search->ray_w * x, x);
}

/* The x > 0 at which the rising cost reaches `want`, from `guess` outwards and then by halves of the
 * logarithm, which nothing that rises can escape. NaN when it is nowhere. */
static double solve(const struct search *search, double guess, double want)
{
    double low = guess, high = guess;
    if (!(guess > 0) || !isfinite(guess) || !isfinite(want))
        return (double)NAN;
    while (cost_at(search, low) > want && low > 1e-300)
        low /= 4;
    while (cost_at(search, high) < want && high < 1e300)
        high *= 4;
    if (!(cost_at(search, low) <= want) || !(cost_at(search, high) >= want))
        return (double)NAN;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = sqrt(low) * sqrt(high);
        if (!(middle > low) || !(middle < high))
            break;
        if (cost_at(search, middle) < want)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double wtl_pose_metric_time(const struct wtl_pose_metric *metric,
                            double t_s,
                            double from_w,
                            double to_w)
{
    if (metric->separable)
        return t_s * (g_of(metric, from_w) / g_of(metric, to_w));
    struct search search = {.metric = metric, .ray_w = to_w, .t_s = t_s};
    return solve(&search, t_s, wtl_pose_metric_value(metric, from_w * t_s, t_s));
}

double wtl_pose_metric_energy(const struct wtl_pose_metric *metric,
                              double e_j,
                              double t_s,
                              double x_s)
{
    double rest;
    switch (metric->kind) {
    case WTL_POSE_ET_N:
        return e_j * pow(t_s / x_s, metric->n);
    case WTL_POSE_EDS:
        if (metric->alpha <= 0) /* only run time counts: every energy, or none */
            return x_s <= t_s ? e_j : (double)NAN;
        rest = e_j + metric->beta / metric->alpha * (t_s - x_s);
        return rest >= 0 ? rest : (double)NAN;
    case WTL_POSE_EDD:
        if (metric->alpha <= 0)
            return x_s <= t_s ? e_j : (double)NAN;
        rest = metric->beta / metric->alpha;
        rest = e_j * e_j + rest * rest * (t_s - x_s) * (t_s + x_s);
        return rest >= 0 ? sqrt(rest) : (double)NAN;
    case WTL_POSE_EXPRESSION:
        break;
    }
    struct search search = {.metric = metric, .ray_w = (double)NAN, .t_s = x_s};
    double want = wtl_pose_metric_value(metric, e_j, t_s);
    return cost_at(&search, 0) > want ? (double)NAN : solve(&search, e_j, want);
}
