/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether an expression falls: see pose_rise.h. */
#include "analysis/pose_rise.h"

#include <errno.h>
#include <math.h>

#include "base/expression_slope.h"
#include "base/fail.h"

enum {
    PARTS = 4000, /* looked at before it is given up */
    DEPTH = 64,   /* halvings of a part; also how many can wait */
};
static const double slack = 1e-12; /* a fall of this share is one of rounding */

enum { ENERGY, TIME, VARIABLES };

struct part {
    struct wtl_span of[VARIABLES];
};

struct search {
    const struct wtl_expression *expression;
    struct part waiting[DEPTH + 2];
    int count;
};

static double value_at(const struct wtl_expression *expression, double e_j, double t_s)
{
    return wtl_expression_value(expression, (const double[]){e_j, t_s});
}

static int no_value(const struct wtl_expression *expression,
                    double e_j,
                    double t_s,
                    struct wattle_error *err)
{
    return wtl_fail(err, -EDOM, "metric: \"%.200s\" has no value at E = %.6g J, t = %.6g s",
                    wtl_expression_text(expression), e_j, t_s);
}

/* The corners of a part: is one without value, or lower than one before it? */
static int check_corners(const struct wtl_expression *expression,
                         const struct part *part,
                         struct wattle_error *err)
{
    const struct wtl_span *e = &part->of[ENERGY], *t = &part->of[TIME];
    const char *text = wtl_expression_text(expression);
    double at[2][2]; /* by energy, by time */
    for (int i = 0; i < 4; i++) {
        double energy = i & 2 ? e->high : e->low, time = i & 1 ? t->high : t->low;
        at[i >> 1][i & 1] = value_at(expression, energy, time);
        if (!isfinite(at[i >> 1][i & 1]))
            return no_value(expression, energy, time, err);
    }
    for (int i = 0; i < 2; i++) {
        if (at[1][i] < at[0][i] - slack * fabs(at[0][i]))
            return wtl_fail(
                err, -EDOM,
                "metric: \"%.200s\" falls with energy, from %.10g at %.10g J to %.10g at %.10g J, "
                "for t = %.6g s",
                text, at[0][i], e->low, at[1][i], e->high, i ? t->high : t->low);
        if (at[i][1] < at[i][0] - slack * fabs(at[i][0]))
            return wtl_fail(err, -EDOM,
                            "metric: \"%.200s\" falls with time, from %.10g at %.10g s to %.10g at "
                            "%.10g s, for "
                            "E = %.6g J",
                            text, at[i][0], t->low, at[i][1], t->high, i ? e->high : e->low);
    }
    return 0;
}

/* How far it may fall from one end of the part to the other, by the bounds; infinite = not known. */
static double fall_over(const struct wtl_expression *expression, const struct part *part)
{
    double fall = 0;
    for (unsigned v = 0; v < VARIABLES; v++) {
        struct wtl_slope slope = wtl_expression_slope(expression, part->of, v);
        double width = part->of[v].high - part->of[v].low;
        if (!slope.defined || !isfinite(slope.value.low) || !isfinite(slope.value.high))
            return INFINITY;
        if (slope.slope.low < 0 && width > 0)
            fall = fmax(fall, -slope.slope.low * width - slack * fabs(slope.value.low));
    }
    return fall;
}

static double middle_of(const struct wtl_span *span)
{
    double middle = span->low > 0 ? sqrt(span->low) * sqrt(span->high) : span->high / 1024;
    return span->high < 4 * span->low ? span->low + (span->high - span->low) / 2 : middle;
}

static void halve(const struct part *part, int variable, struct part *ret_halves)
{
    double middle = middle_of(&part->of[variable]);
    ret_halves[0] = ret_halves[1] = *part;
    ret_halves[0].of[variable].high = middle;
    ret_halves[1].of[variable].low = middle;
}

static bool can_halve(const struct wtl_span *span)
{
    double middle = middle_of(span);
    return middle > span->low && middle < span->high;
}

/* Put the halves of a part in its place: cut where that leaves least in doubt. False when it cannot be cut. */
static bool cut(struct search *search, const struct part *part)
{
    struct part best[2];
    double least = NAN;
    for (int v = 0; v < VARIABLES; v++) {
        struct part halves[2];
        if (!can_halve(&part->of[v]))
            continue;
        halve(part, v, halves);
        double fall =
            fall_over(search->expression, &halves[0]) + fall_over(search->expression, &halves[1]);
        /* Nothing to choose by: the one that is wider for its place. */
        bool wider = fall == least &&
                     part->of[v].high / part->of[v].low > part->of[0].high / part->of[0].low;
        if (isnan(least) || fall < least || wider) {
            least = fall;
            best[0] = halves[0];
            best[1] = halves[1];
        }
    }
    if (isnan(least) || search->count + 2 > DEPTH + 2)
        return false;
    search->waiting[search->count++] = best[1];
    search->waiting[search->count++] = best[0];
    return true;
}

static int not_shown(const struct wtl_expression *expression,
                     const struct part *part,
                     struct wattle_error *err)
{
    return wtl_fail(
        err, -EDOM,
        "metric: \"%.200s\" cannot be shown to rise around E = %.6g J, t = %.6g s; write it "
        "more simply",
        wtl_expression_text(expression), part->of[ENERGY].low, part->of[TIME].low);
}

int wtl_pose_rise_check(const struct wtl_expression *expression,
                        const struct wtl_pose_box *box,
                        struct wattle_error *err)
{
    struct search search = {.expression = expression, .count = 1};
    search.waiting[0] = (struct part){{{box->e_low, box->e_high}, {box->t_low, box->t_high}}};
    int rc = check_corners(expression, &search.waiting[0], err);
    double least = value_at(expression, box->e_low, box->t_low); /* where nothing falls */
    if (rc == 0 && least < 0)
        rc = wtl_fail(err, -EDOM,
                      "metric: \"%.200s\" is negative at E = %.6g J, t = %.6g s; a cost is not",
                      wtl_expression_text(expression), box->e_low, box->t_low);
    for (int seen = 0; rc == 0 && search.count > 0; seen++) {
        struct part part = search.waiting[--search.count];
        rc = check_corners(expression, &part, err);
        if (rc == 0 && fall_over(expression, &part) > 0 && (seen >= PARTS || !cut(&search, &part)))
            rc = not_shown(expression, &part, err);
    }
    return rc;
}
