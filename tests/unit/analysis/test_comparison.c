/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparisons with known results (scipy.stats 1.10: ttest_ind(equal_var=False), ttest_rel;
 * Student's sleep data of 1908), properties, and rates over simulated runs.
 */
#include <errno.h>
#include <math.h>

#include "analysis/compare/comparison.h"

#include "model/statistics/student.h"

#include "simulated_runs.h"
#include "tap.h"

static const double a6[] = {100.2, 101.1, 99.4, 100.7, 100.1, 99.9};
static const double b5[] = {97.2, 96.8, 98.1, 97.0, 97.7};
static const struct wtl_noise no_noise = {NAN, NAN};

static struct wtl_comparison compare(const double *a,
                                     size_t a_n,
                                     const double *b,
                                     size_t b_n,
                                     bool paired)
{
    struct wtl_groups groups = {
        .a = a, .b = b, .a_n = a_n, .b_n = b_n, .paired = paired, .noise = no_noise};
    struct wtl_comparison comparison = {0};
    is_int(wtl_compare(&groups, 1, 2000, &comparison), 0, "compare %zu with %zu", a_n, b_n);
    return comparison;
}

static void test_welch(void)
{
    struct wtl_comparison c = compare(a6, 6, b5, 5, false);
    is_double(c.p, 1.575108202209256e-05, 1e-13, "p of the logarithms");
    is_double(c.df, 8.886611827033875, 1e-9, "degrees of freedom");
    is_double(c.log_error, 0.003450405060140751, 1e-15, "standard error");
    is_double(c.ratio.value, 0.971336412007947, 1e-14, "ratio");
    is_double(c.ratio.low, 0.9637696380044957, 1e-12, "from");
    is_double(c.ratio.high, 0.9789625944701851, 1e-12, "to");
    is_double(c.difference.value, -2.873333333333335, 1e-12, "difference");
    is_double(c.difference.low, -3.6458872092426393, 1e-10, "from");
    is_double(c.difference.high, -2.1007794574240304, 1e-10, "to");
    is_int(c.basis, WTL_COMPARISON_BY_RUNS, "the runs speak for themselves");
    /* (2.26657 + 0.88360) x 0.0034504 */
    is_double(c.detectable, 0.0109, 0.0001, "detectable difference");
    ok(c.bootstrap.low > 0.955 && c.bootstrap.low < 0.97 && c.bootstrap.high > 0.975 &&
           c.bootstrap.high < 0.985,
       "the bootstrap agrees: %.4f .. %.4f", c.bootstrap.low, c.bootstrap.high);
}

/* Hours of sleep; used as logarithms, so that the textbook's numbers are those of the ratio. */
static void test_pairs(void)
{
    static const double first[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double second[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    double a[10], b[10];
    for (size_t i = 0; i < 10; i++) {
        a[i] = exp(first[i]);
        b[i] = exp(second[i]);
    }
    struct wtl_comparison c = compare(a, 10, b, 10, true);
    is_double(c.p, 0.00283289019738427, 1e-13, "p of the pairs");
    is_double(log(c.ratio.value) / c.log_error, 4.062127683382037, 1e-11, "t");
    is_double(log(c.ratio.low), 0.7001142367452712, 1e-10, "from");
    is_double(log(c.ratio.high), 2.459885763254729, 1e-10, "to");
    is_double(c.df, 9, 0, "degrees of freedom");
    c = compare(a, 10, b, 10, false);
    is_double(c.p, 0.07939414018735823, 1e-12, "p when they are no pairs");
    c = compare(first, 10, second, 10, true);
    ok(isnan(c.ratio.value) && isnan(c.p), "values that are not above 0 have no ratio");
    is_double(c.difference.low, 0.7001142367452712, 1e-10, "but a difference");
}

/* Runs without any scatter: the interval is what the sensors resolve, not nothing. */
static void test_resolution(void)
{
    const double same[5] = {100, 100, 100, 100, 100};
    struct wtl_groups groups = {
        .a = same, .b = same, .a_n = 5, .b_n = 5, .noise = {NAN, NAN}, .resolution = 0.01};
    struct wtl_comparison c;
    is_int(wtl_compare(&groups, 1, 100, &c), 0, "the same values");
    is_double(c.ratio.high, 1.01, 1e-12, "the ratio is as wide as the resolution");
    is_double(c.ratio.low, 1 / 1.01, 1e-12, "on both sides");
    is_double(c.difference.high, 1, 1e-12, "the difference, too");
    is_double(c.bootstrap.high, 1.01, 1e-12, "and resampling");
    groups.resolution = 0;
    is_int(wtl_compare(&groups, 1, 100, &c), 0, "without a resolution");
    is_double(c.ratio.high - c.ratio.low, 0, 0, "it has no width");
    groups.a = a6;
    groups.resolution = 1e-6;
    is_int(wtl_compare(&groups, 1, 100, &c), 0, "runs that scatter more");
    ok(c.ratio.high / c.ratio.value - 1 > 1e-3, "have the interval of their scatter");
}

static void test_few(void)
{
    struct wtl_comparison c = compare(a6, 1, b5, 1, false);
    is_int(c.basis, WTL_COMPARISON_BY_NOTHING, "one run per side");
    is_double(c.ratio.value, 97.2 / 100.2, 1e-15, "has a ratio");
    is_double(c.difference.value, -3, 1e-12, "and a difference");
    ok(isnan(c.ratio.low) && isnan(c.p) && isnan(c.difference.low) && isnan(c.detectable) &&
           isnan(wtl_comparison_more_runs(&c, 0.01, 0.05)),
       "and no interval");
    c = compare(a6, 6, b5, 1, false);
    ok(isnan(c.ratio.low) && isnan(c.difference.low), "nor has one run on one side");

    struct wtl_groups groups = {.a = a6, .b = b5, .a_n = 1, .b_n = 1, .noise = {0.005, INFINITY}};
    is_int(wtl_compare(&groups, 1, 100, &c), 0, "with a noise floor");
    is_int(c.basis, WTL_COMPARISON_BY_NOISE, "it speaks");
    is_double(c.log_error, 0.005 * sqrt(2), 1e-15, "for both runs");
    is_double(log(c.ratio.high / c.ratio.value), 1.959963984540054 * 0.005 * sqrt(2), 1e-12,
              "by the normal distribution when it is known exactly");
    groups.a_n = groups.b_n = 5;
    is_int(wtl_compare(&groups, 1, 100, &c), 0, "with enough runs");
    is_int(c.basis, WTL_COMPARISON_BY_RUNS, "they speak themselves");
    groups.a_n = 0;
    is_int(wtl_compare(&groups, 1, 100, &c), -EINVAL, "no run, no comparison");
    groups.a_n = 4;
    groups.paired = true;
    is_int(wtl_compare(&groups, 1, 100, &c), -EINVAL, "pairs need two");
}

static void test_no_variation(void)
{
    static const double ones[] = {1, 1, 1, 1, 1}, twos[] = {2, 2, 2, 2, 2};
    struct wtl_comparison c = compare(ones, 5, ones, 5, false);
    ok(c.p == 1 && c.ratio.low == 1 && c.ratio.high == 1 && c.detectable == 0, "all the same");
    c = compare(ones, 5, twos, 5, true);
    ok(c.p == 0 && c.ratio.low == 2 && c.ratio.high == 2 && c.bootstrap.low == 2, "all twice");
}

static void test_properties(void)
{
    double a[8], b[7], scaled_a[8], scaled_b[7];
    simulated_runs(a, 8, 50, 0.02, 11);
    simulated_runs(b, 7, 51, 0.01, 12);
    for (size_t i = 0; i < 8; i++)
        scaled_a[i] = a[i] * 3600;
    for (size_t i = 0; i < 7; i++)
        scaled_b[i] = b[i] * 3600;
    struct wtl_comparison c = compare(a, 8, b, 7, false), d = compare(b, 7, a, 8, false);
    is_double(d.ratio.low * c.ratio.high, 1, 1e-12, "sides changed: the inverse");
    is_double(d.p, c.p, 1e-14, "and the same p");
    d = compare(scaled_a, 8, scaled_b, 7, false);
    is_double(d.ratio.high, c.ratio.high, 1e-12, "the unit does not matter");
    is_double(d.bootstrap.low, c.bootstrap.low, 1e-12, "nor does it to the bootstrap");
    ok(wtl_comparison_ratio(&c, 0.01).high > c.ratio.high &&
           wtl_comparison_ratio(&c, 0.1).high < c.ratio.high,
       "99 %% is wider, 90 %% narrower");
    double have = wtl_comparison_more_runs(&c, 0.01, 0.05);
    ok(have > 0 && wtl_comparison_more_runs(&c, 0.005, 0.05) > have &&
           wtl_comparison_more_runs(&c, 0.01, 0.0125) >= have,
       "a smaller difference, or a stricter test, needs more runs");
    is_double(wtl_comparison_more_runs(&c, 1, 0.05), 0, 0, "a large one needs no more");
    ok(isinf(wtl_comparison_more_runs(&c, 1e-9, 0.05)), "a tiny one never ends");
}

/* Rates at 5, 10 runs per side, paired and not; the influence of chance is bounded, seeds are
 * fixed. */
static void test_rates(void)
{
    enum { WORLDS = 4000 };
    static const size_t sizes[] = {5, 10};
    for (size_t k = 0; k < 4; k++) {
        size_t n = sizes[k % 2], alarms = 0, covered = 0, boot = 0, found = 0, boots = 0;
        bool paired = k >= 2;
        double truth = 1.02;
        for (size_t world = 0; world < WORLDS; world++) {
            double a[10], b[10], c[10];
            struct wtl_comparison null, alt;
            simulated_runs(a, n, 100, 0.01, wtl_random_bits(3 * k, world));
            simulated_runs(b, n, 100, 0.01, wtl_random_bits(3 * k + 1, world));
            for (size_t i = 0; i < n; i++)
                c[i] = b[i] * truth;
            struct wtl_groups groups = {
                .a = a, .b = b, .a_n = n, .b_n = n, .paired = paired, .noise = no_noise};
            size_t resamples = world < 500 ? 999 : 0;
            if (wtl_compare(&groups, (unsigned)world, 0, &null) < 0)
                break;
            groups.b = c;
            if (wtl_compare(&groups, (unsigned)world, resamples, &alt) < 0)
                break;
            alarms += null.p < 0.05;
            found += alt.p < 0.05;
            covered += alt.ratio.low <= truth && truth <= alt.ratio.high;
            boots += resamples > 0;
            boot += resamples && alt.bootstrap.low <= truth && truth <= alt.bootstrap.high;
        }
        diag("n %zu%s: alarms %.3f, found %.3f, covered %.3f, bootstrap %.3f", n,
             paired ? " pairs" : "", (double)alarms / WORLDS, (double)found / WORLDS,
             (double)covered / WORLDS, (double)boot / (double)boots);
        ok(plausible_rate(alarms, WORLDS, 0.05), "false alarms are 5 %%");
        ok(plausible_rate(covered, WORLDS, 0.95), "the interval covers 95 %%");
        ok((double)boot / (double)boots > 0.88, "the bootstrap does not fall far behind");
    }
}

/* The detectable difference is found four times out of five. */
/* One run of A takes four times as long: the arithmetic mean of A is above that of B, its typical run below. */
static void test_means(void)
{
    static const double a[] = {1, 1, 1, 1, 4}, b[] = {1.5, 1.5, 1.5, 1.5, 1.5},
                        some_0[] = {0, 2, 1, 1, 1};
    struct wtl_comparison c = compare(a, 5, b, 5, false);
    is_double(c.a_mean.value, pow(4, 0.2), 1e-12, "the mean of A is geometric");
    is_double(c.b_mean.value, 1.5, 1e-12, "and that of B");
    is_double(c.ratio.value, c.b_mean.value / c.a_mean.value, 1e-12, "the ratio is of these");
    ok(c.ratio.value > 1 && c.b.mean < c.a.mean, "though the arithmetic means differ in sign");
    ok(c.a_mean.low < 1.1 && c.a_mean.high > 1.6, "with an interval");
    c = compare(a6, 6, b5, 5, false);
    is_double(c.a_mean.high / c.a_mean.value, c.a_mean.value / c.a_mean.low, 1e-9,
              "which is one of the logarithms");
    c = compare(some_0, 5, b, 5, false);
    is_double(c.a_mean.value, 1, 1e-12, "with a 0: arithmetic");
    ok(isnan(c.ratio.value), "and no ratio");
}

static void test_power(void)
{
    enum { WORLDS = 3000, N = 8 };
    size_t found = 0;
    double sd = 0.01, error = sd * sqrt(2.0 / N);
    double truth = exp(
        (wtl_student_quantile(0.975, 2 * N - 2) + wtl_student_quantile(0.8, 2 * N - 2)) * error);
    for (size_t world = 0; world < WORLDS; world++) {
        double a[N], b[N];
        struct wtl_comparison c;
        struct wtl_groups groups = {.a = a, .b = b, .a_n = N, .b_n = N, .noise = no_noise};
        simulated_runs(a, N, 100, sd, wtl_random_bits(77, world));
        simulated_runs(b, N, 100 * truth, sd, wtl_random_bits(78, world));
        if (wtl_compare(&groups, 0, 0, &c) == 0)
            found += c.p < 0.05;
    }
    diag("power %.3f", (double)found / WORLDS);
    ok(fabs((double)found / WORLDS - 0.8) < 0.04, "the detectable difference has its power");
}

int main(void)
{
    test_welch();
    test_means();
    test_pairs();
    test_resolution();
    test_few();
    test_no_variation();
    test_properties();
    test_rates();
    test_power();
    return done_testing();
}
