/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second pass over the rows of the task model: how well it explains them, what each type costs by sampling, and by how many tasks
 * were active.
 *
 * Sampling is ALEA's estimator (Mukhanov, Nikolopoulos, de Supinski, PACT 2015): the time of a type is its share of the samples,
 * its energy what the samples at which it ran have above the platform, in equal parts if others ran, too.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/tasks/model_parts.h"
#include "model/statistics/student.h"

/* Something runs for all of a row. */
static const double busy_least = 0.999;

/* Variances of powers from residuals of unequal size: those of a row that alone determines a power count more (HC3; MacKinnon, White
 * 1985), and few such rows are few degrees of freedom (Satterthwaite). */
struct robust {
    double *inverse;
    double sum[WTL_FIT_TERMS], parts[WTL_FIT_TERMS], squares[WTL_FIT_TERMS];
};

/* Of one channel. */
struct pass {
    struct wtl_model_work *work;
    struct wtl_task_channel *channel;
    double mean_w;
    double residuals, products, squares, deviations, last; /* of residuals; of power */
    double n, sum_c, sum_p;                                /* the sums for P(c) */
    double *power_j, *seconds;                             /* [WTL_TASK_CORES], of this channel */
    double (*task_j)[WTL_TASK_MODELLED], (*task_s)[WTL_TASK_MODELLED];
    double sampled_s[WTL_TASK_MODELLED];
    struct robust robust;
    size_t most;
};

static double explained_w(const struct pass *p, const struct wtl_model_cursor *row)
{
    double sum = 0;
    for (size_t i = 0; i < p->work->terms; i++)
        sum += p->channel->fit.x[i] * row->terms[i];
    return sum;
}

static void add_fit(struct pass *p, const struct wtl_model_cursor *row, double residual)
{
    p->squares += row->seconds * residual * residual;
    p->deviations += row->seconds * (row->power_w - p->mean_w) * (row->power_w - p->mean_w);
    p->residuals += residual * residual;
    p->products += p->n > 0 ? residual * p->last : 0;
    p->last = residual;
    p->n += 1;
    if (row->terms[WTL_TASK_STATIC] < busy_least)
        return;
    p->sum_c += row->active * row->seconds;
    p->sum_p += row->power_w * row->seconds;
}

static void add_crowd(struct pass *p, const struct wtl_model_cursor *row, double residual)
{
    size_t c = row->active < WTL_TASK_CORES - 1 ? (size_t)(row->active + 0.5) : WTL_TASK_CORES - 1;
    p->most = c > p->most ? c : p->most;
    p->power_j[c] += row->power_w * row->seconds;
    p->seconds[c] += row->seconds;
    for (size_t t = 0; c > 0 && t < p->work->model->type_count; t++) {
        double active = row->terms[WTL_TASK_FIRST + t];
        if (!(active > 0))
            continue;
        p->task_s[c][t] += active * row->seconds;
        p->task_j[c][t] += active * row->seconds *
                           (p->channel->fit.x[WTL_TASK_FIRST + t] + residual / row->active);
    }
}

static void sample(struct pass *p, const struct wtl_model_cursor *row)
{
    struct wtl_task_model *model = p->work->model;
    const struct wtl_task_rows *rows = p->channel->rows;
    unsigned all = 0;
    for (size_t column = 0; column < rows->types; column++)
        all += wtl_task_rows_at(rows, column, row->row - 1);
    if (all == 0)
        return;
    const double *x = p->channel->fit.x;
    double above_j = (row->power_w - x[WTL_TASK_IDLE] - x[WTL_TASK_STATIC]) * row->seconds / all;
    for (size_t column = 0; column < rows->types && column < model->column_count; column++) {
        unsigned at = wtl_task_rows_at(rows, column, row->row - 1);
        struct wtl_task_cost *type = &model->types[model->type_of[column]];
        type->alea_j += at * above_j;
        p->sampled_s[model->type_of[column]] += at * row->seconds;
    }
}

static void add_robust(struct pass *p, const struct wtl_model_cursor *row, double residual)
{
    size_t n = p->work->terms;
    double by[WTL_FIT_TERMS], leverage = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += p->robust.inverse[i * n + j] * row->terms[j];
        by[i] = row->seconds * sum;
        leverage += by[i] * row->terms[i];
    }
    double error = residual / fmax(1 - leverage, 0.01);
    for (size_t i = 0; i < n; i++) {
        double part = by[i] * by[i];
        p->robust.sum[i] += part * error * error;
        p->robust.parts[i] += part;
        p->robust.squares[i] += part * part;
    }
}

/* What a single row determines has no residual of its own: its error is that of the other rows. */
static double half_of_rest(const struct wtl_task_channel *ch, size_t term)
{
    double df = (double)ch->equations - (double)ch->fit.rank, error = ch->fit.error[term];
    return df > 1 && isfinite(error) ? wtl_student_quantile(0.975, df) * error : 0;
}

static void finish_robust(struct pass *p, double *half_w)
{
    for (size_t i = 0; i < p->work->terms; i++) {
        const struct robust *r = &p->robust;
        double df = r->squares[i] > 0 ? r->parts[i] * r->parts[i] / r->squares[i] : 0;
        half_w[i] = df > 1 ? wtl_student_quantile(0.975, df) * sqrt(r->sum[i]) : 0;
        half_w[i] = df > 2 ? half_w[i] : fmax(half_w[i], half_of_rest(p->channel, i));
    }
}

/* P(c) through the rows in which something always runs. */
static void fit_line(struct pass *p)
{
    struct wtl_model_cursor row = {.row = 0};
    double seconds = 0, cc = 0, cp = 0;
    double mean_c, mean_p;
    while (wtl_model_next(p->work->model, p->channel, &row))
        if (!isnan(row.power_w) && row.terms[WTL_TASK_STATIC] >= busy_least)
            seconds += row.seconds;
    mean_c = p->sum_c / seconds;
    mean_p = p->sum_p / seconds;
    row = (struct wtl_model_cursor){.row = 0};
    while (wtl_model_next(p->work->model, p->channel, &row)) {
        if (isnan(row.power_w) || row.terms[WTL_TASK_STATIC] < busy_least)
            continue;
        cc += row.seconds * (row.active - mean_c) * (row.active - mean_c);
        cp += row.seconds * (row.active - mean_c) * (row.power_w - mean_p);
    }
    double slope = cc > 0.01 * seconds ? cp / cc : (double)NAN;
    p->channel->line[0] = (struct wtl_task_value){mean_p - slope * mean_c, NAN, NAN};
    p->channel->line[1] = (struct wtl_task_value){slope, NAN, NAN};
}

static void pass_rows(struct pass *p)
{
    struct wtl_model_cursor row = {.row = 0};
    while (wtl_model_next(p->work->model, p->channel, &row)) {
        if (isnan(row.power_w) || !(row.seconds > 0))
            continue;
        double residual = row.power_w - explained_w(p, &row);
        add_fit(p, &row, residual);
        add_crowd(p, &row, residual);
        add_robust(p, &row, residual);
        sample(p, &row);
    }
    p->channel->mean_w = p->mean_w;
    p->channel->deviation_w = sqrt(p->deviations / p->channel->known_s);
    p->channel->explained = p->deviations > 0 ? 1 - p->squares / p->deviations : (double)NAN;
    p->channel->autocorrelation = p->residuals > 0 ? p->products / p->residuals : (double)NAN;
    fit_line(p);
}

/* Powers of channels add up; times are those of the channel that has most. */
static int add_table(struct pass *p)
{
    struct wtl_task_model *model = p->work->model;
    for (size_t c = model->crowd_count; c <= p->most; c++, model->crowd_count++) {
        struct wtl_task_crowd *crowd = &model->crowds_of[c];
        *crowd = (struct wtl_task_crowd){.task_w = calloc(model->type_count, sizeof(double)),
                                         .task_s = calloc(model->type_count, sizeof(double))};
        if (!crowd->task_w || !crowd->task_s) {
            model->crowd_count++;
            return -ENOMEM;
        }
    }
    for (size_t t = 0; t < model->type_count; t++)
        model->types[t].alea_s = fmax(model->types[t].alea_s, p->sampled_s[t]);
    for (size_t c = 0; c <= p->most; c++) {
        struct wtl_task_crowd *crowd = &model->crowds_of[c];
        if (!(p->seconds[c] > 0))
            continue;
        crowd->power_w += p->power_j[c] / p->seconds[c];
        crowd->seconds = fmax(crowd->seconds, p->seconds[c]);
        for (size_t t = 0; t < model->type_count; t++) {
            if (!(p->task_s[c][t] > 0))
                continue;
            crowd->task_w[t] += p->task_j[c][t] / p->task_s[c][t];
            crowd->task_s[t] = fmax(crowd->task_s[t], p->task_s[c][t]);
        }
    }
    return 0;
}

static int pass_channel(struct wtl_model_work *work, size_t c)
{
    struct pass p = {
        .work = work, .channel = &work->model->channels[c], .mean_w = work->sums[c].mean_w};
    p.power_j = calloc(WTL_TASK_CORES, sizeof *p.power_j);
    p.seconds = calloc(WTL_TASK_CORES, sizeof *p.seconds);
    p.task_j = calloc(WTL_TASK_CORES, sizeof *p.task_j);
    p.task_s = calloc(WTL_TASK_CORES, sizeof *p.task_s);
    p.robust.inverse = calloc(work->terms * work->terms, sizeof *p.robust.inverse);
    struct wtl_fit_known known = wtl_model_known(work, c, false);
    int rc = p.power_j && p.seconds && p.task_j && p.task_s && p.robust.inverse ? 0 : -ENOMEM;
    rc = rc < 0 ? rc : wtl_fit_inverse(&work->sums[c].all, &known, p.robust.inverse);
    if (rc == 0) {
        pass_rows(&p);
        finish_robust(&p, work->sums[c].half_w);
        rc = add_table(&p);
    }
    free(p.robust.inverse);
    free(p.power_j);
    free(p.seconds);
    free(p.task_j);
    free(p.task_s);
    return rc;
}

int wtl_model_tables(struct wtl_model_work *work)
{
    struct wtl_task_model *model = work->model;
    model->crowds_of = calloc(WTL_TASK_CORES, sizeof *model->crowds_of);
    int rc = model->crowds_of ? 0 : -ENOMEM;
    for (size_t c = 0; rc == 0 && c < model->channel_count; c++)
        rc = pass_channel(work, c);
    for (size_t c = 0; rc == 0 && c < model->crowd_count; c++)
        for (size_t t = 0; t < model->type_count; t++) {
            struct wtl_task_crowd *crowd = &model->crowds_of[c];
            if (crowd->task_s && crowd->task_w && !(crowd->task_s[t] > 0))
                crowd->task_w[t] = NAN;
        }
    return rc;
}
