/* SPDX-License-Identifier: BSD-3-Clause */
/* Reasons to doubt what tasks cost, each with a sentence. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "analysis/cluster/run_result.h"
#include "analysis/tasks/study_parts.h"
#include "base/text/figures.h"
#include "model/flag.h"

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

bool wtl_study_is_unexplained(const struct wtl_task_channel *ch)
{
    return explained_part(ch) < explained_least && ch->deviation_w > moves_least * ch->mean_w;
}

/* Power that changes, but not with the tasks, is somebody else's, and so may be what is given to them. */
static int flag_explained(struct wtl_task_study *study)
{
    int rc = 0;
    for (size_t c = 0; rc == 0 && c < study->model.channel_count; c++) {
        const struct wtl_task_channel *ch = &study->model.channels[c];
        if (wtl_study_is_unexplained(ch))
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

int wtl_study_flags(struct wtl_task_study *study)
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
