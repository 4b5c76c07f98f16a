/* SPDX-License-Identifier: BSD-3-Clause */
/* First pass: what the columns contain, and in which rows. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "exchange/import/import.h"

static void count_change(struct wtl_import_stats *stats,
                         const struct wtl_import_row *row,
                         double value,
                         double dt_s)
{
    double change = value - stats->last;
    bool fell = stats->last < stats->before, back = value >= stats->before && value < stats->last;
    if (stats->good > 1 && ((fell && value >= stats->before) || (back && !fell))) {
        if (stats->glitches++ == 0)
            stats->glitch_line = row->line - 1;
    }
    if (change > 0) {
        stats->rises++;
        stats->rise_sum += change;
    } else if (change < 0) {
        if (stats->falls < WTL_IMPORT_FALLS)
            stats->fall[stats->falls] =
                (struct wtl_import_fall){stats->last, value, dt_s, row->line};
        stats->falls++;
    } else {
        stats->equals++;
        if (stats->equal_run == 0)
            stats->run_line = row->line;
        stats->equal_run++;
        if (stats->equal_run > stats->longest_equal) {
            stats->longest_equal = stats->equal_run;
            stats->equal_line = stats->run_line;
        }
        return;
    }
    stats->equal_run = 0;
}

/*
 * Count a value that differs from the usual magnitude of the column by 10^3 or 10^6, up or down,
 * within a factor of 2.5: the unit has changed. The usual magnitude is the running mean of the
 * logarithms of the other values.
 */
static void count_size(struct wtl_import_stats *stats,
                       const struct wtl_import_row *row,
                       double value)
{
    if (!(value > 0))
        return;
    double size = log10(value), off = stats->good ? size - stats->usual : 0;
    int power = (int)lround(off / 3) * 3;
    if (power == 0 || abs(power) > 6) {
        stats->usual = stats->good ? stats->usual + (size - stats->usual) / 64 : size;
        return;
    }
    if (fabs(off - power) > 0.4)
        return;
    if (stats->odd++ == 0) {
        stats->odd_line = row->line;
        stats->odd_power = power;
    }
}

static void count_cell(struct wtl_import_stats *stats,
                       const struct wtl_import_cell *cell,
                       const struct wtl_import_row *row)
{
    if (cell->form != WTL_CELL_GOOD) {
        stats->empty += cell->form == WTL_CELL_EMPTY;
        stats->nan += cell->form == WTL_CELL_NAN;
        stats->word += cell->form == WTL_CELL_WORD;
        if (!stats->first_bad_line && cell->form != WTL_CELL_EMPTY)
            stats->first_bad_line = row->line;
        return;
    }
    double value = wtl_decimal_value(cell->value);
    count_size(stats, row, value);
    if (stats->good == 0) {
        stats->first = stats->least = stats->most = value;
    } else {
        double dt_s = (double)(row->time_ns - stats->last_ns) * 1e-9;
        stats->integral += value * dt_s;
        stats->time_s += dt_s;
        count_change(stats, row, value, dt_s);
    }
    int magnitude = cell->value.digits ? wtl_decimal_magnitude(cell->value) : -400;
    if (magnitude > stats->magnitude)
        stats->magnitude = magnitude;
    if (-cell->value.exponent > stats->places)
        stats->places = -cell->value.exponent;
    stats->least = value < stats->least ? value : stats->least;
    stats->most = value > stats->most ? value : stats->most;
    stats->sum += value;
    stats->before = stats->good ? stats->last : value;
    stats->last = value;
    stats->last_ns = row->time_ns;
    stats->good++;
}

/* Record which columns have a value in this row. */
static int count_pattern(struct wtl_import *import, struct wtl_import_file *file, uint8_t *bits)
{
    const struct wtl_import_row *row = &file->row;
    size_t bytes = (file->column_count + 7) / 8;
    memset(bits, 0, bytes);
    bool any = false;
    for (size_t i = 0; i < row->count && i < file->column_count; i++) {
        if (import->columns[file->first_column + i].role != WTL_ROLE_CHANNEL ||
            row->cells[i].form == WTL_CELL_EMPTY)
            continue;
        bits[i / 8] |= (uint8_t)(1 << (i % 8));
        any = true;
    }
    if (!any)
        return 0;
    struct wtl_import_pattern *pattern = NULL;
    for (size_t i = 0; i < file->pattern_count && !pattern; i++) {
        if (memcmp(file->patterns[i].bits, bits, bytes) == 0)
            pattern = &file->patterns[i];
    }
    if (!pattern && file->pattern_count == WTL_IMPORT_PATTERNS)
        return 0; /* too many different patterns: those seen so far must do */
    if (!pattern) {
        pattern = &file->patterns[file->pattern_count];
        *pattern = (struct wtl_import_pattern){.bits = malloc(bytes + 1)};
        if (!pattern->bits)
            return -ENOMEM;
        memcpy(pattern->bits, bits, bytes);
        file->pattern_count++;
    }
    if (pattern->rows > 0 && pattern->step_count < WTL_IMPORT_STEPS)
        pattern->steps[pattern->step_count++] = row->time_ns - pattern->last_ns;
    pattern->last_ns = row->time_ns;
    pattern->rows++;
    return 0;
}

/* Add one row to the statistics of its columns. */
static void import_count(struct wtl_import *import, struct wtl_import_file *file)
{
    const struct wtl_import_row *row = &file->row;
    for (size_t i = 0; i < row->count && i < file->column_count; i++) {
        struct wtl_import_column *column = &import->columns[file->first_column + i];
        if (column->role == WTL_ROLE_CHANNEL)
            count_cell(&column->stats, &row->cells[i], row);
    }
}

static void count_time(struct wtl_import *import, const struct wtl_import_row *row, bool first)
{
    int64_t begin_ns = row->time_ns - row->cover_ns;
    if (first || begin_ns < import->first_ns)
        import->first_ns = begin_ns;
    if (first || row->time_ns > import->last_ns)
        import->last_ns = row->time_ns;
}

/* A gap that the recording states reaches beyond its rows if nothing was known any more. */
static void count_gaps(struct wtl_import *import)
{
    for (size_t i = 0; i < import->file_count; i++) {
        const struct wtl_import_table *table = import->files[i].table;
        for (size_t k = 0; table && k < table->gap_count; k++) {
            if (table->gaps[k].end_ns > import->last_ns)
                import->last_ns = table->gaps[k].end_ns;
        }
    }
}

/* Trace times are relative to 1970; for relative times 1 s is added, so that none is 0 (the
 * format's "no time"). */
static int choose_offset(struct wtl_import *import, struct wattle_error *err)
{
    const struct wtl_import_options *options = import->options;
    import->offset_ns = 0;
    if (options->has_start)
        import->offset_ns = options->start_realtime_ns;
    else if (!import->realtime)
        import->offset_ns = 1000000000 - (import->first_ns < 0 ? import->first_ns : 0);
    int64_t first, last;
    if (__builtin_add_overflow(import->first_ns, import->offset_ns, &first) ||
        __builtin_add_overflow(import->last_ns, import->offset_ns, &last) || first <= 0)
        return wtl_fail(
            err, -ERANGE,
            "%s: the times are not between 1970 and 2262; choose their unit with --time",
            import->files[0].path);
    return 0;
}

static void tell_assumed(struct wtl_import *import)
{
    import->assumed[0] = '\0';
    for (size_t i = 0; i < import->file_count; i++) {
        size_t used = strlen(import->assumed);
        if (import->files[i].assumed[0])
            (void)snprintf(import->assumed + used, sizeof import->assumed - used, "%s%s",
                           used ? ", " : "", import->files[i].assumed);
    }
}

int wtl_import_survey(struct wtl_import *import, struct wattle_error *err)
{
    size_t widest = 0;
    for (size_t i = 0; i < import->file_count; i++)
        widest = import->files[i].column_count > widest ? import->files[i].column_count : widest;
    uint8_t *bits = malloc(widest / 8 + 2);
    if (!bits)
        return wtl_no_memory_for(err, "the import");
    int rc = wtl_import_rewind(import, err);
    bool first = true;
    for (struct wtl_import_file *file;
         rc == 0 && (file = wtl_import_next(import, &rc, err)) != NULL;) {
        import_count(import, file);
        count_time(import, &file->row, first);
        rc = count_pattern(import, file, bits);
        rc = rc < 0 ? rc : wtl_import_pairs_row(import, file);
        if (rc == -ENOMEM)
            (void)wtl_no_memory_for(err, "the import");
        first = false;
    }
    free(bits);
    for (size_t i = 0; rc == 0 && i < import->file_count; i++) {
        if (import->files[i].rows == 0)
            rc = wtl_fail(err, -ENODATA, "%s: the file has no rows with values",
                          import->files[i].path);
    }
    tell_assumed(import);
    count_gaps(import);
    rc = rc < 0 ? rc : choose_offset(import, err);
    rc = rc < 0 ? rc : wtl_import_settle(import, err);
    return rc < 0 ? rc : wtl_import_find_faults(import, err);
}
