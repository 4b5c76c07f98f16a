/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power without the steps of ticks: see tick_smoothing.h. The lines are found as by Douglas and
 * Peucker 1973: a line between two readings is split at the reading farthest from it, as long as
 * one is farther than a tick.
 */
#include "analysis/tick_smoothing.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* In ticks: ticks come slightly early and late, and a power reading is itself off by a few
 * ticks. */
#define TOLERANCE 1.25

/* A row of known stretches: the readings at their ends. */
struct row {
    const struct wtl_tick_series *series;
    double tick_s;
    double *time_s;   /* [count + 1] since the first stretch */
    double *energy_j; /* [count + 1] since the begin of the row */
    bool *knot;       /* [count + 1]: a line ends here */
};

static uint64_t end_of(const struct wtl_tick_series *s, size_t i)
{
    return i + 1 < s->count ? s->begin_ns[i + 1] : s->end_ns;
}

static double slope(const struct row *row, size_t a, size_t b)
{
    return (row->energy_j[b] - row->energy_j[a]) / (row->time_s[b] - row->time_s[a]);
}

/* The reading between a and b that is farthest from the line, in ticks of the power there; 0: none
 * is too far. */
static size_t farthest(const struct row *row, size_t a, size_t b)
{
    const float *mean = row->series->mean;
    double line_w = slope(row, a, b), most = TOLERANCE;
    size_t found = 0;
    for (size_t k = a + 1; k < b; k++) {
        double off_j = row->energy_j[a] + line_w * (row->time_s[k] - row->time_s[a]);
        double power_w = fmax(fabs(line_w), fmax(fabs((double)mean[k - 1]), fabs((double)mean[k])));
        double ticks = fabs(off_j - row->energy_j[k]) / (power_w * row->tick_s);
        if (ticks > most) {
            most = ticks;
            found = k;
        }
    }
    return found;
}

/* Keep the extremes of a stretch that a tick does not explain. */
static void draw(const struct wtl_tick_series *s, size_t i, double power_w)
{
    double part = TOLERANCE * (double)s->tick_ns / (double)s->stretch_ns;
    double near_w = fabs(power_w) * part;
    float w = (float)power_w;
    s->mean[i] = w;
    s->min[i] = (double)s->min[i] < power_w - near_w ? s->min[i] : w;
    s->max[i] = (double)s->max[i] > power_w + near_w ? s->max[i] : w;
}

/* Known stretches first .. end - 1. */
static void smooth_row(const struct row *row, size_t first, size_t end)
{
    const struct wtl_tick_series *s = row->series;
    row->energy_j[first] = 0;
    for (size_t i = first; i < end; i++) {
        row->knot[i] = false;
        row->energy_j[i + 1] =
            row->energy_j[i] + (double)s->mean[i] * (row->time_s[i + 1] - row->time_s[i]);
    }
    row->knot[end] = true;
    for (size_t a = first; a < end;) {
        size_t b = a + 1, split;
        while (!row->knot[b])
            b++;
        while ((split = farthest(row, a, b)) > 0) {
            row->knot[split] = true;
            b = split;
        }
        double power_w = slope(row, a, b);
        for (; a < b; a++)
            draw(s, a, power_w);
    }
}

int wtl_tick_smoothing_apply(const struct wtl_tick_series *series)
{
    size_t n = series->count;
    struct row row = {.series = series,
                      .tick_s = (double)series->tick_ns * 1e-9,
                      .time_s = malloc((n + 1) * sizeof(double)),
                      .energy_j = malloc((n + 1) * sizeof(double)),
                      .knot = malloc((n + 1) * sizeof(bool))};
    bool room = row.time_s && row.energy_j && row.knot;
    if (room) {
        row.time_s[0] = 0;
        for (size_t i = 0; i < n; i++)
            row.time_s[i + 1] = (double)(end_of(series, i) - series->begin_ns[0]) * 1e-9;
    }
    for (size_t i = 0; room && i < n; i++) {
        size_t first = i;
        while (i < n && isfinite(series->mean[i]))
            i++;
        if (i > first)
            smooth_row(&row, first, i);
    }
    free(row.time_s);
    free(row.energy_j);
    free(row.knot);
    return room ? 0 : -ENOMEM;
}
