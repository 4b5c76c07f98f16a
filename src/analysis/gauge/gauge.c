/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two fits, with and without a filter; the filter must earn its place. Then the jackknife: ten fits, each without a tenth
 * of the recording. What a parameter does not change cannot be found: the window is unknown if half and twice of it
 * fit as well.
 */
#include "analysis/gauge/gauge.h"

#include <errno.h>
#include <math.h>

#include "analysis/gauge/gauge_fit.h"
#include "analysis/gauge/gauge_updates.h"
#include "base/fail.h"
#include "model/statistics/student.h"

enum { PARTS = 10, FEWEST_VALUES = 40, PARAMETERS = 5 };
/* By how much a filter must reduce the squares, in units of what is left per value; the least part that the load must explain. */
static const double FILTER_EARNS = 12, WINDOW_EARNS = 8, EXPLAINED = 0.5;

/* What is left per value, but not less than the rounding of the values. */
static double variance_of(const struct wtl_gauge_fit *fit)
{
    double quantum = fit->updates->quantum_w;
    double rounding = isfinite(quantum) ? quantum * quantum / 12 : 0;
    double span = fit->load_w - fit->idle_w;
    return fmax(fit->squares / (double)(fit->used > PARAMETERS ? fit->used - PARAMETERS : 1),
                fmax(rounding, 1e-12 * span * span));
}

/* Half and twice the window, with the best delay and filter for each. */
static bool window_shows(const struct wtl_gauge_fit *found)
{
    double enough = found->squares + WINDOW_EARNS * variance_of(found);
    for (int i = 0; i < 2; i++) {
        struct wtl_gauge_fit other = *found;
        other.window_s = found->window * (i ? 2 : 0.5);
        wtl_gauge_fit_refine(&other);
        if (other.squares < enough)
            return false;
    }
    return true;
}

enum { WINDOW, DELAY, TAU, IDLE, LOAD, DUTY, VALUES };

static void values_of(const struct wtl_gauge_fit *fit, double v[VALUES])
{
    v[WINDOW] = fit->window;
    v[DELAY] = fit->delay;
    v[TAU] = fit->tau;
    v[IDLE] = fit->idle_w;
    v[LOAD] = fit->load_w;
    v[DUTY] = fmin(1, fit->window / fit->updates->period_s);
}

static void jackknife(const struct wtl_gauge_fit *found, struct wtl_gauge_value ret[VALUES])
{
    double all[PARTS][VALUES], mean[VALUES] = {0}, whole[VALUES];
    size_t count = found->updates->count;
    values_of(found, whole);
    for (size_t part = 0; part < PARTS; part++) {
        struct wtl_gauge_fit fit = *found;
        fit.left_out = count * part / PARTS;
        fit.left_to = count * (part + 1) / PARTS;
        wtl_gauge_fit_refine(&fit);
        values_of(&fit, all[part]);
        for (size_t i = 0; i < VALUES; i++)
            mean[i] += all[part][i] / PARTS;
    }
    double t = wtl_student_quantile(0.975, PARTS - 1);
    for (size_t i = 0; i < VALUES; i++) {
        double squares = 0;
        for (size_t part = 0; part < PARTS; part++)
            squares += pow(all[part][i] - mean[i], 2);
        ret[i] = (struct wtl_gauge_value){whole[i], t * sqrt(squares * (PARTS - 1) / PARTS)};
    }
}

static void fill(const struct wtl_gauge_fit *found, struct wtl_gauge *gauge)
{
    const struct wtl_gauge_updates *u = found->updates;
    struct wtl_gauge_value v[VALUES];
    jackknife(found, v);
    /* The moments of publication are known to half a reading; their error is common to all. */
    double moment_s = u->period_half_s * 2;
    *gauge = (struct wtl_gauge){.period = {u->period_s, u->period_half_s},
                                .window = v[WINDOW],
                                .delay = {v[DELAY].value, hypot(v[DELAY].half, moment_s)},
                                .tau = v[TAU],
                                .duty = v[DUTY],
                                .idle_w = v[IDLE],
                                .load_w = v[LOAD],
                                .quantum_w = u->quantum_w,
                                .jitter_s = u->jitter_s,
                                .residual_w = sqrt(found->squares / (double)found->used),
                                .updates = found->used};
    bool shows = window_shows(found) && v[WINDOW].half < v[WINDOW].value;
    if (shows)
        return;
    gauge->slow_filter = found->tau > found->window;
    gauge->window = gauge->duty = (struct wtl_gauge_value){NAN, NAN};
}

static int fit(const struct wtl_gauge_updates *updates,
               struct wtl_load_shape *shape,
               struct wtl_gauge *gauge,
               struct wattle_error *err)
{
    struct wtl_gauge_fit plain = {.updates = updates, .shape = shape, .stride = 1};
    struct wtl_gauge_fit filtered = plain;
    if (updates->count < FEWEST_VALUES)
        return wtl_fail(err, -ENODATA,
                        "the gauge published %zu values; at least %d are needed: record for longer",
                        updates->count, FEWEST_VALUES);
    filtered.filtered = true;
    wtl_gauge_fit_search(&plain);
    wtl_gauge_fit_search(&filtered);
    bool earned = plain.squares - filtered.squares > FILTER_EARNS * variance_of(&filtered);
    const struct wtl_gauge_fit *found = earned ? &filtered : &plain;
    if (!(found->squares < (1 - EXPLAINED) * found->all_squares) ||
        !(found->load_w > found->idle_w))
        return wtl_fail(
            err, -ENODATA,
            "the gauge does not follow the load: it explains %.0f %% of what the values "
            "vary; check that both have the same clock and that nothing else used the "
            "device",
            100 * (1 - found->squares / found->all_squares));
    fill(found, gauge);
    return 0;
}

int wtl_gauge_identify(const struct wtl_gauge_reading *readings,
                       size_t count,
                       const struct wtl_load_step *steps,
                       size_t step_count,
                       struct wtl_gauge *ret_gauge,
                       struct wattle_error *err)
{
    struct wtl_gauge_updates updates = {0};
    struct wtl_load_shape *shape = NULL;
    int rc = wtl_load_shape_create(steps, step_count, &shape, err);
    rc = rc < 0 ? rc : wtl_gauge_updates_find(readings, count, &updates, err);
    rc = rc < 0 ? rc : fit(&updates, shape, ret_gauge, err);
    wtl_gauge_updates_fini(&updates);
    wtl_load_shape_destroy(shape);
    return rc;
}
