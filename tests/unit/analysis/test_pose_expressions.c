/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics as expressions: those that fall are refused with points at which they really fall; if a
 * model is returned it is correct, for jumps, plateaus and random sums.
 */
#include "analysis/pose/pose.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tap.h"

static const struct wtl_pose_code code = {100, 25000, 150, 350};
static uint64_t drawn;

static double uniform(double low, double high)
{
    return low + (high - low) * wtl_random_uniform(3321551, drawn++);
}

static int model_of(const char *text,
                    struct wtl_pose_metric *metric,
                    struct wtl_pose *ret_pose,
                    struct wattle_error *err)
{
    int rc = wtl_pose_metric_parse(text, metric, err);
    return rc < 0 ? rc : wtl_pose_of(&code, metric, ret_pose, err);
}

/* Do the points in a refusal show a decrease? */

/* Do the points in a refusal show a decrease? */
static bool falls_there(const char *text, const char *sentence)
{
    struct wtl_pose_metric metric;
    double cost[2], at[2], other;
    const char *from = strstr(sentence, ", from "), *with = strstr(sentence, "decreases with ");
    if (!from || !with || wtl_pose_metric_parse(text, &metric, NULL) < 0)
        return false;
    bool energy = strncmp(with, "decreases with energy", 21) == 0;
    int n = sscanf(from,
                   energy ? ", from %lf at %lf J to %lf at %lf J, for t = %lf"
                          : ", from %lf at %lf s to %lf at %lf s, for E = %lf",
                   &cost[0], &at[0], &cost[1], &at[1], &other);
    bool falls = n == 5 && at[0] < at[1] && cost[0] > cost[1];
    for (int i = 0; falls && i < 2;
         i++) { /* printed points are rounded; allow for the effect on values */
        double value = energy ? wtl_pose_metric_value(&metric, at[i], other)
                              : wtl_pose_metric_value(&metric, other, at[i]);
        falls = fabs(value - cost[i]) <= 1e-6 * fabs(cost[i]) + fabs(cost[0] - cost[1]);
    }
    wtl_pose_metric_fini(&metric);
    return falls;
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *text, *words;
    } rows[] = {
        {__LINE__, "E/t", "decreases with time"},
        {__LINE__, "E/(1 + t)", "decreases with time"},
        {__LINE__, "t/E", "decreases with energy"},
        {__LINE__, "E*t - 300*t^2", "decreases with time"},
        {__LINE__, "E*(2 + sin(t))", "decreases with time"},
        {__LINE__, "E*(1 + 1e-6*sin(1e6*t))", "decreases with time"},
        {__LINE__, "E + 1000*(t > 100 && t < 101)", "decreases with time"},
        {__LINE__, "E - 1000*step(t - 110)", "decreases with time"},
        {__LINE__, "E*(t < 100)", "decreases with time"},
        {__LINE__, "E > 20000 ? E : 3*E", "decreases with energy"},
        {__LINE__, "E + mod(t, 10)", "decreases with time"},
        {__LINE__, "E + 500*square(t, 10, 0.5)", "decreases with time"},
        {__LINE__, "E*exp(-t/500)", "decreases with time"},
        {__LINE__, "min(E*t, 4e6 - E)", "decreases with energy"},
        {__LINE__, "abs(E - 26000) + t", "decreases with energy"},
        {__LINE__, "E + (t - 100)^2", "decreases with time"},
        {__LINE__, "E^2/(E + t)", "decreases with time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_pose_metric metric;
        struct wtl_pose pose;
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(model_of(rows[i].text, &metric, &pose, &err), -EDOM, "%s", rows[i].text);
        ok(strstr(err.text, rows[i].words) != NULL, "%s", err.text);
        ok(falls_there(rows[i].text, err.text), "where it does");
        wtl_pose_metric_fini(&metric);
    }
    static const struct {
        int line;
        const char *text, *words;
    } others[] = {
        {__LINE__, "max(E, 25000)", "does not increase clearly"}, /* flat at the code */
        {__LINE__, "min(E, 25000)", "does not increase clearly"},
        {__LINE__, "floor(E/1000)", "does not increase clearly"},
        {__LINE__, "0*E", "does not increase clearly"},
        {__LINE__, "E^0", "does not increase clearly"},
        {__LINE__, "E + 1e12",
         "does not increase clearly"}, /* less than the precision of a double */
        {__LINE__, "(E + 1e20) - 1e20", "does not increase clearly"},
        {__LINE__, "E*t^200", "exceeds what can be computed"},
        {__LINE__, "E + log(t - 30)", "has no value"},
        {__LINE__, "E + sqrt(t - 99)", "has no value"},
        {__LINE__, "E + (t - 100)^3", "is negative"},
        {__LINE__, "E - 20000 + t", "is negative"},
        {__LINE__, "floor(t/10)*10 + mod(t, 10) + E", "cannot be shown"}, /* it does rise */
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct wtl_pose_metric metric;
        struct wtl_pose pose;
        struct wattle_error err = {""};
        tap_line = others[i].line;
        is_int(model_of(others[i].text, &metric, &pose, &err), -EDOM, "%s", others[i].text);
        ok(strstr(err.text, others[i].words) != NULL, "%s", err.text);
        wtl_pose_metric_fini(&metric);
    }
    tap_line = 0;
}

/* ---- accepted ---- */

/* Computed manually: P = 250 W. */
static void test_known(void)
{
    static const struct {
        int line;
        const char *text;
        double b_s, c_s, e_s;
    } rows[] = {
        {__LINE__, "E + 1000*ceil(t/36)", 72, 64,
         23000 / 150.0}, /* B: 350*72 + 2000 < 28000 <= after 72 s */
        {__LINE__, "E*(1 + 0.5*step(t - 100))", 100, 90, 37500 / 225.0},
        {__LINE__, "E + t*(t > 100)", 25000 / 350.0, 60, 25000 / 151.0},
        {__LINE__, "max(E, 26000) + t", 26100 / 351.0, 100, 100}, /* flat in E, not in t */
        {__LINE__, "E*clamp(t, 90, 110)", 2.5e6 / (350 * 90.0), 1.5e6 / (250 * 90.0),
         2.5e6 / (150 * 110.0)},
        {__LINE__, "1/(1/E + 1/(100*t))", 100 * (250 / 350.0) * (450 / 350.0),
         100 * (150 / 250.0) * (350 / 250.0), 100 * (250 / 150.0) * (250 / 350.0)},
        {__LINE__, "t", 100, 100, 100},
        {__LINE__, "max(E, 200*t)", 25000 / 350.0, 80, 125},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_pose_metric metric;
        struct wtl_pose pose = {.warnings = 0};
        struct wattle_error err = {""};
        tap_line = rows[i].line;
        is_int(model_of(rows[i].text, &metric, &pose, &err), 0, "%s %s", rows[i].text, err.text);
        const struct wtl_pose_point *v = pose.vertices;
        is_double(v[WTL_POSE_B].t_s, rows[i].b_s, 1e-9 * rows[i].b_s, "B");
        is_double(v[WTL_POSE_C].t_s, rows[i].c_s, 1e-9 * rows[i].c_s, "C");
        is_double(v[WTL_POSE_E].t_s, rows[i].e_s, 1e-9 * rows[i].e_s, "E");
        wtl_pose_metric_fini(&metric);
    }
    tap_line = 0;
}

/* Without a floor: bounds that end at 0 J, or not at all. */
static void test_no_floor(void)
{
    const struct wtl_pose_code free_code = {100, 25000, 0, 350};
    struct wtl_pose_metric metric;
    struct wtl_pose pose = {.warnings = 0};
    struct wattle_error err = {""};
    is_int(wtl_pose_metric_parse("E + 2.5*t^2", &metric, &err), 0, "E + 2.5 t^2");
    is_int(wtl_pose_of(&free_code, &metric, &pose, &err), 0, "a floor of 0 W %s", err.text);
    is_double(pose.vertices[WTL_POSE_E].t_s, sqrt(50000 / 2.5), 1e-6,
              "E lies where all of the cost is time");
    wtl_pose_metric_fini(&metric);
    is_int(wtl_pose_metric_parse("E*t + E", &metric, &err), 0, "E t + E");
    is_int(wtl_pose_of(&free_code, &metric, &pose, &err), 0, "costs nothing without energy %s",
           err.text);
    ok(isinf(pose.vertices[WTL_POSE_E].t_s), "so E is nowhere");
    is_double(pose.vertices[WTL_POSE_C].t_s, 0, 0, "and C at 0");
    wtl_pose_metric_fini(&metric);
}

/* ---- random sums ---- */

static void random_term(char *text, size_t n)
{
    static const char *const rising[] = {"%.3g*E",
                                         "%.3g*E*t",
                                         "%.3g*t^2",
                                         "%.3g*sqrt(E*t)*9",
                                         "%.3g*1e4*step(t - %.3g)",
                                         "%.3g*900*ceil(t/%.3g)",
                                         "%.3g*max(E, %.3g*200)",
                                         "%.3g*min(E, %.3g*250)",
                                         "%.3g*E*log(1 + t/%.3g)",
                                         "%.3g*E*exp(t/%.3g/20)",
                                         "%.3g*E*(1 + (t > %.3g))",
                                         "%.3g*clamp(E, 100*t, %.3g*500)",
                                         "%.3g*(E > %.3g*250 ? 2*E : E)",
                                         "%.3g*tanh(E/3e4)*1e4"};
    static const char *const falling[] = {
        "(9e3 - %.3g*t)",        "%.3g*4e3*sin(t/%.3g)", "%.3g*E/(1 + t/%.3g)",
        "%.3g*300*mod(t, %.3g)", "%.3g*9e3*(t < %.3g)",  "%.3g*1e3*(2 - step(E - 250*%.3g))"};
    const char *form =
        uniform(0, 1) < 0.85 ? rising[(int)uniform(0, 13.999)] : falling[(int)uniform(0, 5.999)];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, n, form, uniform(0.1, 3), uniform(20, 180));
#pragma GCC diagnostic pop
}

static double cost_at(const struct wtl_pose_metric *metric, double power_w, double t_s)
{
    return wtl_pose_metric_value(metric, power_w * t_s, t_s);
}

/* Is x the run time on a ray above which the cost exceeds that of the code? */
static bool is_crossing(const struct wtl_pose_metric *metric, double power_w, double x, double want)
{
    for (int i = 0; i < 300; i++) {
        double t = x * exp(uniform(-1.5, 1.5));
        double cost = cost_at(metric, power_w, t);
        if (t < x * (1 - 1e-9) ? cost >= want : t > x * (1 + 1e-9) && cost <= want)
            return false;
    }
    return cost_at(metric, power_w, x * (1 - 1e-9)) < want &&
           cost_at(metric, power_w, x * (1 + 1e-9)) > want;
}

static bool is_right(const struct wtl_pose *pose, const struct wtl_pose_metric *metric)
{
    const struct wtl_pose_point *v = pose->vertices, *c = &v[WTL_POSE_C];
    double same = wtl_pose_metric_value(metric, code.e_j, code.t_s);
    double lower = cost_at(metric, code.pmin_w, code.t_s),
           best = wtl_pose_metric_value(metric, c->e_j, c->t_s);
    bool right = is_crossing(metric, code.pmax_w, v[WTL_POSE_B].t_s, same) &&
                 is_crossing(metric, code.pmin_w, v[WTL_POSE_E].t_s, same) &&
                 is_crossing(metric, pose->p_w, c->t_s, lower) &&
                 is_crossing(metric, code.pmax_w, v[WTL_POSE_A].t_s, best);
    for (int i = 0; right && i < 300; i++) { /* and nothing decreases within the envelope */
        double t = uniform(40, 160), e = t * uniform(150, 350), more = uniform(1, 1.5);
        double here = wtl_pose_metric_value(metric, e, t), slack = 1e-9 * here;
        right =
            (e * more > 350 * t || wtl_pose_metric_value(metric, e * more, t) >= here - slack) &&
            (e < 150 * t * more || wtl_pose_metric_value(metric, e, t * more) >= here - slack);
    }
    return right;
}

static void test_random(void)
{
    int given = 0, wrong = 0, falling = 0, baseless = 0, others = 0;
    for (int round = 0; round < 3000; round++) {
        char text[300], terms[3][80];
        for (int i = 0; i < 3; i++)
            random_term(terms[i], sizeof terms[i]);
        int n = (int)uniform(1, 3.999);
        (void)snprintf(text, sizeof text, "%s%s%s%s%s", terms[0], n > 1 ? " + " : "",
                       n > 1 ? terms[1] : "", n > 2 ? " + " : "", n > 2 ? terms[2] : "");
        struct wtl_pose_metric metric;
        struct wtl_pose pose;
        struct wattle_error err = {""};
        int rc = model_of(text, &metric, &pose, &err);
        bool right = rc < 0 || is_right(&pose, &metric);
        bool falls = rc == -EDOM && strstr(err.text, "decreases with");
        bool shown = !falls || falls_there(text, err.text);
        given += rc == 0;
        falling += falls;
        others += rc < 0 && !falls;
        wrong += !right;
        baseless += !shown;
        if ((!right && wrong < 4) || (!shown && baseless < 4))
            diag("%s: %s", text, err.text);
        wtl_pose_metric_fini(&metric);
    }
    is_int(wrong, 0, "%d models of random sums are right", given);
    is_int(baseless, 0, "%d random sums are refused with points where they fall", falling);
    ok(given > 1000 && falling > 500 && others < 400, "%d are refused for other reasons", others);
}

int main(void)
{
    test_refused();
    test_known();
    test_no_floor();
    test_random();
    return done_testing();
}
