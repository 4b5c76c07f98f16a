/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shapes: see pose_shape.h. All borders are functions of power: on the ray E = R t a version of the
 * code costs more with longer run time, so each region is an interval of every ray, between two run
 * times:
 *
 *   0 .. limit              region 1, costs at most as much as C
 *   limit .. contribution   region 2
 *   contribution .. bound   region 3, on rays below the code's own
 *   bound ..                region 4, costs at least as much as the code
 *
 * These times are closed forms (or root finding for metrics that have none) in
 * wtl_pose_metric_time(), so vertical bounds, an E at infinity and codes outside the envelope are
 * no special cases: a time beyond the window is treated as just beyond it.
 */
#include "analysis/pose/pose_shape.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"

enum {
    PIECES = 8,    /* pieces of a border before their curvature is checked */
    HALVINGS = 14, /* maximum for a piece */
};
#define BEND    3e-4 /* maximum distance of a chord from its curve, as a fraction of the window */
#define ROOM    0.08 /* margin as a fraction of what is shown */
#define NOTHING 1e-9 /* fraction of the window that counts as no area */

const char *const wtl_pose_curve_names[WTL_POSE_CURVES] = {
    "pmin", "pmax", "optimisation_bound", "contribution_bound", "optimisation_limit",
};

/* ---- window ---- */

static bool is_shown(const struct wtl_pose *pose, struct wtl_pose_point at)
{
    return isfinite(at.t_s) && isfinite(at.e_j) && at.t_s <= WTL_POSE_WINDOW_TIMES * pose->code.t_s;
}

/* Margin around a span; an empty span gets one, too. */
static double room_around(double low, double high)
{
    return high - low > 1e-6 * high ? ROOM * (high - low) : ROOM * high;
}

struct wtl_pose_window wtl_pose_window_of(const struct wtl_pose *poses, size_t n)
{
    struct wtl_pose_window window = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) {
        const struct wtl_pose *pose = &poses[i];
        struct wtl_pose_window own = {pose->code.t_s, pose->code.t_s, pose->code.e_j,
                                      pose->code.e_j};
        for (int v = 0; v < WTL_POSE_VERTICES; v++) {
            if (!is_shown(pose, pose->vertices[v]))
                continue;
            own.t_low = fmin(own.t_low, pose->vertices[v].t_s);
            own.t_high = fmax(own.t_high, pose->vertices[v].t_s);
            own.e_low = fmin(own.e_low, pose->vertices[v].e_j);
            own.e_high = fmax(own.e_high, pose->vertices[v].e_j);
        }
        if (!is_shown(pose, pose->vertices[WTL_POSE_E]))
            own.t_high = 1.5 * own.t_high;
        window.t_low = fmin(window.t_low, own.t_low);
        window.t_high = fmax(window.t_high, own.t_high);
        window.e_low = fmin(window.e_low, own.e_low);
        window.e_high = fmax(window.e_high, own.e_high);
    }
    if (n == 0)
        return (struct wtl_pose_window){0, 1, 0, 1};
    double t_room = room_around(window.t_low, window.t_high);
    double e_room = room_around(window.e_low, window.e_high);
    window.t_low = fmax(window.t_low - t_room, 0);
    window.e_low = fmax(window.e_low - e_room, 0);
    window.t_high += t_room;
    window.e_high += e_room;
    return window;
}

void wtl_pose_window_include(struct wtl_pose_window *window, struct wtl_pose_point at)
{
    double t_room = ROOM * (window->t_high - window->t_low);
    double e_room = ROOM * (window->e_high - window->e_low);
    if (!isfinite(at.t_s) || !isfinite(at.e_j))
        return;
    if (at.t_s - t_room < window->t_low)
        window->t_low = fmax(at.t_s - t_room, fmin(at.t_s, 0));
    if (at.e_j - e_room < window->e_low)
        window->e_low = fmax(at.e_j - e_room, fmin(at.e_j, 0));
    window->t_high = fmax(window->t_high, at.t_s + t_room);
    window->e_high = fmax(window->e_high, at.e_j + e_room);
}

/* ---- point lists ---- */

struct row {
    struct wtl_pose_shape shape;
    size_t room;
    bool failed;
};

static void append(struct row *row, struct wtl_pose_point at)
{
    struct wtl_pose_shape *shape = &row->shape;
    if (row->failed || (shape->count > 0 && shape->points[shape->count - 1].t_s == at.t_s &&
                        shape->points[shape->count - 1].e_j == at.e_j))
        return;
    row->failed = wtl_reserve(&shape->points, &row->room, shape->count + 1, sizeof at) < 0;
    if (row->failed)
        return;
    shape->points[shape->count++] = at;
}

void wtl_pose_shape_fini(struct wtl_pose_shape *shape)
{
    free(shape->points);
    *shape = (struct wtl_pose_shape){0};
}

/* Hand the row over; a row without points means out of memory. */
static int finish(struct row *row, struct wtl_pose_shape *ret_shape)
{
    if (row->failed || row->shape.count == 0)
        wtl_pose_shape_fini(&row->shape);
    if (row->failed)
        return -ENOMEM;
    *ret_shape = row->shape;
    return 0;
}

/* ---- borders ---- */

enum border { ORIGIN, LIMIT, CONTRIBUTION, BOUND, FAR };

struct plane {
    const struct wtl_pose *pose;
    const struct wtl_pose_metric *metric;
    struct wtl_pose_window window;
    double far_s; /* a run time well beyond the window */
};

static struct plane plane_of(const struct wtl_pose *pose,
                             const struct wtl_pose_metric *metric,
                             const struct wtl_pose_window *window)
{
    return (struct plane){pose, metric, *window, 2 * fmax(window->t_high, window->t_low)};
}

/* The run time of a border on the ray of power_w, as the metric gives it: NaN if there is none. */
static double raw_time(const struct plane *plane, enum border border, double power_w)
{
    const struct wtl_pose *pose = plane->pose;
    double t = pose->code.t_s, t_c = pose->vertices[WTL_POSE_C].t_s;
    switch (border) {
    case ORIGIN:
        return 0;
    case LIMIT:
        if (!(t_c > 0) || power_w == pose->code.pmin_w)
            return t_c;
        return wtl_pose_metric_time(plane->metric, t_c, pose->code.pmin_w, power_w);
    case CONTRIBUTION:
        return power_w == pose->p_w ? t
                                    : wtl_pose_metric_time(plane->metric, t, power_w, pose->p_w);
    case BOUND:
        return power_w == pose->p_w ? t
                                    : wtl_pose_metric_time(plane->metric, t, pose->p_w, power_w);
    case FAR:
        break;
    }
    return plane->far_s;
}

/* The same within 0 .. far_s: what is never reached is far, a limit that does not exist is 0. */
static double time_at(const struct plane *plane, enum border border, double power_w)
{
    double x = raw_time(plane, border, power_w);
    bool near = border == LIMIT || (border == CONTRIBUTION && power_w < plane->pose->p_w);
    if (isnan(x))
        x = near ? 0 : plane->far_s;
    return fmin(fmax(x, 0), plane->far_s);
}

/* The border of a region, which does not cross that of the next, costlier one. */
static double region_time(const struct plane *plane, enum border border, double power_w)
{
    double bound = time_at(plane, BOUND, power_w);
    if (border == LIMIT)
        return fmin(time_at(plane, LIMIT, power_w), bound);
    if (border == CONTRIBUTION)
        return fmin(fmax(time_at(plane, CONTRIBUTION, power_w), time_at(plane, LIMIT, power_w)),
                    bound);
    return border == BOUND ? bound : time_at(plane, border, power_w);
}

struct walk {
    const struct plane *plane;
    enum border border;
    bool of_region;
    struct row *row;
};

static struct wtl_pose_point point_at(const struct walk *walk, double power_w)
{
    double x = walk->of_region ? region_time(walk->plane, walk->border, power_w)
                               : time_at(walk->plane, walk->border, power_w);
    return (struct wtl_pose_point){x, power_w * x};
}

/* Are both beyond the same side? */
static bool is_outside(const struct wtl_pose_window *w,
                       struct wtl_pose_point a,
                       struct wtl_pose_point b)
{
    return fmax(a.t_s, b.t_s) < w->t_low || fmin(a.t_s, b.t_s) > w->t_high ||
           fmax(a.e_j, b.e_j) < w->e_low || fmin(a.e_j, b.e_j) > w->e_high;
}

/* Distance of m from the chord a b, as a fraction of the window. */
static double bend_of(const struct wtl_pose_window *w,
                      struct wtl_pose_point a,
                      struct wtl_pose_point m,
                      struct wtl_pose_point b)
{
    double width = w->t_high - w->t_low, height = w->e_high - w->e_low;
    double bx = (b.t_s - a.t_s) / width, by = (b.e_j - a.e_j) / height;
    double mx = (m.t_s - a.t_s) / width, my = (m.e_j - a.e_j) / height;
    double length = hypot(bx, by);
    return length > 0 ? fabs(bx * my - by * mx) / length : hypot(mx, my);
}

/* Points after the one at from_w, up to that at to_w. */
static void walk_piece(const struct walk *walk, double from_w, double to_w)
{
    /* Halves still to be walked, the next one on top. */
    double ends[HALVINGS + 2];
    int depths[HALVINGS + 2], top = 0;
    struct wtl_pose_point a = point_at(walk, from_w);
    double at_w = from_w;
    ends[0] = to_w;
    depths[0] = 0;
    while (top >= 0) {
        double middle_w = at_w + (ends[top] - at_w) / 2;
        struct wtl_pose_point b = point_at(walk, ends[top]);
        if (depths[top] < HALVINGS && !is_outside(&walk->plane->window, a, b) &&
            bend_of(&walk->plane->window, a, point_at(walk, middle_w), b) > BEND) {
            depths[top]++;
            ends[top + 1] = middle_w;
            depths[top + 1] = depths[top];
            top++;
            continue;
        }
        append(walk->row, b);
        a = b;
        at_w = ends[top--];
    }
}

/* Points of a border after that of from_w, over powers up to to_w. */
static void walk_pieces(const struct walk *walk, double from_w, double to_w)
{
    double step = (to_w - from_w) / PIECES;
    for (int i = 0; i < PIECES; i++)
        walk_piece(walk, from_w + i * step, i + 1 == PIECES ? to_w : from_w + (i + 1) * step);
}

/* A border over powers from_w .. to_w, in either direction, including the points where it meets
 * another: those on the rays of the code and of the envelope. */
static void walk_border(const struct walk *walk, double from_w, double to_w)
{
    const struct wtl_pose *pose = walk->plane->pose;
    double p = pose->p_w, low = fmin(from_w, to_w), high = fmax(from_w, to_w);
    /* The three in walking order: the code may be below the floor or above the ceiling. */
    double stops[] = {fmin(p, pose->code.pmin_w),
                      fmax(fmin(p, pose->code.pmax_w), pose->code.pmin_w),
                      fmax(p, pose->code.pmax_w)};
    append(walk->row, point_at(walk, from_w));
    for (int i = 0; i < 3; i++) {
        double stop = stops[from_w < to_w ? i : 2 - i];
        if (stop <= low || stop >= high)
            continue;
        walk_pieces(walk, from_w, stop);
        from_w = stop;
    }
    walk_pieces(walk, from_w, to_w);
}

/* ---- clipping ---- */

/* How far inside side 0 .. 3 of the window a point is. */
static double inside_of(const struct wtl_pose_window *w, int side, struct wtl_pose_point at)
{
    const double distances[] = {at.t_s - w->t_low, w->t_high - at.t_s, at.e_j - w->e_low,
                                w->e_high - at.e_j};
    return distances[side];
}

static struct wtl_pose_point crossing(const struct wtl_pose_window *w,
                                      int side,
                                      struct wtl_pose_point a,
                                      struct wtl_pose_point b)
{
    const double borders[] = {w->t_low, w->t_high, w->e_low, w->e_high};
    double from = inside_of(w, side, a), to = inside_of(w, side, b), part = from / (from - to);
    struct wtl_pose_point at = {a.t_s + part * (b.t_s - a.t_s), a.e_j + part * (b.e_j - a.e_j)};
    if (side < 2)
        at.t_s = borders[side];
    else
        at.e_j = borders[side];
    return at;
}

/* Sutherland and Hodgman: clip a row (closed: a polygon) at one side. A row leaves the window at
 * most once, since bounds are monotonic. */
static void cut_side(struct row *row, const struct wtl_pose_window *w, int side, bool closed)
{
    struct row cut = {.failed = row->failed};
    const struct wtl_pose_point *points = row->shape.points;
    size_t n = row->shape.count;
    for (size_t i = 0; i < n; i++) {
        bool here = inside_of(w, side, points[i]) >= 0;
        const struct wtl_pose_point *last = i > 0 ? &points[i - 1] : closed ? &points[n - 1] : NULL;
        if (last && here != (inside_of(w, side, *last) >= 0))
            append(&cut, crossing(w, side, *last, points[i]));
        if (here)
            append(&cut, points[i]);
    }
    free(row->shape.points);
    *row = cut;
}

static void cut(struct row *row, const struct wtl_pose_window *window, bool closed)
{
    for (int side = 0; side < 4; side++)
        cut_side(row, window, side, closed);
}

static double area_of(const struct wtl_pose_shape *shape)
{
    double twice = 0;
    for (size_t i = 0; i < shape->count; i++) {
        struct wtl_pose_point o = shape->points[0], a = shape->points[i];
        struct wtl_pose_point b = shape->points[(i + 1) % shape->count];
        twice += (a.t_s - o.t_s) * (b.e_j - o.e_j) - (b.t_s - o.t_s) * (a.e_j - o.e_j);
    }
    return fabs(twice) / 2;
}

/* ---- public functions ---- */

int wtl_pose_shape_of_curve(const struct wtl_pose *pose,
                            const struct wtl_pose_metric *metric,
                            enum wtl_pose_curve curve,
                            const struct wtl_pose_window *window,
                            struct wtl_pose_shape *ret_shape)
{
    struct plane plane = plane_of(pose, metric, window);
    double low = pose->code.pmin_w, high = pose->code.pmax_w, p = pose->p_w;
    struct row row = {.room = 0};
    struct walk walk = {.plane = &plane, .row = &row};
    switch (curve) {
    case WTL_POSE_CURVE_PMIN:
    case WTL_POSE_CURVE_PMAX:
        p = curve == WTL_POSE_CURVE_PMIN ? low : high;
        append(&row, (struct wtl_pose_point){0, 0});
        append(&row, (struct wtl_pose_point){plane.far_s, p * plane.far_s});
        break;
    case WTL_POSE_CURVE_OPTIMISATION_BOUND:
        walk.border = BOUND;
        walk_border(&walk, fmax(high, p), fmin(low, p));
        break;
    case WTL_POSE_CURVE_CONTRIBUTION_BOUND:
        walk.border = CONTRIBUTION;
        walk_border(&walk, low, p);
        break;
    case WTL_POSE_CURVE_OPTIMISATION_LIMIT:
    default:
        walk.border = LIMIT;
        if (pose->vertices[WTL_POSE_C].t_s > 0)
            walk_border(&walk, high, low);
        break;
    }
    cut(&row, window, false);
    if (row.shape.count == 1)
        row.shape.count = 0;
    return finish(&row, ret_shape);
}

int wtl_pose_shape_of_region(const struct wtl_pose *pose,
                             const struct wtl_pose_metric *metric,
                             enum wtl_pose_region region,
                             const struct wtl_pose_window *window,
                             struct wtl_pose_shape *ret_shape)
{
    static const enum border borders[][2] = {
        [WTL_POSE_STRONG_RUN_TIME] = {ORIGIN, LIMIT},
        [WTL_POSE_WEAK_RUN_TIME] = {LIMIT, CONTRIBUTION},
        [WTL_POSE_POWER] = {CONTRIBUTION, BOUND},
        [WTL_POSE_DEGRADATION] = {BOUND, FAR},
    };
    struct plane plane = plane_of(pose, metric, window);
    double low = pose->code.pmin_w, high = pose->code.pmax_w;
    double whole = (window->t_high - window->t_low) * (window->e_high - window->e_low);
    struct row row = {.room = 0};
    struct walk walk = {.plane = &plane, .of_region = true, .row = &row};
    if (region == WTL_POSE_POWER)
        high = fmin(high, pose->p_w);
    if (high > low) {
        walk.border = borders[region][0];
        walk_border(&walk, low, high);
        walk.border = borders[region][1];
        walk_border(&walk, high, low);
    }
    cut(&row, window, true);
    struct wtl_pose_shape *shape = &row.shape;
    if (shape->count > 1 && shape->points[0].t_s == shape->points[shape->count - 1].t_s &&
        shape->points[0].e_j == shape->points[shape->count - 1].e_j)
        shape->count--;
    if (shape->count < 3 || area_of(shape) <= NOTHING * whole)
        shape->count = 0;
    return finish(&row, ret_shape);
}
