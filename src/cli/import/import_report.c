/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of an import: see import_report.h. Guesses are shown as the equivalent options, to be repeated
 * or corrected. */
#define _GNU_SOURCE
#include "cli/import/import_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/figures.h"
#include "cli/documents.h"
#include "model/bound.h"
#include "report/digits.h"
#include "report/json_value.h"
#include "report/result/run_nouns.h"
#include "report/table.h"

enum { ROWS_MAX = 200 }; /* of the table of columns */

/* Who says what the unit and the kind are. */
static const char *told_by(const struct wtl_import_column *column)
{
    bool assumed =
        strcmp(column->unit_from, "assumed") == 0 || strcmp(column->kind_from, "assumed") == 0;
    return assumed ? "assumed" : column->unit_from;
}

static uint64_t without_value(const struct wtl_import_column *column)
{
    return column->stats.empty + column->stats.nan + column->stats.word;
}

/* ---- text ---- */

static void print_clean(FILE *out, const char *text)
{
    wtl_print_clean(out, text, strlen(text));
}

/* "2026-01-02T03:04:05+01:00", of the zone of this machine. */
static void print_local(FILE *out, int64_t ns)
{
    time_t when = (time_t)(ns / 1000000000);
    struct tm tm;
    char text[40];
    if (localtime_r(&when, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &tm) > 0)
        (void)fprintf(out, " (%s)", text);
}

static void print_file(FILE *out,
                       const struct wtl_import *import,
                       const struct wtl_import_file *file)
{
    char span[64], step[64];
    double span_s = (double)(file->last_ns - file->first_ns) * 1e-9;
    (void)fputs("\n ", out);
    print_clean(out, file->path);
    (void)fprintf(out, ": %llu row%s over %s", (unsigned long long)file->rows,
                  file->rows == 1 ? "" : "s", wtl_digits_time(span, sizeof span, span_s));
    if (file->rows > 1)
        (void)fprintf(out, ", one in %s",
                      wtl_digits_time(step, sizeof step, span_s / (double)(file->rows - 1)));
    if (file->program[0]) {
        (void)fputs(", by ", out);
        print_clean(out, file->program);
    }
    if (file->begin_text[0]) {
        char end[40];
        int64_t offset_ns = file->time.epoch == WTL_EPOCH_1970 ? 0 : import->offset_ns;
        wtl_time_print(file->last_ns + offset_ns, end, sizeof end);
        (void)fprintf(out, "\n  from %s", file->begin_text);
        print_local(out, file->first_ns + offset_ns);
        (void)fprintf(out, "\n  to   %s", end);
        print_local(out, file->last_ns + offset_ns);
    }
    (void)fputc('\n', out);
}

static bool is_power(const struct wtl_import_column *column)
{
    return column->role == WTL_ROLE_CHANNEL &&
           (column->meaning.quantity == WATTLE_ENERGY || column->meaning.quantity == WATTLE_POWER);
}

static double mean_w(const struct wtl_import_column *column)
{
    return is_power(column) && column->amount_s > 0 ? column->amount / column->amount_s
                                                    : (double)NAN;
}

/* Is the mean power between what such a part draws at least and at most? */
static bool is_plausible(const struct wtl_import_column *column)
{
    const struct wattle_channel channel = {.domain = column->meaning.domain};
    double watts = mean_w(column);
    return watts >= wtl_import_least_w(column) && watts <= wtl_greatest_power_w(&channel);
}

/* Energy and mean power of each channel, and whether a part of its kind can draw it. */
static int print_energies(FILE *out, const struct wtl_import *import, size_t file)
{
    static const struct wtl_column columns[] = {
        {"channel", false}, {"energy", true}, {"mean power", true}, {"plausible?", false}};
    struct wtl_table *table = wtl_table_create(columns, 4);
    size_t shown = 0;
    for (size_t i = 0; i < import->files[file].column_count && shown < ROWS_MAX; i++) {
        const struct wtl_import_column *c = &import->columns[import->files[file].first_column + i];
        const struct wattle_channel channel = {.domain = c->meaning.domain};
        char energy[40], power[40], plausible[80];
        if (!is_power(c))
            continue;
        shown++;
        bool known = isfinite(mean_w(c));
        (void)snprintf(energy, sizeof energy, known ? "%.6g J" : "?", c->amount);
        (void)snprintf(power, sizeof power, known ? "%s W" : "?", WTL_IN_FIGURES(mean_w(c), 4));
        (void)snprintf(plausible, sizeof plausible,
                       !known            ? "no power known for any time"
                       : is_plausible(c) ? "yes"
                                         : "NO: %s to %s W",
                       WTL_IN_FIGURES(wtl_import_least_w(c), 3),
                       WTL_IN_FIGURES(wtl_greatest_power_w(&channel), 4));
        const char *const cells[] = {c->name, energy, power, plausible};
        wtl_table_row(table, WTL_PLAIN, cells);
    }
    int rc = shown ? wtl_table_print(table, out, WTL_TEXT_INDENT + 1, NULL) : 0;
    wtl_table_destroy(table);
    if (!shown)
        (void)fputs("  no energy: no column is a power or an energy\n", out);
    return rc;
}

/* Quote a text for a shell. */
static void quote(FILE *out, const char *text)
{
    (void)fputc('\'', out);
    while (*text) {
        char part[512];
        size_t n = strcspn(text, "'");
        (void)snprintf(part, sizeof part, "%.*s", (int)n, text);
        print_clean(out, part);
        (void)fputs(text[n] ? "'\\''" : "", out);
        text += n + (text[n] != '\0');
    }
    (void)fputc('\'', out);
}

static int print_columns(FILE *out, const struct wtl_import *import, size_t file)
{
    static const struct wtl_column columns[] = {
        {"column", false}, {"channel", false}, {"quantity", false},
        {"unit", false},   {"kind", false},    {"source", false},
        {"least", true},   {"greatest", true}, {"empty", true}};
    struct wtl_table *table = wtl_table_create(columns, sizeof columns / sizeof *columns);
    size_t left_out = 0, shown = 0;
    wtl_table_spare(table, 2, 4);
    wtl_table_spare(table, 4, 3);
    wtl_table_spare(table, 8, 2);
    wtl_table_spare(table, 6, 1);
    wtl_table_spare(table, 7, 1);
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
        (void)snprintf(empty, sizeof empty, "%" PRIu64, without_value(c));
        const char *const cells[] = {c->header,
                                     c->name,
                                     wattle_quantity_name(c->meaning.quantity),
                                     c->meaning.unit,
                                     wtl_import_kind_names[c->meaning.kind],
                                     told_by(c),
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

/* The options equivalent to the guesses. */
static void print_options(FILE *out, const struct wtl_import *import, size_t number)
{
    const struct wtl_import_file *file = &import->files[number];
    (void)fputs("  as options: ", out);
    if (file->format && file->format != &file->split && !import->options->table.time) {
        (void)fprintf(out, "--from %s", file->format->name);
    } else if (file->reader == WTL_IMPORT_CSV || import->options->table.time) {
        (void)fputs("--time ", out);
        quote(out, file->time_text);
    } else {
        (void)fprintf(out, "--from %s", wtl_import_format_name(file));
    }
    if (file->shape_text[0])
        (void)fprintf(out, " %s", file->shape_text);
    if (import->options->table.zone)
        (void)fprintf(out, " --zone %s", import->options->table.zone);
    if (import->options->spread)
        (void)fputs(" --spread-times", out);
    size_t shown = 0;
    bool by_format = file->format && file->format != &file->split;
    for (size_t i = 0; i < file->column_count && shown < ROWS_MAX && !by_format; i++) {
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
    char text[2048];
    for (size_t i = 0; i < import->fault_count; i++) {
        const struct wtl_import_fault *fault = &import->faults[i];
        wtl_import_fault_sentence(import, fault, text, sizeof text);
        size_t used = strlen(text);
        if (isfinite(fault->confidence))
            (void)snprintf(text + used, sizeof text - used, " (confidence %.1f %%)",
                           fault->confidence * 100);
        used = strlen(text);
        if (fault->remedy[0])
            (void)snprintf(text + used, sizeof text - used, "; to correct: %s", fault->remedy);
        (void)fputs("  - ", out);
        wtl_wrap(out, text, 4, 4, wtl_page_width(out));
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
        (void)fprintf(out, "\n %zu fault%s in the data, kept as recorded:\n", import->fault_count,
                      import->fault_count == 1 ? "" : "s");
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
        rc = rc < 0 ? rc : print_energies(out, import, i);
        print_options(out, import, i);
    }
    if (import->assumed[0]) {
        (void)fputs("\n assumed, not stated (flag ASSUMED): ", out);
        print_clean(out, import->assumed);
        (void)fputc('\n', out);
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

/* ---- nouns ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define AT_FILE(KIND, member) WTL_##KIND##_AT(struct wtl_import_file, member)

WTL_MEMBER_GET(span_s)
{
    const struct wtl_import_file *file = of;
    wtl_value_number(ret, (double)(file->last_ns - file->first_ns) * 1e-9);
}

static const struct wtl_member of_file[] = {
    {"name", AT_FILE(TEXT, path), .meaning = "path"},
    {"bytes", AT_FILE(COUNT, bytes), .meaning = "path of the file"},
    {"compression", AT_FILE(TEXT, compression), .nullable = true, .meaning = "none, gzip, zstd"},
    {"program", AT_FILE(NAME, program), .nullable = true,
     .meaning = "program that wrote it, if known"},
    {"host", AT_FILE(NAME, machine), .nullable = true, .meaning = "likewise"},
    {"time", AT_FILE(NAME, time_text), .meaning = "as an option `--time`"},
    {"shape", AT_FILE(NAME, shape_text), .nullable = true, .meaning = "further options"},
    {"rows", AT_FILE(COUNT, rows), .meaning = "lines with values"},
    {"span_s", WTL_MEMBER_NUMBER, .get = span_s, .meaning = "first to last row"},
    {"begin", AT_FILE(NAME, begin_text), .nullable = true,
     .meaning = "date; null: not in the file"},
    {.key = NULL}};
static const struct wtl_noun file_noun = {"import file", of_file};

struct column {
    const struct wtl_import_column *column;
    const char *file, *why, *quantity;
    uint64_t number, without_value;
    struct wtl_value_quality quality;
    char target[160];
};
_Static_assert(sizeof(struct column) <= sizeof((struct wtl_value *)0)->room, "a value has room");

static bool next_column(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_import *import = of;
    if (*cursor >= import->column_count)
        return false;
    const struct wtl_import_column *c = &import->columns[(*cursor)++];
    struct column column = {.column = c,
                            .file = import->files[c->file].path,
                            .why = c->why && *c->why ? c->why : NULL,
                            .quantity = wattle_quantity_name(c->meaning.quantity),
                            .number = c->number + 1,
                            .without_value = without_value(c),
                            .quality = {true, c->meaning.simulated, c->meaning.quality}};
    wtl_import_target(c, column.target, sizeof column.target);
    wtl_value_copy(ret, &column, sizeof column);
    return true;
}

WTL_MEMBER_GET(if_channel)
{
    wtl_value_noun(ret, ((const struct column *)of)->column->role == WTL_ROLE_CHANNEL ? of : NULL);
}

WTL_MEMBER_GET(told)
{
    wtl_value_text(ret, told_by(of));
}

WTL_MEMBER_GET(energy)
{
    wtl_value_number(ret, is_power(of) && isfinite(mean_w(of))
                              ? ((const struct wtl_import_column *)of)->amount
                              : (double)NAN);
}

WTL_MEMBER_GET(power)
{
    wtl_value_number(ret, mean_w(of));
}

WTL_MEMBER_GET(plausible)
{
    if (is_power(of))
        wtl_value_bool(ret, is_plausible(of));
}

#define VIA_COLUMN(KIND, member) \
    WTL_##KIND##_AT(struct wtl_import_column, member), WTL_VIA(struct column, column)

static const struct wtl_member of_channel[] = {
    {"channel", VIA_COLUMN(NAME, name), .meaning = "channel name in the trace"},
    {"target", WTL_NAME_AT(struct column, target), .meaning = "as for `--column`"},
    {"quantity", WTL_TEXT_AT(struct column, quantity), .meaning = "energy, power, .."},
    {"unit", VIA_COLUMN(NAME, meaning.unit), .meaning = "the file's"},
    {"kind", WTL_WORD_AT(struct wtl_import_column, meaning.kind, wtl_import_kind_names),
     WTL_VIA(struct column, column), .meaning = "counter, delta, gauge, average"},
    {"", WTL_PART_AT(struct column, quality, wtl_noun_quality)},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = energy, WTL_VIA(struct column, column),
     .meaning = "of energy and power, without gaps"},
    {"mean_w", WTL_MEMBER_NUMBER, .nullable = true, .get = power, WTL_VIA(struct column, column),
     .meaning = "likewise"},
    {"plausible", WTL_MEMBER_BOOLEAN, .nullable = true, .get = plausible,
     WTL_VIA(struct column, column), .meaning = "whether such a part can draw it"},
    {"told_by", WTL_MEMBER_TEXT, .nullable = true, .get = told, WTL_VIA(struct column, column),
     .meaning = "option, format, header or assumed"},
    {"shift_rows", VIA_COLUMN(INT, shift), .meaning = "rows by which the values are shifted"},
    {"values", VIA_COLUMN(COUNT, stats.good), .meaning = "rows with a value"},
    {"without_value", WTL_COUNT_AT(struct column, without_value),
     .meaning = "rows without a value"},
    {"least", VIA_COLUMN(NUMBER, stats.least), .nullable = true,
     .meaning = "in the unit of the file"},
    {"greatest", VIA_COLUMN(NUMBER, stats.most), .nullable = true, .meaning = "likewise"},
    {.key = NULL}};
static const struct wtl_noun channel = {"import channel", of_channel};

static const char *const roles[] = {"channel", "time", "cover", "left out"};

static const struct wtl_member of_column[] = {
    {"file", WTL_TEXT_AT(struct column, file), .meaning = "path"},
    {"number", WTL_COUNT_AT(struct column, number), .meaning = "from 1"},
    {"header", VIA_COLUMN(TEXT, header), .meaning = "in the file"},
    {"role", WTL_WORD_AT(struct wtl_import_column, role, roles), WTL_VIA(struct column, column),
     .meaning = "channel, time, cover (time covered by a row) or left out"},
    {"why", WTL_TEXT_OR_NULL(struct column, why), .meaning = "why it was left out"},
    {"", WTL_MEMBER_PART, .get = if_channel, .of = &channel, .when = "channels"},
    {.key = NULL}};
static const struct wtl_noun column_noun = {"import column", of_column};

struct fault {
    const struct wtl_import_fault *fault;
    const char *file, *column, *channel;
};

static bool next_fault(const void *of, size_t *cursor, struct wtl_value *ret)
{
    const struct wtl_import *import = of;
    if (*cursor >= import->fault_count)
        return false;
    const struct wtl_import_fault *f = &import->faults[(*cursor)++];
    const struct wtl_import_column *c = f->column < 0 ? NULL : &import->columns[f->column];
    const struct fault fault = {f, import->files[f->file].path, c ? c->header : NULL,
                                c ? c->name : NULL};
    wtl_value_copy(ret, &fault, sizeof fault);
    return true;
}

#define VIA_FAULT(KIND, member) \
    WTL_##KIND##_AT(struct wtl_import_fault, member), WTL_VIA(struct fault, fault)

static const struct wtl_member of_fault[] = {
    {"kind", VIA_FAULT(TEXT, kind), .meaning = "below"},
    {"file", WTL_TEXT_AT(struct fault, file), .meaning = "path"},
    {"column", WTL_TEXT_OR_NULL(struct fault, column),
     .meaning = "column header; null: the whole file"},
    {"channel", WTL_TEXT_OR_NULL(struct fault, channel), .meaning = "likewise"},
    {"line", WTL_COUNT_OR_NULL(struct wtl_import_fault, line), WTL_VIA(struct fault, fault),
     .meaning = "line of the first; null: none"},
    {"count", VIA_FAULT(COUNT, count), .meaning = "number of rows or cells"},
    {"confidence", VIA_FAULT(NUMBER, confidence), .nullable = true,
     .meaning = "0 to 1; null: certain"},
    {"text", VIA_FAULT(NAME, text), .meaning = "a sentence"},
    {"remedy", VIA_FAULT(NAME, remedy), .nullable = true, .meaning = "an option"},
    {.key = NULL}};
static const struct wtl_noun fault_noun = {"import fault", of_fault};

WTL_MEMBER_GET(format)
{
    wtl_value_text(ret, wtl_import_format_name(((const struct wtl_import *)of)->files));
}

struct document {
    const struct wtl_import *import;
    const char *trace;
};

#define VIA_IMPORT(KIND, member) \
    WTL_##KIND##_AT(struct wtl_import, member), WTL_VIA(struct document, import)

static const struct wtl_member of_document[] = {
    {"trace", WTL_TEXT_OR_NULL(struct document, trace), .meaning = "path; null with `--dry-run`"},
    {"format", WTL_MEMBER_TEXT, .get = format, WTL_VIA(struct document, import),
     .meaning = "format of the files, as for `--from`"},
    {"samples", VIA_IMPORT(COUNT, samples), .meaning = "number of values in the trace"},
    {"gaps", VIA_IMPORT(COUNT, gaps), .meaning = "in the trace"},
    {"files", WTL_LIST_AT(struct wtl_import, files, file_count, file_noun),
     WTL_VIA(struct document, import), .meaning = "below"},
    {"columns", WTL_MEMBER_LIST, .next = next_column, .of = &column_noun,
     WTL_VIA(struct document, import), .meaning = "one per file, below"},
    {"faults", WTL_MEMBER_LIST, .next = next_fault, .of = &fault_noun,
     WTL_VIA(struct document, import), .meaning = "below"},
    {"faults_left_out", VIA_IMPORT(SIZE, faults_left_out),
     .meaning = "number of faults beyond the first 256"},
    {"assumed", VIA_IMPORT(NAME, assumed), .nullable = true,
     .meaning = "what was assumed with `--yes`, as by the flag ASSUMED"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_import = {"import", of_document};
/* NOLINTEND(bugprone-macro-parentheses) */

int wtl_import_print_json(FILE *out, const struct wtl_import *import, const char *trace)
{
    return wtl_json_print(out, wtl_noun_document("wattle.import/1", &wtl_noun_import,
                                                 &(struct document){import, trace}));
}
