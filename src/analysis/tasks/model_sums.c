/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of products of the task model, by channel and block of time (model_parts.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/model_parts.h"

const double wtl_model_heats[WTL_TASK_HEATS] = {0.5, 2, 8, 32};

/* Neighbouring blocks may be so much alike. */
static const double alike_most = 0.25;
enum { BLOCKS_LEAST = 16 };

static double active_of(const struct wtl_task_model *model,
                        const struct wtl_task_rows *rows,
                        size_t column,
                        size_t row)
{
    return model->method == WTL_TASK_PAPER ? (double)wtl_task_rows_at(rows, column, row)
                                           : wtl_task_rows_active(rows, column, row);
}

bool wtl_model_next(const struct wtl_task_model *model,
                    const struct wtl_task_channel *channel,
                    struct wtl_model_cursor *cursor)
{
    const struct wtl_task_rows *rows = channel->rows;
    bool paper = model->method == WTL_TASK_PAPER;
    double *terms = cursor->terms;
    if (cursor->row >= rows->count)
        return false;
    size_t i = cursor->row++, crowd = WTL_TASK_FIRST + model->type_count;
    memset(terms, 0, (crowd + WTL_TASK_EXTRA) * sizeof *terms);
    cursor->active = 0;
    for (size_t column = 0; column < rows->types && column < model->column_count; column++) {
        double active = active_of(model, rows, column, i);
        if (active > 0)
            terms[WTL_TASK_FIRST + model->type_of[column]] += active;
        cursor->active += active;
    }
    terms[WTL_TASK_IDLE] = 1;
    terms[WTL_TASK_STATIC] = paper ? 1 : (double)rows->busy[i];
    cursor->power_w = rows->power_w[i * rows->channels + channel->column];
    cursor->seconds = rows->intervals[i].seconds;
    cursor->end_ns = rows->intervals[i].end_ns;
    terms[crowd] = cursor->active * (cursor->active - terms[WTL_TASK_STATIC]);
    for (size_t k = 0; k < WTL_TASK_HEATS; k++) {
        double kept = exp(-cursor->seconds / wtl_model_heats[k]), before = cursor->heat[k];
        cursor->heat[k] = kept * before + (1 - kept) * cursor->active;
        terms[crowd + 1 + k] = (before + cursor->heat[k]) / 2;
    }
    return true;
}

static size_t block_of(const struct wtl_model_work *work, uint64_t time_ns)
{
    double part = (double)(time_ns - work->begin_ns) / (double)(work->end_ns - work->begin_ns + 1);
    size_t block = (size_t)(part * WTL_TASK_BLOCKS);
    return block < WTL_TASK_BLOCKS ? block : WTL_TASK_BLOCKS - 1;
}

static void add_rows(struct wtl_model_work *work, size_t c)
{
    struct wtl_task_channel *channel = &work->model->channels[c];
    struct wtl_model_sums *sums = &work->sums[c];
    struct wtl_model_cursor cursor = {.row = 0};
    double energy_j = 0;
    while (wtl_model_next(work->model, channel, &cursor)) {
        if (isnan(cursor.power_w) || !(cursor.seconds > 0))
            continue;
        double weight = work->model->method == WTL_TASK_PAPER ? 1 : cursor.seconds;
        wtl_fit_add(&sums->blocks[block_of(work, cursor.end_ns)], cursor.terms, cursor.power_w,
                    weight);
        energy_j += cursor.power_w * cursor.seconds;
        channel->known_s += cursor.seconds;
        channel->idle_s += cursor.seconds * fmax(0, 1 - cursor.terms[WTL_TASK_STATIC]);
        for (size_t k = 0; k < WTL_TASK_HEATS; k++)
            sums->heat_s[k] += cursor.seconds * cursor.terms[wtl_model_crowd_term(work) + 1 + k];
        for (size_t t = 0; t < work->model->type_count; t++) {
            double task_s = cursor.seconds * cursor.terms[WTL_TASK_FIRST + t];
            sums->tasks_s[t] += task_s;
            sums->crowd_s[t] += task_s * fmax(0, cursor.active - cursor.terms[WTL_TASK_STATIC]);
        }
    }
    for (size_t b = 0; b < WTL_TASK_BLOCKS; b++)
        wtl_fit_merge(&sums->all, &sums->blocks[b], 1);
    channel->equations = sums->all.equations;
    sums->mean_w = channel->known_s > 0 ? energy_j / channel->known_s : (double)NAN;
    memcpy(channel->time_s, sums->tasks_s, work->model->type_count * sizeof *channel->time_s);
}

static void find_span(struct wtl_model_work *work)
{
    work->begin_ns = UINT64_MAX;
    for (size_t c = 0; c < work->model->channel_count; c++) {
        const struct wtl_task_rows *rows = work->model->channels[c].rows;
        if (rows->count == 0)
            continue;
        if (rows->intervals[0].begin_ns < work->begin_ns)
            work->begin_ns = rows->intervals[0].begin_ns;
        if (rows->intervals[rows->count - 1].end_ns > work->end_ns)
            work->end_ns = rows->intervals[rows->count - 1].end_ns;
    }
}

int wtl_model_sums_make(struct wtl_model_work *work)
{
    size_t n = work->model->channel_count, room = wtl_fit_room(work->terms);
    find_span(work);
    work->sums = calloc(n, sizeof *work->sums);
    for (size_t c = 0; work->sums && c < n; c++) {
        struct wtl_model_sums *sums = &work->sums[c];
        sums->blocks = calloc(WTL_TASK_BLOCKS, sizeof *sums->blocks);
        sums->room = calloc((WTL_TASK_BLOCKS + 1) * room, sizeof *sums->room);
        if (!sums->blocks || !sums->room)
            return -ENOMEM;
        for (size_t b = 0; b < WTL_TASK_BLOCKS; b++)
            sums->blocks[b] = (struct wtl_fit_sums){.terms = work->terms,
                                                    .products = sums->room + (b + 1) * room};
        sums->all = (struct wtl_fit_sums){.terms = work->terms, .products = sums->room};
        add_rows(work, c);
    }
    work->model->blocks = WTL_TASK_BLOCKS;
    return work->sums ? 0 : -ENOMEM;
}

void wtl_model_sums_free(struct wtl_model_work *work)
{
    for (size_t c = 0; work->sums && c < work->model->channel_count; c++) {
        free(work->sums[c].blocks);
        free(work->sums[c].room);
    }
    free(work->sums);
    work->sums = NULL;
}

/* Sum of the residuals of a block. The first term is 1. */
static double residual(const struct wtl_fit_sums *block, const struct wtl_fit *fit)
{
    double sum = block->right;
    for (size_t i = 0; i < block->terms; i++)
        sum -= fit->x[i] * block->products[i * block->terms]; /* with the constant */
    return sum;
}

static double alike(const struct wtl_model_work *work, size_t c)
{
    const struct wtl_fit *fit = &work->model->channels[c].fit;
    double products = 0, squares = 0, last = 0;
    for (size_t b = 0; b < work->model->blocks; b++) {
        double r = residual(&work->sums[c].blocks[b], fit);
        products += b > 0 ? r * last : 0;
        squares += r * r;
        last = r;
    }
    return squares > 0 ? products / squares : 0;
}

/* Halves the number of blocks of all channels. */
static void merge(struct wtl_model_work *work)
{
    for (size_t c = 0; c < work->model->channel_count; c++) {
        struct wtl_fit_sums *blocks = work->sums[c].blocks;
        for (size_t b = 0; b < work->model->blocks / 2; b++) {
            if (b > 0) {
                struct wtl_fit_sums to = blocks[b];
                to.equations = 0;
                to.weight = to.square = to.right = 0;
                memset(to.products, 0, wtl_fit_room(to.terms) * sizeof *to.products);
                wtl_fit_merge(&to, &blocks[2 * b], 1);
                blocks[b] = to;
            }
            wtl_fit_merge(&blocks[b], &blocks[2 * b + 1], 1);
        }
    }
    work->model->blocks /= 2;
}

void wtl_model_blocks_merge(struct wtl_model_work *work)
{
    bool again = true;
    while (again && work->model->blocks > BLOCKS_LEAST) {
        double most = 0;
        size_t rows = 0;
        for (size_t c = 0; c < work->model->channel_count; c++) {
            most = fmax(most, alike(work, c));
            if (work->model->channels[c].equations > rows)
                rows = work->model->channels[c].equations;
        }
        again = most > alike_most || rows < 2 * work->model->blocks;
        if (again)
            merge(work);
    }
}

/* ---- fits ---- */

struct wtl_fit_known wtl_model_known(const struct wtl_model_work *work,
                                     size_t channel,
                                     bool extended)
{
    const struct wtl_task_channel *ch = &work->model->channels[channel];
    const struct wtl_model_sums *sums = &work->sums[channel];
    struct wtl_fit_known known;
    size_t crowd = wtl_model_crowd_term(work);
    for (size_t i = 0; i < WTL_FIT_TERMS; i++)
        known.value[i] = i < crowd ? (double)NAN : 0;
    known.value[WTL_TASK_IDLE] = ch->idle.power_w;
    known.value[WTL_TASK_STATIC] = ch->statics.power_w;
    if (extended && fabs(ch->crowd_t) > WTL_MODEL_T_MOST)
        known.value[crowd] = NAN;
    if (extended && fabs(ch->heat_t) > WTL_MODEL_T_MOST)
        known.value[crowd + 1 + (size_t)sums->heat] = NAN;
    return known;
}

double wtl_model_type_j(const struct wtl_model_work *work,
                        size_t channel,
                        const struct wtl_fit *fit,
                        size_t type)
{
    const struct wtl_model_sums *sums = &work->sums[channel];
    return fit->x[WTL_TASK_FIRST + type] * sums->tasks_s[type] +
           fit->x[wtl_model_crowd_term(work)] * sums->crowd_s[type];
}

double wtl_model_heat_j(const struct wtl_model_work *work,
                        size_t channel,
                        const struct wtl_fit *fit)
{
    double joules = 0;
    for (size_t k = 0; k < WTL_TASK_HEATS; k++)
        joules += fit->x[wtl_model_crowd_term(work) + 1 + k] * work->sums[channel].heat_s[k];
    return joules;
}
