/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tasks of a run cost (task_study.h): the order of the steps, and the division over workers. */
#include "analysis/tasks/task_study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/cluster/run_result.h"
#include "analysis/tasks/study_parts.h"
#include "base/fail.h"

/* Workers ran types that cannot be told apart in the same ratio, if it differs by no more than this part. */
static const double alike_most = 0.02;

static bool explains(const struct wtl_task_study *study,
                     const struct wtl_task_worker *worker,
                     const struct wtl_task_set *set)
{
    return wtl_study_card_fits(study, worker->thread, set->card) &&
           (set->socket < 0 || worker->socket < 0 || worker->socket == set->socket);
}

/* Adds the time of a worker in each type of the model. */
static void add_times(const struct wtl_task_study *study,
                      const struct wtl_task_worker *worker,
                      double *times_s)
{
    for (size_t i = 0; i < worker->room && i < study->model.column_count; i++)
        times_s[study->type_of[i]] += worker->time_s[i];
}

/* A worker's part of a type, by time. Of types that cannot be told apart only the sum is known, and so is its part only if it is the same
 * for all of them; else NaN. */
static double part_of(const struct wtl_task_model *model,
                      const double *own_s,
                      const double *all_s,
                      size_t type)
{
    double part = all_s[type] > 0 ? own_s[type] / all_s[type] : 0, low = part, high = part;
    for (size_t t = 0; model->types[type].group >= 0 && t < model->type_count; t++) {
        if (model->types[t].group != model->types[type].group || !(all_s[t] > 0))
            continue;
        low = fmin(low, own_s[t] / all_s[t]);
        high = fmax(high, own_s[t] / all_s[t]);
    }
    return high - low <= alike_most * high ? part : (double)NAN;
}

/* The energy of each type in a channel goes to the workers that explain it, by the time for which they ran it. */
static void divide_channel(struct wtl_task_study *study,
                           const struct wtl_task_channel *channel,
                           const struct wtl_task_set *set)
{
    const struct wtl_task_model *model = &study->model;
    double all_s[WTL_TASK_MODELLED] = {0};
    for (size_t w = 0; w < study->worker_count; w++)
        if (explains(study, &study->workers[w], set))
            add_times(study, &study->workers[w], all_s);
    for (size_t w = 0; w < study->worker_count; w++) {
        struct wtl_task_worker *worker = &study->workers[w];
        double own_s[WTL_TASK_MODELLED] = {0};
        if (!explains(study, worker, set))
            continue;
        add_times(study, worker, own_s);
        for (size_t t = 0; t < model->type_count; t++)
            worker->energy_j += channel->type_j[t] * part_of(model, own_s, all_s, t);
    }
}

static void divide(struct wtl_task_study *study)
{
    for (size_t w = 0; w < study->worker_count; w++)
        study->workers[w].energy_j = study->only_total ? (double)NAN : 0;
    for (size_t c = 0; c < study->model.channel_count; c++)
        for (size_t i = 0; i < study->set_count; i++)
            if (study->model.channels[c].rows == &study->sets[i].rows)
                divide_channel(study, &study->model.channels[c], &study->sets[i]);
}

/* Does the model hold for less than half of the energy? */
static bool is_total_all(const struct wtl_task_study *study)
{
    double unexplained_j = 0;
    for (size_t c = 0; c < study->model.channel_count; c++)
        if (wtl_study_is_unexplained(&study->model.channels[c]))
            unexplained_j += study->model.channels[c].energy.measured_j;
    return unexplained_j > study->model.measured_j / 2;
}

/* What is not determined has no number: of types that cannot be told apart each, P_S that is in the powers of tasks, and if only the
 * total is known, all parts. */
static void hide(struct wtl_task_study *study)
{
    static const struct wtl_task_value unknown = {NAN, NAN, NAN};
    struct wtl_task_model *model = &study->model;
    for (size_t t = 0; t < model->type_count; t++) {
        /* One that ran between the readings only is in no equation. */
        if (!study->only_total && model->types[t].group < 0 && model->types[t].time_s > 0)
            continue;
        model->types[t].power_w = model->types[t].energy_j = unknown;
        for (size_t c = 0; c < model->crowd_count; c++)
            model->crowds_of[c].task_w[t] = NAN;
    }
    for (size_t g = 0; study->only_total && g < model->group_count; g++)
        model->groups[g].energy_j = unknown;
    if (study->only_total)
        model->idle_j = model->static_j = model->heat_j = model->tasks_j = unknown;
    for (size_t c = 0; c < model->channel_count; c++)
        if (model->channels[c].statics.source == WTL_TASK_NONE)
            model->static_j = unknown; /* it is in the tasks */
}

/* What is measured, but not in an equation; and processor time of which nothing is known. */
static void find_outside(struct wtl_task_study *study)
{
    double measured_j = 0, busy_s = 0;
    for (size_t c = 0; c < study->model.channel_count; c++) {
        const struct wtl_result_channel *channel =
            wtl_result_find(&study->result, study->model.channels[c].name);
        measured_j += channel ? wtl_result_energy(channel).j : (double)NAN;
    }
    study->outside_j = measured_j - study->model.measured_j;
    for (size_t w = 0; w < study->worker_count; w++)
        if (!wtl_study_is_lane(study, study->workers[w].thread))
            busy_s += study->workers[w].busy_s;
    study->outside_cpu_s = study->result.cpu_s - busy_s;
}

static int check_marks(const struct wtl_task_study *study,
                       const char *path,
                       struct wattle_error *err)
{
    if (study->request.by == WTL_BY_REGION || wtl_activities_present(study->reader))
        return 0;
    return wtl_fail(
        err, -ENODATA,
        "%s has no tasks; record them with \"wattle run --tasks\", or use the regions of "
        "the program with --by region",
        path);
}

/* What is missing may have been damaged. */
static int blame_damage(const struct wtl_task_study *study, int rc, struct wattle_error *err)
{
    struct wtl_trace_reader_status status;
    char text[sizeof err->text];
    wtl_trace_reader_status(study->reader, &status);
    if (rc != -ENODATA || status.damaged == 0 || !err)
        return rc;
    (void)snprintf(text, sizeof text, "%s", err->text);
    return wtl_fail(err, rc, "%s (%llu unreadable stretch%s of the file)", text,
                    (unsigned long long)status.damaged, status.damaged == 1 ? "" : "es");
}

int wtl_task_study_read(const char *path,
                        const struct wtl_task_request *request,
                        struct wtl_task_study *study,
                        struct wattle_error *err)
{
    *study = (struct wtl_task_study){.request = *request, .outside_cpu_s = NAN};
    int rc = wtl_trace_reader_open(path, &study->reader, err);
    if (rc < 0)
        return rc;
    rc = wtl_trace_reader_tables(study->reader, err);
    rc = rc < 0 ? rc : check_marks(study, path, err);
    rc = rc < 0 ? rc : wtl_run_result_read(study->reader, path, &study->result, err);
    if (rc == 0 && wtl_study_cards(study) < 0)
        rc = wtl_no_memory(err);
    rc = rc < 0 ? rc : wtl_study_survey(study, err);
    rc = rc < 0 ? rc : wtl_study_power(study, err);
    rc = rc < 0 ? rc : wtl_study_tasks(study, err);
    if (rc < 0)
        return blame_damage(study, rc, err);
    study->model.method = request->method;
    study->model.resamples = request->resamples;
    study->model.seed = 1;
    rc = wtl_task_model_fit(&study->model, err);
    if (rc < 0)
        return blame_damage(study, rc, err);
    study->too_few = request->resamples > 0 && isnan(study->model.tasks_j.low);
    study->only_total = study->too_few || is_total_all(study);
    divide(study);
    hide(study);
    find_outside(study);
    return wtl_study_flags(study) < 0 ? wtl_no_memory(err) : 0;
}

void wtl_task_study_fini(struct wtl_task_study *study)
{
    wtl_task_model_fini(&study->model);
    for (size_t i = 0; i < study->set_count; i++) {
        wtl_task_rows_fini(&study->sets[i].rows);
        wtl_task_curve_fini(&study->sets[i].curve);
    }
    for (size_t w = 0; w < study->worker_count; w++)
        free(study->workers[w].time_s);
    free(study->workers);
    free(study->sets);
    free(study->type_of);
    free(study->card_of);
    free(study->cards);
    free(study->flags);
    wtl_result_fini(&study->result);
    wtl_trace_reader_close(study->reader);
    *study = (struct wtl_task_study){.reader = NULL};
}
