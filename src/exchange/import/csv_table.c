/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CSV as a table. What the file does not specify (separator, decimal sign, header, time column) is
 * guessed from its first lines and shown with the mapping. A table in long form has a row for each
 * value, from which rows of one time are assembled.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "exchange/formats/format.h"
#include "exchange/import/csv_guess.h"
#include "exchange/import/csv_rows.h"
#include "exchange/import/import_words.h"
#include "exchange/import/target.h"

struct csv {
    struct wtl_csv_rows rows;
    struct wtl_table_options options;
    struct wtl_csv_guess guess;
    size_t width;                  /* cells of a row */
    struct wtl_import_cell *cells; /* by column */
    bool lenient;
    int time_columns[2], cover_column; /* -1 = none */
    struct wtl_time_form cover;
    char joined[96]; /* date and time */
    bool header_again;
    size_t least_length, least_decimals; /* of the last cells before the current row */
    size_t last_length, last_decimals;   /* of its own */
    uint64_t every_ns, row;              /* generated times */
    int64_t zero_ns;                     /* added to all times */
};

static void lose(struct wtl_import_table *table, uint64_t *counter, uint64_t line)
{
    if (!table->losses.first_line)
        table->losses.first_line = line;
    (*counter)++;
}

/* ---- rows ---- */

/* A row with too few or too many cells. 1 = skip it, 0 = use it. */
static int check_width(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    size_t count = csv->rows.count;
    /* A separator after the last cell creates an empty one. */
    if (count == csv->width || (count == csv->width + 1 && csv->rows.cells[count - 1].length == 0))
        return 0;
    if (csv->lenient) {
        lose(table, count < csv->width ? &table->losses.short_rows : &table->losses.long_rows,
             csv->rows.line);
        return 1;
    }
    return wtl_fail(err, -EBADMSG,
                    "%s:%llu: the row has %zu cells, but the first row has %zu; fix the line, or "
                    "skip such rows with --lenient",
                    table->path, (unsigned long long)csv->rows.line, count, csv->width);
}

/* The header once more, as of logs that were appended, or what loggers write below that without a time. */
static bool is_header_again(const struct wtl_import_table *table)
{
    struct csv *csv = table->own;
    int column = csv->time_columns[0];
    const struct wtl_csv_cell *cell = column < 0 ? NULL : &csv->rows.cells[column];
    if (cell && strcmp(cell->text, table->headers[column].name) == 0)
        return csv->header_again = true;
    return cell && csv->header_again && cell->length == 0;
}

/* Does the format say that the table ends here? */
static bool is_end(const struct csv *csv)
{
    const struct wtl_file_format *format = csv->options.format;
    return format && format->stop && csv->rows.count > 0 &&
           wtl_glob(format->stop, csv->rows.cells[0].text);
}

/* Get the time of the row. 1 = skip it. */
static int take_time(struct wtl_import_table *table,
                     struct wtl_import_row *row,
                     struct wattle_error *err)
{
    struct csv *csv = table->own;
    if (csv->time_columns[0] < 0) {
        row->time_ns = csv->zero_ns + (int64_t)(csv->row++ * csv->every_ns);
        return 0;
    }
    const struct wtl_csv_cell *cell = &csv->rows.cells[csv->time_columns[0]];
    struct wtl_csv_cell joined = {.text = csv->joined};
    if (csv->time_columns[1] >= 0) {
        joined.length = (size_t)snprintf(csv->joined, sizeof csv->joined, "%.45s %.45s", cell->text,
                                         csv->rows.cells[csv->time_columns[1]].text);
        cell = &joined;
    }
    if (wtl_time_next(cell->text, cell->length, &table->time, &row->time_ns) == 0 &&
        !__builtin_add_overflow(row->time_ns, csv->zero_ns, &row->time_ns))
        return 0;
    if (csv->lenient) {
        lose(table, &table->losses.bad_times, csv->rows.line);
        return 1;
    }
    return wtl_fail(err, -EBADMSG,
                    "%s:%llu: column \"%s\": \"%.40s\" is not a time in format %s; choose the "
                    "format with --time, or skip such rows with --lenient",
                    table->path, (unsigned long long)csv->rows.line,
                    table->headers[csv->time_columns[0]].name, cell->text, table->time_text);
}

static int take_cells(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    for (size_t i = 0; i < csv->width; i++) {
        const struct wtl_csv_cell *cell = &csv->rows.cells[i];
        if (table->headers[i].is_label || table->headers[i].is_time)
            continue;
        csv->cells[i] = wtl_cell_read(cell->text, cell->length, csv->guess.point);
        if (csv->cells[i].form != WTL_CELL_WORD)
            continue;
        bool foreign = false;
        if (csv->options.thousands)
            csv->cells[i] = wtl_cell_ungroup(cell->text, cell->length, csv->guess.point);
        if (csv->cells[i].form == WTL_CELL_WORD)
            wtl_cell_with_unit(cell->text, csv->guess.point, &table->headers[i].meaning,
                               &csv->cells[i], &foreign);
        if (csv->cells[i].form != WTL_CELL_WORD)
            continue;
        if (foreign && !csv->lenient)
            return wtl_fail(err, -EBADMSG,
                            "%s:%llu: column \"%s\": \"%.40s\" is not in %s, the unit of the "
                            "column; fix the cell, or skip the column with --ignore",
                            table->path, (unsigned long long)csv->rows.line, table->headers[i].name,
                            cell->text, table->headers[i].meaning.unit);
        if (!csv->lenient)
            return wtl_fail(err, -EBADMSG,
                            "%s:%llu: column \"%s\": \"%.40s\" is not a number; fix the cell, skip "
                            "the column with --ignore, or record such cells as gaps with --lenient",
                            table->path, (unsigned long long)csv->rows.line, table->headers[i].name,
                            cell->text);
        lose(table, &table->losses.words, csv->rows.line);
    }
    return 0;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How long the last cell of a row is, compared with those before it. */
static void measure_end(struct csv *csv)
{
    const struct wtl_csv_cell *cell = &csv->rows.cells[csv->width - 1];
    const char *point = memchr(cell->text, csv->guess.point, cell->length);
    csv->least_length = lesser(csv->least_length, csv->last_length);
    csv->least_decimals = lesser(csv->least_decimals, csv->last_decimals);
    csv->last_length = cell->length;
    csv->last_decimals = point ? cell->length - (size_t)(point - cell->text) : 0;
}

/* A file that ends without a line break, in a cell shorter than all above it. */
static void check_end(struct wtl_import_table *table)
{
    const struct csv *csv = table->own;
    bool shorter = csv->last_length < csv->least_length || csv->last_decimals < csv->least_decimals;
    if (!csv->rows.line || !shorter || !wtl_text_source_is_cut(csv->rows.source))
        return;
    struct wtl_import_note *note = wtl_import_table_note(table, "cut off");
    note->line = csv->rows.line;
    note->count = 1;
    (void)snprintf(note->text, sizeof note->text,
                   "the last line has no line break and ends in a shorter cell than all others, so "
                   "it seems to be cut off");
}

static int next_row(struct wtl_import_table *table,
                    struct wtl_import_row *ret_row,
                    struct wattle_error *err)
{
    struct csv *csv = table->own;
    for (;;) {
        int rc = wtl_csv_rows_next(&csv->rows, err);
        if (rc > 0 && is_end(csv))
            rc = 0;
        if (rc == 0)
            check_end(table);
        if (rc <= 0)
            return rc;
        rc = check_width(table, err);
        if (rc == 0 && is_header_again(table))
            continue;
        struct wtl_import_row row = {
            .line = csv->rows.line, .cells = csv->cells, .count = csv->width};
        if (rc == 0)
            rc = take_time(table, &row, err);
        if (rc < 0)
            return rc;
        if (rc > 0)
            continue;
        if (csv->cover_column >= 0) {
            const struct wtl_csv_cell *cell = &csv->rows.cells[csv->cover_column];
            if (wtl_time_parse(cell->text, cell->length, &csv->cover, &row.cover_ns) < 0 ||
                row.cover_ns < 0)
                row.cover_ns = 0;
        }
        rc = take_cells(table, err);
        if (rc < 0)
            return rc;
        measure_end(csv);
        *ret_row = row;
        return 1;
    }
}

static void close_csv(struct wtl_import_table *table)
{
    struct csv *csv = table->own;
    if (!csv)
        return;
    wtl_csv_rows_end(&csv->rows);
    free(csv->cells);
    free(csv);
    table->own = NULL;
}

static const struct wtl_table_ops ops = {next_row, close_csv};

/* ---- head ---- */

/* Take headers from the first row, or number the columns. */
static int make_headers(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    char *copy = NULL;
    int rc = 0;
    if (!csv->guess.has_rows)
        return wtl_fail(err, -ENODATA, "%s: the file has no rows", table->path);
    if (csv->guess.header_line >= 0) {
        char *text = csv->rows.head[csv->guess.header_line].text;
        if (csv->guess.header_is_comment) /* not a row, so it is not read again */
            text[strspn(text, " \t")] = ' ';
        rc = wtl_csv_rows_cut_head(&csv->rows, (size_t)csv->guess.header_line, &copy, err);
        if (csv->guess.header_is_comment)
            text[0] = '#';
    }
    for (size_t i = 0; rc >= 0 && i < csv->guess.width; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "column %zu", i + 1);
        bool named = copy && i < csv->rows.count && csv->rows.cells[i].length > 0;
        const char *text = named ? csv->rows.cells[i].text : name;
        text += strspn(text, " \t");
        size_t length = strlen(text);
        while (length > 0 && strchr(" \t\r", text[length - 1]))
            length--;
        rc = wtl_import_table_add(table, text, length, err);
    }
    free(copy);
    csv->width = csv->guess.width;
    return rc < 0 ? rc : 0;
}

/* Is a channel in this list, "a, b"? Its column is "NAME [UNIT]". */
static bool is_named(const char *names, const char *header)
{
    size_t length = strcspn(header, " ");
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, ",");
        if (n == length && strncmp(at, header, n) == 0)
            return true;
        at += n + strspn(at + n, ", ");
    }
    return false;
}

/* Apply a note to the channels it names. */
static void take_channels(struct wtl_import_table *table, const char *key, const char *names)
{
    for (size_t i = 0; i < table->column_count; i++) {
        struct wtl_meaning *meaning = &table->headers[i].meaning;
        if (!is_named(names, table->headers[i].name))
            continue;
        meaning->simulated |= strcmp(key, "simulated") == 0;
        if (strcmp(key, "estimated") == 0)
            meaning->quality = WATTLE_ESTIMATED;
        else if (strcmp(key, "derived") == 0)
            meaning->quality = WATTLE_DERIVED;
    }
}

/* The column with the values of a channel, not with the power beside an energy; -1 = none. */
static int column_of(const struct wtl_import_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const char *header = table->headers[i].name;
        if (strncmp(header, name, length) == 0 && (!header[length] || header[length] == ' '))
            return (int)i;
    }
    return -1;
}

/* "NAME, QUANTITY, KIND[, TRAITS]" */
static void take_channel(struct wtl_import_table *table, const char *text)
{
    static const struct {
        const char *name;
        enum wtl_import_kind kind;
    } kinds[] = {{"counter", WTL_IMPORT_COUNTER},
                 {"gauge", WTL_IMPORT_GAUGE},
                 {"window average", WTL_IMPORT_AVERAGE}};
    char copy[WTL_TRAITS_SIZE + 128];
    (void)snprintf(copy, sizeof copy, "%s", text);
    char *rest = copy;
    const char *name = strsep(&rest, ","), *quantity = strsep(&rest, ","),
               *kind = strsep(&rest, ",");
    int column = column_of(table, name, strlen(name));
    if (column < 0 || !kind)
        return;
    struct wtl_meaning *meaning = &table->headers[column].meaning;
    for (int i = 0; i < WATTLE_QUANTITY_COUNT; i++) {
        if (strcmp(quantity + strspn(quantity, " "),
                   wattle_quantity_name((enum wattle_quantity)i)) == 0) {
            meaning->quantity = (enum wattle_quantity)i;
            meaning->has_quantity = true;
        }
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kind + strspn(kind, " "), kinds[i].name) == 0)
            meaning->kind = kinds[i].kind;
    }
    if (rest)
        wtl_channel_traits_read(rest + strspn(rest, " "), &meaning->traits);
}

/* A time of a note in nanoseconds since the file's time 0, and the rest after its blank. */
static const char *take_note_time(const char *text, int64_t *ret_ns)
{
    struct wtl_time_form form = {.unit = WTL_TIME_S, .epoch = WTL_EPOCH_START, .point = '.'};
    size_t n = strspn(text, "-0123456789.");
    return wtl_time_parse(text, n, &form, ret_ns) == 0 && text[n] == ' ' ? text + n + 1 : NULL;
}

/* "NAME; BEGIN END REASON; ..." */
static int take_gaps(struct wtl_import_table *table, const char *text)
{
    size_t length = strcspn(text, ";");
    int column = column_of(table, text, length), rc = 0;
    for (text += length; column >= 0 && rc == 0 && strncmp(text, "; ", 2) == 0;) {
        struct wtl_import_gap gap = {.column = (size_t)column};
        text = take_note_time(text + 2, &gap.begin_ns);
        text = text ? take_note_time(text, &gap.end_ns) : NULL;
        if (!text)
            return 0;
        size_t n = strcspn(text, ";");
        gap.reason = WTL_GAP_NOT_SAMPLED;
        for (int i = 0; i < WTL_GAP_REASON_COUNT; i++) {
            const char *name = wtl_gap_reason_name((enum wtl_gap_reason)i);
            if (strlen(name) == n && strncmp(text, name, n) == 0)
                gap.reason = (enum wtl_gap_reason)i;
        }
        text += n;
        rc = wtl_import_table_gap(table, gap);
    }
    return rc;
}

/* The gaps of all notes, once time 0 is known. */
static int take_all_gaps(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    int rc = 0;
    for (size_t i = 0; i < csv->rows.head_count && csv->rows.head[i].text[0] == '#' && rc == 0;
         i++) {
        if (strncmp(csv->rows.head[i].text, "# gaps: ", 8) == 0)
            rc = take_gaps(table, csv->rows.head[i].text + 8);
    }
    for (size_t i = 0; i < table->gap_count; i++) {
        table->gaps[i].begin_ns += csv->zero_ns;
        table->gaps[i].end_ns += csv->zero_ns;
    }
    wtl_import_table_gaps_end(table);
    return rc < 0 ? wtl_no_memory_for(err, "the gaps of %s", table->path) : 0;
}

/* The notes at the top of wattle's own exports. */
static void take_notes(struct wtl_import_table *table)
{
    static const char *const keys[] = {"simulated", "estimated", "derived"};
    struct csv *csv = table->own;
    for (size_t i = 0; i < csv->rows.head_count && csv->rows.head[i].text[0] == '#'; i++) {
        const char *text = csv->rows.head[i].text;
        uint64_t zero_ns;
        if (strcmp(text, "# wattle export, samples") == 0)
            (void)snprintf(table->program, sizeof table->program, "wattle export");
        else if (strncmp(text, "# host.name: ", 13) == 0)
            (void)snprintf(table->machine, sizeof table->machine, "%s", text + 13);
        else if (strncmp(text, "# zero_realtime_ns: ", 20) == 0 &&
                 wtl_parse_u64(text + 20, &zero_ns) == 0 && zero_ns <= INT64_MAX / 2)
            csv->zero_ns = (int64_t)zero_ns;
        if (strncmp(text, "# channel: ", 11) == 0)
            take_channel(table, text + 11);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            size_t n = strlen(keys[k]);
            if (strncmp(text, "# ", 2) == 0 && strncmp(text + 2, keys[k], n) == 0 &&
                strncmp(text + 2 + n, ": ", 2) == 0)
                take_channels(table, keys[k], text + n + 4);
        }
    }
}

/* What the format says about columns. */
static int take_format(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    const struct wtl_file_format *format = csv->options.format;
    if (!format)
        return 0;
    table->sensor = format->name;
    for (size_t i = 0; i < table->column_count; i++) {
        struct wtl_import_header *header = &table->headers[i];
        const char *target = wtl_format_target(format, header->name, &header->left_out);
        if (!target)
            continue;
        header->meaning.by_format = true;
        int rc = wtl_target_take(&header->meaning, target, err);
        if (rc < 0)
            return rc;
    }
    if (!csv->options.time)
        csv->options.time = format->time;
    if (!csv->options.cover)
        csv->options.cover = format->cover;
    return 0;
}

static int choose_time(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    const char *asked = csv->options.time;
    csv->time_columns[0] = csv->time_columns[1] = -1;
    if (asked && strncmp(asked, "every:", 6) == 0) {
        int rc = wtl_parse_duration(asked + 6, &csv->every_ns);
        if (rc < 0 || csv->every_ns == 0)
            return wtl_fail(err, -EINVAL, "--time: \"%s\" is not a time such as every:100ms",
                            asked);
        (void)snprintf(table->time_text, sizeof table->time_text, "%.90s", asked);
        table->time = (struct wtl_time_form){.unit = WTL_TIME_S, .epoch = WTL_EPOCH_START};
        return 0;
    }
    int rc = wtl_csv_guess_time(table, &csv->rows, &csv->guess, &csv->options, asked,
                                csv->time_columns, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < 2 && csv->time_columns[i] >= 0; i++)
        table->headers[csv->time_columns[i]].is_time = true;
    if (table->time.epoch == WTL_EPOCH_1970)
        csv->zero_ns = 0;
    else if (csv->zero_ns)
        table->time.epoch = WTL_EPOCH_1970; /* wattle's export states its time 0 */
    return 0;
}

static int choose_cover(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    csv->cover_column = -1;
    csv->cover = (struct wtl_time_form){.unit = WTL_TIME_S, .point = csv->guess.point};
    return wtl_csv_guess_cover(table, csv->options.cover, &csv->cover_column, &csv->cover, err);
}

static void tell_shape(struct wtl_import_table *table)
{
    const struct csv *csv = table->own;
    const char *name = csv->guess.separator == ','    ? NULL
                       : csv->guess.separator == '\t' ? "tab"
                       : csv->guess.separator == ' '  ? "blank"
                       : csv->guess.separator == ';'  ? "semicolon"
                                                      : "bar";
    char *text = table->shape_text;
    size_t size = sizeof table->shape_text;
    if (name)
        (void)snprintf(text, size, "--separator %s", name);
    size_t used = strlen(text);
    if (csv->guess.point == ',')
        (void)snprintf(text + used, size - used, "%s--decimal comma", used ? " " : "");
    used = strlen(text);
    if (csv->guess.header_line < 0)
        (void)snprintf(text + used, size - used, "%s--no-header", used ? " " : "");
}

static int open_head(struct wtl_import_table *table, struct wattle_error *err)
{
    struct csv *csv = table->own;
    int rc = wtl_csv_guess_shape(&csv->rows, &csv->options, &csv->guess, err);
    rc = rc < 0 ? rc : make_headers(table, err);
    if (rc < 0)
        return rc;
    take_notes(table);
    rc = take_format(table, err);
    if (rc < 0)
        return rc;
    table->time.point = csv->guess.point;
    table->time.zone = csv->options.zone;
    rc = choose_time(table, err);
    rc = rc < 0 ? rc : choose_cover(table, err);
    rc = rc < 0 ? rc : take_all_gaps(table, err);
    if (rc < 0)
        return rc;
    wtl_csv_guess_labels(table, &csv->rows, &csv->guess);
    tell_shape(table);
    if (csv->guess.header_line >= 0 && !csv->guess.header_is_comment)
        csv->rows.head_at = (size_t)csv->guess.header_line + 1;
    csv->cells = calloc(csv->width + 1, sizeof *csv->cells);
    return csv->cells ? 0 : wtl_no_memory_for(err, "%s", table->path);
}

int wtl_csv_table_open(const char *path,
                       struct wtl_text_source *source,
                       const struct wtl_table_options *options,
                       struct wtl_import_table **ret_table,
                       struct wattle_error *err)
{
    struct wtl_import_table *table = calloc(1, sizeof *table);
    struct csv *csv = calloc(1, sizeof *csv);
    if (!table || !csv) {
        free(table);
        free(csv);
        wtl_text_source_close(source);
        return wtl_no_memory_for(err, "%s", path);
    }
    *table = (struct wtl_import_table){.ops = &ops, .path = path, .sensor = "csv", .own = csv};
    csv->options = *options;
    if (options->format) {
        csv->options.separator =
            options->separator ? options->separator : options->format->separator;
        csv->options.point = options->point ? options->point : options->format->point;
        csv->options.thousands = options->thousands || options->format->thousands;
    }
    csv->lenient = options->lenient;
    csv->least_length = csv->least_decimals = csv->last_length = csv->last_decimals = SIZE_MAX;
    int rc = wtl_csv_rows_begin(&csv->rows, path, source, err);
    rc = rc < 0 ? rc : open_head(table, err);
    if (rc < 0)
        wtl_import_table_close(table);
    else
        *ret_table = table;
    return rc;
}
