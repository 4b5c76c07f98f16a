/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intervals of the task model: blocks of time are drawn again, the same ones for all channels, and everything is fitted anew.
 * Percentiles, moved outward for few blocks as in compare/bootstrap.h, and never narrower than for independent errors of rows. Where terms that the model leaves out matter, the interval
 * holds those of both models.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/model_parts.h"
#include "base/random.h"
#include "model/statistics/quantile.h"
#include "model/statistics/student.h"

/* Types are hard to tell apart if their energies go against each other so much, and both are so uncertain. */
static const double against_most = -0.9, uncertain_most = 0.25;

enum { IDLE, STATIC, HEAT, TASKS, MODELLED, TYPES, BLOCKS_FEWEST = 8 };

struct draws {
    struct wtl_model_work *work;
    size_t count, quantities; /* of one model; TYPES + types, then groups */
    double *values;           /* [2][quantities][count] */
    double *room;             /* of the sums of a draw */
};

static double *column(const struct draws *d, bool extended, size_t quantity)
{
    return d->values + ((extended ? d->quantities : 0) + quantity) * d->count;
}

static void add_channel(struct draws *d,
                        size_t at,
                        bool extended,
                        size_t c,
                        const struct wtl_fit *fit)
{
    const struct wtl_task_model *model = d->work->model;
    const struct wtl_task_channel *ch = &model->channels[c];
    double idle_j = fit->x[WTL_TASK_IDLE] * ch->known_s;
    double static_j = fit->x[WTL_TASK_STATIC] * (ch->known_s - ch->idle_s), tasks_j = 0;
    for (size_t t = 0; t < model->type_count; t++) {
        double joules = wtl_model_type_j(d->work, c, fit, t);
        tasks_j += joules;
        column(d, extended, TYPES + t)[at] += joules;
        if (model->types[t].group >= 0)
            column(d, extended, TYPES + model->type_count + (size_t)model->types[t].group)[at] +=
                joules;
    }
    column(d, extended, IDLE)[at] += idle_j;
    column(d, extended, STATIC)[at] += static_j;
    double heat_j = wtl_model_heat_j(d->work, c, fit);
    column(d, extended, HEAT)[at] += heat_j;
    column(d, extended, TASKS)[at] += tasks_j;
    column(d, extended, MODELLED)[at] += idle_j + static_j + heat_j + tasks_j;
}

/* A calibrated value is drawn from its interval. */
static void draw_known(const struct wtl_task_platform *p, double normal, double *value)
{
    if (!isnan(*value) && p->half_w > 0)
        *value = fmax(0, *value + normal * p->half_w / 1.959964);
}

static int draw_channel(struct draws *d,
                        size_t at,
                        size_t c,
                        const unsigned *times,
                        uint64_t stream)
{
    struct wtl_model_work *work = d->work;
    const struct wtl_task_channel *ch = &work->model->channels[c];
    struct wtl_model_sums *sums = &work->sums[c];
    struct wtl_fit_sums drawn = {.terms = work->terms, .products = d->room};
    struct wtl_fit fit;
    memset(d->room, 0, wtl_fit_room(work->terms) * sizeof *d->room);
    for (size_t b = 0; b < work->model->blocks; b++)
        if (times[b] > 0)
            wtl_fit_merge(&drawn, &sums->blocks[b], times[b]);
    for (int extended = 0; extended < 2; extended++) {
        struct wtl_fit_known known = wtl_model_known(work, c, extended);
        bool bounded = work->model->method == WTL_TASK_NNLS && !(extended && sums->has_extended);
        const double *start = extended && sums->has_extended ? sums->extended.x : ch->fit.x;
        draw_known(&ch->idle, wtl_random_normal(stream, 2 * c), &known.value[WTL_TASK_IDLE]);
        draw_known(&ch->statics, wtl_random_normal(stream, 2 * c + 1),
                   &known.value[WTL_TASK_STATIC]);
        if (wtl_fit_solve(&drawn, &known, bounded ? WTL_FIT_NNLS : WTL_FIT_OLS, start, true, &fit) <
            0)
            return -ENOMEM;
        add_channel(d, at, extended, c, &fit);
    }
    return 0;
}

static int draw(struct draws *d, size_t at)
{
    unsigned times[WTL_TASK_BLOCKS] = {0};
    size_t blocks = d->work->model->blocks;
    uint64_t stream = wtl_random_bits(d->work->model->seed + 0x7461736b, at);
    for (size_t i = 0; i < blocks; i++)
        times[(size_t)(wtl_random_uniform(stream, 1024 + i) * (double)blocks)]++;
    for (size_t c = 0; c < d->work->model->channel_count; c++)
        if (draw_channel(d, at, c, times, stream) < 0)
            return -ENOMEM;
    return 0;
}

static double spread(const double *values, size_t n, double *ret_mean)
{
    double sd;
    *ret_mean = wtl_mean_sd(values, n, &sd);
    return sd;
}

/* Types that the noise hides from each other join a group, if they are in none. */
static void find_hidden(struct draws *d)
{
    struct wtl_task_model *model = d->work->model;
    for (size_t a = 0; a < model->type_count; a++)
        for (size_t b = a + 1; b < model->type_count; b++) {
            const double *ea = column(d, false, TYPES + a), *eb = column(d, false, TYPES + b);
            double mean_a, mean_b, products = 0;
            double sd_a = spread(ea, d->count, &mean_a), sd_b = spread(eb, d->count, &mean_b);
            for (size_t i = 0; i < d->count; i++)
                products += (ea[i] - mean_a) * (eb[i] - mean_b);
            double r = products / ((double)d->count - 1) / (sd_a * sd_b);
            bool unsure = 2 * sd_a > uncertain_most * fabs(mean_a) &&
                          2 * sd_b > uncertain_most * fabs(mean_b);
            int *ga = &model->types[a].group, *gb = &model->types[b].group;
            if (!(r < against_most) || !unsure || (*ga >= 0 && *gb >= 0))
                continue;
            if (*ga < 0 && *gb < 0) {
                *ga = (int)model->group_count;
                model->groups[model->group_count++] = (struct wtl_task_group){.types = 1};
            }
            int group = *ga >= 0 ? *ga : *gb;
            model->groups[group].types++;
            model->groups[group].exact = false;
            *ga = *gb = group;
        }
}

/* Sums of the groups, again: some are new. */
static void sum_groups(struct draws *d)
{
    const struct wtl_task_model *model = d->work->model;
    for (int extended = 0; extended < 2; extended++) {
        memset(column(d, extended, TYPES + model->type_count), 0,
               model->type_count * d->count * sizeof *d->values);
        for (size_t t = 0; t < model->type_count; t++) {
            if (model->types[t].group < 0)
                continue;
            double *group =
                column(d, extended, TYPES + model->type_count + (size_t)model->types[t].group);
            for (size_t i = 0; i < d->count; i++)
                group[i] += column(d, extended, TYPES + t)[i];
        }
    }
}

static void interval(struct draws *d, size_t quantity, struct wtl_task_value *value)
{
    double df = (double)d->work->model->blocks - 1;
    double tail = wtl_normal_probability(-sqrt((df + 1) / df) * wtl_student_quantile(0.975, df));
    value->low = value->high = value->value;
    for (int extended = 0; extended < 2; extended++) {
        double *values = column(d, extended, quantity);
        wtl_sort_numbers(values, d->count);
        value->low = fmin(value->low, wtl_bound_sorted(values, d->count, tail));
        value->high = fmax(value->high, wtl_bound_sorted(values, d->count, 1 - tail));
    }
}

/* At least what independent errors of the rows give: a bootstrap of few blocks in which a type runs is too narrow. And more, where
 * the power of a task depends on which others run: that no bootstrap sees. */
static void widen(const struct draws *d, size_t type)
{
    struct wtl_task_model *model = d->work->model;
    struct wtl_task_value *energy = &model->types[type].energy_j;
    double half_j = 0, mix_j = 0;
    for (size_t c = 0; c < model->channel_count; c++)
        half_j = hypot(half_j, d->work->sums[c].half_w[WTL_TASK_FIRST + type] *
                                   model->channels[c].time_s[type]);
    for (size_t c = 0; c < model->channel_count; c++)
        mix_j += d->work->sums[c].mix_w * model->channels[c].time_s[type];
    double low = fmin(energy->low, energy->value - half_j);
    double high = fmax(energy->high, energy->value + half_j);
    low = energy->value - hypot(energy->value - low, mix_j);
    energy->low = model->method == WTL_TASK_NNLS ? fmax(low, fmin(energy->low, 0)) : low;
    energy->high = energy->value + hypot(high - energy->value, mix_j);
}

static void spread_by(const struct wtl_task_model *model, struct wtl_task_value *value, double half)
{
    double low = value->value - hypot(value->value - value->low, half);
    value->low = model->method == WTL_TASK_NNLS ? fmax(low, fmin(value->low, 0)) : low;
    value->high = value->value + hypot(value->high - value->value, half);
}

/* A lag was found from the same rows, and what it leaves open no bootstrap sees. Channels of the same rows have one. */
static void widen_by_lag(struct wtl_task_model *model, size_t channel)
{
    const struct wtl_task_channel *ch = &model->channels[channel];
    for (size_t c = 0; c < channel; c++)
        if (model->channels[c].rows == ch->rows)
            return;
    if (!ch->lag || !ch->lag->found)
        return;
    const struct wtl_task_lag_doubt *doubt = &ch->lag->doubt[ch->statics.source == WTL_TASK_NONE];
    double types_j[WTL_TASK_MODELLED] = {0}, groups_j[WTL_TASK_MODELLED] = {0};
    for (size_t column = 0; column < model->column_count; column++) {
        size_t curve = column < WTL_TASK_CURVES ? column : WTL_TASK_CURVES - 1;
        double *type_j = &types_j[model->type_of[column]];
        *type_j = fmax(*type_j, doubt->type_j[curve]);
    }
    for (size_t t = 0; t < model->type_count; t++) {
        spread_by(model, &model->types[t].energy_j, types_j[t]);
        if (model->types[t].group >= 0)
            groups_j[model->types[t].group] = doubt->tasks_j;
    }
    for (size_t g = 0; g < model->group_count; g++)
        spread_by(model, &model->groups[g].energy_j, groups_j[g]);
    spread_by(model, &model->tasks_j, doubt->tasks_j);
    spread_by(model, &model->static_j, doubt->static_j);
    spread_by(model, &model->idle_j, doubt->idle_j);
}

static void fill(struct draws *d)
{
    struct wtl_task_model *model = d->work->model;
    find_hidden(d);
    sum_groups(d);
    interval(d, IDLE, &model->idle_j);
    interval(d, STATIC, &model->static_j);
    interval(d, HEAT, &model->heat_j);
    interval(d, TASKS, &model->tasks_j);
    interval(d, MODELLED, &model->modelled_j);
    for (size_t g = 0; g < model->group_count; g++)
        for (size_t t = 0; t < model->type_count; t++)
            if (model->types[t].group == (int)g)
                model->groups[g].energy_j.value += model->types[t].energy_j.value;
    for (size_t g = 0; g < model->group_count; g++)
        interval(d, TYPES + model->type_count + g, &model->groups[g].energy_j);
    for (size_t t = 0; t < model->type_count; t++) {
        interval(d, TYPES + t, &model->types[t].energy_j);
        widen(d, t);
    }
    for (size_t c = 0; c < model->channel_count; c++)
        widen_by_lag(model, c);
}

/* Without intervals the groups still have their energy. */
static void only_sums(struct wtl_task_model *model)
{
    for (size_t g = 0; g < model->group_count; g++)
        model->groups[g].energy_j = (struct wtl_task_value){0, NAN, NAN};
    for (size_t t = 0; t < model->type_count; t++)
        if (model->types[t].group >= 0)
            model->groups[model->types[t].group].energy_j.value += model->types[t].energy_j.value;
}

int wtl_model_intervals(struct wtl_model_work *work)
{
    struct wtl_task_model *model = work->model;
    size_t equations = SIZE_MAX;
    for (size_t c = 0; c < model->channel_count; c++)
        if (model->channels[c].equations < equations)
            equations = model->channels[c].equations;
    if (model->resamples == 0 || model->blocks < BLOCKS_FEWEST || equations < 2 * BLOCKS_FEWEST) {
        only_sums(model);
        return 0;
    }
    struct draws d = {
        .work = work, .count = model->resamples, .quantities = TYPES + 2 * model->type_count};
    d.values = calloc(2 * d.quantities * d.count, sizeof *d.values);
    d.room = malloc(wtl_fit_room(work->terms) * sizeof *d.room);
    int rc = d.values && d.room ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < d.count; i++)
        rc = draw(&d, i);
    if (rc == 0)
        fill(&d);
    free(d.values);
    free(d.room);
    return rc;
}
