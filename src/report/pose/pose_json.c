/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as "wattle.pose/1": docs/format/pose.md. */
#include "report/pose/pose_report.h"

#include <errno.h>
#include <math.h>

#include "report/json_value.h"
#include "report/pose/pose_forms.h"

static json_t *point_json(struct wtl_pose_point at)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "t_s", wtl_json_number(at.t_s));
    wtl_json_set(&o, "e_j", wtl_json_number(at.e_j));
    return wtl_json_done(&o);
}

static json_t *theta_json(const struct wtl_pose *pose)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "t_s", wtl_json_number(pose->code.t_s));
    wtl_json_set(&o, "e_j", wtl_json_number(pose->code.e_j));
    wtl_json_set(&o, "p_w", wtl_json_number(pose->p_w));
    return wtl_json_done(&o);
}

static json_t *vertices_json(const struct wtl_pose *pose)
{
    static const char *const names[WTL_POSE_VERTICES] = {"A", "B", "C", "D", "E"};
    struct wtl_json o = wtl_json_object();
    for (int i = 0; i < WTL_POSE_VERTICES; i++)
        wtl_json_set(&o, names[i], point_json(pose->vertices[i]));
    return wtl_json_done(&o);
}

static json_t *range_json(struct wtl_pose_range range)
{
    if (isnan(range.low) || isnan(range.high))
        return json_null();
    struct wtl_json a = wtl_json_array();
    wtl_json_add(&a, wtl_json_number(range.low));
    wtl_json_add(&a, wtl_json_number(range.high));
    return wtl_json_done(&a);
}

/* The headline, in words and for programs. */
static json_t *verdict_json(const struct wtl_pose_model *model)
{
    static const char *const stances[] = {[WTL_POSE_RUN_TIME_ONLY] = "run_time_only",
                                          [WTL_POSE_RUN_TIME_MOSTLY] = "run_time_mostly",
                                          [WTL_POSE_RUN_TIME_FIRST] = "run_time_first",
                                          [WTL_POSE_POWER_TOO] = "power_too",
                                          [WTL_POSE_POWER_UNLIMITED] = "power_unlimited"};
    char headline[WTL_POSE_SENTENCE];
    bool decided;
    enum wtl_pose_stance stance = wtl_pose_model_stance(model, &decided);
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "stance", wtl_json_text(stances[stance]));
    wtl_json_set(&o, "decided", json_boolean(decided));
    wtl_json_set(&o, "scope", wtl_json_number(model->pose.scope));
    wtl_json_set(&o, "scope_interval", range_json(model->intervals.scope));
    wtl_json_set(&o, "text", wtl_json_text(wtl_pose_headline(model, headline, sizeof headline)));
    return wtl_json_done(&o);
}

static json_t *insights_json(const struct wtl_pose_model *model)
{
    static const char *const absolutes[WTL_POSE_INSIGHTS] = {"absolute_j", "absolute", "absolute_s",
                                                             "absolute_s", "absolute_s"};
    char advice[WTL_POSE_SENTENCE];
    struct wtl_json all = wtl_json_object();
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, absolutes[i], wtl_json_number(model->pose.insights[i].absolute));
        wtl_json_set(&o, "ratio", wtl_json_number(model->pose.insights[i].ratio));
        wtl_json_set(&o, "absolute_interval", range_json(model->intervals.absolute[i]));
        wtl_json_set(&o, "ratio_interval", range_json(model->intervals.ratio[i]));
        wtl_json_set(
            &o, "advice",
            wtl_json_text(wtl_pose_advice(model, (enum wtl_pose_insight)i, advice, sizeof advice)));
        wtl_json_set(&all, wtl_pose_insight_names[i], wtl_json_done(&o));
    }
    return wtl_json_done(&all);
}

static json_t *warnings_json(const struct wtl_pose_subject *subject,
                             const struct wtl_pose_model *model)
{
    struct wtl_pose_warning_text warning;
    struct wtl_json a = wtl_json_array();
    for (size_t i = 0; wtl_pose_warning_at(subject, model, i, &warning); i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(warning.name));
        wtl_json_set(&o, "text", wtl_json_text(warning.text));
        wtl_json_add(&a, wtl_json_done(&o));
    }
    return wtl_json_done(&a);
}

static json_t *source_json(const struct wtl_pose_subject *subject)
{
    struct wtl_json o = wtl_json_object(), traces = wtl_json_array();
    for (size_t i = 0; i < subject->trace_count; i++)
        wtl_json_add(&traces, wtl_json_text(subject->traces[i]));
    wtl_json_set(&o, "origin", wtl_json_text(wtl_pose_origin_name(subject->origin)));
    wtl_json_set_quality(&o, subject->origin != WTL_POSE_GIVEN, subject->quality,
                         subject->simulated);
    wtl_json_set(&o, "runs", wtl_json_count(subject->doubt.runs));
    wtl_json_set(&o, "contains", wtl_json_text(subject->contains));
    wtl_json_set(&o, "region", wtl_json_text(subject->region));
    wtl_json_set(&o, "traces", wtl_json_done(&traces));
    return wtl_json_done(&o);
}

static json_t *bounds_json(const struct wtl_pose_subject *subject)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "origin", wtl_json_text(wtl_pose_origin_name(subject->bounds_origin)));
    wtl_json_set_quality(&o, subject->bounds_origin != WTL_POSE_GIVEN, subject->bounds_quality,
                         subject->bounds_simulated);
    wtl_json_set(&o, "pmin_name", wtl_json_text(subject->pmin_name));
    wtl_json_set(&o, "pmax_name", wtl_json_text(subject->pmax_name));
    wtl_json_set(&o, "pmin_half_w", wtl_json_number(subject->doubt.pmin_half_w));
    wtl_json_set(&o, "pmax_half_w", wtl_json_number(subject->doubt.pmax_half_w));
    return wtl_json_done(&o);
}

/* The same of a machine. */
static json_t *machine_bounds_json(const struct wtl_pose_system_summary *system)
{
    const struct wtl_pose_subject subject = {
        .bounds_origin = system->bounds_origin,
        .bounds_quality = system->bounds_quality,
        .bounds_simulated = system->bounds_simulated,
        .pmin_name = system->pmin_name,
        .pmax_name = system->pmax_name,
        .doubt = {.pmin_half_w = system->pmin_half_w, .pmax_half_w = system->pmax_half_w}};
    return bounds_json(&subject);
}

static json_t *flags_json(const struct wtl_result_flag *flags, size_t count)
{
    struct wtl_json a = wtl_json_array();
    for (size_t i = 0; i < count; i++) {
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(flags[i].name));
        wtl_json_set(&o, "text", wtl_json_text(flags[i].text));
        wtl_json_add(&a, wtl_json_done(&o));
    }
    return wtl_json_done(&a);
}

static json_t *interval_of_json(const struct wtl_pose_intervals *intervals)
{
    struct wtl_json a = wtl_json_array();
    if (intervals->of_runs)
        wtl_json_add(&a, wtl_json_text("runs"));
    if (intervals->of_resolution)
        wtl_json_add(&a, wtl_json_text("resolution"));
    if (intervals->of_bounds)
        wtl_json_add(&a, wtl_json_text("bounds"));
    return wtl_json_done(&a);
}

static void put_ratios(struct wtl_json *o,
                       const struct wtl_pose_system_summary *system,
                       size_t metric)
{
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++)
        wtl_json_set(o, wtl_pose_insight_names[i],
                     wtl_json_number(system->ratios[metric * WTL_POSE_INSIGHTS + (size_t)i]));
    struct wtl_json intervals = wtl_json_object();
    for (int i = 0; i < WTL_POSE_INSIGHTS; i++)
        wtl_json_set(&intervals, wtl_pose_insight_names[i],
                     range_json(system->ranges[metric * WTL_POSE_INSIGHTS + (size_t)i]));
    wtl_json_set(o, "intervals", wtl_json_done(&intervals));
}

static json_t *system_json(const struct wtl_pose_system_summary *system, size_t metric)
{
    if (!system)
        return json_null();
    struct wtl_json o = wtl_json_object();
    put_ratios(&o, system, metric);
    return wtl_json_done(&o);
}

static json_t *systems_json(const struct wtl_pose_study *study)
{
    struct wtl_json a = wtl_json_array();
    for (size_t i = 0; i < study->system_count; i++) {
        for (size_t m = 0; m < study->metric_count; m++) {
            const struct wtl_pose_system_summary *system = &study->systems[i];
            struct wtl_json o = wtl_json_object();
            wtl_json_set(&o, "name", wtl_json_text(system->name));
            wtl_json_set(&o, "group", wtl_json_text(system->group));
            wtl_json_set(&o, "metric", wtl_json_text(study->metric_names[m]));
            wtl_json_set(&o, "pmin_w", wtl_json_number(system->pmin_w));
            wtl_json_set(&o, "pmax_w", wtl_json_number(system->pmax_w));
            put_ratios(&o, system, m);
            wtl_json_set(&o, "bounds",
                         study->subject_count > 0 ? json_null() : machine_bounds_json(system));
            wtl_json_set(&o, "warnings", flags_json(system->flags, system->flag_count));
            wtl_json_add(&a, wtl_json_done(&o));
        }
    }
    return wtl_json_done(&a);
}

static json_t *candidates_json(const struct wtl_pose_study *study,
                               const struct wtl_pose_model *model)
{
    struct wtl_json a = wtl_json_array();
    for (size_t i = 0; i < study->candidate_count; i++) {
        const struct wtl_pose_candidate *candidate = &study->candidates[i];
        const struct wtl_pose_verdict *verdict = &model->verdicts[i];
        const struct wtl_pose_verdict_interval *known = &model->verdict_intervals[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "label", wtl_json_text(candidate->label));
        wtl_json_set(&o, "t_s", wtl_json_number(candidate->at.t_s));
        wtl_json_set(&o, "e_j", wtl_json_number(candidate->at.e_j));
        wtl_json_set(&o, "p_w", wtl_json_number(candidate->at.e_j / candidate->at.t_s));
        wtl_json_set(&o, "parameter", wtl_json_number(candidate->parameter));
        wtl_json_set(&o, "on_front", json_boolean(candidate->on_front));
        wtl_json_set(&o, "region", wtl_json_count((uint64_t)verdict->region));
        wtl_json_set(&o, "region_decided", json_boolean(known->decided));
        wtl_json_set(&o, "gain", wtl_json_number(verdict->gain));
        wtl_json_set(&o, "gain_interval", range_json(known->gain));
        wtl_json_set(&o, "power_share", wtl_json_number(verdict->power_part));
        wtl_json_set(&o, "run_time_share", wtl_json_number(1 - verdict->power_part));
        wtl_json_add(&a, wtl_json_done(&o));
    }
    return wtl_json_done(&a);
}

static json_t *parameter_json(const struct wtl_pose_study *study)
{
    if (!study->parameter_name)
        return json_null();
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "name", wtl_json_text(study->parameter_name));
    wtl_json_set(&o, "unit", wtl_json_text(study->parameter_unit));
    return wtl_json_done(&o);
}

/* The fields of one code under one metric. */
static void put_code(struct wtl_json *o, const struct wtl_pose_study *study, size_t s, size_t m)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    const struct wtl_pose_model *model = wtl_pose_study_model(study, s, m);
    wtl_json_set(o, "label", wtl_json_text(subject->label));
    wtl_json_set(o, "group", wtl_json_text(subject->group));
    wtl_json_set(o, "metric", wtl_json_text(study->metric_names[m]));
    wtl_json_set(o, "pmin_w", wtl_json_number(subject->code.pmin_w));
    wtl_json_set(o, "pmax_w", wtl_json_number(subject->code.pmax_w));
    wtl_json_set(o, "theta", theta_json(&model->pose));
    wtl_json_set(o, "vertices", vertices_json(&model->pose));
    wtl_json_set(o, "verdict", verdict_json(model));
    wtl_json_set(o, "insights", insights_json(model));
    wtl_json_set(o, "interval_of", interval_of_json(&model->intervals));
    wtl_json_set(o, "warnings", warnings_json(subject, model));
    wtl_json_set(o, "source", source_json(subject));
    wtl_json_set(o, "bounds", bounds_json(subject));
    wtl_json_set(o, "system", system_json(wtl_pose_study_system(study, s), m));
    if (s == 0 && study->candidate_count > 0)
        wtl_json_set(o, "candidates", candidates_json(study, model));
}

/* The same of a machine alone. */
static void put_machine(struct wtl_json *o, const struct wtl_pose_study *study)
{
    static const char *const none[] = {"theta",    "vertices",    "verdict",
                                       "insights", "interval_of", "source"};
    const struct wtl_pose_system_summary *system = &study->systems[0];
    wtl_json_set(o, "label", wtl_json_text(system->name));
    wtl_json_set(o, "group", wtl_json_text(system->group));
    wtl_json_set(o, "metric", wtl_json_text(study->metric_names[0]));
    wtl_json_set(o, "pmin_w", wtl_json_number(system->pmin_w));
    wtl_json_set(o, "pmax_w", wtl_json_number(system->pmax_w));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        wtl_json_set(o, none[i], json_null());
    wtl_json_set(o, "warnings", flags_json(system->flags, system->flag_count));
    wtl_json_set(o, "bounds", machine_bounds_json(system));
    wtl_json_set(o, "system", system_json(system, 0));
}

static bool is_several(const struct wtl_pose_study *study)
{
    return study->metric_count > 1 || study->subject_count > 1 || study->system_count > 1;
}

static json_t *code_json(const struct wtl_pose_study *study, size_t s, size_t m)
{
    struct wtl_json o = wtl_json_object();
    put_code(&o, study, s, m);
    return wtl_json_done(&o);
}

/* The document, of several without its codes. */
static struct wtl_json frame(const struct wtl_pose_study *study)
{
    struct wtl_json document = wtl_json_document("wattle.pose/1");
    bool several = is_several(study);
    if (!several && study->subject_count == 1)
        put_code(&document, study, 0, 0);
    else if (!several)
        put_machine(&document, study);
    wtl_json_set(&document, "parameter", parameter_json(study));
    if (several && study->system_count > 0)
        wtl_json_set(&document, "systems", systems_json(study));
    return document;
}

json_t *wtl_pose_document(const struct wtl_pose_study *study)
{
    struct wtl_json document = frame(study);
    if (!is_several(study))
        return wtl_json_done(&document);
    struct wtl_json codes = wtl_json_array();
    for (size_t s = 0; s < study->subject_count; s++)
        for (size_t m = 0; m < study->metric_count; m++)
            wtl_json_add(&codes, code_json(study, s, m));
    wtl_json_set(&document, "codes", wtl_json_done(&codes));
    return wtl_json_done(&document);
}

/* A value, without a line break behind it. */
static int dump(FILE *out, json_t *value)
{
    return wtl_json_write(out, value, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
}

/* Of many codes, each is made, printed and freed. */
int wtl_json_pose(FILE *out, const struct wtl_pose_study *study)
{
    if (!is_several(study))
        return wtl_json_print(out, wtl_pose_document(study));
    struct wtl_json building = frame(study);
    json_t *document = wtl_json_done(&building), *value;
    const char *key;
    int rc = document ? 0 : -ENOMEM;
    (void)fputs("{\n", out);
    json_object_foreach(document, key, value)
    {
        (void)fprintf(out, "\"%s\": ", key);
        (void)dump(out, value);
        (void)fputs(",\n", out);
    }
    json_decref(document);
    (void)fputs("\"codes\": [", out);
    size_t n = study->subject_count * study->metric_count;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        json_t *code = code_json(study, i / study->metric_count, i % study->metric_count);
        (void)fputs(i > 0 ? ",\n" : "\n", out);
        rc = dump(out, code);
        json_decref(code);
    }
    (void)fputs("]\n}\n", out);
    return rc;
}
