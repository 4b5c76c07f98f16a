/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of an import: see import_report.h. What was guessed is shown as the options that say the same, to be
 * repeated or corrected. */
#define _GNU_SOURCE
#include "cli/import/import_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/digits.h"
#include "report/json_value.h"
#include "report/table.h"

enum { ROWS_MAX = 200 }; /* of the table of columns */

/* ---- text ---- */

static void print_clean(FILE *out, const char *text)
{
    wtl_print_clean(out, text, strlen(text));
}

static void print_file(FILE *out,
                       const struct wtl_import *import,
                       const struct wtl_import_file *file)
{
    char begin[40], span[64];
    (void)fputs("\n ", out);
    print_clean(out, file->path);
    (void)fprintf(
        out, ": %llu row%s over %s", (unsigned long long)file->rows, file->rows == 1 ? "" : "s",
        wtl_digits_time(span, sizeof span, (double)(file->last_ns - file->first_ns) * 1e-9));
    if (import->realtime) {
        wtl_time_print(file->first_ns +
                           (file->time.epoch == WTL_EPOCH_1970 ? 0 : import->offset_ns),
                       begin, sizeof begin);
        (void)fprintf(out, " from %s", begin);
    }
    if (file->program[0]) {
        (void)fputs(", by ", out);
        print_clean(out, file->program);
    }
    (void)fputc('\n', out);
}

/* A text as a word of a shell's line. */
static void quote(FILE *out, const char *text)
{
    (void)fputc('\'', out);
    for (const char *p = text; *p; p++) {
        if (*p == '\'')
            (void)fputs("'\\''", out);
        else
            print_clean(out, (char[2]){*p, '\0'});
    }
    (void)fputc('\'', out);
}

static int print_columns(FILE *out, const struct wtl_import *import, size_t file)
{
    static const struct wtl_column columns[] = {
        {"column", false}, {"channel", false}, {"quantity", false},
        {"unit", false},   {"kind", false},    {"told by", false},
        {"least", true},   {"greatest", true}, {"empty", true}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    size_t left_out = 0, shown = 0;
    for (size_t i = 0; i < import->files[file].column_count; i++) {
        const struct wtl_import_column *c = &import->columns[import->files[file].first_column + i];
        char least[32], most[32], empty[24];
        if (c->role == WTL_ROLE_CHANNEL && shown == ROWS_MAX) {
            left_out++;
            continue;
        }
        shown++;
        if (c->role != WTL_ROLE_CHANNEL) {
            const char *what = c->role == WTL_ROLE_TIME    ? "(time)"
                               : c->role == WTL_ROLE_COVER ? "(time covered by a row)"
                                                           : "(left out)";
            const char *const cells[] = {c->header, what, "", "", "", c->why, "", "", ""};
            wtl_table_row(table, WTL_FAINT, cells);
            continue;
        }
        (void)snprintf(least, sizeof least, "%.6g", c->stats.least);
        (void)snprintf(most, sizeof most, "%.6g", c->stats.most);
        (void)snprintf(empty, sizeof empty, "%" PRIu64,
                       c->stats.empty + c->stats.nan + c->stats.word);
        const char *told = c->asked ? "option" : c->unit_from;
        const char *const cells[] = {c->header,
                                     c->name,
                                     wattle_quantity_name(c->meaning.quantity),
                                     c->meaning.unit,
                                     wtl_import_kind_names[c->meaning.kind],
                                     told,
                                     least,
                                     most,
                                     empty};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT + 1, NULL);
    if (left_out)
        (void)fprintf(out, "  ... and %zu more columns; --format json lists all\n", left_out);
    wtl_table_destroy(table);
    return rc;
}

/* The options that say what was guessed. */
static void print_options(FILE *out, const struct wtl_import *import, size_t number)
{
    const struct wtl_import_file *file = &import->files[number];
    (void)fputs("  as options: ", out);
    if (import->options->format == WTL_IMPORT_CSV || import->options->table.time) {
        (void)fputs("--time ", out);
        quote(out, file->time_text);
    } else {
        (void)fprintf(out, "--from %s", wtl_import_format_names[import->options->format]);
    }
    if (file->shape_text[0])
        (void)fprintf(out, " %s", file->shape_text);
    size_t shown = 0;
    for (size_t i = 0; i < file->column_count && shown < ROWS_MAX; i++) {
        const struct wtl_import_column *column = &import->columns[file->first_column + i];
        char target[160], map[512];
        if (column->role != WTL_ROLE_CHANNEL)
            continue;
        wtl_import_target(column, target, sizeof target);
        (void)snprintf(map, sizeof map, "%.300s=%s", column->header, target);
        (void)fputs(" \\\n    --column ", out);
        quote(out, map);
        shown++;
    }
    (void)fputc('\n', out);
}

static void list_faults(FILE *out, const struct wtl_import *import)
{
    char text[1024];
    for (size_t i = 0; i < import->fault_count; i++) {
        const struct wtl_import_fault *fault = &import->faults[i];
        wtl_import_fault_sentence(import, fault, text, sizeof text);
        (void)fputs("  - ", out);
        print_clean(out, text);
        if (isfinite(fault->confidence))
            (void)fprintf(out, " (confidence %.1f %%)", fault->confidence * 100);
        if (fault->remedy[0]) {
            (void)fputs("; to correct it: ", out);
            print_clean(out, fault->remedy);
        }
        (void)fputc('\n', out);
    }
    if (import->faults_left_out)
        (void)fprintf(out, "  ... and %zu more\n", import->faults_left_out);
}

static void print_faults(FILE *out, const struct wtl_import *import)
{
    if (import->fault_count == 0)
        (void)fputs("\n no faults found in the data\n", out);
    else
        (void)fprintf(out, "\n %zu fault%s in the data, which stand%s as recorded:\n",
                      import->fault_count, import->fault_count == 1 ? "" : "s",
                      import->fault_count == 1 ? "s" : "");
    list_faults(out, import);
}

int wtl_import_print_line(FILE *out, const struct wtl_import *import, const char *trace)
{
    size_t marks = 0;
    for (size_t i = 0; i < import->file_count; i++) {
        const struct wtl_import_table *table = import->files[i].table;
        for (size_t k = 0; table && k < table->mark_count; k++)
            marks += table->marks[k].begin;
        print_file(out, import, &import->files[i]);
    }
    (void)fprintf(out, "  %zu region%s, %llu samples, %llu gap%s, %zu fault%s; ", marks,
                  marks == 1 ? "" : "s", (unsigned long long)import->samples,
                  (unsigned long long)import->gaps, import->gaps == 1 ? "" : "s",
                  import->fault_count, import->fault_count == 1 ? "" : "s");
    (void)fputs(trace ? "written to " : "nothing was written (--dry-run)", out);
    print_clean(out, trace ? trace : "");
    (void)fputc('\n', out);
    list_faults(out, import);
    return 0;
}

int wtl_import_print_text(FILE *out, const struct wtl_import *import, const char *trace)
{
    int rc = 0;
    for (size_t i = 0; i < import->file_count && rc == 0; i++) {
        print_file(out, import, &import->files[i]);
        rc = print_columns(out, import, i);
        print_options(out, import, i);
    }
    print_faults(out, import);
    if (!trace)
        (void)fputs("\n nothing was written (--dry-run)\n", out);
    else {
        (void)fprintf(out, "\n %llu samples and %llu gap%s written to ",
                      (unsigned long long)import->samples, (unsigned long long)import->gaps,
                      import->gaps == 1 ? "" : "s");
        print_clean(out, trace);
        (void)fputc('\n', out);
    }
    return rc;
}

/* ---- JSON ---- */

static json_t *file_json(const struct wtl_import *import, const struct wtl_import_file *file)
{
    struct wtl_json o = wtl_json_object();
    char begin[40];
    wtl_json_set(&o, "name", wtl_json_text(file->path));
    wtl_json_set(&o, "bytes", wtl_json_count(file->bytes));
    wtl_json_set(&o, "compression", wtl_json_text(file->compression));
    wtl_json_set(&o, "program", wtl_json_text(file->program[0] ? file->program : NULL));
    wtl_json_set(&o, "host", wtl_json_text(file->machine[0] ? file->machine : NULL));
    wtl_json_set(&o, "time", wtl_json_text(file->time_text));
    wtl_json_set(&o, "shape", wtl_json_text(file->shape_text[0] ? file->shape_text : NULL));
    wtl_json_set(&o, "rows", wtl_json_count(file->rows));
    wtl_json_set(&o, "span_s", wtl_json_number((double)(file->last_ns - file->first_ns) * 1e-9));
    begin[0] = '\0';
    if (import->realtime)
        wtl_time_print(file->first_ns +
                           (file->time.epoch == WTL_EPOCH_1970 ? 0 : import->offset_ns),
                       begin, sizeof begin);
    wtl_json_set(&o, "begin", wtl_json_text(begin[0] ? begin : NULL));
    return wtl_json_done(&o);
}

static json_t *column_json(const struct wtl_import *import, const struct wtl_import_column *column)
{
    static const char *const roles[] = {"channel", "time", "cover", "left out"};
    struct wtl_json o = wtl_json_object();
    bool used = column->role == WTL_ROLE_CHANNEL;
    char target[160];
    wtl_json_set(&o, "file", wtl_json_text(import->files[column->file].path));
    wtl_json_set(&o, "number", wtl_json_count(column->number + 1));
    wtl_json_set(&o, "header", wtl_json_text(column->header));
    wtl_json_set(&o, "role", wtl_json_text(roles[column->role]));
    wtl_json_set(&o, "why", wtl_json_text(column->why && *column->why ? column->why : NULL));
    if (used) {
        wtl_import_target(column, target, sizeof target);
        wtl_json_set(&o, "channel", wtl_json_text(column->name));
        wtl_json_set(&o, "target", wtl_json_text(target));
        wtl_json_set(&o, "quantity", wtl_json_text(wattle_quantity_name(column->meaning.quantity)));
        wtl_json_set(&o, "unit", wtl_json_text(column->meaning.unit));
        wtl_json_set(&o, "kind", wtl_json_text(wtl_import_kind_names[column->meaning.kind]));
        wtl_json_set_quality(&o, true, column->meaning.quality, column->meaning.simulated);
        wtl_json_set(&o, "told_by", wtl_json_text(column->asked ? "option" : column->unit_from));
        wtl_json_set(&o, "shift_rows", json_integer(column->shift));
        wtl_json_set(&o, "values", wtl_json_count(column->stats.good));
        wtl_json_set(&o, "without_value",
                     wtl_json_count(column->stats.empty + column->stats.nan + column->stats.word));
        wtl_json_set(&o, "least", wtl_json_number(column->stats.least));
        wtl_json_set(&o, "greatest", wtl_json_number(column->stats.most));
    }
    return wtl_json_done(&o);
}

static json_t *fault_json(const struct wtl_import *import, const struct wtl_import_fault *fault)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "kind", wtl_json_text(fault->kind));
    wtl_json_set(&o, "file", wtl_json_text(import->files[fault->file].path));
    wtl_json_set(&o, "column",
                 wtl_json_text(fault->column < 0 ? NULL : import->columns[fault->column].header));
    wtl_json_set(&o, "channel",
                 wtl_json_text(fault->column < 0 ? NULL : import->columns[fault->column].name));
    wtl_json_set(&o, "line", fault->line ? wtl_json_count(fault->line) : json_null());
    wtl_json_set(&o, "count", wtl_json_count(fault->count));
    wtl_json_set(&o, "confidence", wtl_json_number(fault->confidence));
    wtl_json_set(&o, "text", wtl_json_text(fault->text));
    wtl_json_set(&o, "remedy", wtl_json_text(fault->remedy[0] ? fault->remedy : NULL));
    return wtl_json_done(&o);
}

int wtl_import_print_json(FILE *out, const struct wtl_import *import, const char *trace)
{
    struct wtl_json document = wtl_json_document("wattle.import/1");
    struct wtl_json files = wtl_json_array(), columns = wtl_json_array(), faults = wtl_json_array();
    for (size_t i = 0; i < import->file_count; i++)
        wtl_json_add(&files, file_json(import, &import->files[i]));
    for (size_t i = 0; i < import->column_count; i++)
        wtl_json_add(&columns, column_json(import, &import->columns[i]));
    for (size_t i = 0; i < import->fault_count; i++)
        wtl_json_add(&faults, fault_json(import, &import->faults[i]));
    wtl_json_set(&document, "trace", wtl_json_text(trace));
    wtl_json_set(&document, "format",
                 wtl_json_text(wtl_import_format_names[import->options->format]));
    wtl_json_set(&document, "samples", wtl_json_count(import->samples));
    wtl_json_set(&document, "gaps", wtl_json_count(import->gaps));
    wtl_json_set(&document, "files", wtl_json_done(&files));
    wtl_json_set(&document, "columns", wtl_json_done(&columns));
    wtl_json_set(&document, "faults", wtl_json_done(&faults));
    wtl_json_set(&document, "faults_left_out", wtl_json_count(import->faults_left_out));
    return wtl_json_print(out, wtl_json_done(&document));
}
