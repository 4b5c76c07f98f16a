/* SPDX-License-Identifier: BSD-3-Clause */
/* What a gauge does is found from simulated gauges whose truth is known, and what cannot be found is refused. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/gauge/gauge.h"
#include "analysis/gauge/gauge_plan.h"
#include "analysis/gauge/load_shape.h"

#include "gauge_world.h"
#include "tap.h"

struct row {
    int line;
    const char *name;
    double period_ms, window_ms, delay_ms, tau_ms, quantum_w, noise_w, jitter_ms;
};

static const struct row rows[] = {
    {__LINE__, "a quarter of the time", 100, 25, 30, 0, 0.01, 0.5, 0},
    {__LINE__, "all of the time", 100, 100, 5, 0, 1, 0.5, 0},
    {__LINE__, "half, fast", 20, 10, 4, 0, 1, 0.5, 0},
    {__LINE__, "a window of ten periods", 100, 1000, 20, 0, 0.01, 0.5, 0},
    {__LINE__, "behind a filter", 100, 25, 20, 150, 0.01, 0.5, 0},
    {__LINE__, "irregular", 100, 25, 20, 0, 0.01, 0.5, 6},
};

static struct gauge_world world_of(const struct row *row,
                                   const struct wtl_load_step *plan,
                                   size_t n)
{
    struct gauge_world w = {.gauge = {.period_ns = (uint64_t)(row->period_ms * 1e6),
                                      .phase_ns = 33333333,
                                      .window_ns = (uint64_t)(row->window_ms * 1e6),
                                      .delay_ns = (uint64_t)(row->delay_ms * 1e6),

                                      .jitter_ns = row->jitter_ms * 1e6,
                                      .quantum_w = row->quantum_w,
                                      .noise_w = row->noise_w,
                                      .seed = 4711},
                            .tau_rise_s = row->tau_ms * 1e-3,
                            .tau_fall_s = row->tau_ms * 1e-3};
    for (size_t i = 0; i < n; i++)
        world_step(&w, plan[i].time_s, 60 + 240 * plan[i].load);
    return w;
}

static void near(struct wtl_gauge_value got, double want, double tolerance, const char *what)
{
    ok(fabs(got.value - want) <= tolerance, "%s is %g (%g)", what, want, got.value);
    ok(got.half < 6 * tolerance, "%s: +- %g", what, got.half);
}

static void test_row(const struct row *row)
{
    struct wtl_load_step *plan;
    struct wtl_gauge gauge;
    struct wattle_error err = {""};
    double period_s = row->period_ms * 1e-3;
    size_t n = wtl_gauge_plan(period_s, 1.5, 1, &plan);
    struct gauge_world w = world_of(row, plan, n);
    tap_line = row->line;
    world_read(&w, 0, plan[n - 1].time_s, period_s / 20);
    int rc = wtl_gauge_identify(w.readings, w.reading_count, plan, n, &gauge, &err);
    if (is_int(rc, 0, "%s: identified: %s", row->name, err.text)) {
        near(gauge.period, period_s, 1e-3 * period_s, "period");
        near(gauge.window, row->window_ms * 1e-3, 0.03 * period_s + 0.02 * row->window_ms * 1e-3,
             "window");
        near(gauge.delay, row->delay_ms * 1e-3, 0.03 * period_s, "delay");
        near(gauge.tau, row->tau_ms * 1e-3, 0.02 * period_s, "filter");
        near(gauge.duty, fmin(1, row->window_ms / row->period_ms), 0.04, "duty");
        near(gauge.idle_w, 60, 1, "idle");
        near(gauge.load_w, 300, 2, "load");
        ok(!(fabs(gauge.excess.value) > fmax(0.003, gauge.excess.half)), "linear (%g)",
           gauge.excess.value);
        if (row->quantum_w == 1)
            is_double(gauge.quantum_w, 1, 1e-9, "quantum");
    }
    world_fini(&w);
    free(plan);
    tap_line = 0;
}

static void test_refusals(void)
{
    struct wtl_load_step *plan;
    struct wtl_gauge gauge;
    struct wattle_error err = {""};
    size_t n = wtl_gauge_plan(0.1, 1.5, 1, &plan);
    struct gauge_world w = world_of(&rows[0], plan, n);
    world_read(&w, 0, plan[n - 1].time_s, 0.06);
    is_int(wtl_gauge_identify(w.readings, w.reading_count, plan, n, &gauge, &err), -ENODATA,
           "read too rarely: %s", err.text);
    world_read(&w, 0, plan[n - 1].time_s, 0.005);
    const struct wtl_load_step other[] = {{0, 0}, {7.77, 1}, {8.5, 0}, {22.3, 1}};
    is_int(wtl_gauge_identify(w.readings, w.reading_count, other, 4, &gauge, &err), -ENODATA,
           "another load: %s", err.text);
    for (size_t i = 0; i < w.reading_count; i++)
        w.readings[i].watts = 60;
    is_int(wtl_gauge_identify(w.readings, w.reading_count, plan, n, &gauge, &err), -ENODATA,
           "nothing changes: %s", err.text);
    w.readings[5].time_s = w.readings[4].time_s;
    is_int(wtl_gauge_identify(w.readings, w.reading_count, plan, n, &gauge, &err), -EINVAL,
           "times that stand: %s", err.text);
    is_int(wtl_gauge_identify(w.readings, w.reading_count, plan, 0, &gauge, &err), -EINVAL,
           "no load: %s", err.text);
    world_fini(&w);
    free(plan);
}

/* On and off times of whole periods show one phase only, which hides the window. */
static void test_in_step(void)
{
    struct wtl_load_step steps[121];
    struct wtl_gauge gauge;
    struct wattle_error err = {""};
    for (size_t i = 0; i < 121; i++)
        steps[i] = (struct wtl_load_step){0.2 * (double)i, i % 2 ? 1 : 0};
    struct row row = rows[0];
    row.delay_ms = 60; /* all windows lie between two steps */
    struct gauge_world w = world_of(&row, steps, 121);
    world_read(&w, 0, 24, 0.005);
    int rc = wtl_gauge_identify(w.readings, w.reading_count, steps, 121, &gauge, &err);
    ok(rc == -ENODATA || isnan(gauge.window.value), "a load in step with the gauge: no window (%g)",
       rc ? NAN : gauge.window.value);
    world_fini(&w);
}

/* It falls ten times as slowly as it rises: more energy than there is. */
static void test_crooked(void)
{
    struct wtl_load_step *plan;
    struct wtl_gauge gauge;
    struct wattle_error err = {""};
    size_t n = wtl_gauge_plan(0.1, 1.5, 1, &plan);
    struct gauge_world w = world_of(&rows[4], NULL, 0);
    w.tau_rise_s = 0.02;
    w.tau_fall_s = 0.2;
    for (size_t i = 0; i < n; i++)
        world_step(&w, plan[i].time_s, 60 + 240 * plan[i].load);
    world_read(&w, 0, plan[n - 1].time_s, 0.005);
    int rc = wtl_gauge_identify(w.readings, w.reading_count, plan, n, &gauge, &err);
    ok(rc == -ENODATA || (gauge.excess.value > 0.1 && gauge.excess.half < gauge.excess.value),
       "a gauge that is not linear shows too much (%g +- %g)", gauge.excess.value,
       gauge.excess.half);
    world_fini(&w);
    free(plan);
}

/* A machine that is busy: every half second nothing is read for more than a period. */
static void test_late(void)
{
    struct wtl_load_step *plan;
    struct wtl_gauge gauge;
    struct wattle_error err = {""};
    size_t n = wtl_gauge_plan(0.1, 1.5, 1, &plan), kept = 0;
    struct gauge_world w = world_of(&rows[0], plan, n);
    world_read(&w, 0, plan[n - 1].time_s, 0.005);
    for (size_t i = 0; i < w.reading_count; i++) {
        if (i % 97 >= 25)
            w.readings[kept++] = w.readings[i];
    }
    if (is_int(wtl_gauge_identify(w.readings, kept, plan, n, &gauge, &err), 0,
               "readings that are late: identified: %s", err.text)) {
        near(gauge.period, 0.1, 1e-4, "period");
        near(gauge.window, 0.025, 0.003, "window");
    }
    world_read(&w, 0, plan[n - 1].time_s, 0.005);
    kept = 0;
    for (size_t i = 0; i < w.reading_count; i++) {
        if (i % 20 < 4 || i % 20 > 12) /* it changes between 6 and 7 */
            w.readings[kept++] = w.readings[i];
    }
    is_int(wtl_gauge_identify(w.readings, kept, plan, n, &gauge, &err), -ENODATA,
           "none is read in time: %s", err.text);
    world_fini(&w);
    free(plan);
}

static void test_shape(void)
{
    const struct wtl_load_step steps[] = {{1, 0}, {2, 1}, {4, 0}};
    struct wtl_load_shape *shape;
    struct wattle_error err = {""};
    if (!is_int(wtl_load_shape_create(steps, 3, &shape, &err), 0, "shape"))
        return;
    is_double(wtl_load_shape_mean(shape, 0, 1), 0, 1e-12, "before");
    is_double(wtl_load_shape_mean(shape, 1.5, 2.5), 0.5, 1e-12, "half of it");
    is_double(wtl_load_shape_mean(shape, 1, 5), 0.5, 1e-12, "all");
    wtl_load_shape_filter(shape, 0.5);
    is_double(wtl_load_shape_mean(shape, 3, 3), 1 - exp(-2), 1e-12, "a filter after two taus");
    is_double(wtl_load_shape_mean(shape, 2, 3), 1 - 0.5 * (1 - exp(-2)), 1e-12, "its mean");
    wtl_load_shape_destroy(shape);
}

int main(void)
{
    test_shape();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        test_row(&rows[i]);
    test_refusals();
    test_in_step();
    test_crooked();
    test_late();
    return done_testing();
}
