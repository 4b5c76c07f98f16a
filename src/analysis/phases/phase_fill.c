/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From boundaries to phases: each boundary is moved to the most likely row, now that both sides are known, with the
 * interval in which it may be; then power, energy, and the counters that the power follows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/phase_bounds.h"
#include "analysis/phases/relevance.h"
#include "analysis/phases/step_place.h"

/* Rows on either side of a boundary: where it may be, and of which the noise is taken. */
#define NEAR  64
#define NOISE 128
/* A boundary leaves so many rows to the phases on both sides, as far as they had them. */
#define KEPT 3

/* The interval of the begin of a phase: rows low .. high. */
struct begin_range {
    size_t low, high;
};

/* The rows of column c, the last one being power. */
static const double *column_of(const struct wtl_counter_rows *rows,
                               size_t c,
                               size_t row,
                               size_t *ret_stride)
{
    *ret_stride = c < rows->columns ? rows->columns : 1;
    return c < rows->columns ? rows->rate + row * rows->columns + c : rows->power_w + row;
}

/* Move the begin of phase i, which is not the first. */
static struct begin_range place_begin(const struct wtl_counter_rows *rows,
                                      struct wtl_phase_bounds *bounds,
                                      size_t i)
{
    struct wtl_phase *phase = &bounds->list[i], *before = phase - 1;
    double costs[2 * NEAR + 1] = {0};
    size_t low, high, first = before->first, last = phase->last, at = phase->first;
    first = at - first > NOISE ? at - NOISE : first;
    last = last - at > NOISE ? at + NOISE : last;
    size_t from = first + KEPT < at ? first + KEPT : at;
    size_t to = last >= at + KEPT ? last + 1 - KEPT : at;
    from = at - from > NEAR ? at - NEAR : from;
    to = to - at > NEAR ? at + NEAR : to;
    for (size_t c = 0; c <= rows->columns; c++) {
        size_t stride;
        const double *x = column_of(rows, c, first, &stride);
        struct wtl_level_step step;
        wtl_step_noise(x, stride, last - first + 1, at - first, &step);
        wtl_step_costs(x, stride, &step, from - first, to - from + 1, costs);
    }
    phase->first = from + wtl_step_best(costs, to - from + 1, &low, &high);
    before->last = phase->first - 1;
    return (struct begin_range){from + low, from + high};
}

static double energy_between(const struct wtl_counter_rows *rows, size_t first, size_t end)
{
    double sum = 0;
    for (size_t k = first; k < end; k++)
        sum += rows->energy_j[k];
    return sum;
}

static void fill_energy(const struct wtl_counter_rows *rows,
                        struct wtl_phase *phase,
                        struct begin_range begin,
                        struct begin_range next)
{
    size_t end = phase->last + 1;
    phase->length_s = wtl_phase_seconds(rows, phase);
    phase->energy_j = energy_between(rows, phase->first, end);
    for (size_t k = phase->first; k < end; k++)
        phase->known_s += rows->known_s[k];
    phase->mean_w = phase->known_s > 0 ? phase->energy_j / phase->known_s : NAN;
    phase->energy_low_j =
        phase->energy_j -
        fmin(phase->energy_j,
             energy_between(rows, phase->first, begin.high < end ? begin.high : end) +
                 energy_between(rows, next.low > phase->first ? next.low : end, end));
    phase->energy_high_j = phase->energy_j + energy_between(rows, begin.low, phase->first) +
                           energy_between(rows, end, next.high > end ? next.high : end);
    phase->at_uncertain_s = (double)(begin.high - begin.low) / 2 * (double)rows->step_ns * 1e-9;
    if (!(phase->known_s > 0))
        phase->energy_low_j = phase->energy_high_j = NAN;
}

static void fill_relevance(const struct wtl_counter_rows *rows,
                           const struct wtl_phase_options *options,
                           struct wtl_phase *phase)
{
    size_t length = phase->last - phase->first + 1;
    size_t least =
        options->relevance == WTL_PHASE_REGRESSION ? rows->columns + 2 : WTL_ROW_PHASE_MIN;
    struct wtl_relevance relevance =
        wtl_relevance_between(rows, phase->first, phase->last, options);
    phase->relevant = relevance.set;
    memcpy(phase->rank, relevance.rank, sizeof phase->rank);
    phase->ranked = relevance.ranked;
    phase->is_short = length < least;
}

/* The begin of phase i of the paper's method is known to its window. */
static struct begin_range window_range(const struct wtl_counter_rows *rows,
                                       const struct wtl_phase_options *options,
                                       const struct wtl_phase_bounds *bounds,
                                       size_t i)
{
    size_t window = options->window_rows ? options->window_rows : rows->columns + 2;
    size_t at = bounds->list[i].first, before = bounds->list[i - 1].first;
    size_t last = bounds->list[i].last;
    return (struct begin_range){at - before > window ? at - window : before,
                                last - at > window ? at + window : last};
}

int wtl_phases_fill(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_bounds *bounds)
{
    bool paper = options->method == WTL_PHASE_PAPER;
    struct begin_range *ranges = calloc(bounds->count + 1, sizeof *ranges);
    if (!ranges)
        return -ENOMEM;
    for (size_t i = 0; i < bounds->count && !paper; i++)
        bounds->list[i].last = (i + 1 < bounds->count ? bounds->list[i + 1].first : rows->rows) - 1;
    ranges[bounds->count] = (struct begin_range){rows->rows, rows->rows};
    for (size_t i = 1; i < bounds->count; i++)
        ranges[i] = paper ? window_range(rows, options, bounds, i) : place_begin(rows, bounds, i);
    for (size_t i = 0; i < bounds->count; i++) {
        fill_energy(rows, &bounds->list[i], ranges[i], ranges[i + 1]);
        if (!paper)
            fill_relevance(rows, options, &bounds->list[i]);
    }
    free(ranges);
    return 0;
}

int wtl_phases_join(const struct wtl_counter_rows *rows,
                    const struct wtl_phase_options *options,
                    struct wtl_phase_list *phases)
{
    size_t kept = 0;
    for (size_t i = 0; i < phases->count; i++) {
        const struct wtl_phase *phase = &phases->list[i];
        if (kept > 0 && phase->letter >= 0 && phase->letter == phases->list[kept - 1].letter)
            continue;
        phases->list[kept++] = (struct wtl_phase){.first = phase->first, .letter = phase->letter};
    }
    struct wtl_phase_bounds bounds = {.list = phases->list, .count = kept};
    phases->count = kept;
    int rc = wtl_phases_fill(rows, options, &bounds);
    phases->explained = wtl_phases_explained(rows, &bounds);
    return rc;
}

double wtl_phases_explained(const struct wtl_counter_rows *rows,
                            const struct wtl_phase_bounds *bounds)
{
    double energy = 0, seconds = 0, within = 0, all = 0;
    for (size_t i = 0; i < bounds->count; i++) {
        energy += bounds->list[i].energy_j;
        seconds += bounds->list[i].known_s;
    }
    double mean = energy / seconds;
    for (size_t i = 0; i < bounds->count; i++) {
        const struct wtl_phase *phase = &bounds->list[i];
        for (size_t k = phase->first; k <= phase->last; k++) {
            if (!(rows->known_s[k] > 0))
                continue;
            double away = rows->power_w[k] - phase->mean_w, from_mean = rows->power_w[k] - mean;
            within += rows->known_s[k] * away * away;
            all += rows->known_s[k] * from_mean * from_mean;
        }
    }
    return all > 0 && isfinite(within / all) ? 1 - within / all : NAN;
}
