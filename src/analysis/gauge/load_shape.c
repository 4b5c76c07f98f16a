/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * At each step the load's integral and the filter's output are kept: between steps both follow in closed form. The
 * integral of the output is that of the load less tau times what the output has risen.
 */
#include "analysis/gauge/load_shape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"

struct point {
    double time_s, load;
    double integral; /* of the load, from the first step */
    double output;   /* of the filter */
};

struct wtl_load_shape {
    double tau_s;
    size_t count;
    size_t at; /* where the last time was */
    struct point points[];
};

int wtl_load_shape_create(const struct wtl_load_step *steps,
                          size_t count,
                          struct wtl_load_shape **ret_shape,
                          struct wattle_error *err)
{
    if (count == 0)
        return wtl_fail(err, -EINVAL, "the shape of the load has no steps");
    struct wtl_load_shape *shape = calloc(1, sizeof *shape + count * sizeof shape->points[0]);
    if (!shape)
        return wtl_no_memory(err);
    shape->count = count;
    for (size_t i = 0; i < count; i++) {
        struct point *p = &shape->points[i];
        *p = (struct point){.time_s = steps[i].time_s, .load = steps[i].load};
        if (!isfinite(p->time_s) || !isfinite(p->load) || (i && p->time_s <= p[-1].time_s)) {
            free(shape);
            return wtl_fail(err, -EINVAL,
                            "step %zu of the load: times must ascend, and loads be numbers", i + 1);
        }
        if (i)
            p->integral = p[-1].integral + p[-1].load * (p->time_s - p[-1].time_s);
    }
    wtl_load_shape_filter(shape, 0);
    *ret_shape = shape;
    return 0;
}

void wtl_load_shape_destroy(struct wtl_load_shape *shape)
{
    free(shape);
}

void wtl_load_shape_filter(struct wtl_load_shape *shape, double tau_s)
{
    shape->tau_s = tau_s;
    shape->points[0].output = shape->points[0].load;
    for (size_t i = 1; i < shape->count; i++) {
        struct point *p = &shape->points[i];
        double kept = tau_s > 0 ? exp((p[-1].time_s - p->time_s) / tau_s) : 0;
        p->output = p[-1].load + (p[-1].output - p[-1].load) * kept;
    }
}

/* Callers ask for times that are close together: walk from the last one. */
static const struct point *point_before(struct wtl_load_shape *shape, double time_s)
{
    size_t at = shape->at;
    while (at > 0 && shape->points[at].time_s > time_s)
        at--;
    while (at + 1 < shape->count && shape->points[at + 1].time_s <= time_s)
        at++;
    shape->at = at;
    return &shape->points[at];
}

/* The integral of the filter's output up to a time, and the output then. */
static double integral_at(struct wtl_load_shape *shape, double time_s, double *ret_output)
{
    const struct point *p = point_before(shape, time_s);
    double after = time_s - p->time_s;
    double kept = shape->tau_s > 0 && after > 0 ? exp(-after / shape->tau_s) : after > 0 ? 0 : 1;
    *ret_output = p->load + (p->output - p->load) * kept;
    return p->integral + p->load * after - shape->tau_s * *ret_output;
}

double wtl_load_shape_mean(struct wtl_load_shape *shape, double begin_s, double end_s)
{
    double at_begin, at_end;
    double to = integral_at(shape, end_s, &at_end);
    if (end_s <= begin_s)
        return at_end;
    return (to - integral_at(shape, begin_s, &at_begin)) / (end_s - begin_s);
}
