/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POSE: every printed cell of the paper, vertices compared with a search on the curves themselves,
 * the identities between the insights, the regions compared with their definitions, and invalid
 * input.
 */
#include "analysis/pose/pose.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "pose_tables.h"
#include "tap.h"

static uint64_t state = 20190401;

static double uniform(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

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

/* ---- the paper ---- */

/* Inputs are printed with two decimals: half a digit of these, and of the cell itself. */
static double slack_of(const struct pose_cell *cell)
{
    if (cell->insight == WTL_POSE_ENERGY_SAVED)
        return 0.005 * (cell->pmin_w + cell->t_s + 1);
    return 0.010;
}

static void test_cell(const struct pose_cell *cell)
{
    struct wtl_pose_metric metric = metric_of(cell->metric);
    struct wattle_error err = {""};
    struct wtl_pose pose = {.warnings = 0};
    double ratios[WTL_POSE_INSIGHTS] = {0}, ratio;
    if (isnan(cell->t_s)) {
        is_int(wtl_pose_system(cell->pmin_w, cell->pmax_w, &metric, ratios, &err), 0, "%s",
               err.text);
        ratio = ratios[cell->insight];
    } else {
        struct wtl_pose_code code = {cell->t_s, cell->e_j, cell->pmin_w, cell->pmax_w};
        is_int(wtl_pose_of(&code, &metric, &pose, &err), 0, "%s", err.text);
        ratio = pose.insights[cell->insight].ratio;
    }
    is_double(ratio, cell->ratio, 0.0053, "table %d, %s, %s, %s, %s: ratio", cell->table,
              cell->platform, cell->code, cell->metric, wtl_pose_insight_names[cell->insight]);
    if (!isnan(cell->absolute))
        is_double(pose.insights[cell->insight].absolute, cell->absolute, slack_of(cell),
                  "the same: absolute");
    wtl_pose_metric_fini(&metric);
}

/* ---- compared with a search on the curves ---- */

static double cost(const struct wtl_pose_metric *metric, double power_w, double t_s)
{
    return wtl_pose_metric_value(metric, power_w * t_s, t_s);
}

/* The time on a ray at which the cost is `want`, by bisection. */
static double search(const struct wtl_pose_metric *metric, double power_w, double want)
{
    double low = 1e-9, high = 1e9;
    for (int i = 0; i < 400; i++) {
        double middle = sqrt(low * high);
        if (cost(metric, power_w, middle) < want)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double apart(double a, double b)
{
    return fabs(a - b) / fmax(fabs(a), fabs(b));
}

/* The largest relative difference of the vertices' times, over many models of a metric. */
static double worst_vertex(const char *text, int rounds)
{
    struct wtl_pose_metric metric = metric_of(text);
    double worst = 0;
    for (int i = 0; i < rounds; i++) {
        struct wattle_error err = {""};
        struct wtl_pose pose;
        double low = uniform(20, 200), high = low * uniform(1.05, 4), t = exp(uniform(-3, 6));
        double p = uniform(low * 0.8, high * 1.2); /* codes outside of their envelope, too */
        struct wtl_pose_code code = {t, p * t, low, high};
        if (wtl_pose_of(&code, &metric, &pose, &err) < 0) {
            diag("%s", err.text);
            worst = INFINITY;
            break;
        }
        double same = cost(&metric, p, t), t_c = search(&metric, p, cost(&metric, low, t));
        double limit = cost(&metric, low, t_c);
        const struct wtl_pose_point *v = pose.vertices;
        worst = fmax(worst, apart(v[WTL_POSE_B].t_s, search(&metric, high, same)));
        worst = fmax(worst, apart(v[WTL_POSE_E].t_s, search(&metric, low, same)));
        worst = fmax(worst, apart(v[WTL_POSE_C].t_s, t_c));
        worst = fmax(worst, apart(v[WTL_POSE_A].t_s, search(&metric, high, limit)));
        worst = fmax(worst, apart(v[WTL_POSE_D].e_j, low * t));
        worst = fmax(worst, apart(pose.insights[WTL_POSE_METRIC_IMPROVEMENT].ratio, same / limit));
        /* Each curve goes through its vertices. */
        worst = fmax(worst, apart(wtl_pose_optimisation_bound(&pose, &metric, v[WTL_POSE_B].t_s),
                                  v[WTL_POSE_B].e_j));
        worst = fmax(worst, apart(wtl_pose_optimisation_limit(&pose, &metric, v[WTL_POSE_A].t_s),
                                  v[WTL_POSE_A].e_j));
        worst = fmax(worst, apart(wtl_pose_contribution_bound(&pose, &metric, v[WTL_POSE_C].t_s),
                                  v[WTL_POSE_C].e_j));
        worst = fmax(worst, apart(wtl_pose_contribution_bound(&pose, &metric, t), p * t));
    }
    wtl_pose_metric_fini(&metric);
    return worst;
}

static void test_vertices(void)
{
    static const struct {
        int line;
        const char *text;
    } rows[] = {
        {__LINE__, "E"},
        {__LINE__, "Et"},
        {__LINE__, "Et^0.5"},
        {__LINE__, "Et^3"},
        {__LINE__, "Et^40"},
        {__LINE__, "EDS:1,900"},
        {__LINE__, "EDS:1,0"},
        {__LINE__, "EDS:0.3,7"},
        {__LINE__, "EDD:1,519.615"},
        {__LINE__, "EDD:2,0"},
        {__LINE__, "E*t^2"},
        {__LINE__, "E*t^2 + 0.1*t"},
        {__LINE__, "E*exp(t/500)"},
        {__LINE__, "0.3*E/3.6e6 + 0.0004*t"},
        {__LINE__, "sqrt(E^2 + (300*t)^2)"},
        {__LINE__, "E + 20*t + t^2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tap_line = rows[i].line;
        double worst = worst_vertex(rows[i].text, strchr(rows[i].text, '*') ? 40 : 1000);
        ok(worst <= 1e-9, "%s: closed form and search agree to %.1e", rows[i].text, worst);
    }
    tap_line = 0;
}

/* ---- identities ---- */

static void test_identities(void)
{
    static const char *const texts[] = {"Et^3", "Et^0", "EDS:1,600", "EDD:1,346.41", "E*t^1.5"};
    for (size_t m = 0; m < sizeof texts / sizeof *texts; m++) {
        struct wtl_pose_metric metric = metric_of(texts[m]);
        struct wattle_error err = {""};
        double worst = 0, system[WTL_POSE_INSIGHTS], greatest[WTL_POSE_INSIGHTS] = {0};
        double low = 120, high = 330;
        is_int(wtl_pose_system(low, high, &metric, system, &err), 0, "%s: summary %s", texts[m],
               err.text);
        for (int i = 0; i <= 200; i++) {
            double p = low + (high - low) * i / 200, t = uniform(1, 1000);
            struct wtl_pose pose = {.warnings = 0};
            struct wtl_pose_code code = {t, p * t, low, high};
            if (wtl_pose_of(&code, &metric, &pose, &err) < 0)
                diag("%s", err.text);
            const struct wtl_pose_value *v = pose.insights;
            double q = v[WTL_POSE_GUARANTEED_SPEEDUP].ratio * v[WTL_POSE_WORST_SLOWDOWN].ratio;
            worst = fmax(worst, apart(q, system[WTL_POSE_WORST_SLOWDOWN]));
            worst = fmax(worst, apart(v[WTL_POSE_DOMINATING_SPEEDUP].ratio,
                                      q * v[WTL_POSE_WORST_SLOWDOWN].ratio));
            worst = fmax(worst, apart(v[WTL_POSE_ENERGY_SAVED].ratio, p / low));
            worst = fmax(
                worst, apart(t / pose.vertices[WTL_POSE_C].t_s, v[WTL_POSE_WORST_SLOWDOWN].ratio));
            worst = fmax(worst, apart(v[WTL_POSE_METRIC_IMPROVEMENT].ratio,
                                      pow(v[WTL_POSE_WORST_SLOWDOWN].ratio, 2 * metric.h)));
            for (int k = 0; k < WTL_POSE_INSIGHTS; k++)
                greatest[k] = fmax(greatest[k], v[k].ratio);
        }
        ok(worst <= 1e-9, "%s: identities between the insights hold to %.1e", texts[m], worst);
        for (int k = 0; k < WTL_POSE_INSIGHTS; k++)
            is_double(greatest[k], system[k], 1e-9 * system[k],
                      "%s: the greatest %s is the summary's", texts[m], wtl_pose_insight_names[k]);
        wtl_pose_metric_fini(&metric);
    }
}

/* ---- regions ---- */

static enum wtl_pose_region region_by_definition(const struct wtl_pose *pose,
                                                 const struct wtl_pose_metric *metric,
                                                 struct wtl_pose_point at)
{
    double t = pose->code.t_s, r = at.e_j / at.t_s;
    double here = wtl_pose_metric_value(metric, at.e_j, at.t_s);
    const struct wtl_pose_point *c = &pose->vertices[WTL_POSE_C];
    if (here >= wtl_pose_metric_value(metric, pose->code.e_j, t))
        return WTL_POSE_DEGRADATION;
    if (cost(metric, r, t) < cost(metric, pose->p_w, at.t_s)) /* definition 2 of the paper */
        return WTL_POSE_POWER;
    return here < wtl_pose_metric_value(metric, c->e_j, c->t_s) ? WTL_POSE_STRONG_RUN_TIME
                                                                : WTL_POSE_WEAK_RUN_TIME;
}

static void test_regions(void)
{
    static const char *const texts[] = {"Et^2", "EDS:1,900", "EDD:1,519.615", "E*t^2 + 0.1*t"};
    for (size_t m = 0; m < sizeof texts / sizeof *texts; m++) {
        struct wtl_pose_metric metric = metric_of(texts[m]);
        struct wattle_error err = {""};
        struct wtl_pose pose = {.warnings = 0};
        struct wtl_pose_code code = {100, 25000, 150, 350};
        int seen[5] = {0}, wrong = 0, shares_wrong = 0;
        is_int(wtl_pose_of(&code, &metric, &pose, &err), 0, "%s: %s", texts[m], err.text);
        for (int i = 0; i < 4000; i++) {
            double x = uniform(50, 130);
            struct wtl_pose_point at = {x, x * uniform(100, 400)}; /* outside, too */
            struct wtl_pose_verdict verdict = wtl_pose_classify(&pose, &metric, at);
            wrong += verdict.region != region_by_definition(&pose, &metric, at);
            seen[verdict.region]++;
            if (verdict.region == WTL_POSE_POWER)
                shares_wrong += !(verdict.power_part > 0.5 - 1e-9);
            else if (verdict.region == WTL_POSE_WEAK_RUN_TIME)
                shares_wrong += !(verdict.power_part < 0.5 + 1e-9);
        }
        is_int(wrong, 0, "%s: 4000 candidates are in the regions of the definition", texts[m]);
        ok(seen[1] && seen[2] && seen[3] && seen[4], "%s: and all four were met", texts[m]);
        if (metric.separable)
            is_int(shares_wrong, 0, "%s: power has the greater share in its region only", texts[m]);
        wtl_pose_metric_fini(&metric);
    }
}

/* ---- edge cases ---- */

static void test_edges(void)
{
    struct wtl_pose_metric metric = metric_of("Et^3");
    struct wattle_error err = {""};
    struct wtl_pose pose = {.warnings = 0};
    struct wtl_pose_code floor = {10, 1500, 150, 350};
    is_int(wtl_pose_of(&floor, &metric, &pose, &err), 0, "a code at Pmin");
    is_double(pose.insights[WTL_POSE_ENERGY_SAVED].absolute, 0, 1e-9, "has no energy to save");
    is_double(pose.insights[WTL_POSE_WORST_SLOWDOWN].ratio, 1, 1e-12, "and no time to lose");
    is_int(pose.warnings, 0, "and is inside");
    struct wtl_pose_code rounded = {3, 0.3, 0.1, 0.2}; /* 0.3 / 3 is less than 0.1 in the last
                                                        * digit */
    is_int(wtl_pose_of(&rounded, &metric, &pose, &err), 0, "one at Pmin but for rounding");
    is_int(pose.warnings, 0, "is inside, too");
    rounded = (struct wtl_pose_code){3, nextafter(0.6, 1), 0.1, 0.2};
    is_int(wtl_pose_of(&rounded, &metric, &pose, &err), 0, "and one at Pmax");
    is_int(pose.warnings, 0, "is as well");
    rounded.e_j = 0.6 * (1 + 1e-9);
    is_int(wtl_pose_of(&rounded, &metric, &pose, &err), 0, "one above it by what is no rounding");
    is_int(pose.warnings, WTL_POSE_ABOVE_CEILING, "is not");
    floor.e_j = 1400;
    is_int(wtl_pose_of(&floor, &metric, &pose, &err), 0, "a code below Pmin is computed");
    ok(pose.insights[WTL_POSE_ENERGY_SAVED].absolute < 0, "its saving is negative");
    is_int(pose.warnings, WTL_POSE_BELOW_FLOOR, "and it is said");
    floor.e_j = 3600;
    is_int(wtl_pose_of(&floor, &metric, &pose, &err), 0, "so is one above Pmax");
    ok(pose.insights[WTL_POSE_GUARANTEED_SPEEDUP].absolute < 0, "its speed-up is negative");
    is_int(pose.warnings, WTL_POSE_ABOVE_CEILING, "and it is said");
    wtl_pose_metric_fini(&metric);

    metric = metric_of("Et^2000");
    struct wtl_pose_code large = {1000, 200000, 150, 350};
    is_int(wtl_pose_of(&large, &metric, &pose, &err), 0, "a metric beyond the doubles");
    ok(isnan(pose.insights[WTL_POSE_METRIC_IMPROVEMENT].absolute), "has no absolute improvement");
    is_double(pose.insights[WTL_POSE_METRIC_IMPROVEMENT].ratio, 200.0 * 200 / (150 * 150), 1e-9,
              "but the ratio, which does not depend on N");
    wtl_pose_metric_fini(&metric);

    metric = metric_of("EDS:0,1");
    is_int(wtl_pose_of(&large, &metric, &pose, &err), 0, "run time alone");
    is_double(pose.vertices[WTL_POSE_A].t_s, 1000, 1e-9, "all vertices stand at the code's time");
    is_double(pose.vertices[WTL_POSE_E].t_s, 1000, 1e-9, "all of them");
    wtl_pose_metric_fini(&metric);

    metric = metric_of("EDD:1,300");
    large.pmin_w = 0;
    is_int(wtl_pose_of(&large, &metric, &pose, &err), 0, "a floor of 0 W");
    is_double(pose.vertices[WTL_POSE_E].t_s, 1000 * hypot(200, 300) / 300, 1e-9,
              "E is finite with EDD");
    ok(isnan(wtl_pose_optimisation_bound(&pose, &metric, 1300)),
       "behind its end the bound has no point");
    wtl_pose_metric_fini(&metric);
}

static void test_refusals(void)
{
    static const struct {
        int line, rc;
        const char *metric;
        struct wtl_pose_code code;
        const char *words;
    } rows[] = {
        {__LINE__, -EINVAL, "Et", {0, 1, 1, 2}, "run time"},
        {__LINE__, -EINVAL, "Et", {NAN, 1, 1, 2}, "run time"},
        {__LINE__, -EINVAL, "Et", {1, -1, 1, 2}, "energy"},
        {__LINE__, -EINVAL, "Et", {1, 1, 2, 2}, "below Pmax"},
        {__LINE__, -EINVAL, "Et", {1, 1, -1, 2}, "watts"},
        {__LINE__, -EINVAL, "Et", {1, 1, 1, INFINITY}, "watts"},
        {__LINE__, -EDOM, "E/t", {10, 1500, 100, 200}, "decreases with time"},
        {__LINE__, -EDOM, "t/E", {10, 1500, 100, 200}, "decreases with energy"},
        {__LINE__, -EDOM, "E*(2 + sin(t))", {10, 1500, 100, 200}, "decreases with time"},
        {__LINE__, -EDOM, "max(E, 1e9)*1 + 0*t", {10, 1500, 100, 200}, "does not increase"},
        {__LINE__, -EDOM, "log(t)", {1, 150, 100, 200}, "negative"},
        {__LINE__, -EDOM, "E + sqrt(t - 5)", {10, 1500, 100, 200}, "no value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_pose_metric metric = metric_of(rows[i].metric);
        struct wattle_error err = {""};
        struct wtl_pose pose;
        tap_line = rows[i].line;
        is_int(wtl_pose_of(&rows[i].code, &metric, &pose, &err), rows[i].rc, "%s is refused",
               rows[i].metric);
        ok(strstr(err.text, rows[i].words) != NULL, "and why: %s", err.text);
        wtl_pose_metric_fini(&metric);
    }
    static const char *const texts[] = {"",         "Et^-1",     "Et^x", "EDS", "EDS:1", "EDS:0,0",
                                        "EDD:-1,2", "EDS:nan,1", "2",    "E*",  "e*t"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wtl_pose_metric metric;
        struct wattle_error err = {""};
        is_int(wtl_pose_metric_parse(texts[i], &metric, &err), -EINVAL, "metric \"%s\" is refused",
               texts[i]);
        ok(err.text[0], "and why: %s", err.text);
    }
    tap_line = 0;
    struct wtl_pose_metric metric = metric_of("E*t^2 + 0.1*t");
    struct wattle_error err = {""};
    double ratios[WTL_POSE_INSIGHTS];
    is_int(wtl_pose_system(100, 200, &metric, ratios, &err), -ENOTSUP,
           "no summary without separability");
    wtl_pose_metric_fini(&metric);
}

int main(void)
{
    for (size_t i = 0; i < sizeof pose_cells / sizeof *pose_cells; i++)
        test_cell(&pose_cells[i]);
    test_vertices();
    test_identities();
    test_regions();
    test_edges();
    test_refusals();
    return done_testing();
}
