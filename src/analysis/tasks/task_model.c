/* SPDX-License-Identifier: BSD-3-Clause */
/* The task model (task_model.h): its fit, from the sums of model_sums.c. */
#include "analysis/tasks/task_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/model_parts.h"
#include "base/fail.h"

/* ---- co-runners ---- */

/*
 * Does the power of a task depend on which types run beside it? Then power bends with the shares of the types: beside the model,
 * each type gets a term a (f - s)^2, where a is the number of active tasks, f the type's share of them, and s its share of all time.
 *
 * How such a power is to be divided between those that run together, no data say. The model gives each type what one more of it
 * adds, which is not what it takes itself. If tasks of weight w take 1 - k w w' of their power beside those of weight w', both differ by k times
 * (w - its mean) times the mean, the bend is k times (w - its mean)^2: at most a little more than the bend that stands out.
 */

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
static int measure_mix(struct wtl_model_work *work,
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

/* Does the power of tasks depend on which others run (sums->mix_w)? Returns 0 or -ENOMEM. */
static int model_mix(struct wtl_model_work *work, size_t c)
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
    int rc = measure_mix(work, c, bends, &sums);
    free(sums.products);
    return rc;
}

/* ---- the model ---- */

const char *const wtl_task_method_names[] = {"nnls", "ols", "paper", NULL};

/* A term that the model leaves out matters if it is beyond chance (WTL_MODEL_T_MOST), and explains at least this part of what is left. */
static const double rest_least = 0.02;
/* Time without tasks that says something: of all rows, and in seconds. */
static const double idle_least_s = 1e-3;

/* P_Y and P_S are known if their 95 % interval, and what a bend changes, is within this part of them, and of P_S at least this part of what
 * it adds (root mean square) cannot be taken for tasks. */
static const double unsure_most = 0.25, apart_least = 0.01;

static enum wtl_fit_method fit_method(const struct wtl_task_model *model)
{
    return model->method == WTL_TASK_NNLS ? WTL_FIT_NNLS : WTL_FIT_OLS;
}

/* ---- refusals ---- */

static size_t unknowns_of(const struct wtl_model_work *work, size_t c)
{
    const struct wtl_task_channel *ch = &work->model->channels[c];
    size_t unknowns = isnan(ch->idle.power_w) ? 1u : 0u, types = 0;
    for (size_t t = 0; t < work->model->type_count; t++)
        types += work->sums[c].tasks_s[t] > 0;
    return unknowns + types + (types > 0 && isnan(ch->statics.power_w) ? 1u : 0u);
}

static int no_idle(const struct wtl_task_channel *ch, struct wattle_error *err)
{
    return wtl_fail(err, -ENODATA,
                    "tasks run all the time while %s is known%s, so the power of the idle machine "
                    "cannot be found; measure it with \"wattle tasks calibrate\", or give it "
                    "with --idle-power",
                    ch->name, ch->idle_s > idle_least_s ? ", but for moments" : "");
}

static int check(const struct wtl_model_work *work, size_t c, struct wattle_error *err)
{
    const struct wtl_task_channel *ch = &work->model->channels[c];
    if (ch->equations == 0)
        return wtl_fail(err, -ENODATA, "%s has no two readings while it is known", ch->name);
    if (isnan(ch->idle.power_w) && !(ch->idle_s > idle_least_s))
        return no_idle(ch, err);
    if (ch->equations < ch->unknowns)
        return wtl_fail(err, -ERANGE,
                        "%s has %zu reading%s for %zu unknown powers (%zu types of task): record a "
                        "longer run, sample more often, or calibrate",
                        ch->name, ch->equations, ch->equations == 1 ? "" : "s", ch->unknowns,
                        work->model->type_count);
    return 0;
}

/* ---- the fit ---- */

static int solve(const struct wtl_model_work *work,
                 size_t c,
                 enum wtl_fit_method method,
                 const struct wtl_fit_known *known,
                 struct wtl_fit *ret)
{
    return wtl_fit_solve(&work->sums[c].all, known, method, NULL, false, ret);
}

/* P_S without a calibration. It cannot be told from the tasks if as many run whenever any does (threads that spin while they wait
 * are tasks, too). If that holds but for moments, a model that is only a little wrong puts anything there: what P_S adds must
 * stand out, it must be well known, and a power that bends with the number of tasks must not change it. */
static int static_is_hidden(const struct wtl_model_work *work, size_t c, bool *ret_hidden)
{
    const struct wtl_task_channel *ch = &work->model->channels[c];
    const struct wtl_fit_sums *all = &work->sums[c].all;
    struct wtl_fit_known known = wtl_model_known(work, c, false);
    struct wtl_fit line, bent;
    size_t crowd = wtl_model_crowd_term(work);
    *ret_hidden = false;
    if (!isnan(ch->statics.power_w))
        return 0;
    if (wtl_fit_solve(all, &known, WTL_FIT_OLS, NULL, false, &line) < 0)
        return -ENOMEM;
    known.value[crowd] = NAN;
    if (wtl_fit_solve(all, &known, WTL_FIT_OLS, NULL, false, &bent) < 0)
        return -ENOMEM;
    double rest = line.rss / ((double)ch->equations - (double)line.rank);
    double apart = sqrt(rest / all->weight) / line.error[WTL_TASK_STATIC];
    double half_w = 2 * bent.error[WTL_TASK_STATIC];
    double found_w = line.x[WTL_TASK_STATIC], most_w = unsure_most * found_w;
    bool at_bound = !(ch->fit.x[WTL_TASK_STATIC] > 0);
    *ret_hidden = line.group[WTL_TASK_STATIC] >= 0 || at_bound || !(found_w > 0) ||
                  apart < apart_least || half_w > most_w ||
                  fabs(bent.x[WTL_TASK_STATIC] - found_w) > most_w;
    return 0;
}

/* P_Y without a calibration. */
static bool idle_is_found(const struct wtl_task_channel *ch)
{
    double error_w = ch->fit.error[WTL_TASK_IDLE];
    return !isnan(ch->idle.power_w) || (ch->fit.group[WTL_TASK_IDLE] < 0 &&
                                        !(2 * error_w > unsure_most * ch->fit.x[WTL_TASK_IDLE]));
}

/* P_S is fitted, or if it cannot be told from the tasks, part of their power. */
static int fit_channel(struct wtl_model_work *work, size_t c, struct wattle_error *err)
{
    struct wtl_task_channel *ch = &work->model->channels[c];
    bool hidden;
    ch->heat_t = ch->crowd_t = 0;
    ch->unknowns = unknowns_of(work, c);
    int rc = check(work, c, err);
    if (rc < 0)
        return rc;
    struct wtl_fit_known known = wtl_model_known(work, c, false);
    rc = solve(work, c, fit_method(work->model), &known, &ch->fit);
    rc = rc < 0 ? rc : static_is_hidden(work, c, &hidden);
    if (rc == 0 && hidden) {
        ch->statics = (struct wtl_task_platform){0, 0, WTL_TASK_NONE};
        known = wtl_model_known(work, c, false);
        rc = solve(work, c, fit_method(work->model), &known, &ch->fit);
    }
    if (rc < 0)
        return wtl_no_memory(err);
    return idle_is_found(ch) ? 0 : no_idle(ch, err);
}

/* 0: it does not matter. */
static double t_of(const struct wtl_fit *fit, size_t term, double rss)
{
    double t = fit->error[term] > 0 ? fit->x[term] / fit->error[term] : 0;
    return rss - fit->rss > rest_least * rss || fabs(t) < WTL_MODEL_T_MOST
               ? t
               : copysign(WTL_MODEL_T_MOST, t);
}

static bool is_physical(const struct wtl_model_work *work, const struct wtl_fit *fit)
{
    for (size_t t = 0; t < work->model->type_count; t++)
        if (fit->x[WTL_TASK_FIRST + t] < 0)
            return false;
    return true;
}

/* Do the terms that the model leaves out matter? Each is tried beside the model. */
static int test_channel(struct wtl_model_work *work, size_t c)
{
    struct wtl_task_channel *ch = &work->model->channels[c];
    struct wtl_model_sums *sums = &work->sums[c];
    size_t crowd = wtl_model_crowd_term(work);
    double least = INFINITY;
    struct wtl_fit fit, base;
    struct wtl_fit_known alone = wtl_model_known(work, c, false);
    if (work->model->method == WTL_TASK_PAPER || ch->equations < ch->unknowns + WTL_TASK_EXTRA + 4)
        return 0;
    if (wtl_fit_solve(&sums->all, &alone, WTL_FIT_OLS, NULL, false, &base) < 0)
        return -ENOMEM;
    for (size_t k = 0; k < WTL_TASK_EXTRA; k++) {
        struct wtl_fit_known known = alone;
        known.value[crowd + k] = NAN;
        if (wtl_fit_solve(&sums->all, &known, WTL_FIT_OLS, NULL, false, &fit) < 0)
            return -ENOMEM;
        if (k == 0) {
            ch->crowd_t = t_of(&fit, crowd, base.rss);
        } else if (fit.rss < least) {
            least = fit.rss;
            sums->heat = (int)k - 1;
            ch->heat_t = t_of(&fit, crowd + k, base.rss);
            ch->heat_s = wtl_model_heats[k - 1];
        }
    }
    sums->has_extended =
        fabs(ch->crowd_t) > WTL_MODEL_T_MOST || fabs(ch->heat_t) > WTL_MODEL_T_MOST;
    work->model->crowds |= fabs(ch->crowd_t) > WTL_MODEL_T_MOST;
    work->model->heats |= fabs(ch->heat_t) > WTL_MODEL_T_MOST;
    if (!sums->has_extended)
        return 0;
    /* What is tested may be negative; if other powers become so, too, only the interval says it. */
    struct wtl_fit_known known = wtl_model_known(work, c, true);
    if (wtl_fit_solve(&sums->all, &known, WTL_FIT_OLS, NULL, false, &sums->extended) < 0)
        return -ENOMEM;
    sums->use_extended = work->model->method == WTL_TASK_OLS || is_physical(work, &sums->extended);
    return 0;
}

/* ---- energies ---- */

static int energy_of(struct wtl_model_work *work, size_t c)
{
    struct wtl_task_channel *ch = &work->model->channels[c];
    const struct wtl_task_energy_of of = {
        .idle_w = ch->fit.x[WTL_TASK_IDLE],
        .static_w = ch->fit.x[WTL_TASK_STATIC],
        .total_s = ch->known_s,
        .idle_s = fmin(ch->idle_s, ch->known_s),
        .mean_w = work->sums[c].mean_w,
        .types = work->model->type_count,
        .power_w = ch->fit.x + WTL_TASK_FIRST,
        .time_s = ch->time_s,
    };
    return wtl_task_energy(&of, &ch->energy);
}

/* Channels of one part see the same tasks, those of different parts see others. */
static double time_of_type(const struct wtl_task_model *model, size_t type)
{
    double all_s = 0, parts_s = 0;
    for (size_t c = 0; c < model->channel_count; c++) {
        const struct wtl_task_channel *ch = &model->channels[c];
        double most_s = ch->time_s[type];
        bool first = true;
        for (size_t other = 0; other < model->channel_count; other++) {
            if (model->channels[other].part != ch->part)
                continue;
            most_s = fmax(most_s, model->channels[other].time_s[type]);
            first &= other >= c;
        }
        all_s = fmax(all_s, most_s);
        parts_s += ch->part > 0 && first ? most_s : 0;
    }
    return fmax(all_s, parts_s);
}

/* The energies of types are those of the model with the terms that matter. */
static void sum_energies(struct wtl_model_work *work)
{
    struct wtl_task_model *model = work->model;
    struct wtl_task_energy *all = &model->energy;
    *all = (struct wtl_task_energy){.modelled_j = 0};
    for (size_t c = 0; c < model->channel_count; c++) {
        const struct wtl_task_channel *ch = &model->channels[c];
        all->modelled_j += ch->energy.modelled_j;
        all->modelled_tasks_j += ch->energy.modelled_tasks_j;
        all->measured_j += ch->energy.measured_j;
        all->measured_tasks_j += ch->energy.measured_tasks_j;
        all->printed_tasks_j += ch->energy.printed_tasks_j;
        const struct wtl_fit *best =
            work->sums[c].use_extended ? &work->sums[c].extended : &ch->fit;
        model->idle_j.value += best->x[WTL_TASK_IDLE] * ch->known_s;
        model->static_j.value += best->x[WTL_TASK_STATIC] * (ch->known_s - ch->idle_s);
        model->heat_j.value += wtl_model_heat_j(work, c, best);
        for (size_t t = 0; t < model->type_count; t++) {
            model->types[t].energy_j.value += model->channels[c].type_j[t] =
                wtl_model_type_j(work, c, best, t);
            model->tasks_j.value += wtl_model_type_j(work, c, best, t);
        }
    }
    all->error = fabs(all->measured_j - all->modelled_j) / fabs(all->measured_j);
    all->error_tasks =
        fabs(all->measured_tasks_j - all->modelled_tasks_j) / fabs(all->measured_tasks_j);
    model->modelled_j.value =
        model->idle_j.value + model->static_j.value + model->heat_j.value + model->tasks_j.value;
    model->measured_j = all->measured_j;
    for (size_t t = 0; t < model->type_count; t++)
        model->types[t].time_s = time_of_type(model, t);
}

/* ---- groups ---- */

static void join(struct wtl_task_model *model, size_t a, size_t b)
{
    int from = model->types[b].group, to = model->types[a].group;
    for (size_t t = 0; t < model->type_count; t++)
        if (model->types[t].group == from)
            model->types[t].group = to;
}

/* From the number of one of its types to that of the group. */
static void number_groups(struct wtl_task_model *model, const bool *grouped)
{
    int number[WTL_TASK_MODELLED];
    for (size_t t = 0; t < model->type_count; t++)
        number[t] = -1;
    for (size_t t = 0; t < model->type_count; t++) {
        struct wtl_task_cost *type = &model->types[t];
        int *own = &number[type->group];
        if (!grouped[t]) {
            type->group = -1;
            continue;
        }
        if (*own < 0) {
            *own = (int)model->group_count;
            model->groups[model->group_count++] = (struct wtl_task_group){.exact = true};
        }
        type->group = *own;
        model->groups[type->group].types++;
    }
}

/* Types that any channel cannot tell apart. A type that never runs while power is known is one of none. */
static void find_groups(struct wtl_model_work *work)
{
    struct wtl_task_model *model = work->model;
    bool grouped[WTL_TASK_MODELLED] = {false};
    for (size_t t = 0; t < model->type_count; t++)
        model->types[t].group = (int)t;
    for (size_t c = 0; c < model->channel_count; c++) {
        const int *group = model->channels[c].fit.group + WTL_TASK_FIRST;
        for (size_t a = 0; a < model->type_count; a++)
            for (size_t b = a + 1; b < model->type_count; b++)
                if (group[a] >= 0 && group[a] == group[b]) {
                    join(model, a, b);
                    grouped[a] = grouped[b] = true;
                }
    }
    number_groups(model, grouped);
}

static void no_interval(struct wtl_task_value *value)
{
    value->low = value->high = NAN;
}

/* No part took more than there was. */
static void cut(const struct wtl_task_model *model, struct wtl_task_value *energy_j)
{
    if (energy_j->high > model->measured_j)
        energy_j->high = fmax(model->measured_j, energy_j->value);
}

static void finish(struct wtl_task_model *model)
{
    cut(model, &model->idle_j);
    cut(model, &model->static_j);
    cut(model, &model->heat_j);
    cut(model, &model->tasks_j);
    for (size_t g = 0; g < model->group_count; g++)
        cut(model, &model->groups[g].energy_j);
    for (size_t t = 0; t < model->type_count; t++) {
        struct wtl_task_cost *type = &model->types[t];
        double seconds = type->time_s;
        cut(model, &type->energy_j);
        type->power_w =
            (struct wtl_task_value){seconds > 0 ? type->energy_j.value / seconds : (double)NAN,
                                    seconds > 0 ? type->energy_j.low / seconds : (double)NAN,
                                    seconds > 0 ? type->energy_j.high / seconds : (double)NAN};
    }
}

static int check_tasks(const struct wtl_model_work *work, struct wattle_error *err)
{
    double tasks_s = 0;
    for (size_t c = 0; c < work->model->channel_count; c++)
        for (size_t t = 0; t < work->model->type_count; t++)
            tasks_s += work->sums[c].tasks_s[t];
    return tasks_s > 0 ? 0 : wtl_fail(err, -ENODATA, "no task runs while the power is known");
}

static int run_fit(struct wtl_model_work *work, struct wattle_error *err)
{
    struct wtl_task_model *model = work->model;
    int rc = wtl_model_sums_make(work) < 0 ? wtl_no_memory(err) : check_tasks(work, err);
    for (size_t c = 0; rc == 0 && c < model->channel_count; c++) {
        rc = fit_channel(work, c, err);
        if (rc == 0 && (test_channel(work, c) < 0 || model_mix(work, c) < 0))
            rc = wtl_no_memory(err);
        if (rc == 0 && energy_of(work, c) < 0)
            rc = wtl_fail(err, -ENODATA, "%s is not known for any time", model->channels[c].name);
    }
    if (rc < 0)
        return rc;
    sum_energies(work);
    find_groups(work);
    wtl_model_blocks_merge(work);
    if (wtl_model_tables(work) < 0 || wtl_model_intervals(work) < 0)
        return wtl_no_memory(err);
    finish(model);
    return 0;
}

int wtl_task_model_fit(struct wtl_task_model *model, struct wattle_error *err)
{
    struct wtl_model_work work = {.model = model,
                                  .terms = WTL_TASK_FIRST + model->type_count + WTL_TASK_EXTRA};
    if (model->channel_count == 0)
        return wtl_fail(err, -ENODATA, "no channel has a power");
    if (model->type_count == 0)
        return wtl_fail(err, -ENODATA, "no task ran");
    for (size_t t = 0; t < model->type_count; t++) {
        no_interval(&model->types[t].energy_j);
        model->types[t].energy_j.value = 0;
    }
    no_interval(&model->idle_j);
    no_interval(&model->static_j);
    no_interval(&model->heat_j);
    no_interval(&model->tasks_j);
    no_interval(&model->modelled_j);
    int rc = run_fit(&work, err);
    wtl_model_sums_free(&work);
    return rc;
}

void wtl_task_model_fini(struct wtl_task_model *model)
{
    for (size_t i = 0; i < model->crowd_count; i++) {
        free(model->crowds_of[i].task_w);
        free(model->crowds_of[i].task_s);
    }
    free(model->crowds_of);
    free(model->channels);
    *model = (struct wtl_task_model){.channel_count = 0};
}
