/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tasks of a run cost (task_study.h): the order of the steps, and the division over workers. */
#define _GNU_SOURCE
#include "analysis/tasks/task_study.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/cluster/run_result.h"
#include "analysis/tasks/study_parts.h"
#include "base/fail.h"
#include "base/text/figures.h"
#include "model/flag.h"

/* ---- reasons to doubt what tasks cost ---- */

/* Equations for each unknown. */
static const double equations_few = 5;
/* CPUs that are used while no task runs and the machine is taken for idle; processor time outside of tasks, of that inside. */
static const double outside_most = 0.05;
/* Of the variance of power that the tasks explain, where power moves at least by this part of its mean. */
static const double explained_least = 0.5, moves_least = 0.03;
/* Power while no task runs, above P_Y that was given, of P_Y; readings from which it is known. */
static const double idle_more = 0.02;
enum { IDLE_READINGS = 8 };
/* Energy of the run in no equation, of all of it. */
static const double outside_energy_most = 0.02;

__attribute__((format(printf, 3, 4))) static int flag(struct wtl_task_study *study,
                                                      const char *name,
                                                      const char *format,
                                                      ...)
{
    va_list args;
    va_start(args, format);
    int rc = wtl_result_flags_add(&study->flags, &study->flag_count, name, format, args);
    va_end(args);
    return rc;
}

static int flag_channel(struct wtl_task_study *study, const struct wtl_task_channel *ch)
{
    int rc = 0;
    if (ch->quality == WATTLE_ESTIMATED)
        rc = flag(
            study, "ESTIMATED",
            "%s is estimated from load, not measured: what tasks cost follows from the estimate's "
            "formula",
            ch->name);
    bool few = (double)ch->equations < equations_few * (double)ch->unknowns;
    if (rc == 0 && (few || study->too_few))
        rc = flag(
            study, "FEW READINGS",
            "%s has %zu readings for %zu unknown power%s%s: sample more often, or record a longer "
            "run",
            ch->name, ch->equations, ch->unknowns, ch->unknowns == 1 ? "" : "s",
            study->too_few ? ", too few for intervals, so only the total is known" : "");
    return rc;
}

/* P_Y from a time in which the program worked outside of its tasks is not that of an idle machine. */
static int flag_idle(struct wtl_task_study *study)
{
    const struct wtl_task_channel *ch = study->model.channels;
    double cpus = ch->idle_s > 0 ? study->outside_cpu_s / ch->idle_s : (double)NAN;
    double inside_s = study->result.cpu_s - study->outside_cpu_s;
    if (ch->idle.source == WTL_TASK_FITTED && cpus > outside_most)
        return flag(
            study, "NOT IDLE",
            "the program used %.2f CPUs while no task ran, so the power of the idle machine "
            "that was found contains work; run \"wattle tasks calibrate\"",
            cpus);
    if (study->outside_cpu_s > outside_most * inside_s)
        return flag(
            study, "OUTSIDE",
            "the program used %s s of processor time outside of its tasks, beside %s s in "
            "them: "
            "what that drew is not explained, or in the powers of what ran at the same time",
            WTL_IN_FIGURES(study->outside_cpu_s, 3), WTL_IN_FIGURES(inside_s, 3));
    return 0;
}

/* Mean power of the readings in which no task ran, nor in those beside them, which a late meter may mix in. NaN: too few. */
static double idle_power(const struct wtl_task_channel *ch)
{
    const struct wtl_task_rows *rows = ch->rows;
    double joules = 0, seconds = 0;
    size_t n = 0;
    for (size_t i = 1; i + 1 < rows->count; i++) {
        double power_w = rows->power_w[i * rows->channels + ch->column];
        bool idle = !(rows->busy[i - 1] > 0 || rows->busy[i] > 0 || rows->busy[i + 1] > 0);
        if (!idle || isnan(power_w))
            continue;
        joules += power_w * rows->intervals[i].seconds;
        seconds += rows->intervals[i].seconds;
        n++;
    }
    return n >= IDLE_READINGS && seconds > 0 ? joules / seconds : (double)NAN;
}

/* With P_Y from elsewhere nothing in the equations tells what others draw all the time from what the tasks draw. */
static int flag_others(struct wtl_task_study *study)
{
    int rc = 0;
    for (size_t c = 0; rc == 0 && c < study->model.channel_count; c++) {
        const struct wtl_task_channel *ch = &study->model.channels[c];
        double known_w = ch->fit.x[WTL_TASK_IDLE];
        double more_w = idle_power(ch) - known_w;
        if (ch->idle.source != WTL_TASK_FITTED && more_w > idle_more * known_w &&
            more_w > ch->idle.half_w)
            rc = flag(study, "IDLE DIFFERS",
                      "%s took %s W more than P_Y while no task ran: other programs or other "
                      "threads draw power, or the calibration is of another time; as much may be "
                      "in the powers of the tasks, beyond their intervals",
                      ch->name, WTL_IN_FIGURES(more_w, 3));
    }
    return rc;
}

static int flag_static(struct wtl_task_study *study)
{
    for (size_t c = 0; c < study->model.channel_count; c++) {
        const struct wtl_task_channel *ch = &study->model.channels[c];
        if (ch->statics.source == WTL_TASK_NONE && ch->idle_s < ch->known_s)
            return flag(
                study, "NOT CALIBRATED",
                "what a busy machine takes whatever it runs (P_S) cannot be told from the tasks "
                "of this run and is in their powers; run \"wattle tasks calibrate\"");
    }
    return 0;
}

static int flag_lag(struct wtl_task_study *study, const struct wtl_task_set *set)
{
    if (!set->lag.found || (fabs(set->lag.offset_s) < 1e-4 && fabs(set->lag.drift) < 1e-5))
        return 0;
    for (size_t c = 0; c < study->model.channel_count; c++)
        if (study->model.channels[c].rows == &set->rows)
            return flag(study, "LAG",
                        "the readings of %s were found to be %.2f +- %.2f ms %s, with a clock that "
                        "drifts by "
                        "%.0f +- %.0f ppm; this is corrected",
                        study->model.channels[c].name, fabs(1e3 * set->lag.offset_s),
                        1e3 * set->lag.offset_half_s, set->lag.offset_s >= 0 ? "late" : "early",
                        1e6 * set->lag.drift, 1e6 * set->lag.drift_half);
    return 0;
}

/* A gauge that states no window: what it shows is the power of a part of the time, which part is a guess. */
static int flag_window(struct wtl_task_study *study, const struct wtl_task_set *set)
{
    double window_s = set->lag.found ? set->lag.window_s : (double)NAN;
    for (size_t c = 0; set->gauge && c < study->model.channel_count; c++) {
        const char *name = study->model.channels[c].name;
        if (study->model.channels[c].rows != &set->rows)
            continue;
        if (isnan(window_s))
            return flag(
                study, "WINDOW",
                "%s does not state over which time it averages, taken is that between readings: "
                "types that run for less may be off by more than their intervals",
                name);
        return flag(study, "WINDOW",
                    "%s does not state over which time it averages, %s ms explain it best: types "
                    "that run for less may be off by more than their intervals",
                    name, WTL_IN_FIGURES(1e3 * window_s, 3));
    }
    return 0;
}

static int flag_model(struct wtl_task_study *study)
{
    int rc = 0;
    if (study->model.heats)
        rc = flag(study, "HEAT",
                  "power also follows what ran before (leakage): that part is shown as heat");
    if (rc == 0 && study->model.crowds)
        rc = flag(
            study, "CROWD",
            "the power of a task depends on how many run beside it: watts are means over the run; "
            "see --active");
    if (rc == 0 && study->model.mixes)
        rc = flag(
            study, "MIX",
            "the power of a task depends on which types run beside it: no data say how to divide "
            "that between them, so the intervals are wider");
    return rc;
}

/* What the run itself says about its power (others used the machine, caps, gaps), and about its file now that its
 * marks were read. */
static int flag_run(struct wtl_task_study *study)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < study->result.flag_count; i++)
        rc = flag(study, study->result.flags[i].name, "%s", study->result.flags[i].text);
    return rc;
}

/* Part of the variance of its power, without that of chance. */
static double explained_part(const struct wtl_task_channel *ch)
{
    double n = (double)ch->equations, free = n - (double)ch->unknowns;
    return free > 0 ? 1 - (1 - ch->explained) * n / free : 0;
}

/* After the fit: whether the power of a channel moves, but not with the tasks. */
static bool study_is_unexplained(const struct wtl_task_channel *ch)
{
    return explained_part(ch) < explained_least && ch->deviation_w > moves_least * ch->mean_w;
}

/* Power that changes, but not with the tasks, is somebody else's, and so may be what is given to them. */
static int flag_explained(struct wtl_task_study *study)
{
    int rc = 0;
    for (size_t c = 0; rc == 0 && c < study->model.channel_count; c++) {
        const struct wtl_task_channel *ch = &study->model.channels[c];
        if (study_is_unexplained(ch))
            rc = flag(study, "UNEXPLAINED",
                      "only %.0f %% of the changes of %s follow the tasks: other programs or other "
                      "threads draw power, and %s",
                      fmax(0, 100 * explained_part(ch)), ch->name,
                      study->only_total ? "only the total is known"
                                        : "what tasks took of it does not hold");
    }
    return rc;
}

/* A counter goes on in a gap, and so its energy is in the total of the run, but not in that of the tasks. */
static int flag_divided(struct wtl_task_study *study)
{
    double all_j = study->outside_j + study->model.measured_j;
    if (!(study->outside_j > outside_energy_most * all_j))
        return 0;
    return flag(study, "NOT DIVIDED",
                "%s J of the %s J of the run are those of gaps between readings, or of its "
                "begin and end: they are in no number here",
                WTL_IN_FIGURES(study->outside_j, 4), WTL_IN_FIGURES(all_j, 4));
}

static int flag_trace(struct wtl_task_study *study)
{
    const struct wtl_activity_faults *f = &study->faults;
    int rc = 0;
    if (f->cut_processes > 0)
        rc = flag(study, WTL_FLAG_TASKS_CUT,
                  "%llu processes reached the size limit of tasks; later ones are missing",
                  (unsigned long long)f->cut_processes);
    if (rc == 0 && f->ends_missing + f->begins_missing > 0)
        rc = flag(study, "TASKS DAMAGED",
                  "%llu ends and %llu begins of tasks and states are missing",
                  (unsigned long long)f->ends_missing, (unsigned long long)f->begins_missing);
    return rc;
}

/* After the fit. */
static int study_flags(struct wtl_task_study *study)
{
    int rc = wtl_run_result_flag(study->reader, &study->result);
    rc = rc < 0 ? rc : flag_run(study);
    rc = rc < 0 ? rc : flag_divided(study);
    rc = rc < 0 ? rc : flag_explained(study);
    rc = rc < 0 ? rc : flag_trace(study);
    for (size_t c = 0; rc == 0 && c < study->model.channel_count; c++)
        rc = flag_channel(study, &study->model.channels[c]);
    rc = rc < 0 ? rc : flag_idle(study);
    rc = rc < 0 ? rc : flag_others(study);
    rc = rc < 0 ? rc : flag_static(study);
    for (size_t i = 0; rc == 0 && i < study->set_count; i++) {
        rc = flag_lag(study, &study->sets[i]);
        rc = rc < 0 ? rc : flag_window(study, &study->sets[i]);
    }
    return rc < 0 ? rc : flag_model(study);
}

/* ---- the study ---- */

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
        if (study_is_unexplained(&study->model.channels[c]))
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
    return study_flags(study) < 0 ? wtl_no_memory(err) : 0;
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
