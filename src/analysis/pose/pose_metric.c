/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics and points of equal cost: see pose_metric.h. */
#include "analysis/pose/pose_metric.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/expression/expression.h"
#include "base/expression/expression_degree.h"
#include "base/expression/expression_slope.h"
#include "base/fail.h"
#include "base/parse.h"

/* ---- whether an expression falls ---- */

/*
 * Does an expression in E and t fall anywhere between two powers and two run times? Answered by
 * bounds of its slopes (base/expression/expression_slope.h) over parts of that wedge, halved where
 * the bounds are not conclusive: a proof if it does not fall, two points if it does, and "cannot be
 * shown" if neither is found within a limited effort. Flat parts and upward jumps are allowed.
 */

enum {
    PARTS = 4000, /* parts checked before giving up */
    DEPTH = 64,   /* halvings of a part; also the maximum number waiting */
};
static const double rounding = 1e-12; /* a decrease by this fraction is due to rounding */

struct part {
    struct wtl_span w, s; /* powers, run times */
};

struct rise_search {
    const struct wtl_expression *expression;
    struct part waiting[DEPTH + 2];
    int count;
    struct wattle_error *err;
};

struct point {
    double e_j, t_s, cost;
};

static int point_at(const struct rise_search *search,
                    double e_j,
                    double t_s,
                    struct point *ret_point)
{
    double cost = wtl_expression_value(search->expression, (const double[]){e_j, t_s});
    *ret_point = (struct point){e_j, t_s, cost};
    if (isfinite(cost))
        return 0;
    return wtl_fail(search->err, -EDOM, "metric: \"%.200s\" %s at E = %.6g J, t = %.6g s",
                    wtl_expression_text(search->expression),
                    isnan(cost) ? "has no value" : "exceeds what can be computed", e_j, t_s);
}

/* Is the second point, which has no less of both, cheaper? */
static int compare(const struct rise_search *search,
                   double e_j,
                   double t_s,
                   double more_j,
                   double more_s)
{
    struct point a, b;
    int rc = point_at(search, e_j, t_s, &a);
    rc = rc < 0 ? rc : point_at(search, more_j, more_s, &b);
    if (rc < 0 || b.cost >= a.cost - rounding * fabs(a.cost))
        return rc;
    const char *text = wtl_expression_text(search->expression);
    if (more_j > e_j)
        return wtl_fail(search->err, -EDOM,
                        "metric: \"%.200s\" decreases with energy, from %.15g at %.10g J to %.15g "
                        "at %.10g J, for t = %.10g s",
                        text, a.cost, e_j, b.cost, more_j, t_s);
    return wtl_fail(search->err, -EDOM,
                    "metric: \"%.200s\" decreases with time, from %.15g at %.10g s to %.15g at "
                    "%.10g s, for E = %.10g J",
                    text, a.cost, t_s, b.cost, more_s, e_j);
}

/* Along the edges of a part, and across its interior. */
static int check_edges(const struct rise_search *search, const struct part *part)
{
    double low = part->w.low, high = part->w.high, from = part->s.low, to = part->s.high;
    int rc = compare(search, low * from, from, high * from, from);
    rc = rc < 0 ? rc : compare(search, low * to, to, high * to, to);
    double e = high * from, later = low > 0 ? fmin(to, e / low) : to;
    rc = rc < 0 ? rc : compare(search, e, from, e, later);
    e = low * to;
    return rc < 0 ? rc : compare(search, e, fmax(from, e / high), e, to);
}

/* ---- bounds of its slopes ---- */

/* How far it may fall within the part, according to the bounds; infinite = unknown. */
static double fall_over(const struct wtl_expression *expression, const struct part *part)
{
    const struct wtl_span box[] = {{part->w.low * part->s.low, part->w.high * part->s.high},
                                   part->s};
    double fall = 0;
    for (unsigned v = 0; v < 2; v++) {
        struct wtl_slope slope = wtl_expression_slope(expression, box, v);
        if (!slope.defined || !isfinite(slope.value.low) || !isfinite(slope.value.high))
            return INFINITY;
        if (slope.slope.low < 0)
            fall = fmax(fall, -slope.slope.low * (box[v].high - box[v].low) -
                                  rounding * fabs(slope.value.low));
    }
    return fall;
}

static double middle_of(const struct wtl_span *span)
{
    if (span->high < 4 * span->low)
        return span->low + (span->high - span->low) / 2;
    return span->low > 0 ? sqrt(span->low) * sqrt(span->high) : span->high / 1024;
}

/* Replace a part with its halves, cut in the way that leaves the least in doubt. False if it cannot
 * be cut. */
static bool cut(struct rise_search *search, const struct part *part)
{
    double w = middle_of(&part->w), s = middle_of(&part->s);
    struct part by_power[2] = {*part, *part}, by_time[2] = {*part, *part};
    bool can_w = w > part->w.low && w<part->w.high, can_s = s> part->s.low && s < part->s.high;
    if ((!can_w && !can_s) || search->count + 2 > DEPTH + 2)
        return false;
    by_power[0].w.high = by_power[1].w.low = w;
    by_time[0].s.high = by_time[1].s.low = s;
    double fall_w =
        fall_over(search->expression, &by_power[0]) + fall_over(search->expression, &by_power[1]);
    double fall_s =
        fall_over(search->expression, &by_time[0]) + fall_over(search->expression, &by_time[1]);
    bool wider = part->w.high / part->w.low > part->s.high / part->s.low;
    bool power = can_w && (!can_s || fall_w < fall_s || (!(fall_s < fall_w) && wider));
    search->waiting[search->count++] = power ? by_power[1] : by_time[1];
    search->waiting[search->count++] = power ? by_power[0] : by_time[0];
    return true;
}

static int not_shown(const struct rise_search *search, const struct part *part)
{
    return wtl_fail(search->err, -EDOM,
                    "metric: \"%.200s\" cannot be shown to increase around E = %.6g J, t = %.6g s; "
                    "simplify it, with E and t once each if possible",
                    wtl_expression_text(search->expression), part->w.low * part->s.low,
                    part->s.low);
}

/*
 * Returns 0 if it rises or stays constant in energy and in run time over the whole wedge, and is a
 * non-negative number everywhere; -EDOM with the points and the values there if it falls, is
 * negative or has no value, or if this cannot be shown. At most about 10^4 evaluations.
 */
static int pose_rise_check(const struct wtl_expression *expression,
                           const struct wtl_pose_wedge *wedge,
                           struct wattle_error *err)
{
    struct rise_search search = {.expression = expression, .count = 1, .err = err};
    struct point least; /* the cheapest so far */
    search.waiting[0] = (struct part){{wedge->low_w, wedge->high_w}, {wedge->t_low, wedge->t_high}};
    int rc = check_edges(&search, &search.waiting[0]);
    rc = rc < 0 ? rc : point_at(&search, wedge->low_w * wedge->t_low, wedge->t_low, &least);
    if (rc == 0 && least.cost < 0)
        rc = wtl_fail(
            err, -EDOM,
            "metric: \"%.200s\" is negative at E = %.6g J, t = %.6g s; costs must not be negative",
            wtl_expression_text(expression), least.e_j, least.t_s);
    for (int seen = 0; rc == 0 && search.count > 0; seen++) {
        struct part part = search.waiting[--search.count];
        rc = check_edges(&search, &part);
        if (rc == 0 && fall_over(expression, &part) > 0 && (seen >= PARTS || !cut(&search, &part)))
            rc = not_shown(&search, &part);
    }
    return rc;
}

/* ---- the metric ---- */

/* Beyond these, products of four could overflow doubles; no joule, second or price comes near. */
static const double least = 1e-100, greatest = 1e100;

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

static bool is_extreme(double value)
{
    return value != 0 && !(value >= least && value <= greatest);
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
                        "metric: \"%s\": ALPHA,BETA must be two numbers such as 1,900, or prices "
                        "such as 0.30/3.6e6,2.50/3600",
                        text);
    if (metric->alpha < 0 || metric->beta < 0 || metric->alpha + metric->beta <= 0)
        return wtl_fail(
            err, -EINVAL,
            "metric: \"%s\": ALPHA and BETA must not be negative, and one of them above 0", text);
    if (is_extreme(metric->alpha) || is_extreme(metric->beta))
        return wtl_fail(err, -EINVAL, "metric: \"%s\": ALPHA and BETA must be within %g and %g",
                        text, least, greatest);
    metric->separable = true;
    metric->h = 1;
    return 0;
}

/* Is it "Et^N", or one of the names "E" and "Et" for two of them? */
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
            return wtl_fail(
                err, -EINVAL,
                "metric: \"%s\": N must be 0 or more, otherwise longer runs would cost less", text);
        ret_metric->kind = WTL_POSE_ET_N;
        ret_metric->separable = true;
        ret_metric->h = ret_metric->n + 1;
        return 0;
    }
    if (strncmp(text, "Et^", 3) == 0)
        return wtl_fail(err, -EINVAL, "metric: \"%s\": N must be a number, 0 or more", text);
    struct wattle_error why = {""};
    ret_metric->kind = WTL_POSE_EXPRESSION;
    int rc = wtl_expression_compile(text, variables, 2, &ret_metric->expression, &why);
    if (rc < 0)
        return wtl_fail(err, rc, "metric: %s", why.text);
    if (!wtl_expression_uses(ret_metric->expression, 0) &&
        !wtl_expression_uses(ret_metric->expression, 1)) {
        wtl_pose_metric_fini(ret_metric);
        return wtl_fail(err, -EINVAL, "metric: \"%s\": uses neither energy E nor time t", text);
    }
    double h = wtl_expression_degree(ret_metric->expression);
    ret_metric->separable = h > 0;
    ret_metric->h = h > 0 ? h : (double)NAN;
    return 0;
}

void wtl_pose_metric_fini(struct wtl_pose_metric *metric)
{
    wtl_expression_destroy(metric->expression);
    metric->expression = NULL;
}

int wtl_pose_metric_check(const struct wtl_pose_metric *metric,
                          const struct wtl_pose_wedge *wedge,
                          struct wattle_error *err)
{
    struct wtl_pose_wedge thin = *wedge;
    if (metric->kind != WTL_POSE_EXPRESSION)
        return 0;
    if (metric->separable) { /* what holds for some run times holds for all */
        thin.t_low = sqrt(wedge->t_low) * sqrt(wedge->t_high);
        thin.t_high = thin.t_low * 1.001;
    }
    return pose_rise_check(metric->expression, &thin, err);
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

/* NaN if the value is so small that digits are lost, or too large. */
static double sound_value(const struct wtl_pose_metric *metric, double e_j, double t_s)
{
    double value = wtl_pose_metric_value(metric, e_j, t_s);
    return fpclassify(value) == FP_NORMAL || fpclassify(value) == FP_ZERO ? value : (double)NAN;
}

/* f(P) / f(R) of a separable metric. t_s: a run time at which an expression can be evaluated. */
static double f_ratio(const struct wtl_pose_metric *metric, double from_w, double to_w, double t_s)
{
    /* Only their ratio matters, so scale them to avoid underflow. */
    double scale = fmax(metric->alpha, metric->beta);
    double alpha = metric->alpha / scale, beta = metric->beta / scale;
    switch (metric->kind) {
    case WTL_POSE_ET_N:
        return from_w / to_w;
    case WTL_POSE_EDS:
        return (alpha * from_w + beta) / (alpha * to_w + beta);
    case WTL_POSE_EDD:
        return hypot(alpha * from_w, beta) / hypot(alpha * to_w, beta);
    case WTL_POSE_EXPRESSION:
        break;
    }
    return sound_value(metric, from_w * t_s, t_s) / sound_value(metric, to_w * t_s, t_s);
}

double wtl_pose_metric_ratio(const struct wtl_pose_metric *metric,
                             double t_s,
                             double from_w,
                             double x_s,
                             double to_w)
{
    if (metric->separable)
        return f_ratio(metric, from_w, to_w, t_s) * pow(t_s / x_s, metric->h);
    return wtl_pose_metric_value(metric, from_w * t_s, t_s) /
           wtl_pose_metric_value(metric, to_w * x_s, x_s);
}

double wtl_pose_metric_log_ratio(const struct wtl_pose_metric *metric,
                                 double t_s,
                                 double from_w,
                                 double x_s,
                                 double to_w)
{
    if (metric->separable)
        return log(f_ratio(metric, from_w, to_w, t_s)) + metric->h * log(t_s / x_s);
    return log(wtl_pose_metric_value(metric, from_w * t_s, t_s)) -
           log(wtl_pose_metric_value(metric, to_w * x_s, x_s));
}

/* ---- points of equal cost ---- */

/* What the unknown is: the time on a ray, or the energy at a time. */
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

/* The smallest x of low .. high at which the cost is not below `want`, by bisection down to
 * adjacent numbers. NaN if it is not between the two. */
static double bisect(const struct search *search, double low, double high, double want)
{
    double slack = 1e-12 * want;
    if (!(cost_at(search, low) <= want + slack) || !(cost_at(search, high) >= want - slack))
        return (double)NAN;
    while (true) {
        double middle = high > 4 * low ? sqrt(low) * sqrt(high) : low + (high - low) / 2;
        if (!(middle > low) || !(middle < high))
            return high;
        if (cost_at(search, middle) < want)
            low = middle;
        else
            high = middle;
    }
}

/* Go from x in steps of `factor` to where the cost has passed `want`; 0 or infinite if it does
 * not. */
static double reach(const struct search *search, double x, double factor, double want)
{
    while (factor > 1 ? cost_at(search, x) < want : cost_at(search, x) > want) {
        x *= factor;
        if (x < least || x > greatest)
            return factor > 1 ? (double)INFINITY : 0;
    }
    return x;
}

/* Accept a result if slightly less costs less, and slightly more costs more. */
static double certain(const struct search *search, double x, double want)
{
    const double little = 5e-10;
    bool rises = cost_at(search, x - x * little) < want && cost_at(search, x + x * little) > want;
    return rises ? x : (double)NAN;
}

static double find_time(const struct wtl_pose_metric *metric,
                        double t_s,
                        double from_w,
                        double to_w)
{
    struct search search = {.metric = metric, .ray_w = to_w};
    double want = wtl_pose_metric_value(metric, from_w * t_s, t_s);
    /* Here the energies are equal; at the other end the times are. */
    double far = from_w > 0 && to_w > 0 ? t_s * (from_w / to_w)
                 : from_w > to_w        ? reach(&search, t_s, 4, want)
                 : from_w < to_w        ? reach(&search, t_s, 0.25, want)
                                        : t_s;
    if (!isfinite(want) || far <= 0 || isinf(far))
        return isfinite(want) ? far : (double)NAN;
    double x = bisect(&search, fmin(t_s, far), fmax(t_s, far), want);
    return certain(&search, x, want);
}

double wtl_pose_metric_time(const struct wtl_pose_metric *metric,
                            double t_s,
                            double from_w,
                            double to_w)
{
    if (!metric->separable)
        return find_time(metric, t_s, from_w, to_w);
    return t_s > 0 ? t_s * pow(f_ratio(metric, from_w, to_w, t_s), 1 / metric->h) : t_s;
}

static double finite_or_none(double value)
{
    return value >= 0 && isfinite(value) ? value : (double)NAN;
}

/* sqrt(E^2 + b^2 (t^2 - x^2)), without overflow of the squares or loss of digits in their
 * difference. */
static double distance_energy(double e_j, double t_s, double x_s, double b_w)
{
    double all = hypot(e_j, b_w * t_s), rest = e_j * (e_j / (all + b_w * t_s)) + b_w * (t_s - x_s);
    return rest >= 0 ? sqrt(rest) * sqrt(all + b_w * x_s) : (double)NAN;
}

static double find_energy(const struct wtl_pose_metric *metric, double e_j, double t_s, double x_s)
{
    struct search search = {.metric = metric, .ray_w = (double)NAN, .t_s = x_s};
    double want = wtl_pose_metric_value(metric, e_j, t_s);
    if (!isfinite(want) || cost_at(&search, 0) > want)
        return (double)NAN;
    double low = reach(&search, e_j, 0.25, want), high = reach(&search, e_j, 4, want);
    return isfinite(high) ? bisect(&search, low, high, want) : (double)NAN;
}

double wtl_pose_metric_energy(const struct wtl_pose_metric *metric,
                              double e_j,
                              double t_s,
                              double x_s)
{
    double b_w = metric->beta / metric->alpha;
    switch (metric->kind) {
    case WTL_POSE_ET_N:
        return finite_or_none(e_j * pow(t_s / x_s, metric->n));
    case WTL_POSE_EDS:
    case WTL_POSE_EDD:
        if (metric->alpha <=
            0) /* only run time counts: any energy at the run time of the code, else none */
            return x_s >= t_s && x_s <= t_s ? e_j : (double)NAN;
        return finite_or_none(metric->kind == WTL_POSE_EDS ? e_j + b_w * (t_s - x_s)
                                                           : distance_energy(e_j, t_s, x_s, b_w));
    case WTL_POSE_EXPRESSION:
        break;
    }
    return find_energy(metric, e_j, t_s, x_s);
}
