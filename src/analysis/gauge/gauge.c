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
static const double STOOD = 0.005; /* a load that is so close to 0 or 1 stands */

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

/*
 * A linear gauge shows on average what its steady values say. Compare: idle and load from values of a load that stood, against the mean of
 * the others; in parts of the latter's energy above idle.
 */
static struct wtl_gauge_value excess_of(const struct wtl_gauge_fit *found)
{
    const struct wtl_gauge_updates *u = found->updates;
    double level[2] = {0, 0}, stood[2] = {0, 0}, of_part[PARTS], sum = 0, above = 0, mean = 0;
    double parts_shown[PARTS] = {0}, parts_load[PARTS] = {0}, parts_n[PARTS] = {0}, squares = 0;
    wtl_load_shape_filter(found->shape, found->tau);
    for (size_t i = 0; i < u->count; i++) {
        double end = u->times_s[i] - found->delay;
        double x = wtl_load_shape_mean(found->shape, end - found->window, end);
        size_t part = i * PARTS / u->count;
        if (x < STOOD || x > 1 - STOOD) {
            level[x > 0.5] += u->watts[i];
            stood[x > 0.5] += 1;
        } else {
            parts_shown[part] += u->watts[i];
            parts_load[part] += x;
            parts_n[part] += 1;
        }
    }
    double idle = level[0] / stood[0], span = level[1] / stood[1] - idle;
    for (size_t part = 0; part < PARTS; part++) {
        of_part[part] = parts_shown[part] - parts_n[part] * idle - span * parts_load[part];
        sum += of_part[part];
        above += span * parts_load[part];
        mean += of_part[part] / PARTS;
    }
    for (size_t part = 0; part < PARTS; part++)
        squares += pow(of_part[part] - mean, 2);
    double t = wtl_student_quantile(0.975, PARTS - 1);
    return (struct wtl_gauge_value){sum / above,
                                    t * sqrt(squares * PARTS / (PARTS - 1)) / fabs(above)};
}

static void fill(const struct wtl_gauge_fit *found, struct wtl_gauge *gauge)
{
    const struct wtl_gauge_updates *u = found->updates;
    struct wtl_gauge_value v[VALUES];
    jackknife(found, v);
    *gauge = (struct wtl_gauge){.period = {u->period_s, u->period_half_s},
                                .window = v[WINDOW],
                                .delay = {v[DELAY].value, hypot(v[DELAY].half, u->phase_half_s)},
                                .tau = v[TAU],
                                .duty = v[DUTY],
                                .excess = excess_of(found),
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
