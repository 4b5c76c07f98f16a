/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shapes compared with the model: each point of the window is in the polygon of the region that
 * wtl_pose_classify() returns, and in no other; the polygons tile the envelope; curves pass through
 * the vertices and satisfy the bounds' equations.
 */
#include "analysis/pose/pose_shape.h"

#include <math.h>

#include "tap.h"

enum { GRID = 71 };

struct sample {
    int line;
    const char *metric;
    double t_s, p_w, pmin_w, pmax_w;
};

static const struct sample samples[] = {
    {__LINE__, "Et^3", 322.65, 305.57, 181.14, 345.57},
    {__LINE__, "Et^3", 212.91, 182.95, 181.14, 345.57}, /* a narrow one */
    {__LINE__, "Et^0", 100, 250, 180, 350},
    {__LINE__, "Et^0.5", 100, 250, 180, 350},
    {__LINE__, "Et^60", 100, 250, 180, 350},
    {__LINE__, "EDS:1,900", 132.06, 261.2, 167.76, 345.57},
    {__LINE__, "EDS:1,0", 10, 200, 100, 300}, /* energy only */
    {__LINE__, "EDS:0,1", 10, 200, 100, 300}, /* run time only: vertical bounds */
    {__LINE__, "EDD:1,519.615", 322.65, 305.57, 181.14, 345.57},
    {__LINE__, "EDD:1,0", 10, 200, 100, 300},
    {__LINE__, "E*t^2+0.1*t", 3, 200, 100, 300}, /* not separable */
    {__LINE__, "E+t*t*40+E*t", 20, 200, 100, 300},
    {__LINE__, "Et^3", 194.72, 175.67, 180.90, 329.69}, /* below Pmin */
    {__LINE__, "EDS:1,900", 194.72, 175.67, 180.90, 329.69},
    {__LINE__, "E*t^2+0.1*t", 3, 90, 100, 300},
    {__LINE__, "Et^3", 100, 400, 180, 350}, /* above Pmax */
    {__LINE__, "EDD:1,500", 100, 400, 180, 350},
    {__LINE__, "Et^3", 100, 180, 180, 350}, /* at Pmin */
    {__LINE__, "Et^2", 100, 350, 180, 350}, /* at Pmax */
    {__LINE__, "Et^3", 100, 200, 0, 350},   /* E at infinity */
    {__LINE__, "Et^0", 100, 200, 0, 350},
    {__LINE__, "EDS:1,300", 100, 200, 0, 350},
    {__LINE__, "EDD:1,300", 100, 200, 0, 350},
    {__LINE__, "E*t+E^2+t", 3, 200, 0, 300},
    {__LINE__, "Et", 1e-3, 1e-3, 1e-6, 1e-2},
    {__LINE__, "Et^3", 1e6, 2e7, 1e7, 3e7},
};

static struct wtl_pose_metric metric;
static struct wtl_pose pose;
static struct wtl_pose_window window;

static void begin(const struct sample *sample)
{
    struct wattle_error err = {""};
    struct wtl_pose_code code = {sample->t_s, sample->p_w * sample->t_s, sample->pmin_w,
                                 sample->pmax_w};
    tap_line = sample->line;
    if (wtl_pose_metric_parse(sample->metric, &metric, &err) < 0 ||
        wtl_pose_of(&code, &metric, &pose, &err) < 0) {
        diag("%s: %s", sample->metric, err.text);
        exit(1);
    }
    window = wtl_pose_window_of(&pose, 1);
}

static void end(void)
{
    wtl_pose_metric_fini(&metric);
    tap_line = 0;
}

/* ---- regions ---- */

static double area_of(const struct wtl_pose_shape *shape)
{
    double twice = 0;
    for (size_t i = 0; i < shape->count; i++) {
        struct wtl_pose_point a = shape->points[i], b = shape->points[(i + 1) % shape->count];
        twice += (a.t_s - window.t_low) * (b.e_j - window.e_low) -
                 (b.t_s - window.t_low) * (a.e_j - window.e_low);
    }
    return fabs(twice) / 2;
}

/* Even-odd rule. */
static bool holds(const struct wtl_pose_shape *shape, struct wtl_pose_point at)
{
    bool inside = false;
    for (size_t i = 0; i < shape->count; i++) {
        struct wtl_pose_point a = shape->points[i], b = shape->points[(i + 1) % shape->count];
        if ((a.e_j > at.e_j) != (b.e_j > at.e_j) &&
            at.t_s < a.t_s + (at.e_j - a.e_j) / (b.e_j - a.e_j) * (b.t_s - a.t_s))
            inside = !inside;
    }
    return inside;
}

static enum wtl_pose_region region_at(double t_s, double e_j)
{
    return wtl_pose_classify(&pose, &metric, (struct wtl_pose_point){t_s, e_j}).region;
}

/* Is a border of regions, or of the envelope, so close that a polygon may miss it? */
static bool is_near_border(struct wtl_pose_point at)
{
    double dx = 1e-3 * (window.t_high - window.t_low), dy = 1e-3 * (window.e_high - window.e_low);
    enum wtl_pose_region here = region_at(at.t_s, at.e_j);
    for (int i = 0; i < 9; i++) {
        int column = i % 3, row = i / 3;
        double x = at.t_s + (column - 1) * dx, y = at.e_j + (row - 1) * dy;
        if (x > 0 && y > 0 && region_at(x, y) != here)
            return true;
        if (y < pose.code.pmin_w * x || y > pose.code.pmax_w * x)
            return true;
    }
    return false;
}

/* Grid points that are not in exactly the region's own polygon. */
static void check_grid(const struct sample *sample, const struct wtl_pose_shape *shapes)
{
    int inside = 0, wrong = 0, near = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        int column = i % GRID, row = i / GRID;
        struct wtl_pose_point at = {
            window.t_low + (column + 0.5) / GRID * (window.t_high - window.t_low),
            window.e_low + (row + 0.5) / GRID * (window.e_high - window.e_low)};
        bool in_envelope =
            at.e_j >= pose.code.pmin_w * at.t_s && at.e_j <= pose.code.pmax_w * at.t_s;
        int held = 0, right = 0;
        for (int r = WTL_POSE_STRONG_RUN_TIME; r <= WTL_POSE_DEGRADATION; r++) {
            bool in = holds(&shapes[r], at);
            held += in;
            right += in && in_envelope && (int)region_at(at.t_s, at.e_j) == r;
        }
        inside += in_envelope;
        if (held == in_envelope && right == in_envelope)
            continue;
        if (is_near_border(at))
            near++;
        else if (wrong++ == 0)
            diag("t %g s, E %g J, region %d, held by %d", at.t_s, at.e_j,
                 (int)region_at(at.t_s, at.e_j), held);
    }
    ok(inside > GRID * GRID / 50, "%s: %d places lie within the envelope", sample->metric, inside);
    is_int(wrong, 0, "%s: each lies in its region's polygon alone", sample->metric);
    ok(near < GRID, "%s: %d near a border did not", sample->metric, near);
}

/* The envelope's part of the window computed from strips, whose heights are exact. */
static double envelope_area(void)
{
    enum { STRIPS = 20000 };
    double width = (window.t_high - window.t_low) / STRIPS, area = 0;
    for (int i = 0; i < STRIPS; i++) {
        double x = window.t_low + (i + 0.5) * width;
        double low = fmax(pose.code.pmin_w * x, window.e_low);
        double high = fmin(pose.code.pmax_w * x, window.e_high);
        area += high > low ? (high - low) * width : 0;
    }
    return area;
}

static void test_regions(const struct sample *sample)
{
    struct wtl_pose_shape shapes[WTL_POSE_DEGRADATION + 1] = {{0}};
    double sum = 0, whole = (window.t_high - window.t_low) * (window.e_high - window.e_low);
    bool within = true;
    for (int r = WTL_POSE_STRONG_RUN_TIME; r <= WTL_POSE_DEGRADATION; r++) {
        is_int(
            wtl_pose_shape_of_region(&pose, &metric, (enum wtl_pose_region)r, &window, &shapes[r]),
            0, "%s: region %d", sample->metric, r);
        sum += area_of(&shapes[r]);
        ok(shapes[r].count != 1 && shapes[r].count != 2 && shapes[r].count < 3000,
           "%s: region %d has %zu corners", sample->metric, r, shapes[r].count);
        for (size_t i = 0; i < shapes[r].count; i++) {
            struct wtl_pose_point at = shapes[r].points[i];
            within &= at.t_s >= window.t_low && at.t_s <= window.t_high && at.e_j >= window.e_low &&
                      at.e_j <= window.e_high;
        }
    }
    ok(within, "%s: all corners lie within the window", sample->metric);
    is_double(sum / whole, envelope_area() / whole, 1e-4, "%s: they tile the envelope",
              sample->metric);
    check_grid(sample, shapes);
    for (int r = 0; r <= WTL_POSE_DEGRADATION; r++)
        wtl_pose_shape_fini(&shapes[r]);
}

/* ---- curves ---- */

static bool is_inside(struct wtl_pose_point at)
{
    return at.t_s >= window.t_low && at.t_s <= window.t_high && at.e_j >= window.e_low &&
           at.e_j <= window.e_high;
}

static bool passes(const struct wtl_pose_shape *shape, struct wtl_pose_point at)
{
    for (size_t i = 0; i < shape->count; i++)
        if (fabs(shape->points[i].t_s - at.t_s) <= 1e-12 * at.t_s &&
            fabs(shape->points[i].e_j - at.e_j) <= 1e-12 * at.e_j)
            return true;
    return false;
}

/* Every point costs as much as `like`. */
static bool costs(const struct wtl_pose_shape *shape, struct wtl_pose_point like)
{
    bool same = true;
    for (size_t i = 0; i < shape->count; i++) {
        struct wtl_pose_point at = shape->points[i];
        /* Ends clipped by the window are on a chord. */
        double slack = i == 0 || i + 1 == shape->count ? 3e-2 : 1e-9;
        double ratio =
            wtl_pose_metric_ratio(&metric, at.t_s, at.e_j / at.t_s, like.t_s, like.e_j / like.t_s);
        same &= fabs(ratio - 1) <= slack;
    }
    return same;
}

static void check_bounds(const struct sample *sample, const struct wtl_pose_shape *curves)
{
    const struct wtl_pose_point *v = pose.vertices;
    struct wtl_pose_point theta = {pose.code.t_s, pose.code.e_j};
    const struct wtl_pose_shape *bound = &curves[WTL_POSE_CURVE_OPTIMISATION_BOUND];
    const struct wtl_pose_shape *share = &curves[WTL_POSE_CURVE_CONTRIBUTION_BOUND];
    const struct wtl_pose_shape *limit = &curves[WTL_POSE_CURVE_OPTIMISATION_LIMIT];
    ok(passes(bound, theta), "%s: the optimisation bound passes theta", sample->metric);
    ok(costs(bound, theta), "%s: and costs as much", sample->metric);
    if (is_inside(v[WTL_POSE_B]))
        ok(passes(bound, v[WTL_POSE_B]), "%s: it begins at B", sample->metric);
    if (is_inside(v[WTL_POSE_E]))
        ok(passes(bound, v[WTL_POSE_E]), "%s: it ends at E", sample->metric);
    if (share->count > 0)
        ok(passes(share, theta) && (!is_inside(v[WTL_POSE_C]) || passes(share, v[WTL_POSE_C])),
           "%s: the contribution bound joins C and theta", sample->metric);
    if (limit->count > 0)
        ok(costs(limit, v[WTL_POSE_C]) && passes(limit, v[WTL_POSE_A]) &&
               passes(limit, v[WTL_POSE_C]),
           "%s: the optimisation limit joins A and C", sample->metric);
    ok(limit->count > 0 || !(v[WTL_POSE_C].t_s > 0), "%s: unless C is nowhere", sample->metric);
}

static void test_curves(const struct sample *sample)
{
    struct wtl_pose_shape curves[WTL_POSE_CURVES];
    for (int c = 0; c < WTL_POSE_CURVES; c++) {
        is_int(wtl_pose_shape_of_curve(&pose, &metric, (enum wtl_pose_curve)c, &window, &curves[c]),
               0, "%s: %s", sample->metric, wtl_pose_curve_names[c]);
        bool inside = true;
        for (size_t i = 0; i < curves[c].count; i++)
            inside &= is_inside(curves[c].points[i]);
        ok(inside && curves[c].count != 1 && curves[c].count < 2000, "%s: %s: %zu points",
           sample->metric, wtl_pose_curve_names[c], curves[c].count);
    }
    check_bounds(sample, curves);
    is_int(curves[WTL_POSE_CURVE_PMAX].count, 2, "%s: the envelope's lines are straight",
           sample->metric);
    for (int c = 0; c < WTL_POSE_CURVES; c++)
        wtl_pose_shape_fini(&curves[c]);
}

/* Between points, too, a curve satisfies its equation to within 1/1000 of the window's height. */
static void test_smooth(void)
{
    begin(&samples[0]);
    struct wtl_pose_shape curve;
    double worst = 0;
    (void)wtl_pose_shape_of_curve(&pose, &metric, WTL_POSE_CURVE_OPTIMISATION_BOUND, &window,
                                  &curve);
    for (size_t i = 1; i < curve.count; i++) {
        struct wtl_pose_point a = curve.points[i - 1], b = curve.points[i];
        double x = (a.t_s + b.t_s) / 2, y = (a.e_j + b.e_j) / 2;
        worst = fmax(worst, fabs(y - wtl_pose_optimisation_bound(&pose, &metric, x)));
    }
    ok(worst < 1e-3 * (window.e_high - window.e_low) && worst > 0, "off by %g J", worst);
    wtl_pose_shape_fini(&curve);
    end();
}

/* ---- windows ---- */

static void test_windows(void)
{
    begin(&samples[0]);
    for (int v = 0; v < WTL_POSE_VERTICES; v++)
        ok(is_inside(pose.vertices[v]), "vertex %c lies within", 'A' + v);
    struct wtl_pose_window before = window;
    wtl_pose_window_include(&window, (struct wtl_pose_point){pose.code.t_s, pose.code.e_j});
    is_double(window.t_high, before.t_high, 0, "a point inside changes nothing");
    wtl_pose_window_include(&window, (struct wtl_pose_point){1000, 1e6});
    ok(window.t_high > 1000 && window.e_high > 1e6 && window.t_low == before.t_low,
       "a point outside widens it, with room");
    wtl_pose_window_include(&window, (struct wtl_pose_point){1, 2});
    ok(window.t_low >= 0 && window.t_low <= 1 && window.e_low >= 0 && window.e_low <= 2,
       "down to 0");
    before = window;
    wtl_pose_window_include(&window, (struct wtl_pose_point){(double)INFINITY, 2});
    is_double(window.t_high, before.t_high, 0, "infinity does not");
    end();
    struct wtl_pose two[2];
    begin(&samples[0]);
    two[0] = pose;
    end();
    begin(&samples[5]);
    two[1] = pose;
    window = wtl_pose_window_of(two, 2);
    ok(is_inside(two[0].vertices[WTL_POSE_E]) && is_inside(two[1].vertices[WTL_POSE_A]),
       "of two models");
    end();
    window = wtl_pose_window_of(NULL, 0);
    ok(window.t_high > window.t_low && window.e_high > window.e_low, "of none");
}

/* ---- any model ---- */

static uint64_t state = 20190403;

static double uniform(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static void test_random(void)
{
    for (int i = 0; i < 60; i++) {
        char text[64];
        double low = uniform(50, 300), high = low * uniform(1.02, 4);
        switch (i % 4) {
        case 0:
            (void)snprintf(text, sizeof text, "Et^%.3f", uniform(0, 6));
            break;
        case 1:
            (void)snprintf(text, sizeof text, "EDS:1,%.3f", uniform(0, 2000));
            break;
        case 2:
            (void)snprintf(text, sizeof text, "EDD:1,%.3f", uniform(0, 2000));
            break;
        default:
            (void)snprintf(text, sizeof text, "E*t^%.3f+%.3f*t", uniform(0, 3), uniform(0, 99));
            break;
        }
        /* Every fifth below the floor or above the ceiling. */
        double p = i % 5 ? uniform(low, high) : low * uniform(0.7, 5);
        struct sample sample = {__LINE__, text, exp(uniform(-3, 9)), p, low, high};
        begin(&sample);
        test_regions(&sample);
        end();
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        begin(&samples[i]);
        ok(window.t_high > window.t_low && window.e_high > window.e_low && window.t_low >= 0 &&
               is_inside((struct wtl_pose_point){pose.code.t_s, pose.code.e_j}),
           "%s: a window with the code", samples[i].metric);
        test_regions(&samples[i]);
        test_curves(&samples[i]);
        end();
    }
    test_random();
    test_smooth();
    test_windows();
    return done_testing();
}
