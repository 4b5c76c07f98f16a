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

/* Is it "1,234": a comma with three digits after it, which may be a decimal sign or group digits. */
static bool may_group(const char *text)
{
    const char *comma = strchr(text, ',');
    return comma && strspn(comma + 1, "0123456789") == 3 && !comma[4] && comma - text < 4;
}

/* Are there cells with a comma in a number, and none with a point? '?': the comma may group digits. */
static char guess_point(struct wtl_csv_rows *rows)
{
    size_t commas = 0, points = 0, groups = 0;
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
            bool comma = strchr(cell->text, ',') &&
                         wtl_decimal_parse(cell->text, cell->length, ',', &decimal) == 0;
            commas += comma;
            groups += comma && may_group(cell->text);
            points += strchr(cell->text, '.') &&
                      wtl_decimal_parse(cell->text, cell->length, '.', &decimal) == 0;
        }
        free(copy);
    }
    return commas == 0 ? '.' : commas == groups ? '?' : points == 0 ? ',' : '.';
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
        ret_guess->point = options->thousands ? '.' : guess_point(rows);
    if (ret_guess->point == '?')
        return wtl_fail(err, -EBADMSG,
                        "%s: numbers such as 1,234 may have a decimal comma or groups of digits; "
                        "say which with --decimal comma or "
                        "--thousands",
                        rows->path);
    if (ret_guess->point == rows->separator)
        return wtl_fail(err, -EINVAL,
                        "%s: the comma cannot be both separator and decimal sign; choose the "
                        "separator with --separator",
                        rows->path);
    guess_header(rows, options->header, ret_guess);
    return 0;
}

/* ---- columns ---- */

/* The index of a column given by name, or "#3" by number; -ENOENT. */
static int import_find_column(const struct wtl_import_table *table, const char *name, size_t n)
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

/* "date time" of a row; of the time column alone if there is one. Empty if there is no row. */
static void time_cell(struct wtl_csv_rows *rows,
                      const struct wtl_csv_guess *guess,
                      const int columns[2],
                      char *text,
                      size_t size)
{
    char *one = first_cell(rows, guess, columns[0]);
    char *two = columns[1] >= 0 ? first_cell(rows, guess, columns[1]) : NULL;
    (void)snprintf(text, size, "%.45s%s%.45s", one ? one : "", two ? " " : "", two ? two : "");
    free(one);
    free(two);
}

static int bad_time(const struct wtl_import_table *table,
                    const struct wtl_csv_rows *rows,
                    const struct wtl_csv_guess *guess,
                    int column,
                    const char *text,
                    int rc,
                    struct wattle_error *err)
{
    char where[300], day[40], month[40];
    int64_t ns;
    const char *header = table->headers[column].name;
    (void)snprintf(where, sizeof where, "%.180s:%llu: column \"%.60s\"", table->path,
                   (unsigned long long)rows->head[guess->first_line].number, header);
    if (rc == -ENOTUNIQ) {
        struct wtl_time_form form = {.unit = WTL_TIME_DMY};
        (void)wtl_time_parse(text, strlen(text), &form, &ns);
        wtl_time_print(ns, day, sizeof day);
        form.unit = WTL_TIME_MDY;
        (void)wtl_time_parse(text, strlen(text), &form, &ns);
        wtl_time_print(ns, month, sizeof month);
        return wtl_fail(
            err, -EBADMSG,
            "%s: \"%.40s\" may be %.10s or %.10s; say which with --time-format dmy or mdy", where,
            text, day, month);
    }
    if (rc == -ENODATA)
        return wtl_fail(err, -EBADMSG,
                        "%s: \"%.40s\" has no unit; state it, such as --time '%.60s:s'", where,
                        text, header);
    if (rc == -ERANGE)
        return wtl_fail(
            err, -EBADMSG,
            "%s: \"%.40s\" in %s is after the year 2100; state the unit with --time '%.60s:UNIT'",
            where, text, wtl_time_unit_names[table->time.unit], header);
    return wtl_fail(
        err, -EBADMSG,
        "%s: \"%.40s\" is not a time; name the time column, such as --time 'timestamp:ms'", where,
        text);
}

static int settle_time(struct wtl_import_table *table,
                       struct wtl_csv_rows *rows,
                       const struct wtl_csv_guess *guess,
                       const struct wtl_table_options *options,
                       const int columns[2],
                       struct wattle_error *err)
{
    char text[96];
    time_cell(rows, guess, columns, text, sizeof text);
    if (options->time_format && table->time.unit == WTL_TIME_AUTO)
        table->time.unit = options->time_format;
    int rc = *text ? wtl_time_settle(text, strlen(text), &table->time) : 0;
    if (rc == -ENODATA && options->assume) {
        table->time.unit = WTL_TIME_S;
        (void)snprintf(table->assumed, sizeof table->assumed, "times in \"%.60s\" are seconds",
                       table->headers[columns[0]].name);
        rc = wtl_time_settle(text, strlen(text), &table->time);
    }
    if (rc < 0)
        return bad_time(table, rows, guess, columns[0], text, rc, err);
    if (!*text)
        table->time = (struct wtl_time_form){
            .unit = WTL_TIME_S, .epoch = WTL_EPOCH_START, .point = table->time.point};
    (void)snprintf(table->time_text, sizeof table->time_text, "%.35s%s%.35s:%s:%s",
                   table->headers[columns[0]].name, columns[1] >= 0 ? "+" : "",
                   columns[1] >= 0 ? table->headers[columns[1]].name : "",
                   wtl_time_unit_names[table->time.unit], wtl_time_epoch_names[table->time.epoch]);
    return 0;
}

/* "COLUMN[+COLUMN][:UNIT[:EPOCH]]". */
static int asked_time(struct wtl_import_table *table,
                      const char *asked,
                      int ret_columns[2],
                      struct wattle_error *err)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%s", asked);
    ret_columns[0] = import_find_column(table, name, strlen(name));
    if (ret_columns[0] >= 0)
        return 0;
    table->time.epoch = (enum wtl_time_epoch)wtl_import_take_suffix(name, wtl_time_epoch_names);
    table->time.unit = (enum wtl_time_unit)wtl_import_take_suffix(name, wtl_time_unit_names);
    ret_columns[0] = import_find_column(table, name, strlen(name));
    char *plus = strchr(name, '+');
    if (ret_columns[0] < 0 && plus) {
        ret_columns[0] = import_find_column(table, name, (size_t)(plus - name));
        ret_columns[1] = import_find_column(table, plus + 1, strlen(plus + 1));
    }
    return ret_columns[0] < 0 || (plus && ret_columns[1] < 0 && strchr(name, '+'))
               ? no_column(table, "--time", name, err)
               : 0;
}

/* The first column that says so and holds numbers or dates, with the one after it if they are called date and time. */
static void find_time(struct wtl_import_table *table,
                      struct wtl_csv_rows *rows,
                      const struct wtl_csv_guess *guess,
                      int ret_columns[2])
{
    enum wtl_time_unit unit;
    for (size_t i = 0; i < table->column_count && ret_columns[0] < 0; i++) {
        const int one[2] = {(int)i, -1};
        char text[96];
        struct wtl_time_form form = {.point = table->time.point, .zone = table->time.zone};
        if (!wtl_import_words_are_time(table->headers[i].name, &unit))
            continue;
        time_cell(rows, guess, one, text, sizeof text);
        form.unit = unit;
        if (*text && wtl_time_settle(text, strlen(text), &form) == -EINVAL)
            continue;
        ret_columns[0] = (int)i;
        table->time.unit = unit;
        if (i + 1 < table->column_count && strcasecmp(table->headers[i].name, "date") == 0 &&
            strcasecmp(table->headers[i + 1].name, "time") == 0)
            ret_columns[1] = (int)i + 1;
    }
}

int wtl_csv_guess_time(struct wtl_import_table *table,
                       struct wtl_csv_rows *rows,
                       const struct wtl_csv_guess *guess,
                       const struct wtl_table_options *options,
                       const char *asked,
                       int ret_columns[2],
                       struct wattle_error *err)
{
    ret_columns[0] = ret_columns[1] = -1;
    int rc = asked ? asked_time(table, asked, ret_columns, err) : 0;
    if (rc < 0)
        return rc;
    if (!asked)
        find_time(table, rows, guess, ret_columns);
    else if (table->time.unit == WTL_TIME_AUTO)
        (void)wtl_import_words_are_time(table->headers[ret_columns[0]].name, &table->time.unit);
    if (ret_columns[0] < 0)
        return wtl_fail(err, -EBADMSG,
                        "%s: no column is called a time; name it (--time 'COLUMN:s'), or give the "
                        "time between rows (--time every:1s)",
                        table->path);
    return settle_time(table, rows, guess, options, ret_columns, err);
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
        unit = (enum wtl_time_unit)wtl_import_take_suffix(name, wtl_time_unit_names);
        column = import_find_column(table, name, strlen(name));
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
    if (unit == WTL_TIME_AUTO)
        return asked
                   ? wtl_fail(err, -EINVAL,
                              "--cover: \"%.60s\" has no unit; state it, such as --cover '%.60s:s'",
                              name, name)
                   : 0; /* of no use to anybody */
    ret_form->unit = unit;
    table->headers[column].is_cover = true;
    *ret_column = column;
    return 0;
}

/* Does a column of the first rows have several values, each in several rows? */
static bool varies(struct wtl_csv_rows *rows, size_t first, size_t column)
{
    char values[16][48];
    size_t count = 0, seen = 0;
    for (size_t i = first; i < rows->head_count && seen < LOOK_LINES; i++) {
        char *copy;
        if (wtl_csv_line_is_idle(rows->head[i].text, rows->head[i].length) ||
            wtl_csv_rows_cut_head(rows, i, &copy, NULL) < 0)
            continue;
        const char *text = column < rows->count ? rows->cells[column].text : "";
        size_t k = 0;
        while (k < count && strncmp(values[k], text, sizeof values[0] - 1) != 0)
            k++;
        if (k == count && count < 16)
            (void)snprintf(values[count++], sizeof values[0], "%.47s", text);
        seen++;
        free(copy);
    }
    return count > 1 && (count * 2 <= seen || seen < 4);
}

/* A unit written in a cell. */
static void take_unit(struct wtl_csv_rows *rows,
                      size_t first,
                      char point,
                      struct wtl_import_table *table)
{
    char *copy;
    if (first >= rows->head_count || wtl_csv_rows_cut_head(rows, first, &copy, NULL) < 0)
        return;
    for (size_t k = 0; k < table->column_count && k < rows->count; k++) {
        struct wtl_import_cell cell;
        bool foreign;
        struct wtl_import_header *header = &table->headers[k];
        if (!header->is_time && !header->meaning.by_format)
            wtl_cell_with_unit(rows->cells[k].text, point, &header->meaning, &cell, &foreign);
    }
    free(copy);
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

/* A header with a unit: texts below it are numbers that cannot be read. */
static bool wants_numbers(const char *header)
{
    struct wtl_import_words words;
    wtl_import_words_split(header, &words);
    return words.unit != NULL;
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
    take_unit(rows, first, guess->point, table);
    for (size_t k = 0; seen && k < n; k++) {
        struct wtl_import_header *header = &table->headers[k];
        if (!header->is_time && seen[k] == 2 && !header->meaning.has_unit &&
            !wants_numbers(header->name))
            header->is_label = true;
        header->is_series = wtl_import_words_are_series(header->name) && varies(rows, first, k);
    }
    free(seen);
}
