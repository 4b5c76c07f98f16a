/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the study: see pose_study.h. */
#include "analysis/pose/pose_study.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/whole.h"

const struct wtl_pose_model *wtl_pose_study_model(const struct wtl_pose_study *study,
                                                  size_t subject,
                                                  size_t metric)
{
    return &study->models[subject * study->metric_count + metric];
}

enum wtl_pose_stance wtl_pose_model_stance(const struct wtl_pose_model *model, bool *ret_decided)
{
    struct wtl_pose_range scope = model->intervals.scope;
    bool low = wtl_pose_stance_of(scope.low) >= WTL_POSE_POWER_TOO;
    bool high = wtl_pose_stance_of(scope.high) >= WTL_POSE_POWER_TOO;
    *ret_decided = isnan(scope.low) || low == high;
    return wtl_pose_stance_of(model->pose.scope);
}

/* ---- machines ---- */

/* Without a group first, and of these a machine with a name last: it belongs to no code. */
static int by_group(const void *a, const void *b)
{
    const struct wtl_pose_system_summary *p = ((const struct wtl_pose_ordered *)a)->system;
    const struct wtl_pose_system_summary *q = ((const struct wtl_pose_ordered *)b)->system;
    if (p->group && q->group)
        return strcmp(p->group, q->group);
    if (p->group || q->group)
        return p->group ? 1 : -1;
    return (p->name != NULL) - (q->name != NULL);
}

static int sort_systems(struct wtl_pose_study *study)
{
    size_t n = study->system_count;
    free(study->systems_by_group);
    study->systems_by_group = calloc(n ? n : 1, sizeof *study->systems_by_group);
    if (!study->systems_by_group)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        study->systems_by_group[i].system = &study->systems[i];
    wtl_sort(study->systems_by_group, n, sizeof *study->systems_by_group, by_group);
    return 0;
}

const struct wtl_pose_system_summary *wtl_pose_study_system(const struct wtl_pose_study *study,
                                                            size_t subject)
{
    const struct wtl_pose_system_summary of = {.group = study->subjects[subject].group};
    const struct wtl_pose_ordered key = {&of}, *found;
    if (!study->systems_by_group)
        return NULL;
    found = bsearch(&key, study->systems_by_group, study->system_count,
                    sizeof *study->systems_by_group, by_group);
    if (found)
        return found->system;
    return study->system_count == 1 ? &study->systems[0] : NULL;
}

const char *const wtl_pose_origin_names[] = {"given", "trace", "calibration"};

/* ---- the Pareto front ---- */

/* A version in the plane: the code itself is not a candidate. */
struct version {
    struct wtl_pose_point at;
    bool *on_front;
};

static int by_time_then_energy(const void *a, const void *b)
{
    const struct wtl_pose_point *p = &((const struct version *)a)->at;
    const struct wtl_pose_point *q = &((const struct version *)b)->at;
    if (p->t_s != q->t_s)
        return p->t_s < q->t_s ? -1 : 1;
    return (p->e_j > q->e_j) - (p->e_j < q->e_j);
}

/* In order of run time a version is on the front if it takes less energy than all before it; equal
 * versions are on it together. */
static int mark_front(struct wtl_pose_study *study)
{
    size_t n = study->candidate_count + 1;
    const struct wtl_pose_code *code = &study->subjects[0].code;
    struct version *versions = calloc(n, sizeof *versions);
    if (!versions)
        return -ENOMEM;
    versions[0] = (struct version){{code->t_s, code->e_j}, &study->code_on_front};
    for (size_t i = 1; i < n; i++)
        versions[i] =
            (struct version){study->candidates[i - 1].at, &study->candidates[i - 1].on_front};
    wtl_sort(versions, n, sizeof *versions, by_time_then_energy);
    const struct version *best = NULL;
    for (size_t i = 0; i < n; i++) {
        bool same = best && by_time_then_energy(best, &versions[i]) == 0;
        *versions[i].on_front = !best || same || versions[i].at.e_j < best->at.e_j;
        if (*versions[i].on_front)
            best = &versions[i];
    }
    free(versions);
    return 0;
}

/* ---- models ---- */

static int name_it(const struct wtl_pose_study *study,
                   const struct wtl_pose_subject *subject,
                   int rc,
                   const struct wattle_error *why,
                   struct wattle_error *err)
{
    if (study->subject_count > 1 && subject->label)
        return wtl_fail(err, rc, "%s: %s", subject->label, why->text);
    return wtl_fail(err, rc, "%s", why->text);
}

static int compute_model(struct wtl_pose_study *study,
                         size_t subject,
                         size_t metric,
                         struct wattle_error *err)
{
    const struct wtl_pose_subject *of = &study->subjects[subject];
    struct wtl_pose_model *model = &study->models[subject * study->metric_count + metric];
    struct wattle_error why = {""};
    int rc = wtl_pose_of(&of->code, &study->metrics[metric], &model->pose, &why);
    if (rc < 0)
        return name_it(study, of, rc, &why, err);
    rc =
        wtl_pose_intervals_of(&model->pose, &study->metrics[metric], &of->doubt, &model->intervals);
    if (rc < 0) {
        (void)wtl_fail(&why, rc, "the spread of run time or energy, or an interval, is negative");
        return name_it(study, of, rc, &why, err);
    }
    if (subject > 0 || study->candidate_count == 0)
        return 0;
    model->verdicts = calloc(study->candidate_count, sizeof *model->verdicts);
    model->verdict_intervals = calloc(study->candidate_count, sizeof *model->verdict_intervals);
    if (!model->verdicts || !model->verdict_intervals)
        return wtl_no_memory(err);
    for (size_t i = 0; i < study->candidate_count; i++) {
        const struct wtl_pose_candidate *candidate = &study->candidates[i];
        const struct wtl_pose_metric *by = &study->metrics[metric];
        rc = wtl_pose_candidate_check(&model->pose, by, candidate->at, &why);
        if (rc < 0)
            return wtl_fail(err, rc, "candidate %.60s: %s", candidate->label, why.text);
        model->verdicts[i] = wtl_pose_classify(&model->pose, by, candidate->at);
        rc = wtl_pose_verdict_interval_of(&model->pose, by, &of->doubt, candidate->at,
                                          &candidate->doubt, &model->verdict_intervals[i]);
        if (rc < 0)
            return wtl_fail(err, rc, "candidate %.60s: its spread is negative", candidate->label);
    }
    return 0;
}

static int make_ratios(struct wtl_pose_system_summary *system, size_t metrics)
{
    size_t n = (metrics ? metrics : 1) * WTL_POSE_INSIGHTS;
    if (!system->ratios)
        system->ratios = calloc(n, sizeof *system->ratios);
    if (!system->ranges)
        system->ranges = calloc(n, sizeof *system->ranges);
    return system->ratios && system->ranges ? 0 : -ENOMEM;
}

static int compute_system(struct wtl_pose_study *study,
                          struct wtl_pose_system_summary *system,
                          struct wattle_error *err)
{
    const char *name = system->group ? system->group : system->name;
    struct wattle_error why = {""};
    if (make_ratios(system, study->metric_count) < 0)
        return wtl_no_memory(err);
    for (size_t i = 0; i < study->metric_count; i++) {
        double *ratios = system->ratios + i * WTL_POSE_INSIGHTS;
        struct wtl_pose_range *ranges = system->ranges + i * WTL_POSE_INSIGHTS;
        int rc = wtl_pose_system(system->pmin_w, system->pmax_w, &study->metrics[i], ratios, &why);
        for (int k = 0; rc == -ENOTSUP && study->subject_count > 0 && k < WTL_POSE_INSIGHTS; k++)
            ratios[k] = ranges[k].low = ranges[k].high = (double)NAN;
        if (rc == -ENOTSUP && study->subject_count > 0)
            continue;
        if (rc < 0 && study->system_count > 1 && name)
            return wtl_fail(err, rc, "%s: %s", name, why.text);
        if (rc < 0)
            return wtl_fail(err, rc, "%s", why.text);
        (void)wtl_pose_system_intervals_of(system->pmin_w, system->pmax_w, system->pmin_half_w,
                                           system->pmax_half_w, &study->metrics[i], ranges);
    }
    return 0;
}

static void drop_models(struct wtl_pose_study *study)
{
    for (size_t i = 0; study->models && i < study->metric_count && study->subject_count; i++) {
        free(study->models[i].verdicts);
        free(study->models[i].verdict_intervals);
    }
    free(study->models);
    study->models = NULL;
}

int wtl_pose_study_compute(struct wtl_pose_study *study, struct wattle_error *err)
{
    size_t n = study->subject_count * study->metric_count;
    drop_models(study);
    study->models = calloc(n ? n : 1, sizeof *study->models);
    int rc = study->models ? 0 : wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = compute_model(study, i / study->metric_count, i % study->metric_count, err);
    if (rc == 0 && study->subject_count > 0 && mark_front(study) < 0)
        rc = wtl_no_memory(err);
    for (size_t i = 0; rc == 0 && i < study->system_count; i++)
        rc = compute_system(study, &study->systems[i], err);
    if (rc == 0 && sort_systems(study) < 0)
        rc = wtl_no_memory(err);
    return rc;
}

/* ---- subjects ---- */

int wtl_pose_subject_flag(struct wtl_pose_subject *subject,
                          const char *name,
                          const char *format,
                          ...)
{
    va_list args;
    va_start(args, format);
    int rc = wtl_result_flags_add(&subject->flags, &subject->flag_count, name, format, args);
    va_end(args);
    return rc;
}

/* ---- cleanup ---- */

void wtl_pose_subject_fini(struct wtl_pose_subject *subject)
{
    for (size_t i = 0; i < subject->trace_count; i++) {
        if (subject->traces)
            free(subject->traces[i]);
        if (subject->results)
            wtl_result_fini(&subject->results[i]);
    }
    free(subject->traces);
    free(subject->results);
    free(subject->label);
    free(subject->group);
    free(subject->contains);
    free(subject->region);
    free(subject->pmin_name);
    free(subject->pmax_name);
    free(subject->flags);
    *subject = (struct wtl_pose_subject){.label = NULL};
}

void wtl_pose_study_fini(struct wtl_pose_study *study)
{
    drop_models(study);
    for (size_t i = 0; i < study->subject_count; i++)
        wtl_pose_subject_fini(&study->subjects[i]);
    for (size_t i = 0; i < study->metric_count; i++) {
        wtl_pose_metric_fini(&study->metrics[i]);
        free(study->metric_names[i]);
    }
    for (size_t i = 0; i < study->candidate_count; i++)
        free(study->candidates[i].label);
    for (size_t i = 0; i < study->system_count; i++) {
        free(study->systems[i].ratios);
        free(study->systems[i].ranges);
        free(study->systems[i].name);
        free(study->systems[i].group);
        free(study->systems[i].pmin_name);
        free(study->systems[i].pmax_name);
        free(study->systems[i].flags);
    }
    free(study->subjects);
    free(study->metrics);
    free(study->metric_names);
    free(study->candidates);
    free(study->systems);
    free(study->systems_by_group);
    free(study->parameter_name);
    free(study->parameter_unit);
    *study = (struct wtl_pose_study){0};
}
