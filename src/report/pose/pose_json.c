/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as "wattle.pose/1", and as CSV rows of codes, candidates and machines under each
 * metric: docs/format/pose.md. */
#include "report/pose/pose_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/quality.h"
#include "report/json_value.h"
#include "report/pose/pose_forms.h"
#include "report/result/run_nouns.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* ---- ranges and points ---- */

WTL_MEMBER_GET(range)
{
    wtl_get_here(member, of, ret);
    const struct wtl_pose_range *range = ret->noun;
    ret->known = !isnan(range->low) && !isnan(range->high);
}

static bool next_end(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_pose_range *range = of;
    ret->number = *cursor ? range->high : range->low;
    return (*cursor)++ < 2;
}

#define RANGE_AT(T, member)                                                                    \
    .type = WTL_MEMBER_NUMBERS, .nullable = true, .get = range, .offset = offsetof(T, member), \
    .next = next_end

static const struct wtl_member of_point[] = {
    {"t_s", WTL_NUMBER_OR_NULL(struct wtl_pose_point, t_s), .meaning = "run time"},
    {"e_j", WTL_NUMBER_OR_NULL(struct wtl_pose_point, e_j), .meaning = "energy"},
    {.key = NULL}};
static const struct wtl_noun point = {"pose point", of_point};

/* ---- a code under a metric ---- */

struct bounds {
    const char *origin, *pmin_name, *pmax_name;
    struct wtl_value_quality quality;
    double pmin_half_w, pmax_half_w;
};

struct ratios {
    double value[WTL_POSE_INSIGHTS];
    struct wtl_pose_range range[WTL_POSE_INSIGHTS];
};

/* A code or, without a subject, a machine. */
struct code {
    const struct wtl_pose_study *study;
    const struct wtl_pose_subject *subject;
    const struct wtl_pose_model *model;
    const struct wtl_pose_system_summary *system; /* NULL: none */
    const char *label, *group, *metric;
    double pmin_w, pmax_w;
    struct bounds bounds;
    struct ratios ratios; /* of the system */
};
_Static_assert(sizeof(struct code) <= sizeof((struct wtl_value *)0)->room, "a value has room");

static void fill_ratios(struct code *code, size_t metric)
{
    size_t first = metric * WTL_POSE_INSIGHTS;
    if (!code->system)
        return;
    memcpy(code->ratios.value, code->system->ratios + first, sizeof code->ratios.value);
    memcpy(code->ratios.range, code->system->ranges + first, sizeof code->ratios.range);
}

#define BOUNDS(of, halves)                                                                         \
    {                                                                                              \
        wtl_pose_origin_names[(of)->bounds_origin], (of)->pmin_name, (of)->pmax_name,              \
            {(of)->bounds_origin != WTL_POSE_GIVEN, (of)->bounds_simulated, (of)->bounds_quality}, \
            (halves)->pmin_half_w, (halves)->pmax_half_w                                           \
    }

static struct code code_of(const struct wtl_pose_study *study, size_t s, size_t metric)
{
    const struct wtl_pose_subject *subject = &study->subjects[s];
    struct code code = {study,
                        subject,
                        wtl_pose_study_model(study, s, metric),
                        wtl_pose_study_system(study, s),
                        subject->label,
                        subject->group,
                        study->metric_names[metric],
                        subject->code.pmin_w,
                        subject->code.pmax_w,
                        BOUNDS(subject, &subject->doubt),
                        {{0}, {{0, 0}}}};
    fill_ratios(&code, metric);
    return code;
}

static struct code machine_of(const struct wtl_pose_study *study, size_t i, size_t metric)
{
    const struct wtl_pose_system_summary *system = &study->systems[i];
    struct code code = {study,
                        NULL,
                        NULL,
                        system,
                        system->name,
                        system->group,
                        study->metric_names[metric],
                        system->pmin_w,
                        system->pmax_w,
                        BOUNDS(system, system),
                        {{0}, {{0, 0}}}};
    fill_ratios(&code, metric);
    return code;
}

static const struct wtl_member of_theta[] = {
    {"t_s", WTL_NUMBER_OR_NULL(struct wtl_pose_model, pose.code.t_s), .csv = 5,
     .meaning = "run time"},
    {"e_j", WTL_NUMBER_OR_NULL(struct wtl_pose_model, pose.code.e_j), .csv = 6,
     .meaning = "energy"},
    {"p_w", WTL_NUMBER_OR_NULL(struct wtl_pose_model, pose.p_w), .csv = 7, .meaning = "mean power"},
    {.key = NULL}};
static const struct wtl_noun theta = {"pose theta", of_theta};

#define VERTEX(name, i)                                                  \
    name, WTL_OBJECT_AT(struct wtl_pose_model, pose.vertices[i], point), \
        .meaning = "number of the region"

static const struct wtl_member of_vertices[] = {{VERTEX("A", 0)}, {VERTEX("B", 1)},
                                                {VERTEX("C", 2)}, {VERTEX("D", 3)},
                                                {VERTEX("E", 4)}, {.key = NULL}};
static const struct wtl_noun vertices = {"pose vertices", of_vertices};

WTL_MEMBER_GET(stance)
{
    static const char *const stances[] = {[WTL_POSE_RUN_TIME_ONLY] = "run_time_only",
                                          [WTL_POSE_RUN_TIME_MOSTLY] = "run_time_mostly",
                                          [WTL_POSE_RUN_TIME_FIRST] = "run_time_first",
                                          [WTL_POSE_POWER_TOO] = "power_too",
                                          [WTL_POSE_POWER_UNLIMITED] = "power_unlimited"};
    wtl_value_text(ret, stances[wtl_pose_model_stance(of, &ret->boolean)]);
}

WTL_MEMBER_GET(headline)
{
    wtl_value_text(ret, wtl_pose_headline(of, ret->room.bytes, sizeof ret->room.bytes));
}

static const struct wtl_member of_verdict[] = {
    {"stance", WTL_MEMBER_TEXT, .get = stance,
     .meaning =
         "`run_time_only`, `run_time_mostly`, `run_time_first`, `power_too`, `power_unlimited`"},
    {"decided", WTL_MEMBER_BOOLEAN, .get = stance, .csv = 51,
     .meaning = "false: the interval contains both `power_too` and a lower stance"},
    {"scope", WTL_NUMBER_OR_NULL(struct wtl_pose_model, pose.scope),
     .meaning = "speed-up at unchanged power that is worth as much as the best power optimisation"},
    {"scope_interval", RANGE_AT(struct wtl_pose_model, intervals.scope),
     .meaning = "95 % interval, `[low, high]`"},
    {"text", WTL_MEMBER_TEXT, .get = headline,
     .meaning = "a sentence, consistent with the advice of all insights"},
    {.key = NULL}};
static const struct wtl_noun verdict = {"pose verdict", of_verdict};

struct insight {
    const struct wtl_pose_model *model;
    enum wtl_pose_insight which;
    struct wtl_pose_value value;
    struct wtl_pose_range absolute, ratio;
};

WTL_MEMBER_GET(insight_of)
{
    const struct wtl_pose_model *model = of;
    size_t i = member->offset;
    const struct insight insight = {model, (enum wtl_pose_insight)i, model->pose.insights[i],
                                    model->intervals.absolute[i], model->intervals.ratio[i]};
    wtl_value_copy(ret, &insight, sizeof insight);
}

/* Left out if it has another unit. */
WTL_MEMBER_GET(absolute)
{
    static const char *const keys[WTL_POSE_INSIGHTS] = {"absolute_j", "absolute", "absolute_s",
                                                        "absolute_s", "absolute_s"};
    const struct insight *insight = of;
    bool other = strcmp(keys[insight->which], member->key) != 0;
    wtl_value_number(ret, other ? (double)NAN : insight->value.absolute);
    ret->noun = other ? NULL : of;
}

WTL_MEMBER_GET(advice)
{
    const struct insight *insight = of;
    wtl_value_text(ret, wtl_pose_advice(insight->model, insight->which, ret->room.bytes,
                                        sizeof ret->room.bytes));
}

#define ABSOLUTE(key, what) \
    key, WTL_MEMBER_NUMBER, .nullable = true, .get = absolute, .when = what, .meaning = "how much"

static const struct wtl_member of_insight[] = {
    {ABSOLUTE("absolute_j", "`energy_saved`")},
    {ABSOLUTE("absolute", "`metric_improvement`")},
    {ABSOLUTE("absolute_s", "the others")},
    {"ratio", WTL_NUMBER_OR_NULL(struct insight, value.ratio),
     .meaning = "ratio of before to after"},
    {"absolute_interval", RANGE_AT(struct insight, absolute),
     .meaning = "95 % interval, `[low, high]`"},
    {"ratio_interval", RANGE_AT(struct insight, ratio), .meaning = "likewise"},
    {"advice", WTL_MEMBER_TEXT, .get = advice, .meaning = "sentence as in text output"},
    {.key = NULL}};
static const struct wtl_noun insight_noun = {"pose insight", of_insight};

/* For each insight: MACRO(name, number). */
#define INSIGHTS(MACRO)                                                 \
    {MACRO("energy_saved", 0)}, {MACRO("metric_improvement", 1)},       \
        {MACRO("guaranteed_speedup", 2)}, {MACRO("worst_slowdown", 3)}, \
    {                                                                   \
        MACRO("dominating_speedup", 4)                                  \
    }
#define INSIGHT(name, i)                                                            \
    name, WTL_MEMBER_OBJECT, .get = insight_of, .offset = (i), .of = &insight_noun, \
                             .meaning = "below"
#define RATIO(name, i) name, WTL_NUMBER_OR_NULL(struct ratios, value[i]), .meaning = "its ratio"
#define RATIO_RANGE(name, i) \
    name, RANGE_AT(struct ratios, range[i]), .meaning = "95 % interval, `[low, high]`"

static const struct wtl_member of_insights[] = {INSIGHTS(INSIGHT), {.key = NULL}};
static const struct wtl_noun insights = {"pose insights", of_insights};

static const struct wtl_member of_ranges[] = {INSIGHTS(RATIO_RANGE), {.key = NULL}};
static const struct wtl_noun ranges = {"pose ratio intervals", of_ranges};

static const struct wtl_member of_ratios[] = {
    INSIGHTS(RATIO),
    {"intervals", WTL_MEMBER_OBJECT, .get = wtl_get_here, .of = &ranges,
     .meaning = "intervals of the ratios, by the same names"},
    {.key = NULL}};
static const struct wtl_noun ratios = {"pose ratios", of_ratios};

static bool next_cause(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_pose_intervals *intervals = &((const struct wtl_pose_model *)of)->intervals;
    const bool holds[] = {intervals->of_runs, intervals->of_resolution, intervals->of_bounds};
    static const char *const names[] = {"runs", "resolution", "bounds"};
    while (*cursor < 3 && !holds[*cursor])
        ++*cursor;
    ret->text = *cursor < 3 ? names[*cursor] : NULL;
    return (*cursor)++ < 3;
}

static bool next_warning(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct code *code = of;
    struct wtl_pose_warning_text warning;
    size_t i = (*cursor)++;
    if (code->subject && !wtl_pose_warning_at(code->subject, code->model, i, &warning))
        return false;
    if (!code->subject) {
        if (i >= code->system->flag_count)
            return false;
        warning.name = code->system->flags[i].name;
        (void)snprintf(warning.text, sizeof warning.text, "%s", code->system->flags[i].text);
    }
    wtl_value_copy(ret, &warning, sizeof warning);
    ret->text = warning.name;
    return true;
}

static const struct wtl_member of_warning[] = {
    {"name", WTL_TEXT_AT(struct wtl_pose_warning_text, name),
     .meaning = "in capitals, such as `FEW_RUNS`"},
    {"text", WTL_NAME_AT(struct wtl_pose_warning_text, text), .meaning = "a sentence"},
    {.key = NULL}};
static const struct wtl_noun warning_noun = {"pose warning", of_warning};

WTL_MEMBER_GET(source_quality)
{
    const struct wtl_pose_subject *subject = of;
    wtl_value_quality(ret, subject->origin != WTL_POSE_GIVEN, subject->quality, subject->simulated);
}

static const struct wtl_member of_source[] = {
    {"origin", WTL_WORD_AT(struct wtl_pose_subject, origin, wtl_pose_origin_names),
     .meaning = "`given`, `trace`"},
    {"", WTL_MEMBER_PART, .get = source_quality, .of = &wtl_noun_quality},
    {"runs", WTL_SIZE_AT(struct wtl_pose_subject, doubt.runs),
     .meaning = "number of runs over which run time and energy are averaged"},
    {"contains", WTL_TEXT_OR_NULL(struct wtl_pose_subject, contains),
     .meaning = "what the energy contains"},
    {"region", WTL_TEXT_OR_NULL(struct wtl_pose_subject, region),
     .meaning = "name of the region; null: the whole run"},
    {"traces", WTL_TEXTS_AT(struct wtl_pose_subject, traces, trace_count), .meaning = "paths"},
    {.key = NULL}};
static const struct wtl_noun source = {"pose source", of_source};

static const struct wtl_member of_bounds[] = {
    {"origin", WTL_TEXT_AT(struct bounds, origin), .meaning = "`given`, `calibration`"},
    {"", WTL_PART_AT(struct bounds, quality, wtl_noun_quality)},
    {"pmin_name", WTL_TEXT_OR_NULL(struct bounds, pmin_name),
     .meaning = "name of the load; null: given"},
    {"pmax_name", WTL_TEXT_OR_NULL(struct bounds, pmax_name), .meaning = "likewise"},
    {"pmin_half_w", WTL_NUMBER_OR_NULL(struct bounds, pmin_half_w),
     .meaning = "half width of the 95 % interval"},
    {"pmax_half_w", WTL_NUMBER_OR_NULL(struct bounds, pmax_half_w), .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun bounds_noun = {"pose bounds", of_bounds};

/* ---- candidates ---- */

struct candidate {
    const struct code *code;
    const struct wtl_pose_candidate *candidate;
    const struct wtl_pose_verdict *verdict;
    const struct wtl_pose_verdict_interval *known;
    double p_w, run_time_share;
};

static bool next_candidate(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct code *code = of;
    size_t i = (*cursor)++;
    if (i >= code->study->candidate_count)
        return false;
    const struct wtl_pose_candidate *c = &code->study->candidates[i];
    const struct wtl_pose_verdict *found = &code->model->verdicts[i];
    const struct candidate candidate = {code,
                                        c,
                                        found,
                                        &code->model->verdict_intervals[i],
                                        c->at.e_j / c->at.t_s,
                                        1 - found->power_part};
    wtl_value_copy(ret, &candidate, sizeof candidate);
    return true;
}

#define OF_CANDIDATE(KIND, member) \
    WTL_##KIND##_AT(struct wtl_pose_candidate, member), WTL_VIA(struct candidate, candidate)
#define OF_VERDICT(KIND, member) \
    WTL_##KIND##_AT(struct wtl_pose_verdict, member), WTL_VIA(struct candidate, verdict)
#define OF_KNOWN WTL_VIA(struct candidate, known)

static const struct wtl_member of_candidate[] = {
    {"label", OF_CANDIDATE(TEXT, label), .csv = 2, .meaning = "name of the version"},
    {"t_s", OF_CANDIDATE(NUMBER, at.t_s), .csv = 5, .meaning = "run time"},
    {"e_j", OF_CANDIDATE(NUMBER, at.e_j), .csv = 6, .meaning = "energy"},
    {"p_w", WTL_NUMBER_AT(struct candidate, p_w), .csv = 7, .meaning = "mean power"},
    {"parameter", OF_CANDIDATE(NUMBER, parameter), .nullable = true, .csv = 45,
     .meaning = "its value"},
    {"on_front", OF_CANDIDATE(BOOLEAN, on_front), .csv = 44,
     .meaning = "on the Pareto front of run time and energy"},
    {"region", OF_VERDICT(UNSIGNED, region), .csv = 40,
     .meaning = "1 strong run-time optimisation, 2 weak run-time optimisation, 3 power "
                "optimisation, 4 degradation"},
    {"region_decided", WTL_BOOLEAN_AT(struct wtl_pose_verdict_interval, decided), OF_KNOWN,
     .csv = 50,
     .meaning = "no other region is within the intervals of code, candidate and bounds; true if no "
                "interval is known"},
    {"gain", OF_VERDICT(NUMBER, gain), .nullable = true, .csv = 41,
     .meaning = "M(code) / M(candidate); null if infinite"},
    {"gain_interval", RANGE_AT(struct wtl_pose_verdict_interval, gain), OF_KNOWN,
     .meaning = "95 % interval, `[low, high]`"},
    {"power_share", OF_VERDICT(NUMBER, power_part), .nullable = true, .csv = 42,
     .meaning = "share of log(gain); null without gain"},
    {"run_time_share", WTL_NUMBER_OR_NULL(struct candidate, run_time_share), .csv = 43,
     .meaning = "likewise"},
    {"gain_low", WTL_NUMBER_AT(struct wtl_pose_verdict_interval, gain.low), OF_KNOWN,
     .not_json = true, .csv = 48},
    {"gain_high", WTL_NUMBER_AT(struct wtl_pose_verdict_interval, gain.high), OF_KNOWN,
     .not_json = true, .csv = 49},
    {.key = NULL}};
static const struct wtl_noun candidate_noun = {"pose candidate", of_candidate};

/* Of the first code only. */
WTL_MEMBER_GET(if_candidates)
{
    const struct code *code = of;
    ret->known = code->study->candidate_count > 0 && code->subject == code->study->subjects;
}

/* ---- a code, a machine ---- */

/* In CSV: column, number of the insight. */
#define OF_MODEL(key, place, column) \
    key, WTL_NUMBER_AT(struct wtl_pose_model, place), .csv = (column)
#define INSIGHT_COLUMNS(name, i)                                                     \
    OF_MODEL(name "_absolute", pose.insights[i].absolute, 10 + 6 * (i))              \
    }                                                                                \
    , {OF_MODEL(name "_absolute_low", intervals.absolute[i].low, 11 + 6 * (i))},     \
        {OF_MODEL(name "_absolute_high", intervals.absolute[i].high, 12 + 6 * (i))}, \
        {OF_MODEL(name "_ratio", pose.insights[i].ratio, 13 + 6 * (i))},             \
        {OF_MODEL(name "_ratio_low", intervals.ratio[i].low, 14 + 6 * (i))},         \
    {                                                                                \
        OF_MODEL(name "_ratio_high", intervals.ratio[i].high, 15 + 6 * (i))
#define OF_RATIOS(key, place, column) key, WTL_NUMBER_AT(struct ratios, place), .csv = (column)
#define RATIO_COLUMNS(name, i)                                    \
    OF_RATIOS(name "_ratio", value[i], 13 + 6 * (i))              \
    }                                                             \
    , {OF_RATIOS(name "_ratio_low", range[i].low, 14 + 6 * (i))}, \
    {                                                             \
        OF_RATIOS(name "_ratio_high", range[i].high, 15 + 6 * (i))

static const struct wtl_member of_insight_columns[] = {INSIGHTS(INSIGHT_COLUMNS), {.key = NULL}};
static const struct wtl_noun insight_columns = {"pose insight columns", of_insight_columns};

static const struct wtl_member of_ratio_columns[] = {INSIGHTS(RATIO_COLUMNS), {.key = NULL}};
static const struct wtl_noun ratio_columns = {"pose ratio columns", of_ratio_columns};

WTL_MEMBER_GET(system_of)
{
    const struct code *code = of;
    wtl_value_noun(ret, code->system ? &code->ratios : NULL);
}

WTL_MEMBER_GET(origin_word)
{
    const struct wtl_pose_subject *subject = of;
    wtl_value_text(ret, subject->origin == WTL_POSE_GIVEN
                            ? "given"
                            : wtl_quality_word(subject->quality, subject->simulated));
}

#define WARNINGS \
    .type = WTL_MEMBER_LIST, .next = next_warning, .of = &warning_noun, .csv = 47, .between = ";"

static const struct wtl_member of_bounds_of_code[] = {
    {"metric", WTL_TEXT_AT(struct code, metric), .meaning = "as given, such as `Et^3`"},
    {"pmin_w", WTL_NUMBER_OR_NULL(struct code, pmin_w), .csv = 8, .meaning = "the bounds"},
    {"pmax_w", WTL_NUMBER_OR_NULL(struct code, pmax_w), .csv = 9, .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun plane = {"pose plane", of_bounds_of_code};

static const unsigned char simulates_column[] = {0, 0, 52};

static const struct wtl_member of_code[] = {
    {"label", WTL_TEXT_OR_NULL(struct code, label), .csv = 2, .meaning = "name of the code"},
    {"group", WTL_TEXT_OR_NULL(struct code, group), .meaning = "platform or host"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &plane},
    {"theta", WTL_OBJECT_OF(struct code, model, theta), .nullable = true, .meaning = "the code"},
    {"vertices", WTL_OBJECT_OF(struct code, model, vertices), .nullable = true,
     .meaning = "`A` .. `E`, each `t_s`, `e_j`"},
    {"verdict", WTL_OBJECT_OF(struct code, model, verdict), .nullable = true,
     .meaning = "verdict of the headline, below"},
    {"insights", WTL_OBJECT_OF(struct code, model, insights), .nullable = true, .meaning = "below"},
    {"interval_of", WTL_MEMBER_LIST, .nullable = true, .next = next_cause,
     WTL_VIA(struct code, model),
     .meaning = "what the intervals include: `runs`, `resolution`, `bounds`"},
    {"warnings", WARNINGS, .meaning = "below"},
    {"source", WTL_OBJECT_OF(struct code, subject, source), .nullable = true,
     .meaning = "source of the code, below"},
    {"bounds", WTL_OBJECT_AT(struct code, bounds, bounds_noun),
     .meaning = "source of Pmin and Pmax, below"},
    {"system", WTL_MEMBER_OBJECT, .nullable = true, .get = system_of, .of = &ratios,
     .meaning = "with `--system`: summary of the machine of the code, below"},
    {"candidates", WTL_MEMBER_LIST, .get = if_candidates, .next = next_candidate,
     .of = &candidate_noun, .when = "number of candidates of the first code",
     .meaning = "candidates under this metric, below"},
    {"quality", WTL_MEMBER_TEXT, .get = origin_word, WTL_VIA(struct code, subject),
     .not_json = true, .csv = 46},
    {"", WTL_MEMBER_PART, .get = source_quality, WTL_VIA(struct code, subject),
     .of = &wtl_noun_quality, .not_json = true, .csv_all = simulates_column},
    {"", WTL_PART_OF(struct code, model, theta), .not_json = true},
    {"", WTL_PART_OF(struct code, model, verdict), .not_json = true},
    {"", WTL_PART_OF(struct code, model, insight_columns), .not_json = true},
    {.key = NULL}};
static const struct wtl_noun code_noun = {"pose code", of_code};

/* Codes have their own bounds. */
WTL_MEMBER_GET(bounds_of_machine)
{
    const struct code *code = of;
    wtl_value_noun(ret, code->study->subject_count > 0 ? NULL : &code->bounds);
}

static const struct wtl_member of_machine[] = {
    {"name", WTL_TEXT_OR_NULL(struct code, label), .csv = 2, .csv_key = "label",
     .meaning = "node, package"},
    {"group", WTL_TEXT_OR_NULL(struct code, group), .meaning = "platform or host"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &plane},
    {"", WTL_PART_AT(struct code, ratios, ratios)},
    {"", WTL_PART_AT(struct code, ratios, ratio_columns), .not_json = true},
    {"bounds", WTL_MEMBER_OBJECT, .nullable = true, .get = bounds_of_machine, .of = &bounds_noun,
     .meaning = "null if there are codes, which have their own"},
    {"warnings", WARNINGS, .meaning = "below"},
    {.key = NULL}};
static const struct wtl_noun machine_noun = {"pose machine", of_machine};

/* ---- the document ---- */

struct document {
    const struct wtl_pose_study *study;
    const struct code *one; /* NULL: several */
    bool without_codes;
};

static bool next_of(const struct document *document,
                    bool machines,
                    size_t *cursor,
                    struct wtl_value *ret)
{
    const struct wtl_pose_study *study = document->study;
    size_t metrics = study->metric_count, i = *cursor;
    if (i >= metrics * (machines ? study->system_count : study->subject_count))
        return false;
    const struct code code = (machines ? machine_of : code_of)(study, i / metrics, i % metrics);
    wtl_value_copy(ret, &code, sizeof code);
    ++*cursor;
    return true;
}

static bool next_code(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_of(of, false, cursor, ret);
}

static bool next_machine(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_of(of, true, cursor, ret);
}

WTL_MEMBER_GET(parameter_of)
{
    wtl_value_noun(ret, ((const struct wtl_pose_study *)of)->parameter_name ? of : NULL);
}

WTL_MEMBER_GET(if_systems)
{
    const struct document *document = of;
    ret->known = !document->one && document->study->system_count > 0;
}

WTL_MEMBER_GET(if_several)
{
    const struct document *document = of;
    ret->known = !document->one && !document->without_codes;
}

static const struct wtl_member of_parameter[] = {
    {"name", WTL_TEXT_AT(struct wtl_pose_study, parameter_name),
     .meaning = "name of the parameter"},
    {"unit", WTL_TEXT_OR_NULL(struct wtl_pose_study, parameter_unit),
     .meaning = "unit of its values"},
    {.key = NULL}};
static const struct wtl_noun parameter = {"pose parameter", of_parameter};

static const struct wtl_member of_frame[] = {
    {"parameter", WTL_MEMBER_OBJECT, .nullable = true, .get = parameter_of,
     WTL_VIA(struct document, study), .of = &parameter,
     .meaning = "parameter of the candidates: `name`, `unit` (text or null)"},
    {"systems", WTL_MEMBER_LIST, .get = if_systems, .next = next_machine, .of = &machine_noun,
     .when = "`--system` with `codes`", .meaning = "each machine under each metric, below"},
    {"codes", WTL_MEMBER_LIST, .get = if_several, .next = next_code, .of = &code_noun,
     .when = "several codes, machines or metrics",
     .meaning = "each code under each metric: the fields above"},
    {.key = NULL}};
static const struct wtl_noun frame = {"pose frame", of_frame};

static const struct wtl_member of_document[] = {
    {"", WTL_PART_OF(struct document, one, code_noun), .when = "one code under one metric"},
    {"", WTL_MEMBER_PART, .get = wtl_get_here, .of = &frame},
    {.key = NULL}};
const struct wtl_noun wtl_noun_pose = {"pose", of_document};

struct row {
    const char *kind;
    const struct code *at, *code, *machine; /* NULL: another kind */
    const struct candidate *candidate;
};

static const struct wtl_member of_row[] = {
    {"kind", WTL_TEXT_AT(struct row, kind), .csv = 1},
    {"group", WTL_TEXT_AT(struct code, group), WTL_VIA(struct row, at), .csv = 3},
    {"metric", WTL_TEXT_AT(struct code, metric), WTL_VIA(struct row, at), .csv = 4},
    {"", WTL_PART_OF(struct row, code, code_noun)},
    {"", WTL_PART_OF(struct row, candidate, candidate_noun)},
    {"", WTL_PART_OF(struct row, machine, machine_noun)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_pose_row = {"pose row", of_row};
/* NOLINTEND(bugprone-macro-parentheses) */

int wtl_csv_pose(FILE *out, const struct wtl_pose_study *study)
{
    const struct document document = {.study = study};
    struct wtl_row_writer sheet;
    struct wtl_value item;
    size_t columns = wtl_noun_csv_begin(&sheet, out, "pose", &wtl_noun_pose_row);
    sheet.digits = 10;
    for (size_t cursor = 0; next_code(&document, &cursor, &item);)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_pose_row,
                         &(struct row){"code", item.noun, item.noun, NULL, NULL});
    for (size_t i = 0; study->subject_count > 0 && i < study->candidate_count; i++) {
        for (size_t m = 0; m < study->metric_count; m++) {
            const struct code code = code_of(study, 0, m);
            size_t cursor = i;
            (void)next_candidate(&code, &cursor, &item);
            wtl_noun_csv_row(&sheet, columns, &wtl_noun_pose_row,
                             &(struct row){"candidate", &code, NULL, NULL, item.noun});
        }
    }
    for (size_t cursor = 0; next_machine(&document, &cursor, &item);)
        wtl_noun_csv_row(&sheet, columns, &wtl_noun_pose_row,
                         &(struct row){"system", item.noun, NULL, item.noun, NULL});
    wtl_row_writer_end(&sheet);
    return 0;
}

static bool is_several(const struct wtl_pose_study *study)
{
    return study->metric_count > 1 || study->subject_count > 1 || study->system_count > 1;
}

static json_t *document_of(const struct wtl_pose_study *study, bool without_codes)
{
    struct document document = {.study = study, .without_codes = without_codes};
    struct code one;
    if (!is_several(study)) {
        one = study->subject_count == 1 ? code_of(study, 0, 0) : machine_of(study, 0, 0);
        document.one = &one;
    }
    return wtl_noun_document("wattle.pose/1", &wtl_noun_pose, &document);
}

json_t *wtl_pose_document(const struct wtl_pose_study *study)
{
    return document_of(study, false);
}

/* A value, without a line break after it. */
static int dump(FILE *out, json_t *value)
{
    return wtl_json_write(out, value, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
}

/* Each code is created, printed and freed in turn, since there may be many. */
int wtl_json_pose(FILE *out, const struct wtl_pose_study *study)
{
    const struct document all = {.study = study};
    json_t *document = document_of(study, true), *value;
    const char *key;
    struct wtl_value code;
    int rc = document ? 0 : -ENOMEM;
    if (!is_several(study))
        return wtl_json_print(out, document);
    (void)fputs("{\n", out);
    json_object_foreach(document, key, value)
    {
        (void)fprintf(out, "\"%s\": ", key);
        (void)dump(out, value);
        (void)fputs(",\n", out);
    }
    json_decref(document);
    (void)fputs("\"codes\": [", out);
    for (size_t cursor = 0; rc == 0 && next_code(&all, &cursor, &code);) {
        json_t *one = wtl_noun_json(&code_noun, code.noun);
        (void)fputs(cursor > 1 ? ",\n" : "\n", out);
        rc = dump(out, one);
        json_decref(one);
    }
    (void)fputs("]\n}\n", out);
    return rc;
}
