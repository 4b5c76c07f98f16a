/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tasks/schedule_report.h"

#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/text/figures.h"
#include "report/json_value.h"
#include "report/table.h"

enum { CELL = 48, NOTE = 600 };

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

#define ROW(kind, field) kind(struct wtl_schedule_row, field)
static const struct wtl_member of_row[] = {
    {"policy", ROW(WTL_TEXT_AT, policy), .csv = 1,
     .meaning =
         "free: no cap; uniform: one speed for the whole run; aware: speeds follow what runs"},
    {"makespan_s", ROW(WTL_NUMBER_AT, result.makespan_s), .csv = 2, .meaning = "time of all tasks"},
    {"energy_j", ROW(WTL_NUMBER_AT, result.energy_j), .csv = 3, .meaning = "with the platform's"},
    {"peak_w", ROW(WTL_NUMBER_AT, result.peak_w), .csv = 4, .meaning = "highest power"},
    {"speed", ROW(WTL_NUMBER_AT, result.speed), .csv = 5, .meaning = "mean over running tasks"},
    {"cores", ROW(WTL_UNSIGNED_AT, result.cores), .csv = 6, .meaning = "that it may use"},
    {"over_bound", ROW(WTL_NUMBER_OR_NULL, over_bound), .csv = 7,
     .meaning = "makespan over the bound, less 1: 0.05 = 5 % above it; null: free"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_schedule_row = {"schedule row", of_row};
static const struct wtl_noun row_noun = {"schedule policy", of_row};

static bool next_row(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_schedule_plan *plan = of;
    return wtl_next_struct(ret, cursor, plan->rows, plan->row_count, sizeof *plan->rows);
}

#define PLAN(kind, field) kind(struct wtl_schedule_plan, field)
static const struct wtl_member of_plan[] = {
    {"trace", PLAN(WTL_TEXT_AT, trace), .meaning = "the run"},
    {"command", PLAN(WTL_TEXT_OR_NULL, command), .meaning = "what ran"},
    {"simulated", PLAN(WTL_BOOLEAN_AT, simulated),
     .meaning = "powers are those of a simulated node"},
    {"cap_w", PLAN(WTL_NUMBER_AT, node.cap_w), .meaning = "what the machine may take"},
    {"cores", PLAN(WTL_UNSIGNED_AT, node.cores), .meaning = "of the machine"},
    {"idle_w", PLAN(WTL_NUMBER_AT, node.idle_w), .meaning = "P_Y"},
    {"static_w", PLAN(WTL_NUMBER_AT, node.static_w), .meaning = "P_S"},
    {"exponent", PLAN(WTL_NUMBER_AT, node.exponent), .meaning = "of power over speed"},
    {"slowest", PLAN(WTL_NUMBER_AT, node.slowest), .meaning = "lowest speed; 1 = full"},
    {"tasks", PLAN(WTL_SIZE_AT, tasks), .meaning = "number"},
    {"dependences", PLAN(WTL_SIZE_AT, dependences), .meaning = "between them"},
    {"measured_s", PLAN(WTL_NUMBER_AT, measured_s),
     .meaning = "from the first task's begin to the last one's end, in the run"},
    {"policies", WTL_MEMBER_LIST, .next = next_row, .of = &row_noun, .meaning = "below"},
    {"path_s", PLAN(WTL_NUMBER_AT, bounds.path_s), .meaning = "bound: the longest path"},
    {"work_s", PLAN(WTL_NUMBER_AT, bounds.work_s), .meaning = "bound: all work on all cores"},
    {"power_s", PLAN(WTL_NUMBER_AT, bounds.power_s), .meaning = "bound: all work within the cap"},
    {"both_s", PLAN(WTL_NUMBER_AT, bounds.both_s), .meaning = "bound: work and power together"},
    {"bound_s", PLAN(WTL_NUMBER_AT, bounds.least_s),
     .meaning = "the largest of them: no schedule is shorter"},
    {.key = NULL}};
/* NOLINTEND(bugprone-macro-parentheses) */
const struct wtl_noun wtl_noun_schedule = {"schedule", of_plan};

/* ---- text ---- */

/* What is simulated is exact: four digits suffice to compare. */
static const char *short_text(char *buf, double value)
{
    (void)snprintf(buf, CELL, "%s", WTL_IN_FIGURES(value, 4));
    return buf;
}

static int print_rows(FILE *out,
                      const struct wtl_schedule_plan *plan,
                      const struct wtl_style *style)
{
    static const struct wtl_column columns[] = {
        {"policy", false},    {"time [s]", true}, {"energy [J]", true}, {"peak [W]", true},
        {"mean speed", true}, {"cores", true},    {"above bound", true}};
    static const char *const words[] = {"no cap", "uniform slowing", "power-aware"};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    char time[CELL], energy[CELL], peak[CELL], speed[CELL], cores[CELL], above[CELL];
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct wtl_schedule_row *row = &plan->rows[i];
        (void)snprintf(speed, sizeof speed, "%.3f", row->result.speed);
        (void)snprintf(cores, sizeof cores, "%u", row->result.cores);
        above[0] = '\0';
        if (!isnan(row->over_bound))
            (void)snprintf(above, sizeof above, "%.1f %%", 100 * row->over_bound);
        const char *cells[] = {words[i],
                               short_text(time, row->result.makespan_s),
                               short_text(energy, row->result.energy_j),
                               short_text(peak, row->result.peak_w),
                               speed,
                               cores,
                               above};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    wtl_table_rule(table);
    const char *bound[] = {"bound", short_text(time, plan->bounds.least_s), "", "", "", "", ""};
    wtl_table_row(table, WTL_PLAIN, bound);
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    return rc;
}

static int print_text(FILE *out,
                      const struct wtl_schedule_plan *plan,
                      const struct wtl_style *style)
{
    const struct wtl_schedule_bounds *b = &plan->bounds;
    char text[NOTE];
    wtl_print_sentence(out, " Tasks of %s under a cap of %.6g W%s\n\n",
                       plan->command ? plan->command : plan->trace, plan->node.cap_w,
                       plan->simulated ? ", with the powers of a simulated node" : "");
    int rc = print_rows(out, plan, style);
    (void)snprintf(
        text, sizeof text,
        "%zu tasks, %zu dependences, on %u cores; the run took %.6g s. Idle %.2f W, %.2f W "
        "more while tasks run. A core at speed s (%s to 1) takes s^%s of its task's "
        "power, for 1/s of its time",
        plan->tasks, plan->dependences, plan->node.cores, plan->measured_s, plan->node.idle_w,
        plan->node.static_w, WTL_IN_FIGURES(plan->node.slowest, 3),
        WTL_IN_FIGURES(plan->node.exponent, 3));
    (void)fputc('\n', out);
    wtl_print_paragraph(out, style, WTL_FAINT, WTL_TEXT_LABEL, "model", text);
    (void)snprintf(text, sizeof text,
                   "longest path %.6g s; work %.6g s; power %.6g s; work and power %.6g s",
                   b->path_s, b->work_s, b->power_s, b->both_s);
    wtl_print_paragraph(out, style, WTL_FAINT, WTL_TEXT_LABEL, "bounds", text);
    if (plan->dependences == 0)
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, "NO DEPENDENCES",
                            "the trace has none: the tasks are scheduled as independent ones");
    return rc;
}

static void print_csv(FILE *out, const struct wtl_schedule_plan *plan)
{
    struct wtl_row_writer sheet;
    size_t count = wtl_noun_csv_begin(&sheet, out, "wattle.schedule/1", &wtl_noun_schedule_row);
    for (size_t i = 0; i < plan->row_count; i++)
        wtl_noun_csv_row(&sheet, count, &wtl_noun_schedule_row, &plan->rows[i]);
    wtl_row_writer_end(&sheet);
}

int wtl_report_schedule(FILE *out,
                        enum wtl_format format,
                        const struct wtl_schedule_plan *plan,
                        const struct wtl_style *style,
                        struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_TEXT)
        rc = print_text(out, plan, style);
    else if (format == WTL_FORMAT_JSON)
        rc = wtl_json_print(out, wtl_noun_document("wattle.schedule/1", &wtl_noun_schedule, plan));
    else
        print_csv(out, plan);
    return rc == -ENOMEM ? wtl_no_memory(err) : wtl_flush(out, err);
}
