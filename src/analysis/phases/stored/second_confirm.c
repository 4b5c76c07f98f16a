/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a boundary a step, or drift? Around it each series is fitted by a level, a step and a slope, which may be as steep as
 * drift is; what is left says how certain the step is. The weakest boundary that is not certain goes first.
 */
#include <math.h>
#include <string.h>

#include "analysis/phases/stored/second_pass.h"

/* Rows on either side. */
#define AROUND 256
/* Drift: standard deviations per row. */
#define DRIFT (1.0 / 300)
/* What the test loses to the slope, on a true step. */
#define CONFIRM 0.95

/* Sums of products of level, step, slope and value. */
struct fit {
    double ll, ls, lt, ss, st, tt, lv, sv, tv, vv, n;
};

static void add_row(struct fit *fit, double level, double step, double slope, double value)
{
    fit->ll += level * level;
    fit->ls += level * step;
    fit->lt += level * slope;
    fit->ss += step * step;
    fit->st += step * slope;
    fit->tt += slope * slope;
    fit->lv += level * value;
    fit->sv += step * value;
    fit->tv += slope * value;
    fit->vv += value * value;
    fit->n++;
}

/* The squared step over its variance. */
static double solve(const struct fit *fit, double drift)
{
    double ss = fit->ss - fit->ls * fit->ls / fit->ll, st = fit->st - fit->ls * fit->lt / fit->ll;
    double tt = fit->tt - fit->lt * fit->lt / fit->ll + 1 / (drift * drift);
    double sv = fit->sv - fit->ls * fit->lv / fit->ll, tv = fit->tv - fit->lt * fit->lv / fit->ll;
    double left = ss - st * st / tt, right = sv - st * tv / tt;
    double stat = left > 0 ? right * right / left : 0;
    double rest = fit->vv - fit->lv * fit->lv / fit->ll - tv * tv / tt - stat;
    double variance = fit->n > 8 ? fmax(1, rest / (fit->n - 2)) : 1;
    return isfinite(stat) ? stat / variance : 0;
}

static double stat_of(const struct wtl_second_pass *pass,
                      size_t c,
                      size_t from,
                      size_t at,
                      size_t end)
{
    double phi = pass->phi[c], own = 1 - phi;
    struct fit fit = {0};
    if (!(pass->sd[c] > 0))
        return 0;
    double origin = pass->white[at * pass->series + c];
    for (size_t r = from + 1; r < end; r++) {
        double t = (double)r - (double)at;
        add_row(&fit, own,
                r < at    ? 0
                : r == at ? 1
                          : own,
                own * t + phi, pass->white[r * pass->series + c] - origin);
    }
    return solve(&fit, DRIFT / sqrt(1 - phi * phi));
}

/* Evidence for the boundary before phase p. */
static double evidence(const struct wtl_second_pass *pass, size_t p)
{
    size_t at = pass->begin[p], from = pass->begin[p - 1], end = pass->begin[p + 1];
    double sum = 0;
    from = at - from > AROUND ? at - AROUND : from;
    end = end - at > AROUND ? at + AROUND : end;
    for (size_t c = 0; c < pass->series; c++)
        sum += stat_of(pass, c, from, at, end);
    return sum;
}

static void drop(struct wtl_second_pass *pass, size_t p)
{
    memmove(pass->begin + p, pass->begin + p + 1, (pass->count - p) * sizeof *pass->begin);
    memmove(pass->least + p, pass->least + p + 1, (pass->count - p) * sizeof *pass->least);
    pass->count--;
}

void wtl_second_confirm(struct wtl_second_pass *pass)
{
    for (size_t p = 1; p < pass->count; p++)
        pass->least[p] = evidence(pass, p);
    for (;;) {
        size_t weakest = 0;
        for (size_t p = 1; p < pass->count; p++)
            if (weakest == 0 || pass->least[p] < pass->least[weakest])
                weakest = p;
        if (weakest == 0 || pass->least[weakest] >= CONFIRM * pass->penalty)
            return;
        drop(pass, weakest);
        for (size_t p = weakest > 1 ? weakest - 1 : 1; p < pass->count && p <= weakest; p++)
            pass->least[p] = evidence(pass, p);
    }
}
