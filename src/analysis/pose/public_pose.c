/* SPDX-License-Identifier: BSD-3-Clause */
/* The public API of the model: see <wattle/pose.h>. A thin layer over pose.h. */
#include <wattle/pose.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/pose/pose.h"
#include "analysis/pose/pose_interval.h"
#include "base/fail.h"
#include "base/sized.h"

_Static_assert((int)WATTLE_POSE_A == (int)WTL_POSE_A && (int)WATTLE_POSE_E == (int)WTL_POSE_E,
               "vertices have the same numbers");
_Static_assert((int)WATTLE_POSE_ENERGY_SAVED == (int)WTL_POSE_ENERGY_SAVED &&
                   (int)WATTLE_POSE_METRIC_IMPROVEMENT == (int)WTL_POSE_METRIC_IMPROVEMENT &&
                   (int)WATTLE_POSE_GUARANTEED_SPEEDUP == (int)WTL_POSE_GUARANTEED_SPEEDUP &&
                   (int)WATTLE_POSE_WORST_SLOWDOWN == (int)WTL_POSE_WORST_SLOWDOWN &&
                   (int)WATTLE_POSE_DOMINATING_SPEEDUP == (int)WTL_POSE_DOMINATING_SPEEDUP,
               "insights have the same numbers");
_Static_assert((int)WATTLE_POSE_BELOW_FLOOR == (int)WTL_POSE_BELOW_FLOOR &&
                   (int)WATTLE_POSE_ABOVE_CEILING == (int)WTL_POSE_ABOVE_CEILING &&
                   (int)WATTLE_POSE_TIME_MATTERS == (int)WTL_POSE_TIME_MATTERS,
               "warnings have the same bits");
_Static_assert((int)WATTLE_POSE_STRONG_RUN_TIME == (int)WTL_POSE_STRONG_RUN_TIME &&
                   (int)WATTLE_POSE_WEAK_RUN_TIME == (int)WTL_POSE_WEAK_RUN_TIME &&
                   (int)WATTLE_POSE_POWER == (int)WTL_POSE_POWER &&
                   (int)WATTLE_POSE_DEGRADATION == (int)WTL_POSE_DEGRADATION,
               "regions have the same numbers");

struct wattle_pose_metric {
    struct wtl_pose_metric metric;
};

struct wattle_pose {
    struct wtl_pose pose;
    struct wtl_pose_intervals intervals;
    const struct wtl_pose_metric *metric; /* borrowed */
};

static const struct wtl_sized code_sized = {
    "struct wattle_pose_code", sizeof(struct wattle_pose_code),
    offsetof(struct wattle_pose_code, pmax_interval_w) + sizeof(double)};
static const struct wtl_sized value_sized = {
    "struct wattle_pose_value", sizeof(struct wattle_pose_value),
    offsetof(struct wattle_pose_value, ratio_high) + sizeof(double)};
static const struct wtl_sized verdict_sized = {
    "struct wattle_pose_verdict", sizeof(struct wattle_pose_verdict),
    offsetof(struct wattle_pose_verdict, power_share) + sizeof(double)};

/* ---- metrics ---- */

int wattle_pose_metric_parse(const char *text,
                             struct wattle_pose_metric **ret_metric,
                             struct wattle_error *err)
{
    if (!text || !ret_metric)
        return wtl_fail(err, -EINVAL,
                        "pose: the text of a metric and the address of a struct wattle_pose_metric "
                        "* are required");
    struct wattle_pose_metric *metric = calloc(1, sizeof *metric);
    if (!metric)
        return wtl_no_memory_for(err, "pose");
    int rc = wtl_pose_metric_parse(text, &metric->metric, err);
    if (rc < 0) {
        free(metric);
        return rc;
    }
    *ret_metric = metric;
    return 0;
}

void wattle_pose_metric_free(struct wattle_pose_metric *metric)
{
    if (!metric)
        return;
    wtl_pose_metric_fini(&metric->metric);
    free(metric);
}

double wattle_pose_metric_value(const struct wattle_pose_metric *metric,
                                double energy_j,
                                double time_s)
{
    return metric ? wtl_pose_metric_value(&metric->metric, energy_j, time_s) : (double)NAN;
}

/* ---- models ---- */

static int no_metric(struct wattle_error *err)
{
    return wtl_fail(err, -EINVAL, "pose: metric is NULL; call wattle_pose_metric_parse() first");
}

static double known(double half)
{
    return half > 0 || half < 0 ? half : (double)NAN; /* negative values are refused later */
}

static int create(const struct wattle_pose_metric *metric,
                  struct wtl_pose_code *code,
                  struct wtl_pose_doubt *doubt,
                  struct wattle_pose **ret_pose,
                  struct wattle_error *err)
{
    struct wattle_pose *pose = calloc(1, sizeof *pose);
    if (!pose)
        return wtl_no_memory_for(err, "pose");
    pose->metric = &metric->metric;
    int rc = wtl_pose_of(code, pose->metric, &pose->pose, err);
    if (rc == 0 && wtl_pose_intervals_of(&pose->pose, pose->metric, doubt, &pose->intervals) < 0)
        rc = wtl_fail(err, -EINVAL, "pose: half widths of intervals must not be negative");
    if (rc < 0) {
        free(pose);
        return rc;
    }
    *ret_pose = pose;
    return 0;
}

static int take_code(const struct wattle_pose_metric *metric,
                     const struct wattle_pose_code *given,
                     struct wattle_pose **ret_pose,
                     struct wtl_pose_code *ret_code,
                     struct wtl_pose_doubt *ret_doubt,
                     struct wattle_error *err)
{
    struct wattle_pose_code code;
    if (!metric)
        return no_metric(err);
    if (!ret_pose)
        return wtl_fail(err, -EINVAL,
                        "pose: ret_pose is NULL; give the address of a struct wattle_pose *");
    int rc = wtl_sized_take(&code_sized, given, &code, err);
    if (rc < 0)
        return rc;
    *ret_code = (struct wtl_pose_code){code.time_s, code.energy_j, code.pmin_w, code.pmax_w};
    *ret_doubt = wtl_pose_doubt_unknown();
    ret_doubt->e_resolution_j = known(code.energy_interval_j);
    ret_doubt->pmin_half_w = known(code.pmin_interval_w);
    ret_doubt->pmax_half_w = known(code.pmax_interval_w);
    return 0;
}

int wattle_pose_create(const struct wattle_pose_metric *metric,
                       const struct wattle_pose_code *code,
                       struct wattle_pose **ret_pose,
                       struct wattle_error *err)
{
    struct wtl_pose_code own;
    struct wtl_pose_doubt doubt;
    int rc = take_code(metric, code, ret_pose, &own, &doubt, err);
    return rc < 0 ? rc : create(metric, &own, &doubt, ret_pose, err);
}

int wattle_pose_create_of_runs(const struct wattle_pose_metric *metric,
                               const struct wattle_pose_code *code,
                               const double *times_s,
                               const double *energies_j,
                               size_t n,
                               struct wattle_pose **ret_pose,
                               struct wattle_error *err)
{
    struct wtl_pose_code own = {.t_s = 0};
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown(), of_runs = doubt;
    int rc = take_code(metric, code, ret_pose, &own, &doubt, err);
    if (rc < 0)
        return rc;
    if (!times_s || !energies_j || n == 0)
        return wtl_fail(err, -EINVAL,
                        "pose: run times and energies of at least one run are required");
    if (wtl_pose_doubt_of_runs(times_s, energies_j, n, &own, &of_runs) < 0)
        return wtl_fail(err, -EINVAL,
                        "pose: run time and energy of each run must be numbers above 0");
    of_runs.e_resolution_j = doubt.e_resolution_j / sqrt((double)n); /* resolution of the mean */
    of_runs.pmin_half_w = doubt.pmin_half_w;
    of_runs.pmax_half_w = doubt.pmax_half_w;
    return create(metric, &own, &of_runs, ret_pose, err);
}

void wattle_pose_destroy(struct wattle_pose *pose)
{
    free(pose);
}

int wattle_pose_vertex_point(const struct wattle_pose *pose,
                             enum wattle_pose_vertex vertex,
                             double *ret_time_s,
                             double *ret_energy_j)
{
    if (!pose || !ret_time_s || !ret_energy_j || (size_t)vertex >= WTL_POSE_VERTICES)
        return -EINVAL;
    *ret_time_s = pose->pose.vertices[vertex].t_s;
    *ret_energy_j = pose->pose.vertices[vertex].e_j;
    return 0;
}

static int check(const struct wattle_pose *pose,
                 const struct wtl_sized *sized,
                 const void *ret_result,
                 struct wattle_error *err)
{
    if (!pose)
        return wtl_fail(err, -EINVAL, "pose: NULL was given; create a model first");
    return wtl_sized_check(sized, ret_result, err);
}

int wattle_pose_insight_value(const struct wattle_pose *pose,
                              enum wattle_pose_insight insight,
                              struct wattle_pose_value *ret_value,
                              struct wattle_error *err)
{
    int rc = check(pose, &value_sized, ret_value, err);
    if (rc < 0)
        return rc;
    if ((size_t)insight >= WTL_POSE_INSIGHTS)
        return wtl_fail(err, -EINVAL, "pose: no insight %u; there are %d, from 0",
                        (unsigned)insight, WTL_POSE_INSIGHTS);
    const struct wtl_pose_value *own = &pose->pose.insights[insight];
    const struct wtl_pose_range *absolute = &pose->intervals.absolute[insight];
    const struct wtl_pose_range *ratio = &pose->intervals.ratio[insight];
    struct wattle_pose_value value = {.absolute = own->absolute,
                                      .ratio = own->ratio,
                                      .absolute_low = absolute->low,
                                      .absolute_high = absolute->high,
                                      .ratio_low = ratio->low,
                                      .ratio_high = ratio->high};
    wtl_sized_give(&value_sized, &value, ret_value);
    return 0;
}

unsigned wattle_pose_warnings(const struct wattle_pose *pose)
{
    return pose ? pose->pose.warnings : 0;
}

double wattle_pose_curve_energy(const struct wattle_pose *pose,
                                enum wattle_pose_curve curve,
                                double time_s)
{
    if (!pose || !(time_s > 0) || !isfinite(time_s))
        return (double)NAN;
    switch (curve) {
    case WATTLE_POSE_OPTIMISATION_BOUND:
        return wtl_pose_optimisation_bound(&pose->pose, pose->metric, time_s);
    case WATTLE_POSE_CONTRIBUTION_BOUND:
        return wtl_pose_contribution_bound(&pose->pose, pose->metric, time_s);
    case WATTLE_POSE_OPTIMISATION_LIMIT:
        return wtl_pose_optimisation_limit(&pose->pose, pose->metric, time_s);
    }
    return (double)NAN;
}

int wattle_pose_classify(const struct wattle_pose *pose,
                         double time_s,
                         double energy_j,
                         struct wattle_pose_verdict *ret_verdict,
                         struct wattle_error *err)
{
    int rc = check(pose, &verdict_sized, ret_verdict, err);
    if (rc < 0)
        return rc;
    struct wtl_pose_point at = {time_s, energy_j};
    rc = wtl_pose_candidate_check(&pose->pose, pose->metric, at, err);
    if (rc < 0)
        return rc;
    struct wtl_pose_verdict own = wtl_pose_classify(&pose->pose, pose->metric, at);
    struct wattle_pose_verdict verdict = {.region = (enum wattle_pose_region)own.region,
                                          .gain = own.gain,
                                          .power_gain = own.power_gain,
                                          .time_gain = own.time_gain,
                                          .power_share = own.power_part};
    wtl_sized_give(&verdict_sized, &verdict, ret_verdict);
    return 0;
}

int wattle_pose_system(const struct wattle_pose_metric *metric,
                       double pmin_w,
                       double pmax_w,
                       double *ret_ratios,
                       size_t n,
                       struct wattle_error *err)
{
    double ratios[WTL_POSE_INSIGHTS];
    if (!metric)
        return no_metric(err);
    if (!ret_ratios || n == 0)
        return wtl_fail(err, -EINVAL, "pose: an array for %d ratios is required",
                        WTL_POSE_INSIGHTS);
    int rc = wtl_pose_system(pmin_w, pmax_w, &metric->metric, ratios, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n && i < WTL_POSE_INSIGHTS; i++)
        ret_ratios[i] = ratios[i];
    return WTL_POSE_INSIGHTS;
}

/* ---- names ---- */

const char *wattle_pose_insight_name(enum wattle_pose_insight insight)
{
    return (size_t)insight < WTL_POSE_INSIGHTS ? wtl_pose_insight_names[insight] : NULL;
}

const char *wattle_pose_region_name(enum wattle_pose_region region)
{
    static const char *const names[] = {NULL, "strong run-time optimisation",
                                        "weak run-time optimisation", "power optimisation",
                                        "degradation"};
    return (size_t)region < sizeof names / sizeof *names ? names[region] : NULL;
}

const char *wattle_pose_warning_name(enum wattle_pose_warning warning)
{
    switch (warning) {
    case WATTLE_POSE_BELOW_FLOOR:
        return "BELOW_FLOOR";
    case WATTLE_POSE_ABOVE_CEILING:
        return "ABOVE_CEILING";
    case WATTLE_POSE_TIME_MATTERS:
        return "TIME_MATTERS";
    }
    return NULL;
}
