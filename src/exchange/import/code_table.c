/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads codes from CSV: see code_table.h. The header gives the columns their meaning, then rows are
 * streamed. */
#define _GNU_SOURCE
#include "exchange/import/code_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/whole.h"
#include "exchange/import/code_column.h"
#include "exchange/import/csv_rows.h"

/* Meaning of the header. */
struct reader {
    const char *path;
    const struct wtl_code_table_options *options;
    struct wtl_csv_rows rows;
    struct wtl_code_column *columns;
    size_t width;
    struct wtl_code_table *table;
};

/* ---- the header ---- */

/* The most frequent separator in the first line. */
static char separator_of(const struct wtl_csv_rows *rows)
{
    static const char all[] = {',', ';', '\t'};
    size_t counts[sizeof all] = {0}, best = 0, line = 0;
    while (line < rows->head_count &&
           wtl_csv_line_is_idle(rows->head[line].text, rows->head[line].length))
        line++;
    for (size_t i = 0; line < rows->head_count && i < rows->head[line].length; i++)
        for (size_t k = 0; k < sizeof all; k++)
            counts[k] += rows->head[line].text[i] == all[k];
    for (size_t k = 1; k < sizeof all; k++)
        best = counts[k] > counts[best] ? k : best;
    return all[best];
}

static const struct wtl_code_column *column_of(const struct reader *reader,
                                               enum wtl_code_meaning meaning)
{
    for (size_t i = 0; i < reader->width; i++)
        if (reader->columns[i].meaning == meaning)
            return &reader->columns[i];
    return NULL;
}

static int check_twice(const struct reader *reader, size_t i, struct wattle_error *err)
{
    const struct wtl_code_column *column = &reader->columns[i];
    for (size_t k = 0; k < i; k++) {
        const struct wtl_code_column *before = &reader->columns[k];
        if (strcasecmp(before->name, column->name) == 0)
            return wtl_fail(err, -EBADMSG, "%s: duplicate column \"%.60s\"; rename or remove one",
                            reader->path, column->name);
        if (column->meaning != WTL_CODE_LABEL && column->meaning != WTL_CODE_OTHER &&
            before->meaning == column->meaning)
            return wtl_fail(err, -EBADMSG,
                            "%s: columns \"%.60s\" and \"%.60s\" both contain the %s; remove one",
                            reader->path, before->name, column->name,
                            wtl_code_meaning_name(column->meaning));
    }
    return 0;
}

/* Report a column that is named like a required number but has an unsuitable unit. */
static int check_strange(const struct reader *reader,
                         enum wtl_code_meaning meaning,
                         struct wattle_error *err)
{
    for (size_t i = 0; i < reader->width; i++) {
        const struct wtl_code_column *column = &reader->columns[i];
        if (column->meaning == WTL_CODE_OTHER && column->strange == meaning)
            return wtl_fail(
                err, -EBADMSG,
                "%s: unknown unit in column \"%.60s\"; units of %s are %s (case-sensitive)",
                reader->path, column->name, wtl_code_meaning_name(meaning),
                wtl_code_meaning_units(meaning));
    }
    return 0;
}

/* Bounds from other columns would silently replace those of the table; for time and energy one
 * column is enough. */
static int check_units(const struct reader *reader, struct wattle_error *err)
{
    static const enum wtl_code_meaning all[] = {WTL_CODE_PMIN, WTL_CODE_PMAX, WTL_CODE_HALF,
                                                WTL_CODE_TIME, WTL_CODE_ENERGY};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof all / sizeof *all; i++)
        if (i < 3 || !column_of(reader, all[i]))
            rc = check_strange(reader, all[i], err);
    return rc;
}

static int check_missing(struct reader *reader, struct wattle_error *err)
{
    bool time = column_of(reader, WTL_CODE_TIME), energy = column_of(reader, WTL_CODE_ENERGY);
    reader->table->has_codes = time && energy;
    if (time && energy)
        return 0;
    if (!time && !energy && reader->options->may_lack_codes && column_of(reader, WTL_CODE_PMIN) &&
        column_of(reader, WTL_CODE_PMAX))
        return 0;
    return wtl_fail(err, -EBADMSG,
                    "%s: no column for %s; the header must name one with its unit, for example %s",
                    reader->path, time ? "energy" : "run time", time ? "energy_J" : "runtime_s");
}

/* The column that --parameter names. */
static int find_parameter(struct reader *reader, struct wattle_error *err)
{
    const char *name = reader->options->parameter;
    for (size_t i = 0; name && i < reader->width; i++) {
        struct wtl_code_column *column = &reader->columns[i];
        if (strcasecmp(column->name, name) == 0 && column->meaning != WTL_CODE_TIME &&
            column->meaning != WTL_CODE_ENERGY) {
            column->meaning = WTL_CODE_PARAMETER;
            return 0;
        }
    }
    return name ? wtl_fail(err, -EBADMSG, "%s: no column \"%s\" for the parameter", reader->path,
                           name)
                : 0;
}

static int read_header(struct reader *reader, struct wattle_error *err)
{
    reader->rows.separator = separator_of(&reader->rows);
    int rc = wtl_csv_rows_next(&reader->rows, err);
    if (rc <= 0)
        return rc < 0 ? rc
                      : wtl_fail(err, -EBADMSG, "%s: empty; expected a header and one row per code",
                                 reader->path);
    reader->columns = calloc(reader->rows.count, sizeof *reader->columns);
    if (!reader->columns)
        return wtl_no_memory_for(err, "%s", reader->path);
    reader->width = reader->rows.count;
    for (size_t i = 0; i < reader->width; i++)
        if (wtl_code_column_of(reader->rows.cells[i].text, &reader->columns[i]) < 0)
            return wtl_no_memory_for(err, "%s", reader->path);
    rc = find_parameter(reader, err);
    for (size_t i = 0; rc == 0 && i < reader->width; i++)
        rc = check_twice(reader, i, err);
    rc = rc < 0 ? rc : check_units(reader, err);
    return rc < 0 ? rc : check_missing(reader, err);
}

/* ---- rows ---- */

/* A cell as a number; if cells are separated by semicolons, the decimal sign may be a comma. */
static int parse_cell(const struct reader *reader, const char *text, double *ret)
{
    char copy[64];
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n == 0 || n >= sizeof copy)
        return -EINVAL;
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *comma = reader->rows.separator == ';' ? strchr(copy, ',') : NULL;
    if (comma)
        *comma = '.';
    return wtl_parse_double(copy, ret);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t")] == '\0';
}

static int take_number(const struct reader *reader,
                       size_t i,
                       double least,
                       double *ret,
                       struct wattle_error *err)
{
    const struct wtl_code_column *column = &reader->columns[i];
    const char *text = reader->rows.cells[i].text;
    unsigned long long line = (unsigned long long)reader->rows.line;
    double value;
    bool wanted = column->meaning == WTL_CODE_TIME || column->meaning == WTL_CODE_ENERGY;
    if (is_blank(text) && !wanted)
        return 0;
    if (is_blank(text))
        return wtl_fail(err, -EBADMSG,
                        "%s:%llu: column \"%.60s\" is empty; fill it, or remove the row",
                        reader->path, line, column->name);
    if (parse_cell(reader, text, &value) < 0)
        return wtl_fail(
            err, -EBADMSG,
            "%s:%llu: column \"%.60s\": \"%.60s\" is not a number; write units in the column name",
            reader->path, line, column->name, text);
    value *= column->factor;
    if (!isfinite(value) || value < least || (wanted && value <= 0))
        return wtl_fail(err, -EBADMSG, "%s:%llu: column \"%.60s\": %.60s must %s", reader->path,
                        line, column->name, text,
                        wanted ? "be above 0" : "be a number, not below 0");
    *ret = value;
    return 0;
}

/* Label parts are joined: "PathFinder OpenMP". */
static int join_label(char **label, const char *part)
{
    char *joined = NULL;
    if (is_blank(part))
        return 0;
    if (asprintf(&joined, "%s%s%s", *label ? *label : "", *label ? " " : "", part) < 0)
        return -ENOMEM;
    free(*label);
    *label = joined;
    return 0;
}

static int take_cell(struct reader *reader,
                     struct wtl_code_row *row,
                     size_t i,
                     struct wattle_error *err)
{
    const char *text = reader->rows.cells[i].text;
    switch (reader->columns[i].meaning) {
    case WTL_CODE_TIME:
        return take_number(reader, i, 0, &row->t_s, err);
    case WTL_CODE_ENERGY:
        return take_number(reader, i, 0, &row->e_j, err);
    case WTL_CODE_HALF:
        return take_number(reader, i, 0, &row->half_j, err);
    case WTL_CODE_PMIN:
        return take_number(reader, i, 0, &row->pmin_w, err);
    case WTL_CODE_PMAX:
        return take_number(reader, i, 0, &row->pmax_w, err);
    case WTL_CODE_PARAMETER:
        return take_number(reader, i, -HUGE_VAL, &row->parameter, err);
    case WTL_CODE_LABEL:
        return join_label(&row->label, text) < 0 ? wtl_no_memory_for(err, "%s", reader->path) : 0;
    case WTL_CODE_GROUP:
        return join_label(&row->group, text) < 0 ? wtl_no_memory_for(err, "%s", reader->path) : 0;
    case WTL_CODE_OTHER:
        row->others = wtl_hash_bytes(row->others, text, strlen(text) + 1);
        break;
    case WTL_CODE_REPEAT:
        break;
    }
    return 0;
}

/* If exactly one other column has a number in the first row, it is the parameter. */
static int guess_parameter(struct reader *reader, struct wattle_error *err)
{
    struct wtl_code_column *found = NULL;
    double number;
    if (!reader->options->wants_parameter || reader->options->parameter)
        return 0;
    for (size_t i = 0; i < reader->width && i < reader->rows.count; i++) {
        struct wtl_code_column *column = &reader->columns[i];
        if (column->meaning != WTL_CODE_OTHER || column->strange != WTL_CODE_OTHER ||
            parse_cell(reader, reader->rows.cells[i].text, &number) < 0)
            continue;
        if (found)
            return wtl_fail(err, -EBADMSG,
                            "%s: \"%.60s\" and \"%.60s\" could both be the parameter; choose one "
                            "with --parameter",
                            reader->path, found->name, column->name);
        found = column;
    }
    if (found)
        found->meaning = WTL_CODE_PARAMETER;
    return 0;
}

static int take_row(struct reader *reader, struct wattle_error *err)
{
    struct wtl_code_table *table = reader->table;
    if (reader->rows.count != reader->width)
        return wtl_fail(
            err, -EBADMSG,
            "%s:%llu: %zu cells, but the header has %zu; each row must have one cell per column",
            reader->path, (unsigned long long)reader->rows.line, reader->rows.count, reader->width);
    if (table->count == 0 && guess_parameter(reader, err) < 0)
        return -EBADMSG;
    if (table->count == WTL_CODE_TABLE_ROWS)
        return wtl_fail(err, -E2BIG, "%s: more than %d rows; split it", reader->path,
                        WTL_CODE_TABLE_ROWS);
    if (wtl_grow(&table->rows, table->count, sizeof *table->rows) < 0)
        return wtl_no_memory_for(err, "%s", reader->path);
    struct wtl_code_row *row = &table->rows[table->count++];
    *row = (struct wtl_code_row){.t_s = (double)NAN,
                                 .e_j = (double)NAN,
                                 .half_j = (double)NAN,
                                 .pmin_w = (double)NAN,
                                 .pmax_w = (double)NAN,
                                 .parameter = (double)NAN,
                                 .line = reader->rows.line,
                                 .others = WTL_HASH_START};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < reader->width; i++)
        rc = take_cell(reader, row, i, err);
    return rc;
}

static int read_rows(struct reader *reader, struct wattle_error *err)
{
    int rc;
    while ((rc = wtl_csv_rows_next(&reader->rows, err)) > 0 && (rc = take_row(reader, err)) == 0)
        continue;
    if (rc == 0 && reader->table->count == 0)
        rc = wtl_fail(err, -EBADMSG, "%s: a header without rows", reader->path);
    return rc;
}

/* ---- repeats ---- */

static int by_number(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* What distinguishes codes; without a label, the line does. */
static int compare_codes(const struct wtl_code_row *p, const struct wtl_code_row *q)
{
    if (!p->label || !q->label)
        return p->label || q->label ? (p->label ? 1 : -1)
                                    : (p->line > q->line) - (p->line < q->line);
    int order = strcmp(p->label, q->label);
    order = order ? order : strcmp(p->group ? p->group : "", q->group ? q->group : "");
    order = order ? order : by_number(p->pmin_w, q->pmin_w);
    order = order ? order : by_number(p->pmax_w, q->pmax_w);
    order = order ? order : by_number(p->parameter, q->parameter);
    return order ? order : (p->others > q->others) - (p->others < q->others);
}

static int by_code_then_line(const void *a, const void *b)
{
    const struct wtl_code_row *p = *(struct wtl_code_row *const *)a;
    const struct wtl_code_row *q = *(struct wtl_code_row *const *)b;
    int order = compare_codes(p, q);
    return order ? order : (p->line > q->line) - (p->line < q->line);
}

/* Number the codes. In a table of machines each row is a separate machine. */
static int find_repeats(struct reader *reader, struct wattle_error *err)
{
    struct wtl_code_table *table = reader->table;
    struct wtl_code_row **sorted =
        calloc(table->count ? table->count : 1, sizeof(struct wtl_code_row *));
    if (!sorted)
        return wtl_no_memory_for(err, "%s", reader->path);
    for (size_t i = 0; i < table->count; i++) {
        sorted[i] = &table->rows[i];
        sorted[i]->code = i;
    }
    if (table->has_codes)
        wtl_sort(sorted, table->count, sizeof(struct wtl_code_row *), by_code_then_line);
    for (size_t i = 1; table->has_codes && i < table->count; i++)
        if (compare_codes(sorted[i - 1], sorted[i]) == 0)
            sorted[i]->code = sorted[i - 1]->code; /* the row of its first run */
    for (size_t i = 0; i < table->count; i++) {
        size_t first = table->rows[i].code;
        table->rows[i].code = first == i ? table->code_count++ : table->rows[first].code;
    }
    free(sorted);
    return 0;
}

static int read_table(struct reader *reader, struct wattle_error *err)
{
    int rc = read_header(reader, err);
    rc = rc < 0 ? rc : read_rows(reader, err);
    return rc < 0 ? rc : find_repeats(reader, err);
}

static void end(struct reader *reader)
{
    wtl_csv_rows_end(&reader->rows);
    for (size_t i = 0; i < reader->width; i++)
        free(reader->columns[i].name);
    free(reader->columns);
}

int wtl_code_table_read(const char *path,
                        struct wtl_text_source *source,
                        const struct wtl_code_table_options *options,
                        struct wtl_code_table *ret_table,
                        struct wattle_error *err)
{
    struct wtl_code_table table = {0};
    struct reader reader = {.path = path, .options = options, .table = &table};
    int rc = wtl_csv_rows_begin(&reader.rows, path, source, err);
    if (rc < 0)
        return rc;
    rc = read_table(&reader, err);
    const struct wtl_code_column *column = column_of(&reader, WTL_CODE_PARAMETER);
    if (rc == 0 && column && !(table.parameter = strdup(column->name)))
        rc = wtl_no_memory_for(err, "%s", reader.path);
    end(&reader);
    if (rc < 0)
        wtl_code_table_fini(&table);
    else
        *ret_table = table;
    return rc < 0 ? rc : 0;
}

void wtl_code_table_fini(struct wtl_code_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->rows[i].label);
        free(table->rows[i].group);
    }
    free(table->rows);
    free(table->parameter);
    *table = (struct wtl_code_table){0};
}
