/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First guess of the period: the commonest among the shortest distances between changes. Then changes are numbered by whole
 * periods, one from the other, and a straight line through their moments over their numbers gives period and phase. Numbers only
 * depend on the distance of neighbours, so a small error of the guess does not add up. On a busy machine some readings are late: a
 * change between two that are far apart has no moment, and one number that is wrong would make all that follow wrong.
 */
#include "analysis/gauge/gauge_updates.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "model/statistics/quantile.h"

enum { FEWEST_CHANGES = 12, LINES = 3 };
/* Readings per period that are needed, and the greatest jitter in periods. */
static const double READ_OFTEN = 3, MOST_JITTER = 0.22;
/* The readings around a change are no farther apart than so many times what is usual, and such a part of the period. */
static const double LATE = 4, LATE_PART = 0.5;

struct change {
    double time_s;  /* the middle between two readings */
    double half_s;  /* half of their distance */
    double number;  /* in periods, from the first change */
    size_t reading; /* the first that shows the new value */
};

struct search {
    const struct wtl_gauge_reading *readings;
    size_t count;
    struct change *changes;
    size_t change_count;
    double read_s; /* median distance of readings */
    double rms_s;  /* of the changes around the line */
    struct wtl_gauge_updates *found;
};

static int leave_out_late(struct search *s, double most_apart_s, struct wattle_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->change_count; i++) {
        if (2 * s->changes[i].half_s <= most_apart_s)
            s->changes[kept++] = s->changes[i];
    }
    s->change_count = kept;
    if (kept >= FEWEST_CHANGES)
        return 0;
    return wtl_fail(
        err, -ENODATA,
        "only %zu changes of the gauge were read in time; at least %d are needed: record "
        "for longer, or on a machine that is less busy",
        kept, FEWEST_CHANGES);
}

static int note_changes(struct search *s, struct wattle_error *err)
{
    double *apart = calloc(s->count + 1, sizeof *apart);
    s->changes = calloc(s->count + 1, sizeof *s->changes);
    if (!apart || !s->changes) {
        free(apart);
        return wtl_no_memory(err);
    }
    for (size_t i = 1; i < s->count; i++) {
        const struct wtl_gauge_reading *a = &s->readings[i - 1], *b = &s->readings[i];
        apart[i - 1] = b->time_s - a->time_s;
        if (b->watts != a->watts)
            s->changes[s->change_count++] = (struct change){
                .time_s = (a->time_s + b->time_s) / 2, .half_s = apart[i - 1] / 2, .reading = i};
    }
    s->read_s = s->count > 1 ? wtl_median(apart, s->count - 1) : NAN;
    free(apart);
    if (s->change_count < FEWEST_CHANGES)
        return wtl_fail(err, -ENODATA,
                        "the gauge changed %zu times; at least %d changes are needed: record for "
                        "longer, under a load that goes up and down",
                        s->change_count, FEWEST_CHANGES);
    return leave_out_late(s, LATE * s->read_s, err);
}

static int guess_period(struct search *s, struct wattle_error *err)
{
    size_t n = s->change_count - 1, common = 0;
    double *apart = calloc(s->change_count + 1, sizeof *apart);
    if (!apart)
        return wtl_no_memory(err);
    for (size_t i = 0; i < n; i++)
        apart[i] = s->changes[i + 1].time_s - s->changes[i].time_s;
    wtl_sort_numbers(apart, n);
    double shortest = wtl_quantile_sorted(apart, n, 0.1);
    while (common < n && apart[common] < 1.5 * shortest)
        common++;
    s->found->period_s = wtl_quantile_sorted(apart, common, 0.5);
    free(apart);
    if (!(s->found->period_s > READ_OFTEN * s->read_s))
        return wtl_fail(err, -ENODATA,
                        "the gauge changes about every %s ms and was read every %s ms; read it "
                        "at least %g times per change",
                        WTL_IN_FIGURES(s->found->period_s * 1e3, 3),
                        WTL_IN_FIGURES(s->read_s * 1e3, 3), READ_OFTEN);
    return leave_out_late(s, LATE_PART * s->found->period_s, err);
}

/* The line of moments over numbers; its residuals. */
static void fit_line(struct search *s)
{
    struct wtl_gauge_updates *found = s->found;
    double n = (double)s->change_count, sum_k = 0, sum_t = 0, kk = 0, kt = 0, squares = 0;
    double number = 0, origin_s = s->changes[0].time_s;
    for (size_t i = 0; i < s->change_count; i++) {
        struct change *c = &s->changes[i];
        if (i)
            number += fmax(1, round((c->time_s - c[-1].time_s) / found->period_s));
        c->number = number;
        sum_k += number / n;
        sum_t += (c->time_s - origin_s) / n;
    }
    for (size_t i = 0; i < s->change_count; i++) {
        double k = s->changes[i].number - sum_k, t = s->changes[i].time_s - origin_s - sum_t;
        kk += k * k;
        kt += k * t;
    }
    found->period_s = kt / kk;
    found->phase_s = origin_s + sum_t - found->period_s * sum_k;
    for (size_t i = 0; i < s->change_count; i++) {
        const struct change *c = &s->changes[i];
        squares += pow(c->time_s - found->phase_s - found->period_s * c->number, 2);
    }
    s->rms_s = sqrt(squares / (n - 2));
    /* Readings in step with the gauge err all to one side, at most by their distance over the whole recording. */
    found->period_half_s = hypot(2 * s->rms_s / sqrt(kk), s->read_s / (2 * number));
    /* Their positions between readings repeat after so many times; with fewer, they do not average out. */
    double in_step = found->period_s / s->read_s;
    double cycles = fabs(in_step - round(in_step)) * number;
    found->phase_half_s = hypot(2 * s->rms_s / sqrt(n), 0.3 * s->read_s / fmax(1, cycles));
    found->jitter_s = sqrt(fmax(0, s->rms_s * s->rms_s - s->read_s * s->read_s / 12));
}

/* The step of values: the smallest difference of two of them, if (almost) all are multiples of it. */
static double quantum_of(const double *watts, size_t count)
{
    double *sorted = malloc(count * sizeof *sorted), least = INFINITY;
    size_t fit = 0, distinct = 1;
    if (!sorted || count == 0) {
        free(sorted);
        return NAN;
    }
    memcpy(sorted, watts, count * sizeof *sorted);
    wtl_sort_numbers(sorted, count);
    for (size_t i = 1; i < count; i++) {
        double step = sorted[i] - sorted[i - 1];
        distinct += step > 1e-7;
        if (step > 1e-7 && step < least)
            least = step;
    }
    for (size_t i = 0; i < count; i++) {
        double times = (sorted[i] - sorted[0]) / least;
        fit += fabs(times - round(times)) < 0.02;
    }
    free(sorted);
    return distinct >= 4 && (double)fit > 0.98 * (double)count ? least : NAN;
}

/* Value number k: that of its change, else that of a reading while it stood. */
static int list_values(struct search *s, struct wattle_error *err)
{
    struct wtl_gauge_updates *found = s->found;
    size_t most = (size_t)s->changes[s->change_count - 1].number + 1, c = 0, i = 0;
    found->times_s = malloc(most * sizeof *found->times_s);
    found->watts = malloc(most * sizeof *found->watts);
    if (!found->times_s || !found->watts)
        return wtl_no_memory(err);
    for (size_t k = 0; k < most; k++) {
        double time_s = found->phase_s + found->period_s * (double)k;
        const struct change *change = &s->changes[c];
        bool changed = change->number == (double)k;
        if (changed) {
            time_s = found->jitter_s > s->read_s / 3
                         ? change->time_s
                         : fmin(fmax(time_s, change->time_s - change->half_s),
                                change->time_s + change->half_s);
            i = change->reading;
            c++;
        }
        while (i < s->count && s->readings[i].time_s < time_s)
            i++;
        if (i >= s->count || s->readings[i].time_s > time_s + 0.9 * found->period_s)
            continue; /* not read while it stood */
        found->times_s[found->count] = time_s;
        found->watts[found->count++] = s->readings[i].watts;
    }
    found->quantum_w = quantum_of(found->watts, found->count);
    return 0;
}

static int check(const struct search *s, struct wattle_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(s->readings[i].time_s) || !isfinite(s->readings[i].watts) ||
            (i && s->readings[i].time_s <= s->readings[i - 1].time_s))
            return wtl_fail(err, -EINVAL,
                            "reading %zu of the gauge: times must ascend, and values be numbers",
                            i + 1);
    }
    return 0;
}

int wtl_gauge_updates_find(const struct wtl_gauge_reading *readings,
                           size_t count,
                           struct wtl_gauge_updates *ret_updates,
                           struct wattle_error *err)
{
    *ret_updates = (struct wtl_gauge_updates){.quantum_w = NAN};
    struct search s = {.readings = readings, .count = count, .found = ret_updates};
    int rc = check(&s, err);
    rc = rc < 0 ? rc : note_changes(&s, err);
    rc = rc < 0 ? rc : guess_period(&s, err);
    for (int i = 0; rc == 0 && i < LINES; i++)
        fit_line(&s);
    if (rc == 0 && s.rms_s > MOST_JITTER * ret_updates->period_s)
        rc = wtl_fail(err, -ENODATA,
                      "the gauge has no steady period: its values come %s ms around a grid of "
                      "%s ms",
                      WTL_IN_FIGURES(s.rms_s * 1e3, 3),
                      WTL_IN_FIGURES(ret_updates->period_s * 1e3, 3));
    rc = rc < 0 ? rc : list_values(&s, err);
    free(s.changes);
    if (rc < 0)
        wtl_gauge_updates_fini(ret_updates);
    return rc;
}

void wtl_gauge_updates_fini(struct wtl_gauge_updates *updates)
{
    free(updates->times_s);
    free(updates->watts);
    updates->times_s = updates->watts = NULL;
    updates->count = 0;
}
