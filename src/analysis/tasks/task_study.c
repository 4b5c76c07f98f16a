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

static bool explains(const struct wtl_task_study *study,
                     const struct wtl_task_worker *worker,
                     const struct wtl_task_set *set)
{
    return wtl_study_card_fits(study, worker->thread, set->card) &&
           (set->socket < 0 || worker->socket < 0 || worker->socket == set->socket);
}

/* The energy of each type in a channel goes to the workers that explain it, by the time for which they ran it. */
static void divide_channel(struct wtl_task_study *study,
                           const struct wtl_task_channel *channel,
                           const struct wtl_task_set *set)
{
    size_t columns = study->model.column_count;
    double all_s[WTL_TASK_MODELLED] = {0};
    for (size_t w = 0; w < study->worker_count; w++)
        for (size_t i = 0; i < study->workers[w].room && i < columns; i++)
            if (explains(study, &study->workers[w], set))
                all_s[study->type_of[i]] += study->workers[w].time_s[i];
    for (size_t w = 0; w < study->worker_count; w++) {
        struct wtl_task_worker *worker = &study->workers[w];
        for (size_t i = 0; i < worker->room && i < columns; i++) {
            size_t type = study->type_of[i];
            if (worker->time_s[i] > 0 && explains(study, worker, set))
                worker->energy_j += channel->type_j[type] * worker->time_s[i] / all_s[type];
        }
    }
}

static void divide(struct wtl_task_study *study)
{
    for (size_t w = 0; w < study->worker_count; w++)
        study->workers[w].energy_j = 0;
    for (size_t c = 0; c < study->model.channel_count; c++)
        for (size_t i = 0; i < study->set_count; i++)
            if (study->model.channels[c].rows == &study->sets[i].rows)
                divide_channel(study, &study->model.channels[c], &study->sets[i]);
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
    divide(study);
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
