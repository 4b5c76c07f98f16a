/* SPDX-License-Identifier: BSD-3-Clause */
/* The public API of POSE: the numbers of the underlying model, and each possible mistake of a
 * caller. */
#include <wattle/pose.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/pose/pose.h"
#include "tap.h"

static const struct wattle_pose_code haswell = {.size = sizeof haswell,
                                                .time_s = 212.91,
                                                .energy_j = 38952.89,
                                                .pmin_w = 181.14,
                                                .pmax_w = 345.57};

static struct wattle_pose_metric *metric_of(const char *text)
{
    struct wattle_pose_metric *metric = NULL;
    struct wattle_error err = {""};
    is_int(wattle_pose_metric_parse(text, &metric, &err), 0, "%s: %s", text, err.text);
    return metric;
}

static void test_numbers(const char *text)
{
    struct wattle_pose_metric *metric = metric_of(text);
    struct wattle_error err = {""};
    struct wattle_pose *pose = NULL;
    struct wtl_pose_metric own_metric;
    struct wtl_pose own = {.warnings = 0};
    struct wtl_pose_code own_code = {haswell.time_s, haswell.energy_j, haswell.pmin_w,
                                     haswell.pmax_w};
    is_int(wtl_pose_metric_parse(text, &own_metric, &err), 0, "the metric behind it");
    is_int(wtl_pose_of(&own_code, &own_metric, &own, &err), 0, "the model behind it");
    is_int(wattle_pose_create(metric, &haswell, &pose, &err), 0, "the model: %s", err.text);
    for (int i = 0; i < WTL_POSE_VERTICES; i++) {
        double t = 0, e = 0;
        is_int(wattle_pose_vertex_point(pose, (enum wattle_pose_vertex)i, &t, &e), 0, "vertex %d",
               i);
        ok(t == own.vertices[i].t_s && e == own.vertices[i].e_j, "is the model's");
    }
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        struct wattle_pose_value value = {.size = sizeof value};
        enum wattle_pose_insight insight = (enum wattle_pose_insight)i;
        is_int(wattle_pose_insight_value(pose, insight, &value, &err), 0, "%s",
               wattle_pose_insight_name(insight));
        ok(value.absolute == own.insights[i].absolute && value.ratio == own.insights[i].ratio,
           "is the model's: %g, %g", value.absolute, value.ratio);
    }
    for (int i = 0; i < 5; i++) {
        double x = 180 + 10 * i;
        ok(wattle_pose_curve_energy(pose, WATTLE_POSE_OPTIMISATION_BOUND, x) ==
                   wtl_pose_optimisation_bound(&own, &own_metric, x) &&
               wattle_pose_curve_energy(pose, WATTLE_POSE_CONTRIBUTION_BOUND, x) ==
                   wtl_pose_contribution_bound(&own, &own_metric, x) &&
               wattle_pose_curve_energy(pose, WATTLE_POSE_OPTIMISATION_LIMIT, x) ==
                   wtl_pose_optimisation_limit(&own, &own_metric, x),
           "curves at %g s", x);
        struct wattle_pose_verdict verdict = {.size = sizeof verdict};
        struct wtl_pose_point at = {x, 37000};
        struct wtl_pose_verdict of_own = wtl_pose_classify(&own, &own_metric, at);
        is_int(wattle_pose_classify(pose, x, 37000, &verdict, &err), 0, "a version of %g s", x);
        ok((int)verdict.region == (int)of_own.region && verdict.gain == of_own.gain &&
               verdict.power_gain == of_own.power_gain && verdict.time_gain == of_own.time_gain,
           "is the model's: %s", wattle_pose_region_name(verdict.region));
    }
    is_int(wattle_pose_warnings(pose), own.warnings, "warnings");
    wattle_pose_destroy(pose);
    wattle_pose_metric_free(metric);
    wtl_pose_metric_fini(&own_metric);
}

static void test_system(void)
{
    struct wattle_pose_metric *metric = metric_of("E*t^3");
    struct wattle_error err = {""};
    double ratios[5] = {0}, two[3] = {0, 0, 77};
    is_int(wattle_pose_system(metric, 167.76, 345.57, ratios, 5, &err), 5, "a summary");
    is_double(ratios[WATTLE_POSE_ENERGY_SAVED], 345.57 / 167.76, 1e-9, "Pmax / Pmin");
    is_double(ratios[WATTLE_POSE_DOMINATING_SPEEDUP], pow(345.57 / 167.76, 0.5), 1e-9, "Q^2");
    is_int(wattle_pose_system(metric, 167.76, 345.57, two, 2, &err), 5, "room for two only");
    ok(two[1] == ratios[1] && two[2] == 77, "nothing behind it is touched");
    is_int(wattle_pose_system(metric, 2, 1, ratios, 5, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_system(metric, 1, 2, ratios, 0, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_system(metric, 1, 2, NULL, 5, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_system(NULL, 1, 2, ratios, 5, &err), -EINVAL, "%s", err.text);
    wattle_pose_metric_free(metric);
    metric = metric_of("E*t + t");
    is_int(wattle_pose_system(metric, 1, 2, ratios, 5, &err), -ENOTSUP, "%s", err.text);
    wattle_pose_metric_free(metric);
}

static void test_mistakes(void)
{
    struct wattle_pose_metric *metric = metric_of("Et"), *none = NULL;
    struct wattle_error err = {""};
    struct wattle_pose *pose = NULL;
    struct wattle_pose_code code = haswell;
    double t = 7, e = 7;
    is_int(wattle_pose_metric_parse(NULL, &none, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_metric_parse("E", NULL, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_metric_parse("E+", &none, NULL), -EINVAL, "no err is asked for");
    ok(!none, "nothing was made");
    ok(isnan(wattle_pose_metric_value(NULL, 1, 1)), "no metric, no value");
    is_double(wattle_pose_metric_value(metric, 3, 2), 6, 0, "E t");
    is_int(wattle_pose_create(NULL, &code, &pose, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_create(metric, NULL, &pose, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_create(metric, &code, NULL, &err), -EINVAL, "%s", err.text);
    code.size = 0;
    is_int(wattle_pose_create(metric, &code, &pose, &err), -EINVAL, "%s", err.text);
    code = haswell;
    code.energy_j = NAN;
    is_int(wattle_pose_create(metric, &code, &pose, &err), -EINVAL, "%s", err.text);
    ok(!pose, "nothing was made");

    is_int(wattle_pose_create(metric, &haswell, &pose, &err), 0, "a model");
    struct wattle_pose_value value = {.size = 0};
    struct wattle_pose_verdict verdict = {.size = sizeof verdict, .gain = 7};
    is_int(wattle_pose_insight_value(pose, WATTLE_POSE_ENERGY_SAVED, &value, &err), -EINVAL, "%s",
           err.text);
    value.size = sizeof value + 8;
    is_int(wattle_pose_insight_value(pose, WATTLE_POSE_ENERGY_SAVED, &value, &err), -ENOTSUP, "%s",
           err.text);
    value.size = sizeof value;
    is_int(wattle_pose_insight_value(pose, (enum wattle_pose_insight)5, &value, &err), -EINVAL,
           "%s", err.text);
    is_int(wattle_pose_insight_value(NULL, WATTLE_POSE_ENERGY_SAVED, &value, &err), -EINVAL, "%s",
           err.text);
    is_int(wattle_pose_vertex_point(pose, (enum wattle_pose_vertex)5, &t, &e), -EINVAL,
           "no vertex");
    is_int(wattle_pose_vertex_point(NULL, WATTLE_POSE_A, &t, &e), -EINVAL, "no model");
    is_int(wattle_pose_vertex_point(pose, WATTLE_POSE_A, NULL, &e), -EINVAL, "no place");
    ok(t == 7 && e == 7, "untouched");
    is_int(wattle_pose_classify(pose, 0, 1, &verdict, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_classify(pose, 1, INFINITY, &verdict, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_classify(pose, 1, 1, NULL, &err), -EINVAL, "%s", err.text);
    is_int(wattle_pose_classify(NULL, 1, 1, &verdict, &err), -EINVAL, "%s", err.text);
    is_double(verdict.gain, 7, 0, "untouched");
    ok(isnan(wattle_pose_curve_energy(pose, WATTLE_POSE_OPTIMISATION_BOUND, -1)) &&
           isnan(wattle_pose_curve_energy(pose, (enum wattle_pose_curve)9, 1)) &&
           isnan(wattle_pose_curve_energy(NULL, WATTLE_POSE_OPTIMISATION_BOUND, 1)),
       "no such curve has a point");
    is_int(wattle_pose_warnings(NULL), 0, "no model, no warnings");
    wattle_pose_destroy(pose);
    wattle_pose_destroy(NULL);
    wattle_pose_metric_free(metric);
    wattle_pose_metric_free(NULL);
}

static struct wattle_pose_value value_of(const struct wattle_pose *pose,
                                         enum wattle_pose_insight insight)
{
    struct wattle_pose_value value = {.size = sizeof value};
    is_int(wattle_pose_insight_value(pose, insight, &value, NULL), 0, "a value");
    return value;
}

static void test_intervals(void)
{
    static const double times[] = {210, 212, 214}, energies[] = {38000, 39000, 40000};
    struct wattle_pose_metric *metric = metric_of("E");
    struct wattle_error err = {""};
    struct wattle_pose *pose = NULL;
    struct wattle_pose_code code = haswell;
    is_int(wattle_pose_create(metric, &code, &pose, &err), 0, "numbers without doubt");
    struct wattle_pose_value saved = value_of(pose, WATTLE_POSE_ENERGY_SAVED);
    ok(isnan(saved.absolute_low) && isnan(saved.ratio_high), "have no intervals");
    wattle_pose_destroy(pose);

    code.pmin_interval_w = 2;
    is_int(wattle_pose_create(metric, &code, &pose, &err), 0, "Pmin to 2 W");
    saved = value_of(pose, WATTLE_POSE_ENERGY_SAVED);
    is_double(saved.absolute_high - saved.absolute, 2 * 212.91, 10,
              "the saving to 2 W of the run time");
    ok(saved.ratio_low < saved.ratio && saved.ratio < saved.ratio_high, "and the ratio");
    wattle_pose_destroy(pose);
    code.pmin_interval_w = -2;
    pose = NULL;
    is_int(wattle_pose_create(metric, &code, &pose, &err), -EINVAL, "%s", err.text);
    ok(!pose, "nothing was made");

    code = haswell;
    code.time_s = code.energy_j = NAN; /* not read */
    is_int(wattle_pose_create_of_runs(metric, &code, times, energies, 3, &pose, &err), 0, "runs");
    saved = value_of(pose, WATTLE_POSE_ENERGY_SAVED);
    is_double(saved.absolute, 39000 - 181.14 * 212, 1e-9, "their means");
    /* 1000 J and 2 s vary together, so E - Pmin t varies by 1000 J - 2 s Pmin. */
    double half = 4.3027 / sqrt(3) * (1000 - 2 * 181.14);
    is_double((saved.absolute_high - saved.absolute_low) / 2, half, 0.03 * half, "their spread");
    wattle_pose_destroy(pose);
    is_int(wattle_pose_create_of_runs(metric, &code, times, energies, 1, &pose, &err), 0,
           "one run");
    ok(isnan(value_of(pose, WATTLE_POSE_ENERGY_SAVED).absolute_low), "has no spread");
    wattle_pose_destroy(pose);
    static const double same_s[] = {200, 200, 200, 200}, same_j[] = {4e4, 4e4, 4e4, 4e4};
    code.energy_interval_j = 40;
    is_int(wattle_pose_create_of_runs(metric, &code, same_s, same_j, 4, &pose, &err), 0,
           "runs that are alike, each to 40 J");
    saved = value_of(pose, WATTLE_POSE_ENERGY_SAVED);
    is_double((saved.absolute_high - saved.absolute_low) / 2, 20, 0.1, "their mean to 20 J");
    wattle_pose_destroy(pose);
    is_int(wattle_pose_create_of_runs(metric, &code, times, energies, 0, &pose, &err), -EINVAL,
           "%s", err.text);
    is_int(wattle_pose_create_of_runs(metric, &code, NULL, energies, 3, &pose, &err), -EINVAL, "%s",
           err.text);
    is_int(
        wattle_pose_create_of_runs(metric, &code, times, (const double[]){1, 0, 1}, 3, &pose, &err),
        -EINVAL, "%s", err.text);
    wattle_pose_metric_free(metric);
}

static void test_names(void)
{
    int insights = 0, regions = 1, warnings = 0;
    while (wattle_pose_insight_name((enum wattle_pose_insight)insights))
        insights++;
    while (wattle_pose_region_name((enum wattle_pose_region)regions))
        regions++;
    while (wattle_pose_warning_name((enum wattle_pose_warning)(1 << warnings)))
        warnings++;
    is_int(insights, 5, "five insights have names");
    is_int(regions, 5, "four regions");
    is_int(warnings, 3, "three warnings");
    ok(!wattle_pose_region_name((enum wattle_pose_region)0), "none is region 0");
}

int main(void)
{
    test_numbers("Et^3");
    test_numbers("EDS:1,900");
    test_numbers("E*t^2 + 0.1*t");
    test_system();
    test_mistakes();
    test_intervals();
    test_names();
    return done_testing();
}
