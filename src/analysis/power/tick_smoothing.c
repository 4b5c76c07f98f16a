/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power without the steps of ticks: see tick_smoothing.h. Lines are made as long as possible, from
 * the begin and again from the end. Both ways need the same number of lines, and each line may end
 * anywhere between its two ends: it does at the reading where the power changes most.
 */
#include "analysis/power/tick_smoothing.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound.h"

/* In ticks: ticks come slightly early and late, and a power reading is itself off by a few
 * ticks. */
#define TOLERANCE 1.1

/* The power at a reading is that of this many ticks before it or after it. */
#define TICKS_OF_POWER 20

/* Readings whose distances from a line differ by less than this part of a tick are equally far. */
#define ABOUT 0.8

/* Slopes to try before readings count as one line or not; a few suffice. */
#define TRIES 32

/* A row of known stretches: the readings at their ends. */
struct row {
    const struct wtl_tick_series *series;
    double tick_s;
    double *time_s;   /* [count + 1] since the first stretch */
    double *energy_j; /* [count + 1] since the begin of the row */
    double *lack_j;   /* [count + 1] the energy may be up to this much more */
    size_t *knots;    /* [count + 1] where the lines end */
};

static uint64_t end_of(const struct wtl_tick_series *s, size_t i)
{
    return i + 1 < s->count ? s->begin_ns[i + 1] : s->end_ns;
}

static double slope(const struct row *row, size_t a, size_t b)
{
    return (row->energy_j[b] - row->energy_j[a]) / (row->time_s[b] - row->time_s[a]);
}

/* What a reading may lack, from the greater of the powers before and after it. */
static void find_lacks(const struct row *row, size_t first, size_t end)
{
    double near_s = TICKS_OF_POWER * row->tick_s;
    size_t before = first, after = first;
    for (size_t k = first; k <= end; k++) {
        while (before + 1 < k && row->time_s[k] - row->time_s[before + 1] >= near_s)
            before++;
        while (after < end && (after <= k || row->time_s[after] - row->time_s[k] < near_s))
            after++;
        double power_w = fmax(before < k ? fabs(slope(row, before, k)) : 0,
                              after > k ? fabs(slope(row, k, after)) : 0);
        row->lack_j[k] = TOLERANCE * power_w * row->tick_s + row->series->unit_j;
    }
}

/* Whether a line passes all readings from a to b. A slope with which it does not is too low or too
 * high for two of them, which limits the slopes that remain. */
static bool is_line(const struct row *row, size_t a, size_t b)
{
    double low_w = -INFINITY, high_w = INFINITY, line_w = slope(row, a, b);
    for (int try = 0; try < TRIES; try++) {
        double least_j = INFINITY, most_j = -INFINITY;
        size_t least = a, most = a;
        for (size_t k = a; k <= b; k++) {
            double off_j = row->energy_j[k] - line_w * (row->time_s[k] - row->time_s[a]);
            if (off_j > most_j) {
                most_j = off_j;
                most = k;
            }
            if (off_j + row->lack_j[k] < least_j) {
                least_j = off_j + row->lack_j[k];
                least = k;
            }
        }
        if (most_j <= least_j)
            return true;
        double limit_w = line_w + (most_j - least_j) / (row->time_s[most] - row->time_s[least]);
        if (most > least)
            low_w = fmax(low_w, limit_w);
        else
            high_w = fmin(high_w, limit_w);
        if (low_w > high_w)
            return false;
        line_w = most > least ? low_w : high_w;
    }
    return true;
}

/* A reading that is off a line through its neighbours is not of the time it states, as when a read
 * was interrupted: power that rose or fell would show in those after it. */
static void straighten(const struct row *row, size_t first, size_t end)
{
    for (size_t k = first + 2; k + 2 <= end; k++) {
        double read_j = row->energy_j[k];
        double even_j =
            row->energy_j[k - 1] + slope(row, k - 1, k + 1) * (row->time_s[k] - row->time_s[k - 1]);
        if (fabs(read_j - even_j) <= row->lack_j[k] / 2)
            continue;
        row->energy_j[k] = even_j;
        if (!is_line(row, k - 2, k + 2))
            row->energy_j[k] = read_j;
    }
}

/*
 * A counter of something that always draws power showed no tick for longer than it can, and then what was used in the
 * meantime. It stopped after the reading before those of that value.
 */
static void bridge_stands(const struct row *row, size_t first, size_t end)
{
    for (size_t k = first, to; k < end; k = to) {
        to = k + 1;
        while (to < end && row->energy_j[to] <= row->energy_j[k])
            to++;
        double still_s = row->time_s[to - 1] - row->time_s[k];
        if (still_s <= WTL_STAND_REFRESHES * row->tick_s || row->energy_j[to] <= row->energy_j[k])
            continue;
        const struct wtl_tick_series *s = row->series;
        size_t from = k > first ? k - 1 : k;
        double power_w = slope(row, from, to);
        for (size_t i = from; i < to; i++)
            s->min[i] = s->max[i] = s->mean[i]; /* drawn as means only */
        for (size_t i = from + 1; i < to; i++)
            row->energy_j[i] = row->energy_j[from] + power_w * (row->time_s[i] - row->time_s[from]);
    }
}

/* The end of the longest line from `a` towards `last`, which may be before it. */
static size_t line_end(const struct row *row, size_t a, size_t last)
{
    bool back = last < a;
    size_t most = back ? a - last : last - a, good = 1, bad = most + 1;
    while (bad - good > 1) {
        size_t n = bad <= most ? (good + bad) / 2 : 2 * good < most ? 2 * good : most;
        if (is_line(row, back ? a - n : a, back ? a : a + n))
            good = n;
        else
            bad = n;
    }
    return back ? a - good : a + good;
}

/* Keep the extremes of a stretch that a tick does not explain. */
static void draw(const struct wtl_tick_series *s, size_t i, double power_w)
{
    double part = TOLERANCE * (double)s->tick_ns / (double)s->stretch_ns;
    double near_w = fabs(power_w) * part;
    bool one = s->min[i] >= s->max[i]; /* a mean, which the line explains */
    float w = (float)power_w;
    s->mean[i] = w;
    s->min[i] = !one && (double)s->min[i] < power_w - near_w ? s->min[i] : w;
    s->max[i] = !one && (double)s->max[i] > power_w + near_w ? s->max[i] : w;
}

static double off_line(const struct row *row, size_t a, double line_w, size_t k)
{
    return fabs(row->energy_j[k] - row->energy_j[a] - line_w * (row->time_s[k] - row->time_s[a]));
}

/* The reading in low .. high that is farthest from the line from a to b, or the middle of those
 * that are about as far. */
static size_t farthest(const struct row *row, size_t a, size_t b, size_t low, size_t high)
{
    double line_w = slope(row, a, b), most_j = -1;
    size_t found = low, first = low, last = high;
    for (size_t k = low; k <= high; k++) {
        if (off_line(row, a, line_w, k) > most_j) {
            most_j = off_line(row, a, line_w, k);
            found = k;
        }
    }
    most_j -= ABOUT * row->lack_j[found];
    while (off_line(row, a, line_w, first) < most_j)
        first++;
    while (off_line(row, a, line_w, last) < most_j)
        last--;
    return (first + last) / 2;
}

/* Divide the readings first .. end into lines; returns their number. */
static size_t find_lines(const struct row *row, size_t first, size_t end)
{
    size_t lines = 0, count = 0, last = first, late = line_end(row, first, end);
    for (size_t back = end; back > first; back = line_end(row, back, first))
        row->knots[end - first - lines++] = back;
    const size_t *early = row->knots + (end - first + 1 - lines);
    while (late < end) {
        size_t next = line_end(row, late, end);
        size_t low = count < lines && early[count] > last ? early[count] : last + 1;
        last = farthest(row, last, next, low < late ? low : late, late);
        row->knots[count++] = last;
        late = next;
    }
    row->knots[count++] = end;
    return count;
}

/* Known stretches first .. end - 1. */
static void smooth_row(const struct row *row, size_t first, size_t end)
{
    const struct wtl_tick_series *s = row->series;
    row->energy_j[first] = 0;
    for (size_t i = first; i < end; i++)
        row->energy_j[i + 1] =
            row->energy_j[i] + (double)s->mean[i] * (row->time_s[i + 1] - row->time_s[i]);
    if (s->awake)
        bridge_stands(row, first, end);
    find_lacks(row, first, end);
    straighten(row, first, end);
    size_t lines = find_lines(row, first, end), a = first;
    for (size_t i = 0; i < lines; i++) {
        double power_w = slope(row, a, row->knots[i]);
        for (; a < row->knots[i]; a++)
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
                      .lack_j = malloc((n + 1) * sizeof(double)),
                      .knots = malloc((n + 1) * sizeof(size_t))};
    bool room = row.time_s && row.energy_j && row.lack_j && row.knots;
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
    free(row.lack_j);
    free(row.knots);
    return room ? 0 : -ENOMEM;
}
