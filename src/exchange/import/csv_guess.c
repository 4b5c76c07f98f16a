/* SPDX-License-Identifier: BSD-3-Clause */
/* Guesses about CSV files: see csv_guess.h. */
#define _GNU_SOURCE
#include "exchange/import/csv_guess.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "exchange/import/import_words.h"

enum { LOOK_LINES = 100 };

/* ---- separator ---- */

/* Number of cells in a line for a given separator, respecting quotes. */
static size_t count_cells(const char *text, size_t length, char separator)
{
    size_t count = 1;
    bool quoted = false, blank = true;
    if (separator == ' ') {
        count = 0;
        for (size_t i = 0; i < length; i++) {
            bool now = text[i] == ' ' || text[i] == '\t';
            count += blank && !now;
            blank = now;
        }
        return count;
    }
    for (size_t i = 0; i < length; i++) {
        quoted ^= text[i] == '"';
        count += !quoted && text[i] == separator;
    }
    return count;
}

/* How many of the first lines have the most common number of cells, if above one. */
static size_t agreement(const struct wtl_csv_rows *rows, char separator, size_t *ret_lines)
{
    size_t counts[LOOK_LINES], n = 0, best = 0;
    for (size_t i = 0; i < rows->head_count && n < LOOK_LINES; i++) {
        const struct wtl_csv_line *line = &rows->head[i];
        if (!wtl_csv_line_is_idle(line->text, line->length))
            counts[n++] = count_cells(line->text, line->length, separator);
    }
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t k = 0; k < n; k++)
            same += counts[k] == counts[i];
        if (counts[i] > 1 && same > best)
            best = same;
    }
    *ret_lines = n;
    return best;
}

static char guess_separator(const struct wtl_csv_rows *rows)
{
    /* Checked in this order: a comma may be a decimal sign next to another separator, and blanks
     * occur in dates. */
    static const char candidates[] = {'\t', ';', '|', ',', ' '};
    for (size_t i = 0; i < sizeof candidates; i++) {
        size_t lines, same = agreement(rows, candidates[i], &lines);
        if (lines > 0 && same * 10 >= lines * 8)
            return candidates[i];
    }
    /* No agreement: use the most likely one, for damaged or short files. */
    for (size_t i = 0; i < sizeof candidates; i++) {
        size_t lines;
        if (agreement(rows, candidates[i], &lines) > lines / 2)
            return candidates[i];
    }
    return ',';
}

/* ---- decimal sign ---- */

/* Are there cells with a comma in a number, and none with a point? */
static char guess_point(struct wtl_csv_rows *rows)
{
    size_t commas = 0, points = 0;
    if (rows->separator == ',')
        return '.';
    for (size_t i = 0; i < rows->head_count && i < LOOK_LINES; i++) {
        char *copy;
        struct wtl_decimal decimal;
        if (wtl_csv_line_is_idle(rows->head[i].text, rows->head[i].length) ||
            wtl_csv_rows_cut_head(rows, i, &copy, NULL) < 0)
            continue;
        for (size_t k = 0; k < rows->count; k++) {
            const struct wtl_csv_cell *cell = &rows->cells[k];
            commas += strchr(cell->text, ',') &&
                      wtl_decimal_parse(cell->text, cell->length, ',', &decimal) == 0;
            points += strchr(cell->text, '.') &&
                      wtl_decimal_parse(cell->text, cell->length, '.', &decimal) == 0;
        }
        free(copy);
    }
    return commas > 0 && points == 0 ? ',' : '.';
}

/* ---- header ---- */

static bool is_number(const struct wtl_csv_cell *cell, char point)
{
    struct wtl_decimal decimal;
    struct wtl_time_form iso = {.unit = WTL_TIME_ISO};
    int64_t ns;
    return wtl_decimal_parse(cell->text, cell->length, point, &decimal) == 0 ||
           wtl_time_parse(cell->text, cell->length, &iso, &ns) == 0;
}

/* How many cells of a line of the head are numbers or dates; *ret_count = all cells. */
static size_t count_numbers(struct wtl_csv_rows *rows, size_t line, char point, size_t *ret_count)
{
    char *copy;
    size_t numbers = 0;
    *ret_count = 0;
    if (wtl_csv_rows_cut_head(rows, line, &copy, NULL) < 0)
        return 0;
    for (size_t i = 0; i < rows->count; i++)
        numbers += is_number(&rows->cells[i], point);
    *ret_count = rows->count;
    free(copy);
    return numbers;
}

/* Index in the head of the next line that is a row; -1. */
static int next_row_line(const struct wtl_csv_rows *rows, size_t from)
{
    for (size_t i = from; i < rows->head_count; i++) {
        if (!wtl_csv_line_is_idle(rows->head[i].text, rows->head[i].length))
            return (int)i;
    }
    return -1;
}

/* A comment directly above the first row with as many words as the row has cells. */
static bool is_header_comment(struct wtl_csv_rows *rows, int line, size_t width)
{
    if (line < 0 || rows->head[line].text[0] != '#' || width < 2)
        return false;
    return count_cells(rows->head[line].text + 1, rows->head[line].length - 1, rows->separator) ==
           width;
}

static void guess_header(struct wtl_csv_rows *rows, int asked, struct wtl_csv_guess *guess)
{
    size_t width = 0, second_width = 0;
    int first = next_row_line(rows, 0);
    guess->header_line = guess->first_line = -1;
    if (first < 0)
        return;
    size_t numbers = count_numbers(rows, (size_t)first, guess->point, &width);
    int second = next_row_line(rows, (size_t)first + 1);
    size_t second_numbers =
        second < 0 ? 0 : count_numbers(rows, (size_t)second, guess->point, &second_width);
    guess->has_rows = true;
    guess->width = width;
    guess->first_line = first;
    if (asked == 1 || (asked < 0 && (numbers == 0 || numbers < second_numbers))) {
        guess->header_line = first;
        guess->first_line = second;
    } else if (asked < 0 && is_header_comment(rows, first - 1, width)) {
        guess->header_line = first - 1;
        guess->header_is_comment = true;
    }
    /* A trailing separator in the rows only. */
    if (guess->header_line == first && second_width > 0 && second_width < width)
        guess->width = width;
}

int wtl_csv_guess_shape(struct wtl_csv_rows *rows,
                        const struct wtl_table_options *options,
                        struct wtl_csv_guess *ret_guess,
                        struct wattle_error *err)
{
    *ret_guess = (struct wtl_csv_guess){.separator = options->separator, .point = options->point};
    if (!ret_guess->separator)
        ret_guess->separator = guess_separator(rows);
    rows->separator = ret_guess->separator;
    if (!ret_guess->point)
        ret_guess->point = guess_point(rows);
    if (ret_guess->point == rows->separator)
        return wtl_fail(err, -EINVAL,
                        "%s: the comma cannot be both separator and decimal sign; choose the "
                        "separator with --separator",
                        rows->path);
    guess_header(rows, options->header, ret_guess);
    return 0;
}

/* ---- columns ---- */

int wtl_import_find_column(const struct wtl_import_table *table, const char *name, size_t n)
{
    if (n > 1 && name[0] == '#') {
        size_t number = strtoul(name + 1, NULL, 10);
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->headers[i].number == number)
                return (int)i;
        }
        return -ENOENT;
    }
    for (int exact = 1; exact >= 0; exact--) {
        for (size_t i = 0; i < table->column_count; i++) {
            const char *header = table->headers[i].name;
            if (strlen(header) == n &&
                (exact ? strncmp(header, name, n) : strncasecmp(header, name, n)) == 0)
                return (int)i;
        }
    }
    return -ENOENT;
}

static int no_column(const struct wtl_import_table *table,
                     const char *option,
                     const char *name,
                     struct wattle_error *err)
{
    const char **names = calloc(table->column_count + 1, sizeof *names);
    const char *near = NULL;
    for (size_t i = 0; names && i < table->column_count; i++)
        names[i] = table->headers[i].name;
    if (names)
        near = wtl_nearest(name, names, table->column_count);
    int rc = wtl_fail(err, -EINVAL, "%s: %s has no column \"%.60s\"%s%.60s%s", option, table->path,
                      name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    free(names);
    return rc;
}

/* Remove ":WORD" from the end of a text if WORD is in a list; returns its index, 0 if none. */
static int take_suffix(char *text, const char *const *names)
{
    char *colon = strrchr(text, ':');
    for (int i = 1; colon && names[i]; i++) {
        if (strcmp(colon + 1, names[i]) == 0) {
            *colon = '\0';
            return i;
        }
    }
    return 0;
}

/* The text of a column in the first row of numbers; malloc'ed, NULL if there is none. */
static char *first_cell(struct wtl_csv_rows *rows, const struct wtl_csv_guess *guess, int column)
{
    char *copy, *text = NULL;
    if (guess->first_line < 0 ||
        wtl_csv_rows_cut_head(rows, (size_t)guess->first_line, &copy, NULL) < 0)
        return NULL;
    if ((size_t)column < rows->count)
        text = strdup(rows->cells[column].text);
    free(copy);
    return text;
}

/* A date needs no header: the first column that begins with one; -1. */
static int find_date(struct wtl_csv_rows *rows, const struct wtl_csv_guess *guess, size_t width)
{
    const struct wtl_time_form iso = {.unit = WTL_TIME_ISO};
    char *copy;
    int64_t ns;
    int column = -1;
    if (guess->first_line < 0 ||
        wtl_csv_rows_cut_head(rows, (size_t)guess->first_line, &copy, NULL) < 0)
        return -1;
    for (size_t i = 0; i < rows->count && i < width && column < 0; i++) {
        if (wtl_time_parse(rows->cells[i].text, rows->cells[i].length, &iso, &ns) == 0)
            column = (int)i;
    }
    free(copy);
    return column;
}

static int settle_time(struct wtl_import_table *table,
                       struct wtl_csv_rows *rows,
                       const struct wtl_csv_guess *guess,
                       int column,
                       struct wattle_error *err)
{
    char *text = first_cell(rows, guess, column);
    bool good = text && wtl_time_guess(text, strlen(text), &table->time);
    int rc = 0;
    if (text && !good)
        rc = wtl_fail(err, -EBADMSG,
                      "%s:%llu: column \"%s\": \"%.40s\" is not a time; name the time column, for "
                      "example --time 'timestamp:ms'",
                      table->path, (unsigned long long)rows->head[guess->first_line].number,
                      table->headers[column].name, text);
    else if (!text)
        table->time = (struct wtl_time_form){
            .unit = WTL_TIME_S, .epoch = WTL_EPOCH_START, .point = table->time.point};
    free(text);
    if (rc == 0)
        (void)snprintf(table->time_text, sizeof table->time_text, "%.70s:%s:%s",
                       table->headers[column].name, wtl_time_unit_names[table->time.unit],
                       wtl_time_epoch_names[table->time.epoch]);
    return rc;
}

static int asked_time(struct wtl_import_table *table, const char *asked, struct wattle_error *err)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%s", asked);
    int column = wtl_import_find_column(table, name, strlen(name));
    if (column >= 0)
        return column;
    table->time.epoch = (enum wtl_time_epoch)take_suffix(name, wtl_time_epoch_names);
    table->time.unit = (enum wtl_time_unit)take_suffix(name, wtl_time_unit_names);
    column = wtl_import_find_column(table, name, strlen(name));
    return column < 0 ? no_column(table, "--time", name, err) : column;
}

int wtl_csv_guess_time(struct wtl_import_table *table,
                       struct wtl_csv_rows *rows,
                       const struct wtl_csv_guess *guess,
                       const char *asked,
                       int *ret_column,
                       struct wattle_error *err)
{
    int column = -1;
    enum wtl_time_unit unit = WTL_TIME_AUTO;
    if (asked) {
        column = asked_time(table, asked, err);
        if (column < 0)
            return column;
        if (table->time.unit == WTL_TIME_AUTO) {
            (void)wtl_import_words_are_time(table->headers[column].name, &unit);
            table->time.unit = unit;
        }
    }
    for (size_t i = 0; i < table->column_count && column < 0; i++) {
        if (!wtl_import_words_are_time(table->headers[i].name, &unit))
            continue;
        char *text = first_cell(rows, guess, (int)i);
        struct wtl_time_form form = {.unit = unit, .point = table->time.point};
        if (!text || wtl_time_guess(text, strlen(text), &form)) {
            column = (int)i;
            table->time.unit = unit;
        }
        free(text);
    }
    if (column < 0)
        column = find_date(rows, guess, table->column_count);
    if (column < 0 && guess->header_line < 0 && table->column_count > 1)
        column = 0; /* without a header, the first column is the time */
    if (column < 0)
        return wtl_fail(err, -EBADMSG,
                        "%s: no column looks like a time; name it (--time 'COLUMN:s'), or give the "
                        "time between rows (--time every:1s)",
                        table->path);
    *ret_column = column;
    return settle_time(table, rows, guess, column, err);
}

int wtl_csv_guess_cover(struct wtl_import_table *table,
                        const char *asked,
                        int *ret_column,
                        struct wtl_time_form *ret_form,
                        struct wattle_error *err)
{
    char name[256];
    enum wtl_time_unit unit = WTL_TIME_AUTO;
    int column = -1;
    if (asked && strcmp(asked, "none") == 0)
        return 0;
    if (asked) {
        (void)snprintf(name, sizeof name, "%s", asked);
        unit = (enum wtl_time_unit)take_suffix(name, wtl_time_unit_names);
        column = wtl_import_find_column(table, name, strlen(name));
        if (column < 0)
            return no_column(table, "--cover", name, err);
    }
    for (size_t i = 0; i < table->column_count && column < 0; i++) {
        if (!table->headers[i].is_time &&
            wtl_import_words_are_duration(table->headers[i].name, &unit))
            column = (int)i;
    }
    if (column < 0)
        return 0;
    ret_form->unit = unit == WTL_TIME_AUTO ? WTL_TIME_S : unit;
    table->headers[column].is_cover = true;
    *ret_column = column;
    return 0;
}

/* Record for each cell of a line whether it is a number (bit 0) or a word (bit 1). */
static void note_cells(struct wtl_csv_rows *rows, size_t line, char point, uint8_t *seen, size_t n)
{
    char *copy;
    if (wtl_csv_rows_cut_head(rows, line, &copy, NULL) < 0)
        return;
    for (size_t k = 0; k < n && k < rows->count; k++) {
        struct wtl_import_cell cell =
            wtl_cell_read(rows->cells[k].text, rows->cells[k].length, point);
        seen[k] |= (uint8_t)((cell.form == WTL_CELL_GOOD) | (cell.form == WTL_CELL_WORD) << 1);
    }
    free(copy);
}

void wtl_csv_guess_labels(struct wtl_import_table *table,
                          struct wtl_csv_rows *rows,
                          const struct wtl_csv_guess *guess)
{
    size_t n = table->column_count, rows_seen = 0;
    uint8_t *seen = calloc(n + 1, 1);
    size_t first = guess->first_line < 0 ? rows->head_count : (size_t)guess->first_line;
    for (size_t i = first; seen && i < rows->head_count && rows_seen < LOOK_LINES; i++) {
        if (wtl_csv_line_is_idle(rows->head[i].text, rows->head[i].length))
            continue;
        rows_seen++;
        note_cells(rows, i, guess->point, seen, n);
    }
    for (size_t k = 0; seen && k < n; k++) {
        if (!table->headers[k].is_time && seen[k] == 2)
            table->headers[k].is_label = true;
    }
    free(seen);
}
