/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks cost as text: the types, what the platform takes, what is not explained, and how far to trust it. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "model/quality.h"
#include "report/digits.h"
#include "report/table.h"
#include "report/tasks/tasks_report.h"

/* Interval from 0 to so many times the value. */
static const double unknown_least = 3;

enum { CELL = 96, NOTE = 900, ACTIVE_TYPES = 6 };

/* An interval that holds next to anything is no finding: the number is not shown, what it is at most is. */
static bool is_unknown(const struct wtl_task_value *v)
{
    return isfinite(v->high) && v->low <= 0 && v->high > unknown_least * fabs(v->value) &&
           v->high > 0;
}

static const char *with_interval(char *buf, const struct wtl_task_value *v)
{
    char most[32];
    if (isnan(v->value))
        return "";
    if (is_unknown(v)) {
        (void)wtl_digits_short(most, sizeof most, v->high);
        (void)snprintf(buf, CELL, "? (at most %s)", most);
        return buf;
    }
    double half = (v->high - v->low) / 2;
    if (!isfinite(half))
        return wtl_digits_value(buf, CELL, v->value, 0.005 * fabs(v->value));
    double lower = v->value - v->low, upper = v->high - v->value;
    if (lower > 2 * upper || upper > 2 * lower)
        return wtl_digits_range(buf, CELL, v->value, v->low, v->high);
    return wtl_digits_interval(buf, CELL, v->value, half);
}

static const char *share(char *buf, double part, double whole)
{
    (void)snprintf(buf, CELL, "%.1f %%", 100 * part / whole);
    return buf;
}

static void cell(char *buf,
                 const char *(*write)(char *, const struct wtl_task_value *),
                 const struct wtl_task_value *v)
{
    char room[CELL];
    (void)snprintf(buf, CELL, "%s", write(room, v));
}

/* ---- types ---- */

/* A core takes no more than the machine: such a bound, of a type that ran for a moment, says nothing. */
static void power_cell(char *buf,
                       const struct wtl_task_model *model,
                       const struct wtl_task_value *v)
{
    double machine_w = 0;
    for (size_t c = 0; c < model->channel_count; c++)
        machine_w += model->channels[c].mean_w;
    if (is_unknown(v) && v->high > machine_w)
        (void)snprintf(buf, CELL, "?");
    else
        cell(buf, with_interval, v);
}

static void add_type(struct wtl_table *table,
                     const struct wtl_task_model *model,
                     const struct wtl_task_cost *type)
{
    char name[CELL + 64], count[CELL], time[CELL], power[CELL], energy[CELL], part[CELL],
        sampled[CELL];
    bool hidden = type->group >= 0;
    (void)snprintf(name, sizeof name, "%s%s", hidden ? "  " : "", type->name);
    (void)snprintf(count, sizeof count, "%llu", (unsigned long long)type->count);
    (void)wtl_digits_short(time, sizeof time, type->time_s);
    power_cell(power, model, &type->power_w);
    cell(energy, with_interval, &type->energy_j);
    (void)share(part, type->energy_j.value, model->measured_j);
    (void)wtl_digits_short(sampled, sizeof sampled, type->alea_j);
    const char *cells[] = {
        name, count, time, hidden ? "" : power, hidden ? "" : energy, hidden ? "" : part, sampled};
    wtl_table_row(table, WTL_PLAIN, cells);
}

/* What cannot be told apart, as a row of its own above its types. */
static void add_group(struct wtl_table *table, const struct wtl_task_model *model, int group)
{
    char name[CELL], energy[CELL], part[CELL], time[CELL];
    const struct wtl_task_group *g = &model->groups[group];
    double seconds = 0;
    for (size_t t = 0; t < model->type_count; t++)
        seconds += model->types[t].group == group ? model->types[t].time_s : 0;
    (void)snprintf(name, sizeof name, "%zu types that cannot be told apart:", g->types);
    cell(energy, with_interval, &g->energy_j);
    const char *cells[] = {name, "",     wtl_digits_short(time, sizeof time, seconds),
                           "",   energy, share(part, g->energy_j.value, model->measured_j),
                           ""};
    wtl_table_row(table, WTL_CAUTION, cells);
    for (size_t t = 0; t < model->type_count; t++)
        if (model->types[t].group == group)
            add_type(table, model, &model->types[t]);
}

static void add_sum(struct wtl_table *table,
                    const struct wtl_task_model *model,
                    const char *name,
                    double power_w,
                    const struct wtl_task_value *energy_j)
{
    char power[CELL] = "", energy[CELL], part[CELL];
    if (!isnan(power_w))
        (void)wtl_digits_value(power, sizeof power, power_w, 0.0005 * power_w);
    cell(energy, with_interval, energy_j);
    const char *cells[] = {
        name, "", "", power, energy, share(part, energy_j->value, model->measured_j), ""};
    wtl_table_row(table, WTL_PLAIN, cells);
}

static double platform_w(const struct wtl_task_model *model, size_t term)
{
    double watts = 0;
    for (size_t c = 0; c < model->channel_count; c++)
        watts += model->channels[c].fit.x[term];
    return watts;
}

static int print_types(FILE *out, const struct wtl_task_study *study, const struct wtl_style *style)
{
    static const struct wtl_column columns[] = {
        {"type", false},      {"count", true}, {"time [s]", true},   {"power [W]", true},
        {"energy [J]", true}, {"share", true}, {"sampled [J]", true}};
    const struct wtl_task_model *model = &study->model;
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    bool shown[WTL_TASK_MODELLED] = {false};
    wtl_table_spare(table, 6, 1);
    wtl_table_spare(table, 1, 2);
    for (size_t t = 0; t < model->type_count; t++) {
        int group = model->types[t].group;
        if (group < 0)
            add_type(table, model, &model->types[t]);
        else if (!shown[group])
            add_group(table, model, group);
        if (group >= 0)
            shown[group] = true;
    }
    wtl_table_rule(table);
    add_sum(table, model, "idle machine", platform_w(model, WTL_TASK_IDLE), &model->idle_j);
    if (fabs(model->static_j.value) > 0)
        add_sum(table, model, "while tasks run", platform_w(model, WTL_TASK_STATIC),
                &model->static_j);
    if (model->heat_j.value != 0)
        add_sum(table, model, "heat", (double)NAN, &model->heat_j);
    const struct wtl_task_value rest = {wtl_tasks_unexplained_j(study), NAN, NAN};
    add_sum(table, model, "not explained", (double)NAN, &rest);
    wtl_table_rule(table);
    const struct wtl_task_value all = {model->measured_j, NAN, NAN};
    add_sum(table, model, wtl_result_quality_word(&study->result), (double)NAN, &all);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* Instead of the types, if nothing is known about any of them. */
static void print_total(FILE *out,
                        const struct wtl_task_study *study,
                        const struct wtl_style *style)
{
    char text[NOTE], joules[CELL];
    (void)wtl_digits_value(joules, sizeof joules, study->model.measured_j,
                           0.0005 * study->model.measured_j);
    const char *what = study->request.by == WTL_BY_REGION ? "regions" : "tasks";
    size_t used = (size_t)snprintf(text, sizeof text, "The energy of all readings is %s J (%s); ",
                                   joules, wtl_result_quality_word(&study->result));
    if (study->too_few)
        (void)snprintf(text + used, sizeof text - used,
                       "there are too few of them to say what any of the %s took: sample more "
                       "often, or record a longer run.",
                       what);
    else
        (void)snprintf(text + used, sizeof text - used,
                       "its power does not follow the %s, so what any of them took is unknown.",
                       what);
    wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_INDENT, "", text);
}

/* ---- tables on request ---- */

static int print_workers(FILE *out,
                         const struct wtl_task_study *study,
                         const struct wtl_style *style)
{
    static const struct wtl_column columns[] = {
        {"worker", false}, {"busy [s]", true}, {"energy [J]", true}, {"power [W]", true}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < study->worker_count; i++) {
        const struct wtl_task_worker *worker = &study->workers[i];
        char busy[CELL], energy[CELL], power[CELL];
        const char *cells[] = {
            worker->name, wtl_digits_short(busy, sizeof busy, worker->busy_s),
            wtl_digits_value(energy, sizeof energy, worker->energy_j,
                             0.005 * fabs(worker->energy_j)),
            wtl_digits_short(power, sizeof power, worker->energy_j / worker->busy_s)};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* Power of a task by the number of active ones, for the types with most time. */
static int print_active(FILE *out,
                        const struct wtl_task_study *study,
                        const struct wtl_style *style)
{
    const struct wtl_task_model *model = &study->model;
    size_t types = model->type_count < ACTIVE_TYPES ? model->type_count : ACTIVE_TYPES;
    struct wtl_column columns[3 + ACTIVE_TYPES] = {
        {"active", true}, {"time [s]", true}, {"power [W]", true}};
    for (size_t t = 0; t < types; t++)
        columns[3 + t] = (struct wtl_column){model->types[t].name, true};
    struct wtl_table *table = wtl_table_create(columns, 3 + types);
    for (size_t c = 0; c < model->crowd_count; c++) {
        const struct wtl_task_crowd *crowd = &model->crowds_of[c];
        char texts[3 + ACTIVE_TYPES][CELL];
        const char *cells[3 + ACTIVE_TYPES];
        if (!(crowd->seconds > 0))
            continue;
        (void)snprintf(texts[0], CELL, "%zu", c);
        (void)wtl_digits_short(texts[1], CELL, crowd->seconds);
        (void)wtl_digits_value(texts[2], CELL, crowd->power_w, 0.001 * fabs(crowd->power_w));
        for (size_t t = 0; t < types; t++) {
            texts[3 + t][0] = '\0';
            if (!isnan(crowd->task_w[t]))
                (void)wtl_digits_short(texts[3 + t], CELL, crowd->task_w[t]);
        }
        for (size_t i = 0; i < 3 + types; i++)
            cells[i] = texts[i];
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    (void)fputs("\n Power of one task, by the number of active ones:\n\n", out);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

/* ---- how it was found ---- */

static void describe_channel(FILE *out,
                             const struct wtl_task_channel *ch,
                             const struct wtl_style *style)
{
    char text[NOTE], line[CELL] = "";
    if (isfinite(ch->line[1].value))
        (void)snprintf(line, sizeof line, "; P(c) = %.2f + %.3f c W", ch->line[0].value,
                       ch->line[1].value);
    (void)snprintf(
        text, sizeof text,
        "P_Y %.2f W (%s), P_S %.2f W (%s)%s; E_mod %.6g J, E_mes %.6g J, error %.3f %%; of the "
        "tasks %.6g J, %.6g J, error %.3f %%; %zu readings for %zu powers, %.2f %% of the "
        "variance explained",
        ch->fit.x[WTL_TASK_IDLE], wtl_task_source_names[ch->idle.source],
        ch->fit.x[WTL_TASK_STATIC], wtl_task_source_names[ch->statics.source], line,
        ch->energy.modelled_j, ch->energy.measured_j, 100 * ch->energy.error,
        ch->energy.modelled_tasks_j, ch->energy.measured_tasks_j, 100 * ch->energy.error_tasks,
        ch->equations, ch->unknowns, 100 * ch->explained);
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "", text);
}

static void describe(FILE *out, const struct wtl_task_study *study, const struct wtl_style *style)
{
    for (size_t c = 0; c < study->model.channel_count; c++) {
        wtl_print_paragraph(out, style, WTL_FAINT, WTL_TEXT_LABEL, "channel",
                            study->model.channels[c].name);
        describe_channel(out, &study->model.channels[c], style);
    }
    for (size_t i = 0; i < study->flag_count; i++)
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, study->flags[i].name,
                            study->flags[i].text);
}

int wtl_text_tasks(FILE *out,
                   const struct wtl_task_study *study,
                   const struct wtl_tasks_view *view,
                   const struct wtl_style *style)
{
    wtl_print_sentence(out, " Energy of the %s of %s\n\n",
                       study->request.by == WTL_BY_REGION ? "regions" : "tasks",
                       study->result.command ? study->result.command : study->result.trace);
    int rc = study->only_total ? 0 : print_types(out, study, style);
    if (study->only_total)
        print_total(out, study, style);
    if (rc == 0 && view->workers)
        rc = print_workers(out, study, style);
    if (rc == 0 && view->active)
        rc = print_active(out, study, style);
    (void)fputc('\n', out);
    describe(out, study, style);
    return rc;
}
