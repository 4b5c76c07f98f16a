/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as text and JSON. A value that is unknown is said to be so: 0 means that nothing was counted. */
#include "report/result/counter_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/digits.h"
#include "report/result/run_nouns.h"
#include "report/table.h"

enum { CELL = 64, MOST_METRICS = 8 };

/* "1.23 G", "unknown". */
static const char *si(char *buf, size_t n, double value)
{
    if (isnan(value))
        (void)snprintf(buf, n, "unknown");
    else
        (void)wtl_digits_si(buf, n, value, (double)NAN);
    return buf;
}

static const char *unit_of(const struct wtl_counter_info *column)
{
    return column->channel ? wattle_quantity_unit(column->channel->quantity) : "";
}

static void join(char *buf, size_t n, double value, const char *unit, const char *per)
{
    char number[CELL];
    (void)si(number, sizeof number, value);
    size_t used = strlen(number);
    bool blank = used > 0 && number[used - 1] == ' ' && !unit[0];
    (void)snprintf(buf, n, "%.*s%s%s", (int)(used - blank), number, isnan(value) ? "" : unit,
                   isnan(value) ? "" : per);
}

static int print_columns(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_counter_table *table)
{
    static const struct wtl_column heads[] = {
        {"counter", false}, {"amount", true}, {"rate", true}, {"counted", true}};
    struct wtl_table *rows = wtl_table_create(heads, 4);
    wtl_table_spare(rows, 3, 1);
    for (size_t i = 0; i < table->set.column_count; i++) {
        const struct wtl_counter_info *column = &table->columns[i];
        char amount[CELL], rate[CELL] = "", share[24] = "";
        if (!column->channel)
            continue;
        bool gauge = column->channel->kind != WATTLE_COUNTER;
        join(amount, sizeof amount, column->amount, unit_of(column), "");
        if (gauge)
            (void)snprintf(rate, sizeof rate, "(mean)");
        else
            join(rate, sizeof rate, column->rate, unit_of(column), "/s");
        if (column->share < 1)
            (void)snprintf(share, sizeof share, "%.0f%%, scaled", 100 * column->share);
        wtl_table_row(rows, WTL_PLAIN, (const char *const[]){column->name, amount, rate, share});
    }
    int rc = wtl_table_print(rows, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(rows);
    return rc;
}

static bool is_missing(const struct wtl_counter_info *column)
{
    return !column->channel || column->why[0];
}

/* The missing ones, those with one reason together. */
static void print_missing(FILE *out,
                          const struct wtl_style *style,
                          const struct wtl_counter_table *table)
{
    bool told[WTL_COUNTER_COLUMNS] = {false};
    for (size_t i = 0; i < table->set.column_count; i++) {
        char text[1600] = "";
        size_t used = 0;
        if (!is_missing(&table->columns[i]) || told[i])
            continue;
        for (size_t k = i; k < table->set.column_count; k++) {
            const struct wtl_counter_info *column = &table->columns[k];
            if (!is_missing(column) || strcmp(column->why, table->columns[i].why) != 0)
                continue;
            told[k] = true;
            if (used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", k > i ? ", " : "",
                                         column->name);
        }
        if (used < sizeof text && table->columns[i].why[0])
            (void)snprintf(text + used, sizeof text - used, ": %s", table->columns[i].why);
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, "not counted", text);
    }
}

/* "unknown", "1.5", "~12 n". */
static const char *number_of(char *buf, size_t n, const struct wtl_counter_value *value)
{
    char number[CELL] = "unknown";
    if (!isnan(value->value))
        (void)wtl_digits_product(number, sizeof number, value->value, (double)NAN);
    size_t used = strlen(number);
    while (used > 0 && number[used - 1] == ' ')
        used--;
    (void)snprintf(buf, n, "%s%.*s", value->rough ? "~" : "", (int)used, number);
    return buf;
}

static int print_metrics(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_counter_table *table)
{
    static const struct wtl_column heads[] = {
        {"metric", false}, {"value", true}, {"unit", false}, {"formula", false}};
    struct wtl_table *rows = wtl_table_create(heads, 4);
    bool estimated = false;
    wtl_table_spare(rows, 3, 1);
    for (size_t i = 0; i < table->set.metric_count; i++) {
        const struct wtl_counter_value *value = &table->values[i];
        char number[CELL + 2];
        wtl_table_row(rows, WTL_PLAIN,
                      (const char *const[]){value->name, number_of(number, sizeof number, value),
                                            value->unit, value->formula});
        estimated = estimated || (value->estimated && !isnan(value->value));
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(rows, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(rows);
    if (estimated)
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, "ESTIMATED",
                            "metrics of energy: it is from a model, not a sensor");
    return rc;
}

/* The metrics that are known for the run, as many as fit. */
static size_t choose_metrics(const struct wtl_counter_table *table, size_t chosen[MOST_METRICS])
{
    size_t n = 0;
    for (size_t i = 0; i < table->set.metric_count && n < MOST_METRICS; i++) {
        if (!isnan(table->values[i].value))
            chosen[n++] = i;
    }
    return n;
}

static int print_regions(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_counter_table *table)
{
    struct wtl_column heads[MOST_METRICS + 2] = {{"region", false}, {"time", true}};
    char titles[MOST_METRICS][2 * WTL_COUNTER_NAME + 4];
    size_t chosen[MOST_METRICS], shown = choose_metrics(table, chosen);
    bool rough = false;
    if (shown == 0)
        return 0;
    for (size_t i = 0; i < shown; i++) {
        const struct wtl_counter_metric *metric = &table->set.metrics[chosen[i]];
        (void)snprintf(titles[i], sizeof titles[i], "%s%s%s%s", metric->name,
                       metric->unit[0] ? " [" : "", metric->unit, metric->unit[0] ? "]" : "");
        heads[i + 2] = (struct wtl_column){titles[i], true};
    }
    struct wtl_table *rows = wtl_table_create(heads, shown + 2);
    for (size_t i = 1; i < shown; i++)
        wtl_table_spare(rows, i + 2, (unsigned)(shown - i));
    for (size_t r = 0; r < table->row_count; r++) {
        const struct wtl_counter_row *row = &table->rows[r];
        char time[CELL], numbers[MOST_METRICS][CELL + 2];
        const char *cells[MOST_METRICS + 2] = {row->name[0] ? row->name : "(outside all)", time};
        (void)wtl_digits_time(time, sizeof time, row->time_s);
        for (size_t i = 0; i < shown; i++) {
            cells[i + 2] = number_of(numbers[i], sizeof numbers[i], &row->values[chosen[i]]);
            rough = rough || row->values[chosen[i]].rough;
        }
        wtl_table_row(rows, row->name[0] ? WTL_PLAIN : WTL_FAINT, cells);
    }
    (void)fputc('\n', out);
    int rc = wtl_table_print(rows, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(rows);
    if (rough)
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "~",
                            "rough: the samples of the counters are too far apart for the region; "
                            "a shorter --counters-interval helps");
    return rc;
}

int wtl_text_counters(FILE *out,
                      const struct wtl_style *style,
                      const struct wtl_counter_table *table)
{
    char text[256], every[CELL] = "";
    int rc = 0;
    if (table->damaged[0])
        wtl_print_paragraph(out, style, WTL_CAUTION, WTL_TEXT_LABEL, "! COUNTERS", table->damaged);
    if (table->set.column_count == 0)
        return 0;
    if (!isnan(table->interval_s))
        (void)wtl_digits_time(every, sizeof every, table->interval_s);
    (void)snprintf(text, sizeof text, "set \"%s\" of the %s%s%s", table->set.name,
                   table->scope && strcmp(table->scope, "tree") == 0 ? "process tree"
                   : table->scope                                    ? table->scope
                                                                     : "machine",
                   every[0] ? ", every " : "", every);
    wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "counters", text);
    rc = print_columns(out, style, table);
    print_missing(out, style, table);
    if (table->note && table->note[0])
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "note", table->note);
    if (rc == 0 && table->set.metric_count > 0)
        rc = print_metrics(out, style, table);
    if (rc == 0 && table->row_count > 0 && table->set.metric_count > 0)
        rc = print_regions(out, style, table);
    (void)fputc('\n', out);
    return rc;
}

/* ---- as nouns ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_counter_info *info_of(const void *of)
{
    return of;
}

WTL_MEMBER_GET(channel_of)
{
    wtl_value_text(ret, info_of(of)->channel ? info_of(of)->channel->name : NULL);
}

WTL_MEMBER_GET(column_unit)
{
    wtl_value_text(ret, info_of(of)->channel ? unit_of(of) : NULL);
}

WTL_MEMBER_GET(column_why)
{
    const struct wtl_counter_info *column = of;
    wtl_value_text(ret, is_missing(column) ? column->why : NULL);
}

static const struct wtl_member of_column[] = {
    {"name", WTL_TEXT_AT(struct wtl_counter_info, name), .meaning = "name in the set"},
    {"source", WTL_TEXT_AT(struct wtl_counter_info, source), .meaning = "what is counted"},
    {"channel", WTL_MEMBER_TEXT, .nullable = true, .get = channel_of,
     .meaning = "its channel; null: it could not be counted"},
    {"unit", WTL_MEMBER_TEXT, .nullable = true, .get = column_unit, .meaning = "unit of `amount`"},
    {"amount", WTL_NUMBER_OR_NULL(struct wtl_counter_info, amount),
     .meaning = "counted in the window; of a gauge (memory) its mean; null = unknown"},
    {"rate", WTL_NUMBER_OR_NULL(struct wtl_counter_info, rate), .meaning = "`amount` per second"},
    {"share", WTL_NUMBER_OR_NULL(struct wtl_counter_info, share),
     .meaning = "part of the time in which the hardware counted it; below 1 it was scaled"},
    {"why", WTL_MEMBER_TEXT, .nullable = true, .get = column_why,
     .meaning = "why it was not counted, or not all the time"},
    {.key = NULL}};
static const struct wtl_noun counter_column = {"counter", of_column};

static const struct wtl_member of_value[] = {
    {"name", WTL_TEXT_AT(struct wtl_counter_value, name), .meaning = "name in the set"},
    {"unit", WTL_TEXT_AT(struct wtl_counter_value, unit), .meaning = "`\"\"` = none"},
    {"formula", WTL_TEXT_AT(struct wtl_counter_value, formula),
     .meaning = "of columns, `time` in seconds and `energy` in joules"},
    {"value", WTL_NUMBER_OR_NULL(struct wtl_counter_value, value),
     .meaning = "null = unknown: something in it is, or it divides by 0"},
    {"estimated", WTL_BOOLEAN_AT(struct wtl_counter_value, estimated),
     .meaning = "of energy that is only estimated"},
    {"rough", WTL_BOOLEAN_AT(struct wtl_counter_value, rough),
     .meaning = "of counts whose samples are too far apart for the region"},
    {.key = NULL}};
static const struct wtl_noun counter_metric = {"metric", of_value};

WTL_MEMBER_GET(region_name)
{
    const struct wtl_counter_row *row = of;
    wtl_value_text(ret, row->name[0] ? row->name : NULL);
}

static const struct wtl_member of_row[] = {
    {"name", WTL_MEMBER_TEXT, .nullable = true, .get = region_name,
     .meaning = "null: the time outside all regions"},
    {"union_s", WTL_NUMBER_AT(struct wtl_counter_row, time_s),
     .meaning = "time in which at least one thread was inside"},
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_counter_row, energy_j),
     .meaning = "energy in that time, as in `regions`"},
    {"amounts", WTL_NUMBERS_AT(struct wtl_counter_row, amounts, column_count),
     .meaning = "of each column, in the order of `columns`, in that time"},
    {"metrics", WTL_LIST_AT(struct wtl_counter_row, values, metric_count, counter_metric),
     .meaning = "of that time"},
    {.key = NULL}};
static const struct wtl_noun counter_region = {"counters of a region", of_row};

static const struct wtl_member of_counters[] = {
    {"set", WTL_NAME_AT(struct wtl_counter_table, set.name), .meaning = "name of the counter set"},
    {"scope", WTL_TEXT_OR_NULL(struct wtl_counter_table, scope),
     .meaning = "`machine`, `tree` (of processes) or `cgroup`"},
    {"interval_s", WTL_NUMBER_OR_NULL(struct wtl_counter_table, interval_s),
     .meaning = "interval of the samples"},
    {"note", WTL_TEXT_OR_NULL(struct wtl_counter_table, note),
     .meaning = "what to know about the counts"},
    {"columns", WTL_LIST_AT(struct wtl_counter_table, columns, set.column_count, counter_column),
     .meaning = "in the order of their ids"},
    {"metrics", WTL_LIST_AT(struct wtl_counter_table, values, set.metric_count, counter_metric),
     .meaning = "of the window"},
    {"regions", WTL_LIST_AT(struct wtl_counter_table, rows, row_count, counter_region),
     .meaning = "with `--regions`; else empty"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_counters = {"counters", of_counters};
/* NOLINTEND(bugprone-macro-parentheses) */
