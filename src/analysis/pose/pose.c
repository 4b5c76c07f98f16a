/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model: see pose.h. Every vertex is a point of equal cost on another ray, so only
 * pose_metric.c distinguishes closed forms and root finding.
 */
#include "analysis/pose/pose.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "base/fail.h"

const char *const wtl_pose_insight_names[WTL_POSE_INSIGHTS] = {
    "energy_saved",   "metric_improvement", "guaranteed_speedup",
    "worst_slowdown", "dominating_speedup",
};

/* Reject numbers so far from any machine's that products of them could overflow doubles. */
static int check_range(const char *name, double value, struct wattle_error *err)
{
    const double least = 1e-100, greatest = 1e100;
    if (value >= least && value <= greatest)
        return 0;
    return wtl_fail(err, -ERANGE, "%s of %.6g is outside the range that can be computed, %g to %g",
                    name, value, least, greatest);
}

static int check_powers(double pmin_w, double pmax_w, struct wattle_error *err)
{
    if (!isfinite(pmin_w) || !isfinite(pmax_w) || pmin_w < 0)
        return wtl_fail(err, -EINVAL, "power bounds must be in watts, 0 or more");
    if (pmin_w >= pmax_w)
        return wtl_fail(err, -EINVAL, "Pmin (%.6g W) must be below Pmax (%.6g W)", pmin_w, pmax_w);
    int rc = pmin_w > 0 ? check_range("a Pmin", pmin_w, err) : 0;
    return rc < 0 ? rc : check_range("a Pmax", pmax_w, err);
}

static int check_code(const struct wtl_pose_code *code, struct wattle_error *err)
{
    if (!isfinite(code->t_s) || code->t_s <= 0)
        return wtl_fail(err, -EINVAL, "the run time must be in seconds and above 0");
    if (!isfinite(code->e_j) || code->e_j <= 0)
        return wtl_fail(err, -EINVAL, "the energy must be in joules and above 0");
    int rc = check_range("a run time", code->t_s, err);
    rc = rc < 0 ? rc : check_range("an energy", code->e_j, err);
    return rc < 0 ? rc : check_powers(code->pmin_w, code->pmax_w, err);
}

/* Widen a wedge. Vertices that a floor of 0 W puts at 0 or infinity are ignored. */
static void include(struct wtl_pose_wedge *wedge, double t_s, double power_w)
{
    if (!isfinite(t_s) || !(t_s > 0))
        return;
    *wedge = (struct wtl_pose_wedge){fmin(wedge->low_w, power_w), fmax(wedge->high_w, power_w),
                                     fmin(wedge->t_low, t_s), fmax(wedge->t_high, t_s)};
}

/*
 * Where the vertices must be if the metric does not fall. Points of equal cost on rays P and R with
 * P < R have run times t(R) <= t(P) <= t(R) R / P: there the energies are equal, and one of the run
 * times is longer. So they are between (low / high)^2 and high / low times the run time. Twice that
 * range is checked, for points nearby. Without a floor there is no such bound, so it is checked
 * again when they are known.
 */
static int check_metric(struct wtl_pose *pose,
                        const struct wtl_pose_metric *metric,
                        struct wattle_error *err)
{
    double t = pose->code.t_s;
    double low = fmin(pose->code.pmin_w, pose->p_w), high = fmax(pose->code.pmax_w, pose->p_w);
    double range = low > 0 ? low / high : 1.0 / 1024;
    struct wtl_pose_wedge wedge = {low / 2, high * 2, t * (low > 0 ? range * range : range) / 2,
                                   t / range * 2};
    for (int i = 0; i < WTL_POSE_VERTICES; i++)
        include(&wedge, pose->vertices[i].t_s, pose->p_w);
    pose->risen = wedge;
    return wtl_pose_metric_check(metric, &wedge, err);
}

static void set_vertices(struct wtl_pose *pose, const struct wtl_pose_metric *metric)
{
    double t = pose->code.t_s, p = pose->p_w;
    double low = pose->code.pmin_w, high = pose->code.pmax_w;
    double t_c = wtl_pose_metric_time(metric, t, low, p);
    double times[WTL_POSE_VERTICES] = {
        [WTL_POSE_A] = wtl_pose_metric_time(metric, t_c, low, high),
        [WTL_POSE_B] = wtl_pose_metric_time(metric, t, p, high),
        [WTL_POSE_C] = t_c,
        [WTL_POSE_D] = t,
        [WTL_POSE_E] = wtl_pose_metric_time(metric, t, p, low),
    };
    for (int i = 0; i < WTL_POSE_VERTICES; i++) {
        double power = i == WTL_POSE_A || i == WTL_POSE_B ? high : low;
        pose->vertices[i] = (struct wtl_pose_point){times[i], power > 0 ? power * times[i] : 0};
    }
}

/* Is a run time or energy exact to all digits, or 0 or infinite because of a floor of 0 W? */
static bool is_sound(double value, double pmin_w)
{
    return isnormal(value) || (pmin_w <= 0 && !isnan(value));
}

static int check_vertices(const struct wtl_pose *pose,
                          const struct wtl_pose_metric *metric,
                          struct wattle_error *err)
{
    for (int i = 0; i < WTL_POSE_VERTICES; i++) {
        const struct wtl_pose_point *v = &pose->vertices[i];
        if (is_sound(v->t_s, pose->code.pmin_w) && is_sound(v->e_j, pose->code.pmin_w))
            continue;
        if (metric->separable)
            return wtl_fail(err, -ERANGE,
                            "vertex %c of this code is outside the range that can be computed",
                            'A' + i);
        return wtl_fail(err, -EDOM,
                        "metric: \"%.200s\" does not increase clearly enough for vertex %c of this "
                        "code with %.6g s and %.6g J: different run times cost the same",
                        wtl_expression_text(metric->expression), 'A' + i, pose->code.t_s,
                        pose->code.e_j);
    }
    return 0;
}

static double finite_or_unknown(double value)
{
    return isfinite(value) ? value : (double)NAN;
}

static void set_insights(struct wtl_pose *pose, const struct wtl_pose_metric *metric)
{
    const struct wtl_pose_point *v = pose->vertices;
    double t = pose->code.t_s, e = pose->code.e_j, p = pose->p_w;
    double cost = wtl_pose_metric_value(metric, e, t);
    double best = wtl_pose_metric_value(metric, v[WTL_POSE_C].e_j, v[WTL_POSE_C].t_s);
    struct wtl_pose_value *i = pose->insights;
    i[WTL_POSE_ENERGY_SAVED] =
        (struct wtl_pose_value){e - v[WTL_POSE_D].e_j, e / v[WTL_POSE_D].e_j};
    i[WTL_POSE_METRIC_IMPROVEMENT] = (struct wtl_pose_value){
        isnormal(cost) ? finite_or_unknown(cost - best) : (double)NAN,
        metric->separable /* not computed from C's run time, whose last digit would count h times */
            ? pow(wtl_pose_metric_ratio(metric, t, p, t, pose->code.pmin_w), 2)
            : wtl_pose_metric_ratio(metric, t, p, v[WTL_POSE_C].t_s, pose->code.pmin_w),
    };
    i[WTL_POSE_GUARANTEED_SPEEDUP] =
        (struct wtl_pose_value){t - v[WTL_POSE_B].t_s, t / v[WTL_POSE_B].t_s};
    i[WTL_POSE_WORST_SLOWDOWN] =
        (struct wtl_pose_value){finite_or_unknown(v[WTL_POSE_E].t_s - t), v[WTL_POSE_E].t_s / t};
    i[WTL_POSE_DOMINATING_SPEEDUP] =
        (struct wtl_pose_value){t - v[WTL_POSE_A].t_s, t / v[WTL_POSE_A].t_s};
    pose->scope = t / wtl_pose_metric_time(metric, v[WTL_POSE_C].t_s, pose->code.pmin_w, p);
}

enum wtl_pose_stance wtl_pose_stance_of(double scope)
{
    if (isinf(scope))
        return WTL_POSE_POWER_UNLIMITED;
    return scope >= 1.15    ? WTL_POSE_POWER_TOO
           : scope >= 1.05  ? WTL_POSE_RUN_TIME_FIRST
           : scope >= 1.005 ? WTL_POSE_RUN_TIME_MOSTLY
                            : WTL_POSE_RUN_TIME_ONLY;
}

/* A power that equals a bound up to the rounding of E / t is on it. */
static const double last_digits = 1e-12;

int wtl_pose_of(const struct wtl_pose_code *code,
                const struct wtl_pose_metric *metric,
                struct wtl_pose *ret_pose,
                struct wattle_error *err)
{
    int rc = check_code(code, err);
    if (rc < 0)
        return rc;
    struct wtl_pose pose = {.code = *code, .p_w = code->e_j / code->t_s};
    rc = check_metric(&pose, metric, err);
    if (rc < 0)
        return rc;
    set_vertices(&pose, metric);
    rc = check_vertices(&pose, metric, err);
    if (rc == 0 && code->pmin_w <= 0)
        rc = check_metric(&pose, metric, err);
    if (rc < 0)
        return rc;
    set_insights(&pose, metric);
    pose.warnings =
        (pose.p_w < code->pmin_w * (1 - last_digits) ? (unsigned)WTL_POSE_BELOW_FLOOR : 0) |
        (pose.p_w > code->pmax_w * (1 + last_digits) ? (unsigned)WTL_POSE_ABOVE_CEILING : 0) |
        (metric->separable ? 0 : (unsigned)WTL_POSE_TIME_MATTERS);
    *ret_pose = pose;
    return 0;
}

/* The relative insights rise with P except the third, which falls, so the maxima are those of a
 * code at Pmax and, for the third, of one at Pmin (equations 12 to 22 of the paper). */
int wtl_pose_system(double pmin_w,
                    double pmax_w,
                    const struct wtl_pose_metric *metric,
                    double ret_ratios[WTL_POSE_INSIGHTS],
                    struct wattle_error *err)
{
    struct wtl_pose_code hot = {.t_s = 1, .e_j = pmax_w, .pmin_w = pmin_w, .pmax_w = pmax_w};
    struct wtl_pose at_b, at_e;
    int rc = check_powers(pmin_w, pmax_w, err);
    if (rc < 0)
        return rc;
    if (!metric->separable)
        return wtl_fail(
            err, -ENOTSUP,
            "the system summary requires a metric whose ratios do not depend on run time: Et^N, "
            "EDS, EDD, or a homogeneous expression in E and t, such as E*t^2 or E + 300*t");
    rc = wtl_pose_of(&hot, metric, &at_b, err);
    if (rc < 0)
        return rc;
    struct wtl_pose_code cold = hot;
    cold.e_j = pmin_w > 0 ? pmin_w : pmax_w;
    rc = wtl_pose_of(&cold, metric, &at_e, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++)
        ret_ratios[i] = at_b.insights[i].ratio;
    ret_ratios[WTL_POSE_GUARANTEED_SPEEDUP] =
        pmin_w > 0 ? at_e.insights[WTL_POSE_GUARANTEED_SPEEDUP].ratio
                   : at_b.insights[WTL_POSE_WORST_SLOWDOWN].ratio; /* both are g(Pmax) / g(Pmin) */
    return 0;
}

double wtl_pose_optimisation_bound(const struct wtl_pose *pose,
                                   const struct wtl_pose_metric *metric,
                                   double x_s)
{
    return wtl_pose_metric_energy(metric, pose->code.e_j, pose->code.t_s, x_s);
}

double wtl_pose_optimisation_limit(const struct wtl_pose *pose,
                                   const struct wtl_pose_metric *metric,
                                   double x_s)
{
    const struct wtl_pose_point *c = &pose->vertices[WTL_POSE_C];
    return wtl_pose_metric_energy(metric, c->e_j, c->t_s, x_s);
}

/* Changing only power or only run time costs the same: M(t, R t) = M(x, P x) with R = E / x. */
double wtl_pose_contribution_bound(const struct wtl_pose *pose,
                                   const struct wtl_pose_metric *metric,
                                   double x_s)
{
    double t = pose->code.t_s;
    return wtl_pose_metric_energy(metric, pose->p_w * x_s, x_s, t) / t * x_s;
}

int wtl_pose_candidate_check(const struct wtl_pose *pose,
                             const struct wtl_pose_metric *metric,
                             struct wtl_pose_point candidate,
                             struct wattle_error *err)
{
    if (!isfinite(candidate.t_s) || candidate.t_s <= 0 || !isfinite(candidate.e_j) ||
        candidate.e_j <= 0)
        return wtl_fail(err, -EINVAL, "run time and energy of a candidate must be above 0");
    int rc = check_range("a candidate's run time", candidate.t_s, err);
    rc = rc < 0 ? rc : check_range("a candidate's energy", candidate.e_j, err);
    if (rc < 0)
        return rc;
    struct wtl_pose_wedge wedge = pose->risen, all = pose->risen;
    include(&all, candidate.t_s, candidate.e_j / candidate.t_s);
    bool inside = all.low_w >= wedge.low_w && all.high_w <= wedge.high_w &&
                  (metric->separable || (all.t_low >= wedge.t_low && all.t_high <= wedge.t_high));
    return inside ? 0 : wtl_pose_metric_check(metric, &all, err);
}

struct wtl_pose_verdict wtl_pose_classify(const struct wtl_pose *pose,
                                          const struct wtl_pose_metric *metric,
                                          struct wtl_pose_point candidate)
{
    double t = pose->code.t_s, p = pose->p_w;
    double x = candidate.t_s, r = candidate.e_j / x;
    const struct wtl_pose_point *c = &pose->vertices[WTL_POSE_C];
    double gain = wtl_pose_metric_ratio(metric, t, p, x, r);
    double by_power = wtl_pose_metric_ratio(metric, t, p, t, r);
    double by_time = wtl_pose_metric_ratio(metric, t, p, x, p);
    double limit = c->t_s > 0 ? wtl_pose_metric_ratio(metric, x, r, c->t_s, c->e_j / c->t_s)
                              : (double)INFINITY;
    struct wtl_pose_verdict verdict = {.region = WTL_POSE_WEAK_RUN_TIME,
                                       .gain = gain,
                                       .power_gain = by_power,
                                       .time_gain = by_time,
                                       .power_part = (double)NAN,
                                       .balance = wtl_pose_metric_log_ratio(metric, t, p, t, r) -
                                                  wtl_pose_metric_log_ratio(metric, t, p, x, p),
                                       .beyond = -log(limit)};
    if (!(gain > 1))
        verdict.region = WTL_POSE_DEGRADATION;
    else if (by_power > by_time) /* never below the limit, unless it or the code is below Pmin */
        verdict.region = WTL_POSE_POWER;
    else if (limit < 1)
        verdict.region = WTL_POSE_STRONG_RUN_TIME;
    if (gain > 1)
        verdict.power_part =
            0.5 + verdict.balance / (2 * wtl_pose_metric_log_ratio(metric, t, p, x, r));
    return verdict;
}
