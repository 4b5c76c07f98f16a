/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a boundary a step, or drift? Around it each series is fitted by a level and a step, and by a level and a slope, which may be
 * as steep as drift is. What the slope explains, beyond what it explains of noise, is no evidence for the step. The weakest
 * boundary that is not certain goes first.
 *
 * How certain it must be depends on how many others there are (Y. Benjamini, Y. Hochberg 1995): one that is alone must hardly
 * ever be chance; of many, a share may be. So a recording of one phase stays one phase, and one with many changes does not
 * lose those that are less plain.
 */
#include <math.h>
#include <string.h>

#include "analysis/phases/stored/second_pass.h"

/* Rows on either side. */
#define AROUND 256
/* Drift: standard deviations per row. */
#define DRIFT (1.0 / 300)
/* What a slope explains of noise: more with this probability. Less costs small steps, more lets drift pass. */
#define OF_NOISE 0.02

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

/* What a step explains, and what a slope explains, over the variance of what is left. */
struct gain {
    double step, slope;
};

static struct gain solve(const struct fit *fit, double drift)
{
    double ss = fit->ss - fit->ls * fit->ls / fit->ll;
    double tt = fit->tt - fit->lt * fit->lt / fit->ll + 1 / (drift * drift);
    double sv = fit->sv - fit->ls * fit->lv / fit->ll, tv = fit->tv - fit->lt * fit->lv / fit->ll;
    double step = ss > 0 ? sv * sv / ss : 0, slope = tv * tv / tt;
    double rest = fit->vv - fit->lv * fit->lv / fit->ll - fmax(step, slope);
    double variance = fit->n > 8 ? fmax(1, rest / (fit->n - 2)) : 1;
    return (struct gain){isfinite(step) ? step / variance : 0,
                         isfinite(slope) ? slope / variance : 0};
}

static struct gain gain_of(const struct wtl_second_pass *pass,
                           size_t c,
                           size_t from,
                           size_t at,
                           size_t end)
{
    double phi = pass->phi[c], own = 1 - phi;
    struct fit fit = {0};
    if (!(pass->sd[c] > 0))
        return (struct gain){0, 0};
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
    struct gain all = {0, 0};
    from = at - from > AROUND ? at - AROUND : from;
    end = end - at > AROUND ? at + AROUND : end;
    for (size_t c = 0; c < pass->series; c++) {
        struct gain gain = gain_of(pass, c, from, at, end);
        all.step += gain.step;
        all.slope += gain.slope;
    }
    return all.step - fmax(0, all.slope - wtl_second_evidence(OF_NOISE, pass->series));
}

static void drop(struct wtl_second_pass *pass, size_t p)
{
    memmove(pass->begin + p, pass->begin + p + 1, (pass->count - p) * sizeof *pass->begin);
    memmove(pass->least + p, pass->least + p + 1, (pass->count - p) * sizeof *pass->least);
    pass->count--;
}

double wtl_second_need(const struct wtl_second_pass *pass)
{
    double others = pass->count > 2 ? (double)(pass->count - 2) : 0;
    double least = wtl_second_evidence(pass->alone + pass->beside * others, pass->series);
    return pass->raise * least;
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
        if (weakest == 0 || pass->least[weakest] >= wtl_second_need(pass))
            return;
        drop(pass, weakest);
        for (size_t p = weakest > 1 ? weakest - 1 : 1; p < pass->count && p <= weakest; p++)
            pass->least[p] = evidence(pass, p);
    }
}
