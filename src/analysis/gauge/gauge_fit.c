/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/gauge/gauge_fit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- simplex ---- */

/* The least value of a function of a few numbers without derivatives (Nelder and Mead 1965). */

enum { SIMPLEX_MAX = 4 };

struct corner {
    double x[SIMPLEX_MAX], value;
};

struct simplex {
    double (*value)(const double *x, void *context);
    void *context;
    size_t n, left; /* dimensions; evaluations */
    struct corner corners[SIMPLEX_MAX + 1];
};

static void evaluate(struct simplex *s, struct corner *corner)
{
    corner->value = s->value(corner->x, s->context);
    s->left -= s->left > 0;
}

static void sort(struct simplex *s)
{
    for (size_t i = 1; i <= s->n; i++) {
        struct corner moved = s->corners[i];
        size_t at = i;
        for (; at > 0 && s->corners[at - 1].value > moved.value; at--)
            s->corners[at] = s->corners[at - 1];
        s->corners[at] = moved;
    }
}

/* The point that is `by` times as far from the middle of the others as the worst corner, on the other side. */
static struct corner beyond(struct simplex *s, double by)
{
    struct corner made;
    for (size_t j = 0; j < s->n; j++) {
        double middle = 0;
        for (size_t i = 0; i < s->n; i++)
            middle += s->corners[i].x[j] / (double)s->n;
        made.x[j] = middle + by * (middle - s->corners[s->n].x[j]);
    }
    evaluate(s, &made);
    return made;
}

static void shrink(struct simplex *s)
{
    for (size_t i = 1; i <= s->n; i++) {
        for (size_t j = 0; j < s->n; j++)
            s->corners[i].x[j] = (s->corners[i].x[j] + s->corners[0].x[j]) / 2;
        evaluate(s, &s->corners[i]);
    }
}

static void step(struct simplex *s)
{
    struct corner *worst = &s->corners[s->n];
    struct corner tried = beyond(s, 1);
    if (tried.value < s->corners[0].value) {
        struct corner far = beyond(s, 2);
        *worst = far.value < tried.value ? far : tried;
        return;
    }
    if (tried.value < s->corners[s->n - 1].value) {
        *worst = tried;
        return;
    }
    struct corner near = beyond(s, tried.value < worst->value ? 0.5 : -0.5);
    if (near.value < fmin(tried.value, worst->value))
        *worst = near;
    else
        shrink(s);
}

/* From x with steps; x becomes the best point, whose value is returned. Ends after `evaluations`, or when the values of the
 * simplex differ by less than a part of 1e-7. */
static double simplex_least(double (*value)(const double *x, void *context),
                            void *context,
                            double *x,
                            const double *steps,
                            size_t n,
                            size_t evaluations)
{
    struct simplex s = {.value = value, .context = context, .n = n, .left = evaluations};
    for (size_t i = 0; i <= n; i++) {
        memcpy(s.corners[i].x, x, n * sizeof *x);
        if (i > 0)
            s.corners[i].x[i - 1] += steps[i - 1];
        evaluate(&s, &s.corners[i]);
    }
    for (;;) {
        sort(&s);
        double best = s.corners[0].value, worst = s.corners[n].value;
        if (s.left == 0 || worst - best <= 1e-7 * fabs(best))
            break;
        step(&s);
    }
    memcpy(x, s.corners[0].x, n * sizeof *x);
    return s.corners[0].value;
}

/* ---- the fit ---- */

/* In periods. */
static const double windows[] = {0.03, 0.1, 0.25, 0.5, 0.75, 1, 1.7, 3, 10};
static const double taus[] = {0.1, 0.3, 1, 3, 10, 30};
enum {
    WINDOWS = sizeof windows / sizeof windows[0],
    TAUS = sizeof taus / sizeof taus[0],
    STARTS = 3,        /* best points of the grid from which the search goes on */
    GRID_VALUES = 150, /* values that are looked at on the grid */
    EVALUATIONS = 160
};
static const double DELAY_STEP = 0.2, DELAYS = 3, MORE_DELAYS = 12, EXPLAINED = 0.5;
static const double LONGEST = 0.2; /* of window, delay and filter, in recordings */

/* Idle and load for these parameters by the line of values over the mean load of their windows; what it leaves. */
static double squares_of(struct wtl_gauge_fit *fit, double window, double delay, double tau)
{
    const struct wtl_gauge_updates *u = fit->updates;
    double n = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
    wtl_load_shape_filter(fit->shape, tau);
    for (size_t i = 0; i < u->count; i += fit->stride) {
        if (i >= fit->left_out && i < fit->left_to)
            continue;
        double end = u->times_s[i] - delay;
        double x = wtl_load_shape_mean(fit->shape, end - window, end), y = u->watts[i];
        double dx = x - mean_x, dy = y - mean_y;
        n += 1;
        mean_x += dx / n;
        mean_y += dy / n;
        xx += dx * (x - mean_x);
        xy += dx * (y - mean_y);
        yy += dy * (y - mean_y);
    }
    double slope = xx > 1e-9 * n ? xy / xx : 0;
    fit->idle_w = mean_y - slope * mean_x;
    fit->load_w = fit->idle_w + slope;
    fit->all_squares = yy;
    fit->used = (size_t)n;
    return fmax(0, yy - slope * xy);
}

/* Free parameters: delay; log of the window unless given; log of tau if there is a filter. */
static void unpack(const struct wtl_gauge_fit *fit, const double *x, double out[3])
{
    double period = fit->updates->period_s;
    size_t i = 0;
    out[1] = fmax(x[i++], -period);
    out[0] = fit->window_s > 0 ? fit->window_s : period * fmin(exp(x[i++]), 200);
    out[2] = fit->filtered ? period * fmin(exp(x[i++]), 1000) : 0;
}

/* A filter or a window as long as the recording would fit any slope, with powers beyond what was seen. */
static bool is_possible(const struct wtl_gauge_fit *fit, const double p[3])
{
    const struct wtl_gauge_updates *u = fit->updates;
    double span_s = u->times_s[u->count - 1] - u->times_s[0];
    return p[0] < LONGEST * span_s && fabs(p[1]) < LONGEST * span_s && p[2] < LONGEST * span_s;
}

static double objective(const double *x, void *context)
{
    struct wtl_gauge_fit *fit = context;
    double p[3];
    unpack(fit, x, p);
    return is_possible(fit, p) ? squares_of(fit, p[0], p[1], p[2]) : INFINITY;
}

/* From p = window, delay, tau: the best point near it becomes the result. */
static void descend(struct wtl_gauge_fit *fit, const double p[3], double step)
{
    double period = fit->updates->period_s, x[3], steps[3], out[3];
    size_t n = 0;
    x[n] = p[1];
    steps[n++] = step * period / 2;
    if (!(fit->window_s > 0)) {
        x[n] = log(fmax(p[0], 1e-3 * period) / period);
        steps[n++] = step;
    }
    if (fit->filtered) {
        x[n] = log(fmax(p[2], 1e-3 * period) / period);
        steps[n++] = step;
    }
    (void)simplex_least(objective, fit, x, steps, n, EVALUATIONS);
    unpack(fit, x, out);
    fit->squares = squares_of(fit, out[0], out[1], out[2]);
    fit->window = out[0];
    fit->delay = out[1];
    fit->tau = out[2];
}

struct start {
    double p[3], squares;
};

static void keep(struct start *starts, const struct start *tried)
{
    size_t at = STARTS;
    while (at > 0 && tried->squares < starts[at - 1].squares)
        at--;
    if (at == STARTS)
        return;
    for (size_t i = STARTS - 1; i > at; i--)
        starts[i] = starts[i - 1];
    starts[at] = *tried;
}

static void search_grid(struct wtl_gauge_fit *fit, double from, double to, struct start *starts)
{
    double period = fit->updates->period_s;
    for (size_t w = 0; w < (fit->window_s > 0 ? 1 : WINDOWS); w++) {
        for (size_t t = 0; t < (fit->filtered ? TAUS : 1); t++) {
            struct start best = {.squares = INFINITY};
            for (size_t i = 0; from + DELAY_STEP * (double)i < to; i++) {
                double d = from + DELAY_STEP * (double)i;
                struct start tried = {{fit->window_s > 0 ? fit->window_s : windows[w] * period,
                                       d * period, fit->filtered ? taus[t] * period : 0},
                                      0};
                tried.squares = squares_of(fit, tried.p[0], tried.p[1], tried.p[2]);
                if (tried.squares < best.squares)
                    best = tried;
            }
            keep(starts, &best);
        }
    }
}

void wtl_gauge_fit_search(struct wtl_gauge_fit *fit)
{
    struct start starts[STARTS];
    struct wtl_gauge_fit best = *fit;
    for (size_t i = 0; i < STARTS; i++)
        starts[i] = (struct start){.squares = INFINITY};
    fit->stride = fit->updates->count / GRID_VALUES + 1;
    search_grid(fit, -0.4, DELAYS, starts);
    if (starts[0].squares > (1 - EXPLAINED) * fit->all_squares)
        search_grid(fit, DELAYS, MORE_DELAYS, starts);
    fit->stride = 1;
    best.squares = INFINITY;
    for (size_t i = 0; i < STARTS && isfinite(starts[i].squares); i++) {
        descend(fit, starts[i].p, 0.4);
        if (fit->squares < best.squares)
            best = *fit;
    }
    *fit = best;
    wtl_gauge_fit_refine(fit);
}

void wtl_gauge_fit_refine(struct wtl_gauge_fit *fit)
{
    const double p[3] = {fit->window, fit->delay, fit->tau};
    descend(fit, p, 0.05);
}
