/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of insights: compared with manual computations, and how often they contain the truth in
 * a simulated world (bench/bench_pose.c has the full table). */
#include "analysis/pose/pose_interval.h"

#include <errno.h>
#include <math.h>

#include "base/random.h"
#include "model/statistics/student.h"

#include "tap.h"

/* PathFinder with OpenMP on the paper's Haswell. */
static const struct wtl_pose_code code = {.t_s = 212.91,
                                          .e_j = 48952.89,
                                          .pmin_w = 181.14,
                                          .pmax_w = 345.57};

static struct wtl_pose_metric metric_of(const char *text)
{
    struct wtl_pose_metric metric;
    struct wattle_error err = {""};
    if (wtl_pose_metric_parse(text, &metric, &err) < 0) {
        diag("%s", err.text);
        exit(1);
    }
    return metric;
}

static struct wtl_pose pose_of(const struct wtl_pose_code *of, const char *text)
{
    struct wtl_pose_metric metric = metric_of(text);
    struct wtl_pose pose;
    if (wtl_pose_of(of, &metric, &pose, NULL) < 0)
        exit(1);
    wtl_pose_metric_fini(&metric);
    return pose;
}

static struct wtl_pose_intervals intervals_of(const struct wtl_pose_code *of,
                                              const char *text,
                                              const struct wtl_pose_doubt *doubt)
{
    struct wtl_pose_metric metric = metric_of(text);
    struct wtl_pose pose = pose_of(of, text);
    struct wtl_pose_intervals intervals;
    is_int(wtl_pose_intervals_of(&pose, &metric, doubt, &intervals), 0, "intervals under %s", text);
    wtl_pose_metric_fini(&metric);
    return intervals;
}

static void is_range(struct wtl_pose_range got, double low, double high, const char *what)
{
    is_double(got.low, low, 1e-6 * fabs(low), "%s from", what);
    is_double(got.high, high, 1e-6 * fabs(high), "%s to", what);
}

static void test_doubt_of_runs(void)
{
    static const double t[] = {10, 11, 12, 13}, e[] = {100, 130, 110, 140};
    struct wtl_pose_code of = code;
    struct wtl_pose_doubt doubt;
    is_int(wtl_pose_doubt_of_runs(t, e, 4, &of, &doubt), 0, "four runs");
    is_double(of.t_s, 11.5, 1e-12, "mean run time");
    is_double(of.e_j, 120, 1e-12, "mean energy");
    is_double(of.pmin_w, 181.14, 0, "the bounds stay");
    is_int(doubt.runs, 4, "runs");
    is_double(doubt.t_sd_s, sqrt(5.0 / 3), 1e-12, "spread of run time");
    is_double(doubt.e_sd_j, sqrt(1000.0 / 3), 1e-12, "spread of energy");
    /* sum of products 50, divided by the root of 5 x 1000 */
    is_double(doubt.correlation, 50 / sqrt(5000), 1e-12, "correlation");
    ok(isnan(doubt.e_resolution_j) && isnan(doubt.pmin_half_w), "the rest is unknown");
    is_int(wtl_pose_doubt_of_runs(t, e, 2, &of, &doubt), 0, "two runs");
    is_double(of.e_j, 115, 1e-12, "have a mean");
    ok(isnan(doubt.t_sd_s) && isnan(doubt.e_sd_j) && isnan(doubt.correlation), "and no spread");
    is_int(wtl_pose_doubt_of_runs(t, t, 3, &of, &doubt), 0, "energy as time");
    is_double(doubt.correlation, 1, 1e-12, "is correlated");
    is_int(wtl_pose_doubt_of_runs(t, (const double[]){5, 5, 5}, 3, &of, &doubt), 0, "no spread");
    is_double(doubt.correlation, 0, 0, "has no correlation");
    is_int(wtl_pose_doubt_of_runs(t, e, 0, &of, &doubt), -EINVAL, "no run");
    is_int(wtl_pose_doubt_of_runs(t, (const double[]){5, 0, 5}, 3, &of, &doubt), -EINVAL, "0 J");
    is_int(wtl_pose_doubt_of_runs(t, (const double[]){5, NAN, 5}, 3, &of, &doubt), -EINVAL, "NaN");
    is_int(wtl_pose_doubt_of_runs((const double[]){INFINITY}, e, 1, &of, &doubt), -EINVAL,
           "no number of seconds");
}

static void test_nothing_known(void)
{
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    struct wtl_pose_intervals got = intervals_of(&code, "Et^2", &doubt);
    ok(!got.of_runs && !got.of_resolution && !got.of_bounds, "they hold nothing");
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        ok(isnan(got.absolute[i].low) && isnan(got.absolute[i].high) && isnan(got.ratio[i].low) &&
               isnan(got.ratio[i].high),
           "%s is unknown", wtl_pose_insight_names[i]);
    }
    doubt.runs = 2;
    got = intervals_of(&code, "Et^2", &doubt);
    ok(!got.of_runs && isnan(got.ratio[0].low), "nor do two runs tell anything");
}

/* One source at a time: its interval is that of the insight at its ends. */
static void test_one_source(void)
{
    struct wtl_pose pose = pose_of(&code, "Et^2");
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    const struct wtl_pose_value *saved = &pose.insights[WTL_POSE_ENERGY_SAVED];
    doubt.pmin_half_w = 2;
    struct wtl_pose_intervals got = intervals_of(&code, "Et^2", &doubt);
    double f = exp(2 / code.pmin_w);
    ok(got.of_bounds && !got.of_runs && !got.of_resolution, "of the bounds only");
    is_range(got.ratio[WTL_POSE_ENERGY_SAVED], saved->ratio / f, saved->ratio * f, "E/E_D");
    is_range(got.absolute[WTL_POSE_ENERGY_SAVED], code.e_j - code.pmin_w * f * code.t_s,
             code.e_j - code.pmin_w / f * code.t_s, "joules saved");
    is_range(got.ratio[WTL_POSE_GUARANTEED_SPEEDUP],
             pose.insights[WTL_POSE_GUARANTEED_SPEEDUP].ratio,
             pose.insights[WTL_POSE_GUARANTEED_SPEEDUP].ratio, "t/t_B, which knows no Pmin,");

    doubt = wtl_pose_doubt_unknown();
    doubt.e_resolution_j = 489.5289; /* 1 % */
    got = intervals_of(&code, "Et^2", &doubt);
    ok(got.of_resolution && !got.of_bounds, "of the resolution only");
    is_range(got.ratio[WTL_POSE_METRIC_IMPROVEMENT],
             pose.insights[WTL_POSE_METRIC_IMPROVEMENT].ratio * 0.99 * 0.99,
             pose.insights[WTL_POSE_METRIC_IMPROVEMENT].ratio * 1.01 * 1.01, "(P/Pmin)^2");

    /* n = 5, spreads of 3 and 4 %, correlation 0.25: log(E/t) has sd sqrt(9 + 16 - 6) %. */
    doubt = wtl_pose_doubt_unknown();
    doubt.runs = 5;
    doubt.t_sd_s = 0.03 * code.t_s;
    doubt.e_sd_j = 0.04 * code.e_j;
    doubt.correlation = 0.25;
    got = intervals_of(&code, "Et^2", &doubt);
    double far = wtl_student_quantile(0.975, 4) * sqrt(19) / 100 / sqrt(5);
    ok(got.of_runs && !got.of_resolution && !got.of_bounds, "of the runs only");
    is_range(got.ratio[WTL_POSE_ENERGY_SAVED], saved->ratio * exp(-far), saved->ratio * exp(far),
             "E/E_D");
    double third = pose.insights[WTL_POSE_WORST_SLOWDOWN].ratio;
    is_range(got.ratio[WTL_POSE_WORST_SLOWDOWN], third * exp(-far / 3), third * exp(far / 3),
             "t_E/t, a third root of P,");

    /* Time and energy that rise together do not change the power and the ratios. */
    doubt.e_sd_j = 0.03 * code.e_j;
    doubt.correlation = 1;
    got = intervals_of(&code, "Et^2", &doubt);
    is_range(got.ratio[WTL_POSE_ENERGY_SAVED], saved->ratio, saved->ratio, "E/E_D of one power");
    far = exp(wtl_student_quantile(0.975, 4) * 0.03 / sqrt(5));
    is_range(got.absolute[WTL_POSE_ENERGY_SAVED], saved->absolute / far, saved->absolute * far,
             "joules saved of one power");
}

/* Energy with a large relative uncertainty: each joule of it is a joule saved. */
static void test_wide_energy(void)
{
    static const struct {
        const char *what;
        double half, low, high, to_low, to_high; /* parts of E */
    } rows[] = {
        {"sensor ticks of 80 %", 0.8, (double)NAN, (double)NAN, 0.2, 1.8},
        {"ticks larger than the energy", 5, (double)NAN, (double)NAN, 0, 6},
        {"a lopsided estimate", 2.7, 0.4, 5.8, 0.4, 5.8},
        {"an estimate that may be of nothing", 25, 0, 50, 0, 50},
    };
    double d_j = code.pmin_w * code.t_s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
        doubt.e_resolution_j = rows[i].half * code.e_j;
        doubt.e_low_j = rows[i].low * code.e_j;
        doubt.e_high_j = rows[i].high * code.e_j;
        struct wtl_pose_intervals got = intervals_of(&code, "E", &doubt);
        is_range(got.absolute[WTL_POSE_ENERGY_SAVED], rows[i].to_low * code.e_j - d_j,
                 rows[i].to_high * code.e_j - d_j, rows[i].what);
        is_double(got.ratio[WTL_POSE_ENERGY_SAVED].high, rows[i].to_high * code.e_j / d_j, 1e-9,
                  "E/E_D of %s", rows[i].what);
    }
}

/* Two sources are combined as squares, of logarithms for ratios. */
static void test_joined(void)
{
    struct wtl_pose pose = pose_of(&code, "E");
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    double ratio = pose.insights[WTL_POSE_ENERGY_SAVED].ratio;
    doubt.e_resolution_j = 0.03 * code.e_j;
    doubt.pmin_half_w = 0.04 * code.pmin_w;
    struct wtl_pose_intervals got = intervals_of(&code, "E", &doubt);
    ok(got.of_resolution && got.of_bounds, "of both");
    is_range(got.ratio[WTL_POSE_ENERGY_SAVED], ratio * exp(-hypot(log(0.97), 0.04)),
             ratio * exp(hypot(log(1.03), 0.04)), "E/E_D");
}

static void test_edges(void)
{
    static const char *const texts[] = {"E", "Et^9", "EDS:1,300", "EDD:0,1", "E*t^2+t^3"};
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    doubt.runs = 4;
    doubt.t_sd_s = 1;
    doubt.e_sd_j = 500;
    doubt.correlation = 0.7;
    doubt.e_resolution_j = 20;
    doubt.pmin_half_w = 1;
    doubt.pmax_half_w = 2;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (int where = 0; where < 3; where++) { /* within, below and above the envelope */
            struct wtl_pose_code at = code;
            at.e_j = (where == 0 ? 230 : where == 1 ? 170 : 360) * at.t_s;
            struct wtl_pose pose = pose_of(&at, texts[k]);
            struct wtl_pose_intervals got = intervals_of(&at, texts[k], &doubt);
            int holds = 0;
            for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
                const struct wtl_pose_value *value = &pose.insights[i];
                double slack = 1e-12 * fabs(value->absolute), part = 1e-12 * value->ratio;
                holds += got.absolute[i].low <= value->absolute + slack &&
                         value->absolute - slack <= got.absolute[i].high &&
                         got.ratio[i].low <= value->ratio + part &&
                         value->ratio - part <= got.ratio[i].high && got.ratio[i].low > 0;
            }
            is_int(holds, WTL_POSE_INSIGHTS, "all hold their values, place %d", where);
        }
    }

    struct wtl_pose_code none = code;
    none.pmin_w = 0;
    struct wtl_pose_intervals got = intervals_of(&none, "Et^2", &doubt);
    ok(isnan(got.ratio[WTL_POSE_ENERGY_SAVED].low) && isnan(got.ratio[WTL_POSE_ENERGY_SAVED].high),
       "what is infinite has no interval");
    ok(got.ratio[WTL_POSE_GUARANTEED_SPEEDUP].low > 1, "what is not has one");
    doubt.pmin_half_w = 200;
    got = intervals_of(&code, "Et^2", &doubt);
    ok(isnan(got.ratio[WTL_POSE_ENERGY_SAVED].low) && isnan(got.ratio[WTL_POSE_ENERGY_SAVED].high),
       "bounds that may be the wrong way round have none");
}

/* A step below 100 s the metric decreases within the range checked: no model there, and not a width
 * of 0. */
static void test_cannot_be_moved(void)
{
    static const struct wtl_pose_code at = {100, 15000, 100, 200};
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    doubt.runs = 3;
    doubt.t_sd_s = 1;
    doubt.e_sd_j = 100;
    doubt.correlation = 0;
    struct wtl_pose_intervals got = intervals_of(&at, "E*t + (t<12.4995)*1e9", &doubt);
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++)
        ok(isnan(got.absolute[i].low) && isnan(got.absolute[i].high) && isnan(got.ratio[i].low) &&
               isnan(got.ratio[i].high),
           "%s is unknown", wtl_pose_insight_names[i]);
}

static void test_metric_stays(void)
{
    struct wtl_pose_metric metric = metric_of("E*t"), before;
    struct wtl_pose pose;
    struct wtl_pose_intervals got;
    struct wtl_pose_doubt doubt = wtl_pose_doubt_unknown();
    doubt.pmax_half_w = 5;
    if (wtl_pose_of(&code, &metric, &pose, NULL) < 0)
        exit(1);
    before = metric;
    is_int(wtl_pose_intervals_of(&pose, &metric, &doubt, &got), 0, "intervals");
    ok(before.separable == metric.separable && before.h == metric.h, "the metric stays as it is");
    wtl_pose_metric_fini(&metric);
}

static void test_refused(void)
{
    static const struct wtl_pose_doubt bad[] = {
        {.runs = 3, .t_sd_s = -1, .e_sd_j = 1},
        {.runs = 3, .t_sd_s = 1, .e_sd_j = -1},
        {.runs = 3, .t_sd_s = 1, .e_sd_j = 1, .correlation = 1.1},
        {.runs = 3, .t_sd_s = 1, .e_sd_j = 1, .correlation = -1.1},
        {.e_resolution_j = -1},
        {.pmin_half_w = -1},
        {.pmax_half_w = -1},
    };
    struct wtl_pose pose = pose_of(&code, "E");
    struct wtl_pose_metric metric = metric_of("E");
    struct wtl_pose_intervals got;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        is_int(wtl_pose_intervals_of(&pose, &metric, &bad[i], &got), -EINVAL, "doubt %zu", i);
}

/* ---- coverage ---- */

static double normal(uint64_t stream, uint64_t *at)
{
    double radius = sqrt(-2 * log(1 - wtl_random_uniform(stream, (*at)++)));
    return radius * cos(2 * acos(-1.0) * wtl_random_uniform(stream, (*at)++));
}

/* Runs around the truth: for each value, how many of `worlds` intervals contain it. */
static void cover(const char *text, size_t n, double noise, int covered[2 * WTL_POSE_INSIGHTS])
{
    enum { WORLDS = 1000 };
    struct wtl_pose_metric metric = metric_of(text);
    struct wtl_pose truth = pose_of(&code, text);
    for (uint64_t world = 0; world < WORLDS; world++) {
        double t[15], e[15];
        uint64_t at = 0;
        for (size_t i = 0; i < n; i++) {
            double common = normal(world, &at);
            t[i] = code.t_s * (1 + noise * common);
            e[i] = code.e_j * (1 + noise * (0.6 * common + 0.8 * normal(world, &at)));
        }
        struct wtl_pose_code of = code;
        struct wtl_pose_doubt doubt;
        struct wtl_pose pose;
        struct wtl_pose_intervals got;
        if (wtl_pose_doubt_of_runs(t, e, n, &of, &doubt) < 0 ||
            wtl_pose_of(&of, &metric, &pose, NULL) < 0 ||
            wtl_pose_intervals_of(&pose, &metric, &doubt, &got) < 0)
            exit(1);
        for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
            const struct wtl_pose_value *value = &truth.insights[i];
            covered[i] +=
                got.absolute[i].low <= value->absolute && value->absolute <= got.absolute[i].high;
            covered[WTL_POSE_INSIGHTS + i] +=
                got.ratio[i].low <= value->ratio && value->ratio <= got.ratio[i].high;
        }
    }
    wtl_pose_metric_fini(&metric);
}

static void test_coverage(void)
{
    static const char *const texts[] = {"E", "Et^3", "EDS:1,250", "EDD:1,250"};
    static const size_t sizes[] = {3, 5, 15};
    static const double noises[] = {0.005, 0.02, 0.1};
    for (size_t m = 0; m < 4; m++) {
        for (size_t s = 0; s < 3; s++) {
            for (size_t k = 0; k < 3; k++) {
                int covered[2 * WTL_POSE_INSIGHTS] = {0}, least = 1000, most = 0;
                cover(texts[m], sizes[s], noises[k], covered);
                for (int i = 0; i < 2 * WTL_POSE_INSIGHTS; i++) {
                    least = covered[i] < least ? covered[i] : least;
                    most = covered[i] > most ? covered[i] : most;
                }
                ok(least >= (noises[k] > 0.05 ? 890 : 930) && most <= 975,
                   "%s, %zu runs, noise %g: %.1f to %.1f %% of the intervals hold the truth",
                   texts[m], sizes[s], noises[k], least / 10.0, most / 10.0);
            }
        }
    }
}

int main(void)
{
    test_doubt_of_runs();
    test_nothing_known();
    test_one_source();
    test_wide_energy();
    test_joined();
    test_edges();
    test_cannot_be_moved();
    test_metric_stays();
    test_refused();
    test_coverage();
    return done_testing();
}
