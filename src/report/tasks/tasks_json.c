/* SPDX-License-Identifier: BSD-3-Clause */
/* The document "wattle.tasks/1", and its types as CSV. Every field is always there. */
#include <errno.h>
#include <math.h>

#include "base/code/code_place.h"
#include "base/fail.h"
#include "base/flush.h"
#include "model/flag.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"
#include "report/tasks/tasks_report.h"

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

const char *const wtl_task_source_names[] = {"fitted", "calibrated", "given", "in the tasks", NULL};
static const char *const by_names[] = {"task", "region", NULL};

double wtl_tasks_unexplained_j(const struct wtl_task_study *study)
{
    return study->model.measured_j - study->model.modelled_j.value;
}

static const struct wtl_task_study *study_of(const void *of)
{
    return of;
}

static const struct wtl_task_model *model_of(const void *of)
{
    return &study_of(of)->model;
}

/* A row of a table, with what it is in. */
struct row {
    const struct wtl_task_study *study;
    size_t at;
};

static const struct row *row_of(const void *of)
{
    return of;
}

static bool next_row(const void *of, size_t *cursor, size_t count, struct wtl_value *ret)
{
    struct row row = {.study = study_of(of), .at = *cursor};
    if (*cursor >= count)
        return false;
    ++*cursor;
    wtl_value_copy(ret, &row, sizeof row);
    return true;
}

/* ---- types ---- */

static const struct wtl_task_cost *cost_of(const void *of)
{
    return &model_of(row_of(of)->study)->types[row_of(of)->at];
}

WTL_MEMBER_GET(type_name)
{
    wtl_value_text(ret, cost_of(of)->name);
}
WTL_MEMBER_GET(type_kind)
{
    wtl_value_text(ret, wtl_activity_kind_name(cost_of(of)->kind));
}
WTL_MEMBER_GET(type_count)
{
    wtl_value_count(ret, cost_of(of)->count);
}
WTL_MEMBER_GET(type_flag)
{
    wtl_value_text(ret, wtl_code_place_is_merged(cost_of(of)->name) ? WTL_FLAG_MERGED_TYPES : NULL);
}
WTL_MEMBER_GET(type_group)
{
    wtl_value_integer(ret, cost_of(of)->group + 1, cost_of(of)->group >= 0);
}
/* One of the numbers of a type, at the offset of the member. */
WTL_MEMBER_GET(type_number)
{
    wtl_value_number(ret, *(const double *)((const char *)cost_of(of) + member->offset));
}
WTL_MEMBER_GET(type_share)
{
    wtl_value_number(ret, cost_of(of)->energy_j.value / model_of(row_of(of)->study)->measured_j);
}

#define TYPE_NUMBER(field)                                   \
    WTL_MEMBER_NUMBER, .nullable = true, .get = type_number, \
                       .offset = offsetof(struct wtl_task_cost, field)

static const struct wtl_member of_type[] = {
    {"type", WTL_MEMBER_TEXT, .get = type_name, .csv = 1, .meaning = "name"},
    {"kind", WTL_MEMBER_TEXT, .get = type_kind, .csv = 2,
     .meaning = "task, region, or a state such as MPI"},
    {"count", WTL_MEMBER_INTEGER, .get = type_count, .csv = 3, .meaning = "how many there were"},
    {"time_s", TYPE_NUMBER(time_s), .csv = 4, .meaning = "summed over cores, while power is known"},
    {"power_w", TYPE_NUMBER(power_w.value), .csv = 5,
     .meaning = "of one core that runs it, beyond the platform's; null: unknown, as for each type "
                "of a `group`"},
    {"power_low_w", TYPE_NUMBER(power_w.low), .csv = 6, .meaning = "95 % interval; null: unknown"},
    {"power_high_w", TYPE_NUMBER(power_w.high), .csv = 7, .meaning = "likewise"},
    {"energy_j", TYPE_NUMBER(energy_j.value), .csv = 8,
     .meaning = "likewise, of all of its time; null likewise"},
    {"energy_low_j", TYPE_NUMBER(energy_j.low), .csv = 9,
     .meaning = "95 % interval; null: unknown"},
    {"energy_high_j", TYPE_NUMBER(energy_j.high), .csv = 10, .meaning = "likewise"},
    {"share", WTL_MEMBER_NUMBER, .nullable = true, .get = type_share, .csv = 11,
     .meaning = "of the measured energy: 0.2 = 20 %"},
    {"group", WTL_MEMBER_INTEGER, .nullable = true, .get = type_group, .csv = 12,
     .meaning =
         "number of the group of types that cannot be told apart: only the group's energy is "
         "known; null: the type is determined on its own"},
    {"sampled_j", TYPE_NUMBER(alea_j), .csv = 13,
     .meaning = "the energy by statistical sampling (ALEA), to compare"},
    {"sampled_s", TYPE_NUMBER(alea_s), .csv = 14, .meaning = "likewise, its time"},
    {"flag", WTL_MEMBER_TEXT, .nullable = true, .get = type_flag, .csv = 15,
     .meaning = "MERGED TYPES: energy and count are those of several constructs; null: none"},
    {.key = NULL}};
static const struct wtl_noun type_noun = {"task type", of_type};
const struct wtl_noun wtl_noun_tasks_row = {"tasks row", of_type};

static bool next_type(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_row(of, cursor, model_of(of)->type_count, ret);
}

/* ---- groups ---- */

static bool next_group_type(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_task_model *model = model_of(row_of(of)->study);
    while (*cursor < model->type_count && model->types[*cursor].group != (int)row_of(of)->at)
        ++*cursor;
    if (*cursor >= model->type_count)
        return false;
    wtl_value_text(ret, model->types[(*cursor)++].name);
    return true;
}

WTL_MEMBER_GET(group_number)
{
    wtl_value_count(ret, row_of(of)->at + 1);
}
WTL_MEMBER_GET(group_exact)
{
    wtl_value_bool(ret, model_of(row_of(of)->study)->groups[row_of(of)->at].exact);
}
WTL_MEMBER_GET(group_energy)
{
    const struct wtl_task_group *group = &model_of(row_of(of)->study)->groups[row_of(of)->at];
    wtl_value_number(ret, *(const double *)((const char *)group + member->offset));
}
#define GROUP_NUMBER(field)                                   \
    WTL_MEMBER_NUMBER, .nullable = true, .get = group_energy, \
                       .offset = offsetof(struct wtl_task_group, field)

static const struct wtl_member of_group[] = {
    {"group", WTL_MEMBER_INTEGER, .get = group_number, .meaning = "its number, from 1"},
    {"types", WTL_MEMBER_LIST, .next = next_group_type, .meaning = "their names"},
    {"exact", WTL_MEMBER_BOOLEAN, .get = group_exact,
     .meaning = "no reading tells them apart; false: the noise of the readings hides it"},
    {"energy_j", GROUP_NUMBER(energy_j.value), .meaning = "of all of them"},
    {"energy_low_j", GROUP_NUMBER(energy_j.low), .meaning = "95 % interval; null: unknown"},
    {"energy_high_j", GROUP_NUMBER(energy_j.high), .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun group_noun = {"group of task types", of_group};

static bool next_group(const void *of, size_t *cursor, struct wtl_value *ret)
{
    return next_row(of, cursor, model_of(of)->group_count, ret);
}

/* ---- channels ---- */

#define CHANNEL(kind, field) kind(struct wtl_task_channel, field)

WTL_MEMBER_GET(channel_idle)
{
    wtl_value_number(ret, ((const struct wtl_task_channel *)of)->fit.x[WTL_TASK_IDLE]);
}
WTL_MEMBER_GET(channel_static)
{
    const struct wtl_task_channel *ch = of;
    wtl_value_number(ret, ch->statics.source == WTL_TASK_NONE ? (double)NAN
                                                              : ch->fit.x[WTL_TASK_STATIC]);
}
WTL_MEMBER_GET(channel_quality)
{
    wtl_value_text(ret, wattle_quality_name(((const struct wtl_task_channel *)of)->quality));
}
WTL_MEMBER_GET(channel_source)
{
    const struct wtl_task_channel *ch = of;
    wtl_value_text(ret,
                   wtl_task_source_names[member->offset ? ch->statics.source : ch->idle.source]);
}

static const struct wtl_member of_channel[] = {
    {"channel", CHANNEL(WTL_CHARS_AT, name), .meaning = "its name"},
    {"quality", WTL_MEMBER_TEXT, .get = channel_quality,
     .meaning = "measured, derived or estimated"},
    {"readings", CHANNEL(WTL_SIZE_AT, equations), .meaning = "equations"},
    {"unknowns", CHANNEL(WTL_SIZE_AT, unknowns), .meaning = "powers that they determine"},
    {"known_s", CHANNEL(WTL_NUMBER_AT, known_s), .meaning = "time of the readings: T_tot"},
    {"idle_s", CHANNEL(WTL_NUMBER_AT, idle_s),
     .meaning = "part of it in which no task runs: T_idle"},
    {"idle_w", WTL_MEMBER_NUMBER, .get = channel_idle, .meaning = "power of the idle machine: P_Y"},
    {"idle_source", WTL_MEMBER_TEXT, .get = channel_source,
     .meaning = "fitted, calibrated or given"},
    {"static_w", WTL_MEMBER_NUMBER, .nullable = true, .get = channel_static,
     .meaning =
         "what the machine takes more as soon as any task runs: P_S; null: it cannot be told "
         "from the tasks"},
    {"static_source", WTL_MEMBER_TEXT, .get = channel_source, .offset = 1,
     .meaning = "likewise; or in the tasks: it cannot be told from them"},
    {"line_w", CHANNEL(WTL_NUMBER_OR_NULL, line[0].value),
     .meaning = "alpha of P(c) = alpha + beta c, through the readings with c active tasks; null: c "
                "does not vary"},
    {"line_per_task_w", CHANNEL(WTL_NUMBER_OR_NULL, line[1].value), .unit = "W", .meaning = "beta"},
    {"modelled_j", CHANNEL(WTL_NUMBER_AT, energy.modelled_j), .meaning = "E_mod"},
    {"measured_j", CHANNEL(WTL_NUMBER_AT, energy.measured_j), .meaning = "E_mes"},
    {"modelled_tasks_j", CHANNEL(WTL_NUMBER_AT, energy.modelled_tasks_j), .meaning = "E_mod_D"},
    {"measured_tasks_j", CHANNEL(WTL_NUMBER_AT, energy.measured_tasks_j),
     .meaning = "E_mes_D, without P_S while nothing runs"},
    {"printed_tasks_j", CHANNEL(WTL_NUMBER_AT, energy.printed_tasks_j),
     .meaning = "E_mes_D as the authors of the model print it, with P_S all the time"},
    {"error", CHANNEL(WTL_NUMBER_OR_NULL, energy.error), .meaning = "|E_mes - E_mod| / E_mes"},
    {"error_tasks", CHANNEL(WTL_NUMBER_OR_NULL, energy.error_tasks),
     .meaning = "|E_mes_D - E_mod_D| / E_mes_D"},
    {"explained", CHANNEL(WTL_NUMBER_OR_NULL, explained),
     .meaning = "part of the variance of its power"},
    {"autocorrelation", CHANNEL(WTL_NUMBER_OR_NULL, autocorrelation),
     .meaning = "of neighbouring residuals"},
    {"heat_t", CHANNEL(WTL_NUMBER_AT, heat_t), .unit = "",
     .meaning = "t value of power that follows earlier activity; beyond 4 it is in the model"},
    {"crowd_t", CHANNEL(WTL_NUMBER_AT, crowd_t), .unit = "",
     .meaning = "t value of task power that depends on how many run; likewise"},
    {.key = NULL}};
static const struct wtl_noun channel_noun = {"task channel", of_channel};

static bool next_channel(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_task_model *model = model_of(of);
    return wtl_next_struct(ret, cursor, model->channels, model->channel_count,
                           sizeof *model->channels);
}

/* ---- workers, active tasks ---- */

static const struct wtl_member of_worker[] = {
    {"worker", WTL_CHARS_AT(struct wtl_task_worker, name), .meaning = "a core, or a thread"},
    {"socket", WTL_INT_OR_NULL(struct wtl_task_worker, socket), .meaning = "null: unknown"},
    {"busy_s", WTL_NUMBER_AT(struct wtl_task_worker, busy_s),
     .meaning = "time in tasks and states"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_task_worker, energy_j),
     .meaning = "of its tasks: the energy of each type by time; null: unknown, as where it ran "
                "types that cannot be told apart in another ratio than other workers"},
    {.key = NULL}};
static const struct wtl_noun worker_noun = {"task worker", of_worker};

static bool next_worker(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_task_study *study = study_of(of);
    return wtl_next_struct(ret, cursor, study->workers, study->worker_count,
                           sizeof *study->workers);
}

static const struct wtl_task_crowd *crowd_of(const void *of)
{
    return &model_of(row_of(of)->study)->crowds_of[row_of(of)->at];
}
WTL_MEMBER_GET(crowd_active)
{
    wtl_value_count(ret, row_of(of)->at);
}
WTL_MEMBER_GET(crowd_seconds)
{
    wtl_value_number(ret, crowd_of(of)->seconds);
}
WTL_MEMBER_GET(crowd_power)
{
    wtl_value_number(ret, crowd_of(of)->seconds > 0 ? crowd_of(of)->power_w : (double)NAN);
}

struct task_power {
    const char *name;
    double power_w, time_s;
};
static const struct wtl_member of_power[] = {
    {"type", WTL_TEXT_AT(struct task_power, name), .meaning = "its name"},
    {"power_w", WTL_NUMBER_AT(struct task_power, power_w),
     .meaning = "of one task of it while so many are active; what the model leaves unexplained is "
                "shared equally"},
    {"time_s", WTL_NUMBER_AT(struct task_power, time_s), .meaning = "of its tasks"},
    {.key = NULL}};
static const struct wtl_noun power_noun = {"task power", of_power};

static bool next_power(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_task_model *model = model_of(row_of(of)->study);
    const struct wtl_task_crowd *crowd = crowd_of(of);
    while (*cursor < model->type_count && isnan(crowd->task_w[*cursor]))
        ++*cursor;
    if (*cursor >= model->type_count)
        return false;
    const struct task_power power = {model->types[*cursor].name, crowd->task_w[*cursor],
                                     crowd->task_s[*cursor]};
    ++*cursor;
    wtl_value_copy(ret, &power, sizeof power);
    return true;
}

static const struct wtl_member of_crowd[] = {
    {"active", WTL_MEMBER_INTEGER, .get = crowd_active, .meaning = "tasks, rounded"},
    {"time_s", WTL_MEMBER_NUMBER, .get = crowd_seconds, .meaning = "in which so many are"},
    {"power_w", WTL_MEMBER_NUMBER, .nullable = true, .get = crowd_power,
     .meaning = "measured then"},
    {"types", WTL_MEMBER_LIST, .next = next_power, .of = &power_noun, .meaning = "below"},
    {.key = NULL}};
static const struct wtl_noun crowd_noun = {"active tasks", of_crowd};

static bool next_crowd(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_task_model *model = model_of(of);
    while (*cursor < model->crowd_count && !(model->crowds_of[*cursor].seconds > 0))
        ++*cursor;
    return next_row(of, cursor, model->crowd_count, ret);
}

/* ---- the document ---- */

static const struct wtl_member of_flag[] = {
    {"name", WTL_CHARS_AT(struct wtl_result_flag, name), .meaning = "such as LAG"},
    {"text", WTL_CHARS_AT(struct wtl_result_flag, text), .meaning = "a sentence"},
    {.key = NULL}};
static const struct wtl_noun flag_noun = {"task flag", of_flag};

static bool next_flag(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_task_study *study = study_of(of);
    return wtl_next_struct(ret, cursor, study->flags, study->flag_count, sizeof *study->flags);
}

WTL_MEMBER_GET(unexplained)
{
    wtl_value_number(ret, wtl_tasks_unexplained_j(study_of(of)));
}
WTL_MEMBER_GET(quality)
{
    wtl_value_text(ret, wtl_result_quality_word(&study_of(of)->result));
}
WTL_MEMBER_GET(is_simulated)
{
    wtl_value_bool(ret, wtl_result_is_simulated(&study_of(of)->result));
}
WTL_MEMBER_GET(energy_error)
{
    wtl_value_number(ret, fabs(wtl_tasks_unexplained_j(study_of(of))) / model_of(of)->measured_j);
}

#define STUDY(kind, field) kind(struct wtl_task_study, field)
#define JOULES(key_, field, what)                                                          \
    {key_ "_j", STUDY(WTL_NUMBER_OR_NULL, field.value), .meaning = what},                  \
        {key_ "_low_j", STUDY(WTL_NUMBER_OR_NULL, field.low), .meaning = "95 % interval"}, \
    {                                                                                      \
        key_ "_high_j", STUDY(WTL_NUMBER_OR_NULL, field.high), .meaning = "likewise"       \
    }

static const struct wtl_member of_tasks[] = {
    {"trace", STUDY(WTL_TEXT_AT, result.trace), .meaning = "the run"},
    {"command", STUDY(WTL_TEXT_OR_NULL, result.command), .meaning = "what ran"},
    {"by", WTL_WORD_AT(struct wtl_task_study, request.by, by_names), .meaning = "task or region"},
    {"method", WTL_WORD_AT(struct wtl_task_study, model.method, wtl_task_method_names),
     .meaning = "nnls, ols or paper"},
    {"quality", WTL_MEMBER_TEXT, .get = quality, .meaning = "of the power"},
    {"simulated", WTL_MEMBER_BOOLEAN, .get = is_simulated, .meaning = "of a simulated node"},
    {"measured_j", STUDY(WTL_NUMBER_AT, model.measured_j), .meaning = "energy of all readings"},
    JOULES("idle", model.idle_j, "of the idle machine: P_Y T_tot"),
    JOULES("static",
           model.static_j,
           "P_S T_busy; null: it cannot be told from the tasks and is in their energy"),
    JOULES("heat", model.heat_j, "what follows from earlier activity; 0: nothing does"),
    JOULES("tasks", model.tasks_j, "of all types"),
    JOULES("modelled", model.modelled_j, "sum of these"),
    {"unexplained_j", WTL_MEMBER_NUMBER, .get = unexplained, .meaning = "measured less modelled"},
    {"error", WTL_MEMBER_NUMBER, .get = energy_error, .meaning = "its part of the measured energy"},
    {"outside_j", STUDY(WTL_NUMBER_OR_NULL, outside_j),
     .meaning = "energy of the run that is in no reading: before the first, after the last, around "
                "gaps"},
    {"blocks", STUDY(WTL_SIZE_AT, model.blocks),
     .meaning = "of time, that the intervals come from"},
    {"types", WTL_MEMBER_LIST, .next = next_type, .of = &type_noun,
     .meaning = "the most time first; below"},
    {"groups", WTL_MEMBER_LIST, .next = next_group, .of = &group_noun,
     .meaning = "types that cannot be told apart; below"},
    {"channels", WTL_MEMBER_LIST, .next = next_channel, .of = &channel_noun, .meaning = "below"},
    {"workers", WTL_MEMBER_LIST, .next = next_worker, .of = &worker_noun,
     .meaning = "cores, or threads; below"},
    {"active", WTL_MEMBER_LIST, .next = next_crowd, .of = &crowd_noun,
     .meaning = "by number of active tasks; below"},
    {"flags", WTL_MEMBER_LIST, .next = next_flag, .of = &flag_noun,
     .meaning = "reasons to doubt it; below"},
    {.key = NULL}};
/* NOLINTEND(bugprone-macro-parentheses) */
const struct wtl_noun wtl_noun_tasks = {"energy of tasks", of_tasks};

static void print_csv(FILE *out, const struct wtl_task_study *study)
{
    struct wtl_row_writer sheet;
    size_t count = wtl_noun_csv_begin(&sheet, out, "wattle.tasks/1", &wtl_noun_tasks_row);
    for (size_t i = 0; i < study->model.type_count; i++) {
        const struct row row = {.study = study, .at = i};
        wtl_noun_csv_row(&sheet, count, &wtl_noun_tasks_row, &row);
    }
    wtl_row_writer_end(&sheet);
}

int wtl_report_tasks(FILE *out,
                     enum wtl_format format,
                     const struct wtl_task_study *study,
                     const struct wtl_tasks_view *view,
                     const struct wtl_style *style,
                     struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = wtl_text_tasks(out, study, view, style);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_noun_document("wattle.tasks/1", &wtl_noun_tasks, study));
    else
        print_csv(out, study);
    if (rc == -ENOMEM)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}
