/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/gauge/simplex.h"

#include <math.h>
#include <string.h>

struct corner {
    double x[WTL_SIMPLEX_MAX], value;
};

struct simplex {
    double (*value)(const double *x, void *context);
    void *context;
    size_t n, left; /* dimensions; evaluations */
    struct corner corners[WTL_SIMPLEX_MAX + 1];
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

double wtl_simplex_least(double (*value)(const double *x, void *context),
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
