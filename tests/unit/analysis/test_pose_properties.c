/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POSE on random models: properties that hold for each of them, whatever the metric. The truth is
 * found by searching on the cost itself, in long double, independently of the model's code.
 */
#include "analysis/pose/pose.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tap.h"

static uint64_t drawn;

static double uniform(double low, double high)
{
    return low + (high - low) * wtl_random_uniform(2019, drawn++);
}

static double log_uniform(double low, double high)
{
    return exp(uniform(log(low), log(high)));
}

static double apart(double a, double b)
{
    return a == b ? 0 : fabs(a - b) / fmax(fabs(a), fabs(b)); /* NaN counts below as too much */
}

static void keep_worst(double *worst, double value)
{
    if (!(value <= *worst))
        *worst = value;
}

static struct wtl_pose_metric metric_of(const char *text)
{
    struct wtl_pose_metric metric = {.n = 0};
    struct wattle_error err = {""};
    if (wtl_pose_metric_parse(text, &metric, &err) < 0) {
        ok(false, "%s", err.text);
        exit(1);
    }
    return metric;
}

/* ---- truth ---- */

/* A metric with a closed form, and the logarithm of its cost. */
struct known {
    char kind; /* 'n', 'S', 'D' */
    double n, alpha, beta;
    char text[80];
};

static struct known random_known(void)
{
    static const double ns[] = {0, 1, 2, 3, 17, 1000, 1e7};
    struct known known = {.kind = "nSD"[(int)uniform(0, 2.999)]};
    known.n = uniform(0, 1) < 0.5 ? uniform(0, 6) : ns[(int)uniform(0, 6.999)];
    known.alpha = uniform(0, 1) < 0.05 ? 0 : log_uniform(1e-8, 1e4);
    known.beta = known.alpha > 0 && uniform(0, 1) < 0.1 ? 0
                 : known.alpha > 0                      ? known.alpha * log_uniform(1, 1e4)
                                                        : log_uniform(1e-8, 1e4);
    if (known.kind == 'n')
        (void)snprintf(known.text, sizeof known.text, "Et^%.17g", known.n);
    else
        (void)snprintf(known.text, sizeof known.text, "ED%c:%.17g,%.17g", known.kind, known.alpha,
                       known.beta);
    return known;
}

static long double log_cost(const struct known *m, long double e, long double t)
{
    if (m->kind == 'n')
        return logl(e) + m->n * logl(t);
    if (m->kind == 'S')
        return logl(m->alpha * e + m->beta * t);
    return 0.5L * logl(m->alpha * e * m->alpha * e + m->beta * t * m->beta * t);
}

/* The run time on a ray with that cost, by bisection. 0 or infinite if it is beyond all times. */
static long double search(const struct known *m, long double power, long double want)
{
    long double low = 1e-2000L, high = 1e2000L;
    if (log_cost(m, power * low, low) >= want)
        return 0;
    if (!(log_cost(m, power * high, high) >= want))
        return INFINITY;
    for (int i = 0; i < 90; i++) {
        long double middle = sqrtl(low) * sqrtl(high);
        if (log_cost(m, power * middle, middle) < want)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static struct wtl_pose_code random_code(void)
{
    double low = uniform(20, 300), high = low * (1 + log_uniform(0.01, 10));
    double t = log_uniform(1e-3, 1e6), p = uniform(low * 0.5, high * 1.5);
    if (uniform(0, 1) < 0.1)
        low = 0;
    return (struct wtl_pose_code){t, p * t, low, high};
}

static void worst_of(const struct known *known, const struct wtl_pose_code *code, double *worst)
{
    struct wtl_pose_metric metric = metric_of(known->text);
    struct wattle_error err = {""};
    struct wtl_pose pose;
    if (wtl_pose_of(code, &metric, &pose, &err) < 0) {
        *worst = NAN;
        diag("%s: %s", known->text, err.text);
        return;
    }
    long double t = code->t_s, low = code->pmin_w, same = log_cost(known, code->e_j, t);
    long double t_c = search(known, (long double)code->e_j / t, log_cost(known, low * t, t));
    long double best = log_cost(known, low * t_c, t_c);
    long double want[WTL_POSE_VERTICES] = {
        [WTL_POSE_A] = search(known, code->pmax_w, best),
        [WTL_POSE_B] = search(known, code->pmax_w, same),
        [WTL_POSE_C] = t_c,
        [WTL_POSE_D] = t,
        [WTL_POSE_E] = search(known, low, same),
    };
    for (int i = 0; i < WTL_POSE_VERTICES; i++) {
        keep_worst(worst, apart(pose.vertices[i].t_s, (double)want[i]));
        double power = i == WTL_POSE_A || i == WTL_POSE_B ? code->pmax_w : code->pmin_w;
        if (power > 0)
            keep_worst(worst, apart(pose.vertices[i].e_j, (double)(power * want[i])));
    }
    const struct wtl_pose_value *insights = pose.insights;
    if (low > 0)
        keep_worst(worst,
                   apart(insights[WTL_POSE_METRIC_IMPROVEMENT].ratio, (double)expl(same - best)));
    keep_worst(worst, fabs(insights[WTL_POSE_GUARANTEED_SPEEDUP].absolute -
                           (double)(t - want[WTL_POSE_B])) /
                          code->t_s);
    wtl_pose_metric_fini(&metric);
}

static void test_closed_forms(void)
{
    double worst = 0;
    for (int i = 0; i < 4000; i++) {
        struct known known = random_known();
        struct wtl_pose_code code = random_code();
        double before = worst;
        worst_of(&known, &code, &worst);
        if (!(worst <= 1e-9) && before <= 1e-9)
            diag("%s: t %.17g E %.17g Pmin %.17g Pmax %.17g", known.text, code.t_s, code.e_j,
                 code.pmin_w, code.pmax_w);
    }
    ok(worst <= 1e-9, "4000 random models: closed forms are where costs are equal, to %.1e", worst);
}

/* From the smallest doubles to the largest: correct, or refused. */
static void test_extremes(void)
{
    double worst = 0;
    int computed = 0, refused = 0;
    for (int i = 0; i < 4000; i++) {
        struct known known = random_known();
        double reach = uniform(0, 1) < 0.5 ? 300 : 60;
        double p = pow(10, uniform(-reach, reach)), t = pow(10, uniform(-reach, reach));
        struct wtl_pose_code code = {t, p * t, p * uniform(0.1, 1), p * uniform(1, 10)};
        struct wtl_pose_metric metric = metric_of(known.text);
        struct wtl_pose pose;
        int rc = wtl_pose_of(&code, &metric, &pose, NULL);
        wtl_pose_metric_fini(&metric);
        computed += rc == 0;
        refused += rc == -ERANGE || rc == -EINVAL; /* 0 J, infinite */
        double before = worst;
        if (rc == 0)
            worst_of(&known, &code, &worst);
        if (!(worst <= 1e-9) && before <= 1e-9)
            diag("%s: t %.17g E %.17g Pmin %.17g Pmax %.17g", known.text, code.t_s, code.e_j,
                 code.pmin_w, code.pmax_w);
    }
    is_int(computed + refused, 4000, "numbers from 1e-300 to 1e300: %d computed, others refused",
           computed);
    ok(computed > 1000 && refused > 1000, "both happen");
    ok(worst <= 1e-9, "what is computed is right to %.1e", worst);
    for (int i = 0; i < 2; i++) {
        struct wtl_pose_metric metric;
        is_int(wtl_pose_metric_parse(i ? "EDS:1,1e300" : "EDD:1e-200,1", &metric, NULL), -EINVAL,
               "a weight that no cost has is refused");
    }
}

/* ---- identities, scaling, the system ---- */

static const char *const separable[] = {
    "E",
    "Et^0.7",
    "Et^3",
    "Et^40",
    "EDS:1,600",
    "EDS:1,0",
    "EDS:0,1",
    "EDD:1,346.41",
    "EDD:3,0",
    "E*t^1.5",
    "0.3*E/3.6e6 + 0.0004*t",
    "sqrt(E^2 + (300*t)^2)",
    "max(E, 150*t)",
    "(E^3 + (200*t)^3)^(1/3)",
    "E + t*log(1 + E/(50*t))",
    "E*t/(E + 100*t)",
    "1/(1/E + 1/(100*t))",
};

static void test_identities(void)
{
    for (size_t m = 0; m < sizeof separable / sizeof *separable; m++) {
        struct wtl_pose_metric metric = metric_of(separable[m]);
        double worst = 0, scaled = 0, s = 0;
        for (int i = 0; i < 200; i++) {
            struct wtl_pose_code code = random_code();
            struct wtl_pose pose, longer;
            struct wattle_error err = {""};
            double system[WTL_POSE_INSIGHTS];
            code.pmin_w = code.pmin_w > 0 ? code.pmin_w : 10;
            s = log_uniform(0.01, 100);
            struct wtl_pose_code other = {code.t_s * s, code.e_j * s, code.pmin_w, code.pmax_w};
            if (wtl_pose_of(&code, &metric, &pose, &err) < 0 ||
                wtl_pose_of(&other, &metric, &longer, &err) < 0 ||
                wtl_pose_system(code.pmin_w, code.pmax_w, &metric, system, &err) < 0) {
                ok(false, "%s: %s", separable[m], err.text);
                break;
            }
            const struct wtl_pose_value *v = pose.insights, *w = longer.insights;
            double i4 = v[WTL_POSE_WORST_SLOWDOWN].ratio,
                   q = v[WTL_POSE_GUARANTEED_SPEEDUP].ratio * i4;
            keep_worst(&worst, apart(q, system[WTL_POSE_WORST_SLOWDOWN]));
            keep_worst(&worst, apart(q, system[WTL_POSE_GUARANTEED_SPEEDUP]));
            keep_worst(&worst, apart(q * q, system[WTL_POSE_DOMINATING_SPEEDUP]));
            keep_worst(&worst, apart(pow(q, 2 * metric.h), system[WTL_POSE_METRIC_IMPROVEMENT]));
            keep_worst(&worst, apart(code.pmax_w / code.pmin_w, system[WTL_POSE_ENERGY_SAVED]));
            keep_worst(&worst, apart(v[WTL_POSE_DOMINATING_SPEEDUP].ratio, q * i4));
            keep_worst(&worst, apart(v[WTL_POSE_ENERGY_SAVED].ratio, pose.p_w / code.pmin_w));
            keep_worst(&worst, apart(code.t_s / pose.vertices[WTL_POSE_C].t_s, i4));
            keep_worst(&worst, apart(v[WTL_POSE_METRIC_IMPROVEMENT].ratio, pow(i4, 2 * metric.h)));
            for (int k = 0; k < WTL_POSE_INSIGHTS; k++) {
                double unit = k == WTL_POSE_METRIC_IMPROVEMENT ? pow(s, metric.h) : s;
                keep_worst(&scaled, apart(v[k].ratio, w[k].ratio));
                double far = fabs(v[k].absolute * unit - w[k].absolute);
                double of = k == WTL_POSE_METRIC_IMPROVEMENT
                                ? wtl_pose_metric_value(&metric, other.e_j, other.t_s)
                            : k == WTL_POSE_ENERGY_SAVED ? other.e_j
                                                         : other.t_s;
                if (isfinite(w[k].absolute) && isfinite(v[k].absolute))
                    keep_worst(&scaled, far / of * (i4 > 1 ? 1 / (i4 * i4) : 1));
            }
        }
        ok(worst <= 1e-9, "%s: the identities hold to %.1e", separable[m], worst);
        ok(scaled <= 1e-9,
           "%s: ratios do not depend on run time, differences scale with it, to %.1e", separable[m],
           scaled);
        wtl_pose_metric_fini(&metric);
    }
}

/* The maximum of each insight over the optimisation bound from B to E. */
static void test_system(void)
{
    for (size_t m = 0; m < sizeof separable / sizeof *separable; m++) {
        struct wtl_pose_metric metric = metric_of(separable[m]);
        struct wattle_error err = {""};
        struct wtl_pose_code code = {321, 321 * 222.0, 120, 330};
        double greatest[WTL_POSE_INSIGHTS] = {0}, system[WTL_POSE_INSIGHTS] = {0};
        int refused = 0;
        is_int(wtl_pose_system(120, 330, &metric, system, &err), 0, "%s: a summary %s",
               separable[m], err.text);
        for (int i = 0; i <= 300; i++) {
            double p = 120 + 210.0 * i / 300;
            double t = wtl_pose_metric_time(&metric, code.t_s, 222, p);
            struct wtl_pose_code on_bound = {t, p * t, 120, 330};
            struct wtl_pose pose = {.warnings = 0};
            refused += wtl_pose_of(&on_bound, &metric, &pose, &err) < 0;
            for (int k = 0; k < WTL_POSE_INSIGHTS; k++)
                greatest[k] = fmax(greatest[k], pose.insights[k].ratio);
        }
        is_int(refused, 0, "%s: 301 codes on the bound from B to E have models %s", separable[m],
               err.text);
        for (int k = 0; k < WTL_POSE_INSIGHTS; k++)
            is_double(greatest[k], system[k], 1e-9 * system[k],
                      "%s: the greatest %s on the bound is the system's", separable[m],
                      wtl_pose_insight_names[k]);
        wtl_pose_metric_fini(&metric);
    }
    static const char *const others[] = {"E*t^2 + 0.1*t", "E + t^2", "E*exp(t/500)",
                                         "E/3.6e6 + 0.5*ceil(t/3600)"};
    for (size_t m = 0; m < sizeof others / sizeof *others; m++) {
        struct wtl_pose_metric metric = metric_of(others[m]);
        struct wattle_error err = {""};
        double ratios[WTL_POSE_INSIGHTS];
        is_int(wtl_pose_system(120, 330, &metric, ratios, &err), -ENOTSUP, "%s has no summary: %s",
               others[m], err.text);
        wtl_pose_metric_fini(&metric);
    }
}

/* ---- different spellings of the same metric ---- */

static void compare_texts(const char *one, const char *other)
{
    struct wtl_pose_metric a = metric_of(one), b = metric_of(other);
    double worst = 0;
    for (int i = 0; i < 200; i++) {
        struct wattle_error err = {""};
        struct wtl_pose p = {.warnings = 0}, q = {.warnings = 0};
        struct wtl_pose_code code = random_code();
        code.t_s = fmin(code.t_s, 1e4);
        code.e_j = fmax(code.t_s, 1) * uniform(100, 300);
        code.t_s = fmax(code.t_s, 1);
        code.pmin_w = fmax(code.pmin_w, 20);
        if (wtl_pose_of(&code, &a, &p, &err) < 0 || wtl_pose_of(&code, &b, &q, &err) < 0) {
            ok(false, "%s, %s: %s", one, other, err.text);
            break;
        }
        for (int k = 0; k < WTL_POSE_VERTICES; k++)
            keep_worst(&worst, apart(p.vertices[k].t_s, q.vertices[k].t_s));
        for (int k = 0; k < WTL_POSE_INSIGHTS; k++)
            keep_worst(&worst, apart(p.insights[k].ratio, q.insights[k].ratio));
        double x = code.t_s * uniform(0.5, 1.5);
        struct wtl_pose_point at = {x, x * uniform(100, 300)};
        struct wtl_pose_verdict v = wtl_pose_classify(&p, &a, at),
                                w = wtl_pose_classify(&q, &b, at);
        keep_worst(&worst, apart(v.gain, w.gain));
        keep_worst(&worst, apart(v.power_gain, w.power_gain));
        if (v.region != w.region)
            ok(false, "%s, %s: one region", one, other);
        double (*const curves[])(const struct wtl_pose *, const struct wtl_pose_metric *,
                                 double) = {
            wtl_pose_optimisation_bound, wtl_pose_contribution_bound, wtl_pose_optimisation_limit};
        for (int k = 0; k < 3; k++) {
            double y = curves[k](&p, &a, x), z = curves[k](&q, &b, x);
            if (!(isnan(y) && isnan(z)) && fmax(y, z) > 1e-3 * code.e_j)
                keep_worst(&worst,
                           apart(y, z) / 10); /* some are small differences of large numbers */
        }
    }
    ok(worst <= 1e-9, "%s is %s, to %.1e", one, other, worst);
    wtl_pose_metric_fini(&a);
    wtl_pose_metric_fini(&b);
}

/* ---- regions ---- */

static void test_borders(void)
{
    static const char *const texts[] = {
        "E", "Et^2", "EDS:1,900", "EDD:1,519.615", "E*t^2 + 0.1*t", "E + t^2"};
    for (size_t m = 0; m < sizeof texts / sizeof *texts; m++) {
        struct wtl_pose_metric metric = metric_of(texts[m]);
        struct wattle_error err = {""};
        struct wtl_pose pose = {.warnings = 0};
        struct wtl_pose_code code = {100, 25000, 150, 350};
        is_int(wtl_pose_of(&code, &metric, &pose, &err), 0, "%s %s", texts[m], err.text);
        const struct wtl_pose_point *v = pose.vertices;
        int wrong = 0;
        double jump = 0;
        for (int i = 0; i < 500; i++) {
            double part = uniform(0.01, 0.99), little = 1e-7;
            double x = v[WTL_POSE_B].t_s + part * (v[WTL_POSE_E].t_s - v[WTL_POSE_B].t_s);
            double e = wtl_pose_optimisation_bound(&pose, &metric, x);
            struct wtl_pose_verdict below =
                wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, e * (1 - little)});
            struct wtl_pose_verdict above =
                wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, e * (1 + little)});
            wrong += above.region != WTL_POSE_DEGRADATION || below.region == WTL_POSE_DEGRADATION;
            jump = fmax(jump, fabs(above.gain - below.gain));
            x = v[WTL_POSE_A].t_s + part * (v[WTL_POSE_C].t_s - v[WTL_POSE_A].t_s);
            e = wtl_pose_optimisation_limit(&pose, &metric, x);
            below = wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, e * (1 - little)});
            above = wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, e * (1 + little)});
            wrong += above.region == WTL_POSE_STRONG_RUN_TIME ||
                     below.region != WTL_POSE_STRONG_RUN_TIME;
            x = v[WTL_POSE_C].t_s + part * (code.t_s - v[WTL_POSE_C].t_s);
            e = wtl_pose_contribution_bound(&pose, &metric, x);
            below = wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, e * (1 - little)});
            above = wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, e * (1 + little)});
            wrong += below.region != WTL_POSE_POWER || above.region == WTL_POSE_POWER;
            wrong += !(below.power_part > 0.5) || !(above.power_part < 0.5);
            jump = fmax(jump, fabs(above.power_part - below.power_part) * log(below.gain));
        }
        is_int(wrong, 0, "%s: each border has its regions at its sides", texts[m]);
        ok(jump < 1e-5, "%s: gains and shares are continuous there: %.1e", texts[m], jump);
        wtl_pose_metric_fini(&metric);
    }
}

/* The shares of power and run time, exchanged: what one version gains by power the other gains by
 * run time. */
static void test_shares(void)
{
    struct wtl_pose_metric metric = metric_of("E + t^2");
    struct wtl_pose_code code = {100, 25000, 100, 400};
    struct wtl_pose pose = {.warnings = 0};
    is_int(wtl_pose_of(&code, &metric, &pose, NULL), 0, "a model");
    int wrong = 0, gains = 0;
    for (int i = 0; i < 2000; i++) {
        double x = uniform(60, 140);
        struct wtl_pose_verdict v =
            wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){x, x * uniform(100, 400)});
        gains += v.gain > 1;
        wrong += v.gain > 1 ? (v.region == WTL_POSE_POWER) != (v.power_part > 0.5) &&
                                  v.region != WTL_POSE_STRONG_RUN_TIME
                            : !isnan(v.power_part);
        wrong += v.gain > 1 && v.region == WTL_POSE_STRONG_RUN_TIME && v.power_part > 0.5;
    }
    ok(gains > 500, "%d versions gain", gains);
    is_int(
        wrong, 0,
        "power has more than half of a gain in its region and nowhere else, not separable either");
    struct wtl_pose_verdict by_power =
        wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){100, 20000});
    is_double(by_power.power_part, 1, 1e-12, "at the same run time all is due to power");
    struct wtl_pose_verdict by_time =
        wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){80, 20000});
    is_double(by_time.power_part, 0, 1e-12, "at the same power nothing is");
    struct wtl_pose_verdict same =
        wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){100, 25000});
    is_int(same.region, WTL_POSE_DEGRADATION, "the code itself is no better than the code");
    is_double(same.gain, 1, 0, "its gain is 1");
    wtl_pose_metric_fini(&metric);
    metric = metric_of("Et^2");
    const struct wtl_pose_code cold = {100, 14000, 150, 350};
    is_int(wtl_pose_of(&cold, &metric, &pose, NULL), 0, "a code below the floor");
    struct wtl_pose_verdict colder =
        wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){101, 101 * 130.0});
    is_int(colder.region, WTL_POSE_POWER,
           "a slower version of less power wins by power there, too");
    is_int(wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){90, 90 * 140.0}).region,
           WTL_POSE_STRONG_RUN_TIME, "and a faster one by run time");
    is_int(wtl_pose_of(&code, &metric, &pose, NULL), 0, "a code within");
    is_int(wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){100, 2000}).region,
           WTL_POSE_POWER, "a version far below the floor wins by power");
    wtl_pose_metric_fini(&metric);
    metric = metric_of("Et^2000");
    is_int(wtl_pose_of(&code, &metric, &pose, NULL), 0, "a model with large N");
    struct wtl_pose_verdict v =
        wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){50, 15000});
    is_int(v.region, WTL_POSE_STRONG_RUN_TIME, "a gain beyond the doubles is one");
    ok(v.power_part < 0 && v.power_part > -1e-3, "and has its share: %g", v.power_part);
    wtl_pose_metric_fini(&metric);
}

int main(void)
{
    test_closed_forms();
    test_extremes();
    test_identities();
    test_system();
    compare_texts("Et^2", "E*t^2");
    compare_texts("Et^2", "exp(log(E) + 2*log(t))");
    compare_texts("Et^0.5", "E*sqrt(t)");
    compare_texts("E", "1*E + 0*t");
    compare_texts("EDD:1,300", "sqrt(E^2 + (300*t)^2)");
    compare_texts("EDD:1,300", "E > 0 ? sqrt(E*E + 90000*t*t) : 300*t + 1");
    compare_texts("EDS:2,900", "2*E + 900*t");
    compare_texts("EDS:1,900", "log(exp((E + 900*t)/1e7))*1e7");
    compare_texts("EDS:0.3,1440", "(0.3*E/3.6e6 + 1.44*t/3600)*3.6e6");
    compare_texts("EDS:1,1", "1/(1/(E + t))");
    test_borders();
    test_shares();
    return done_testing();
}
