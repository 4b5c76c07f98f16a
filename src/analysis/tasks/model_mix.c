/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does the power of a task depend on which types run beside it? Then power bends with the shares of the types: beside the model,
 * each type gets a term a (f - s)^2, where a is the number of active tasks, f the type's share of them, and s its share of all time.
 *
 * How such a power is to be divided between those that run together, no data say. The model gives each type what one more of it
 * adds, which is not what it takes itself. If tasks of weight w take 1 - k w w' of their power beside those of weight w', both differ by k times
 * (w - its mean) times the mean, the bend is k times (w - its mean)^2: at most a little more than the bend that stands out.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/tasks/model_parts.h"

/* A bend is beyond chance; what types may be off by, in bends, and of the mean power of a task: k w
 * (1 - w) at most for k = 1. */
static const double t_least = 4, in_bends = 1.5, most_part = 0.25;

/* The terms of a row, and those of bends behind them. */
static double terms_of(const struct wtl_model_work *work,
                       size_t c,
                       size_t bends,
                       const struct wtl_model_cursor *row,
                       double *terms)
{
    size_t first = WTL_TASK_FIRST, types = work->model->type_count;
    double all_s = 0;
    for (size_t t = 0; t < types; t++)
        all_s += work->sums[c].tasks_s[t];
    for (size_t i = 0; i < first + types; i++)
        terms[i] = row->terms[i];
    for (size_t t = 0; t < bends; t++) {
        double apart = row->active > 0
                           ? row->terms[first + t] / row->active - work->sums[c].tasks_s[t] / all_s
                           : 0;
        terms[first + types + t] = row->active * apart * apart;
    }
    return row->power_w;
}

/* How much larger errors are because neighbouring residuals are alike. */
static double together(const struct wtl_model_work *work,
                       size_t c,
                       size_t bends,
                       const struct wtl_fit *fit)
{
    struct wtl_model_cursor row = {.row = 0};
    double terms[WTL_FIT_TERMS], squares = 0, products = 0, last = 0;
    while (wtl_model_next(work->model, &work->model->channels[c], &row)) {
        if (isnan(row.power_w) || !(row.seconds > 0))
            continue;
        double rest = terms_of(work, c, bends, &row, terms);
        for (size_t i = 0; i < fit->terms; i++)
            rest -= fit->x[i] * terms[i];
        products += rest * last;
        squares += rest * rest;
        last = rest;
    }
    double alike = squares > 0 ? fmin(fmax(products / squares, 0), 0.99) : 0;
    return sqrt((1 + alike) / (1 - alike));
}

static double mean_task_w(const struct wtl_model_work *work, size_t c)
{
    double joules = 0, seconds = 0;
    for (size_t t = 0; t < work->model->type_count; t++) {
        joules += work->model->channels[c].fit.x[WTL_TASK_FIRST + t] * work->sums[c].tasks_s[t];
        seconds += work->sums[c].tasks_s[t];
    }
    return seconds > 0 ? fabs(joules) / seconds : 0;
}

/* Each type's bend is tried alone: together they hide each other. */
static int judge(struct wtl_model_work *work,
                 size_t c,
                 size_t bends,
                 const struct wtl_fit_sums *sums)
{
    size_t first = WTL_TASK_FIRST + work->model->type_count;
    double most_t = 0, bend_w = 0;
    struct wtl_fit best = {.terms = 0};
    for (size_t t = 0; t < bends; t++) {
        struct wtl_fit_known known = wtl_model_known(work, c, false);
        struct wtl_fit fit;
        for (size_t i = 0; i < bends; i++)
            known.value[first + i] = i == t ? (double)NAN : 0;
        if (wtl_fit_solve(sums, &known, WTL_FIT_OLS, NULL, false, &fit) < 0)
            return -ENOMEM;
        double is_t = fabs(fit.x[first + t]) / fit.error[first + t];
        if (!(is_t > most_t))
            continue;
        most_t = is_t;
        bend_w = fabs(fit.x[first + t]);
        best = fit;
    }
    if (most_t > t_least && most_t > t_least * together(work, c, bends, &best)) {
        work->sums[c].mix_w = fmin(in_bends * bend_w, most_part * mean_task_w(work, c));
        work->model->mixes = true;
    }
    return 0;
}

int wtl_model_mix(struct wtl_model_work *work, size_t c)
{
    const struct wtl_task_channel *ch = &work->model->channels[c];
    size_t base = WTL_TASK_FIRST + work->model->type_count;
    size_t bends = WTL_FIT_TERMS - base < work->model->type_count ? WTL_FIT_TERMS - base
                                                                  : work->model->type_count;
    struct wtl_fit_sums sums = {.terms = base + bends};
    struct wtl_model_cursor row = {.row = 0};
    double terms[WTL_FIT_TERMS];
    /* With a term for the crowd the intervals are those of two models, and its bend would be taken for this one. */
    if (work->sums[c].has_extended || work->model->method == WTL_TASK_PAPER ||
        work->model->type_count < 2 || ch->equations < 2 * sums.terms + 8)
        return 0;
    sums.products = calloc(wtl_fit_room(sums.terms), sizeof *sums.products);
    if (!sums.products)
        return -ENOMEM;
    while (wtl_model_next(work->model, ch, &row)) {
        if (isnan(row.power_w) || !(row.seconds > 0))
            continue;
        double power = terms_of(work, c, bends, &row, terms);
        wtl_fit_add(&sums, terms, power, row.seconds);
    }
    int rc = judge(work, c, bends, &sums);
    free(sums.products);
    return rc;
}
