/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks whether an expression falls: see pose_rise.h. */
#include "analysis/pose/pose_rise.h"

#include <errno.h>
#include <math.h>

#include "base/expression/expression_slope.h"
#include "base/fail.h"

enum {
    PARTS = 4000, /* parts checked before giving up */
    DEPTH = 64,   /* halvings of a part; also the maximum number waiting */
};
static const double slack = 1e-12; /* a decrease by this fraction is due to rounding */

struct part {
    struct wtl_span w, s; /* powers, run times */
};

struct search {
    const struct wtl_expression *expression;
    struct part waiting[DEPTH + 2];
    int count;
    struct wattle_error *err;
};

struct point {
    double e_j, t_s, cost;
};

/* ---- two points ---- */

static int look(const struct search *search, double e_j, double t_s, struct point *ret_point)
{
    double cost = wtl_expression_value(search->expression, (const double[]){e_j, t_s});
    *ret_point = (struct point){e_j, t_s, cost};
    if (isfinite(cost))
        return 0;
    return wtl_fail(search->err, -EDOM, "metric: \"%.200s\" %s at E = %.6g J, t = %.6g s",
                    wtl_expression_text(search->expression),
                    isnan(cost) ? "has no value" : "exceeds what can be computed", e_j, t_s);
}

/* Is the second point, which has no less of both, cheaper? */
static int compare(const struct search *search,
                   double e_j,
                   double t_s,
                   double more_j,
                   double more_s)
{
    struct point a, b;
    int rc = look(search, e_j, t_s, &a);
    rc = rc < 0 ? rc : look(search, more_j, more_s, &b);
    if (rc < 0 || b.cost >= a.cost - slack * fabs(a.cost))
        return rc;
    const char *text = wtl_expression_text(search->expression);
    if (more_j > e_j)
        return wtl_fail(search->err, -EDOM,
                        "metric: \"%.200s\" decreases with energy, from %.15g at %.10g J to %.15g "
                        "at %.10g J, for t = %.10g s",
                        text, a.cost, e_j, b.cost, more_j, t_s);
    return wtl_fail(search->err, -EDOM,
                    "metric: \"%.200s\" decreases with time, from %.15g at %.10g s to %.15g at "
                    "%.10g s, for E = %.10g J",
                    text, a.cost, t_s, b.cost, more_s, e_j);
}

/* Along the edges of a part, and across its interior. */
static int check_edges(const struct search *search, const struct part *part)
{
    double low = part->w.low, high = part->w.high, from = part->s.low, to = part->s.high;
    int rc = compare(search, low * from, from, high * from, from);
    rc = rc < 0 ? rc : compare(search, low * to, to, high * to, to);
    double e = high * from, later = low > 0 ? fmin(to, e / low) : to;
    rc = rc < 0 ? rc : compare(search, e, from, e, later);
    e = low * to;
    return rc < 0 ? rc : compare(search, e, fmax(from, e / high), e, to);
}

/* ---- bounds ---- */

/* How far it may fall within the part, according to the bounds; infinite = unknown. */
static double fall_over(const struct wtl_expression *expression, const struct part *part)
{
    const struct wtl_span box[] = {{part->w.low * part->s.low, part->w.high * part->s.high},
                                   part->s};
    double fall = 0;
    for (unsigned v = 0; v < 2; v++) {
        struct wtl_slope slope = wtl_expression_slope(expression, box, v);
        if (!slope.defined || !isfinite(slope.value.low) || !isfinite(slope.value.high))
            return INFINITY;
        if (slope.slope.low < 0)
            fall = fmax(fall, -slope.slope.low * (box[v].high - box[v].low) -
                                  slack * fabs(slope.value.low));
    }
    return fall;
}

static double middle_of(const struct wtl_span *span)
{
    if (span->high < 4 * span->low)
        return span->low + (span->high - span->low) / 2;
    return span->low > 0 ? sqrt(span->low) * sqrt(span->high) : span->high / 1024;
}

/* Replace a part with its halves, cut in the way that leaves the least in doubt. False if it cannot
 * be cut. */
static bool cut(struct search *search, const struct part *part)
{
    double w = middle_of(&part->w), s = middle_of(&part->s);
    struct part by_power[2] = {*part, *part}, by_time[2] = {*part, *part};
    bool can_w = w > part->w.low && w<part->w.high, can_s = s> part->s.low && s < part->s.high;
    if ((!can_w && !can_s) || search->count + 2 > DEPTH + 2)
        return false;
    by_power[0].w.high = by_power[1].w.low = w;
    by_time[0].s.high = by_time[1].s.low = s;
    double fall_w =
        fall_over(search->expression, &by_power[0]) + fall_over(search->expression, &by_power[1]);
    double fall_s =
        fall_over(search->expression, &by_time[0]) + fall_over(search->expression, &by_time[1]);
    bool wider = part->w.high / part->w.low > part->s.high / part->s.low;
    bool power = can_w && (!can_s || fall_w < fall_s || (!(fall_s < fall_w) && wider));
    search->waiting[search->count++] = power ? by_power[1] : by_time[1];
    search->waiting[search->count++] = power ? by_power[0] : by_time[0];
    return true;
}

static int not_shown(const struct search *search, const struct part *part)
{
    return wtl_fail(search->err, -EDOM,
                    "metric: \"%.200s\" cannot be shown to increase around E = %.6g J, t = %.6g s; "
                    "simplify it, with E and t once each if possible",
                    wtl_expression_text(search->expression), part->w.low * part->s.low,
                    part->s.low);
}

int wtl_pose_rise_check(const struct wtl_expression *expression,
                        const struct wtl_pose_wedge *wedge,
                        struct wattle_error *err)
{
    struct search search = {.expression = expression, .count = 1, .err = err};
    struct point least; /* the cheapest so far */
    search.waiting[0] = (struct part){{wedge->low_w, wedge->high_w}, {wedge->t_low, wedge->t_high}};
    int rc = check_edges(&search, &search.waiting[0]);
    rc = rc < 0 ? rc : look(&search, wedge->low_w * wedge->t_low, wedge->t_low, &least);
    if (rc == 0 && least.cost < 0)
        rc = wtl_fail(
            err, -EDOM,
            "metric: \"%.200s\" is negative at E = %.6g J, t = %.6g s; costs must not be negative",
            wtl_expression_text(expression), least.e_j, least.t_s);
    for (int seen = 0; rc == 0 && search.count > 0; seen++) {
        struct part part = search.waiting[--search.count];
        rc = check_edges(&search, &part);
        if (rc == 0 && fall_over(expression, &part) > 0 && (seen >= PARTS || !cut(&search, &part)))
            rc = not_shown(&search, &part);
    }
    return rc;
}
