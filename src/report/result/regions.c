/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions as text, JSON and CSV. A region too short to be resolved is shown with its interval. */
#include "report/result/regions.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/traces/results.h"
#include "report/digits.h"
#include "report/result/run_nouns.h"
#include "report/table.h"

enum { CELL = 64 };

/* Results of the visits that waited for ticks. */
static void print_exact(FILE *out,
                        const struct wtl_style *style,
                        const struct wtl_region_table *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        const struct wtl_region_row *row = &regions->rows[i];
        const struct wtl_exact_sum *exact = &row->exact;
        const struct wtl_energy found = wtl_exact_energy(exact);
        size_t count = wtl_exact_count(exact);
        char text[512], energy[CELL], wait[CELL];
        if (count == 0)
            continue;
        (void)snprintf(text, sizeof text, "%s: %zu time%s, %s J; waited %s for ticks", row->name,
                       count, count == 1 ? "" : "s",
                       wtl_digits_energy(energy, sizeof energy, &found),
                       wtl_digits_time(wait, sizeof wait, exact->wait_s));
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "exact", text);
    }
}

static bool is_unknown(const struct wtl_region_row *row)
{
    return isnan(row->inclusive.j);
}

static bool is_coarse(const struct wtl_region_row *row)
{
    return row->inclusive.interval_only || (row->name[0] && row->exclusive.interval_only);
}

/* Notes on energies that are missing or barely resolved. */
static void print_doubts(FILE *out,
                         const struct wtl_style *style,
                         const struct wtl_region_table *regions)
{
    size_t unknown = 0, coarse = 0;
    char text[240], interval[CELL];
    for (size_t i = 0; i < regions->count; i++) {
        unknown += is_unknown(&regions->rows[i]);
        coarse += is_coarse(&regions->rows[i]);
    }
    if (unknown > 0) {
        (void)snprintf(text, sizeof text,
                       "the energy of %zu is unknown because of gaps or missing samples", unknown);
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "! REGIONS", text);
    }
    if (coarse > 0) {
        bool stated = regions->interval_ns > 0;
        (void)snprintf(
            text, sizeof text,
            "%zu too short for the sampling interval%s%s: only a range is known; a shorter "
            "interval (-i) narrows it",
            coarse, stated ? " every " : "",
            stated ? wtl_digits_time(interval, sizeof interval, (double)regions->interval_ns * 1e-9)
                   : "");
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "too short", text);
    }
}

static const char *doubt_of(const struct wtl_region_row *row)
{
    return is_unknown(row) ? "unknown" : is_coarse(row) ? "interval only" : NULL;
}

/* ---- as nouns ---- */

/* Of members: types and fields take no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
static const struct wtl_region_row *row_of(const void *of)
{
    return of;
}

static bool is_outside(const void *of)
{
    return !row_of(of)->name[0];
}

static const struct wtl_member of_region_energy[] = {
    {"energy_j", WTL_NUMBER_OR_NULL(struct wtl_energy, j),
     .meaning = "energy on the channels of the total"},
    {"resolution_interval_j", WTL_NUMBER_OR_NULL(struct wtl_energy, half_j),
     .meaning = "half width of the 95 % interval"},
    {"interval_only", WTL_BOOLEAN_AT(struct wtl_energy, interval_only),
     .meaning = "too short for the sampling interval: the energy is the middle of the interval"},
    {.key = NULL}};
const struct wtl_noun wtl_noun_region_energy = {"region energy", of_region_energy};

WTL_MEMBER_GET(exact_of)
{
    ret->noun = &row_of(of)->exact;
    ret->known = wtl_exact_count(&row_of(of)->exact) > 0;
}

WTL_MEMBER_GET(exact_count)
{
    wtl_value_count(ret, wtl_exact_count(of));
}

WTL_MEMBER_GET(exact_energy)
{
    wtl_value_number(ret, wtl_exact_energy(of).j);
}

WTL_MEMBER_GET(exact_half)
{
    wtl_value_number(ret, wtl_exact_energy(of).half_j);
}

static const struct wtl_member of_exact[] = {
    {"count", WTL_MEMBER_INTEGER, .get = exact_count, .meaning = "visits"},
    {"energy_j", WTL_MEMBER_NUMBER, .nullable = true, .get = exact_energy,
     .meaning = "energy of all of these visits"},
    {"resolution_interval_j", WTL_MEMBER_NUMBER, .nullable = true, .get = exact_half,
     .meaning = "half width of the 95 % interval"},
    {"wait_s", WTL_NUMBER_AT(struct wtl_exact_sum, wait_s),
     .meaning = "time spent waiting for counter updates at the borders"},
    {.key = NULL}};
static const struct wtl_noun exact = {"exact", of_exact};

WTL_MEMBER_GET(doubt)
{
    wtl_value_text(ret, doubt_of(row_of(of)));
}

static void name_cell(const void *of, char *text, size_t n)
{
    (void)snprintf(text, n, "%s", is_outside(of) ? "(outside all)" : row_of(of)->name);
}

static void count_cell(const void *of, char *text, size_t n)
{
    (void)snprintf(text, n, "%llu", (unsigned long long)row_of(of)->count);
    text[is_outside(of) ? 0 : strlen(text)] = '\0';
}

static void time_cell(const void *of, char *text, size_t n)
{
    text[0] = '\0';
    if (!is_outside(of))
        (void)wtl_digits_time(text, n, row_of(of)->thread_s);
}

static void inclusive_cell(const void *of, char *text, size_t n)
{
    (void)wtl_digits_energy(text, n, &row_of(of)->inclusive);
}

static void exclusive_cell(const void *of, char *text, size_t n)
{
    text[0] = '\0';
    if (!is_outside(of))
        (void)wtl_digits_energy(text, n, &row_of(of)->exclusive);
}

WTL_MEMBER_GET(name_of)
{
    wtl_value_text(ret, is_outside(of) ? NULL : row_of(of)->name);
}

static const struct wtl_member of_region[] = {
    {"name", WTL_MEMBER_TEXT, .nullable = true, .get = name_of, .csv = 2, .csv_key = "region",
     .text = 1, .left = true, .heading = "region", .cell = name_cell,
     .meaning = "null in the first one: time outside all regions"},
    {"count", WTL_COUNT_AT(struct wtl_region_row, count), .csv = 3, .text = 2, .heading = "count",
     .cell = count_cell, .meaning = "number of visits"},
    {"thread_s", WTL_NUMBER_AT(struct wtl_region_row, thread_s), .csv = 4, .text = 3,
     .heading = "thread time", .cell = time_cell, .meaning = "summed over threads"},
    {"union_s", WTL_NUMBER_AT(struct wtl_region_row, union_s), .csv = 5,
     .meaning = "time in which at least one thread was inside"},
    {"exclusive_s", WTL_NUMBER_AT(struct wtl_region_row, exclusive_s), .csv = 6,
     .meaning = "time in which it was the innermost region of at least one thread"},
    {"inclusive", WTL_OBJECT_AT(struct wtl_region_row, inclusive, wtl_noun_region_energy),
     .text = 4, .heading = "inclusive [J]", .cell = inclusive_cell,
     .meaning = "energy during `union_s`"},
    {"exclusive", WTL_OBJECT_AT(struct wtl_region_row, exclusive, wtl_noun_region_energy),
     .text = 5, .heading = "exclusive [J]", .cell = exclusive_cell,
     .meaning = "energy during `exclusive_s`"},
    {"exact", WTL_MEMBER_OBJECT, .nullable = true, .get = exact_of, .of = &exact,
     .meaning = "visits that waited for counter updates (wattle_exact(3))"},
    {"unbalanced", WTL_COUNT_AT(struct wtl_region_row, unbalanced), .csv = 11,
     .meaning = "begins without end, and ends without begin"},
    {"crossing", WTL_COUNT_AT(struct wtl_region_row, crossing), .csv = 12,
     .meaning = "visits that ended while not innermost"},
    {"doubt", WTL_MEMBER_TEXT, .nullable = true, .get = doubt, .csv = 13,
     .meaning = "`unknown`: energy lost in a gap, or no samples of that time; `interval only`: "
                "`inclusive` or `exclusive` is too short for the sampling interval"},
    {"inclusive_j", WTL_NUMBER_AT(struct wtl_region_row, inclusive.j), .not_json = true, .csv = 7},
    {"inclusive_interval_j", WTL_NUMBER_AT(struct wtl_region_row, inclusive.half_j),
     .not_json = true, .csv = 8},
    {"exclusive_j", WTL_NUMBER_AT(struct wtl_region_row, exclusive.j), .not_json = true, .csv = 9},
    {"exclusive_interval_j", WTL_NUMBER_AT(struct wtl_region_row, exclusive.half_j),
     .not_json = true, .csv = 10},
    {.key = NULL}};
const struct wtl_noun wtl_noun_region = {"region", of_region};

static const struct wtl_member of_region_row[] = {
    {"run", WTL_COUNT_AT(struct wtl_region_of_run, run), .csv = 1, .meaning = "from 1"},
    {"", WTL_PART_OF(struct wtl_region_of_run, row, wtl_noun_region)},
    {.key = NULL}};
const struct wtl_noun wtl_noun_region_row = {"regions", of_region_row};
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- text and CSV ---- */

int wtl_text_regions(FILE *out,
                     const struct wtl_style *style,
                     const struct wtl_region_table *regions)
{
    struct wtl_column columns[WTL_NOUN_COLUMNS];
    if (regions->count == 0) {
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "regions",
                            "none: the program recorded no regions (see wattle_region(3))");
        (void)fputc('\n', out);
        return 0;
    }
    struct wtl_table *table =
        wtl_table_create(columns, wtl_noun_text_columns(&wtl_noun_region, columns));
    unsigned long long unbalanced = 0, crossing = 0;
    wtl_table_spare(table, 4, 3); /* exclusive */
    wtl_table_spare(table, 2, 2); /* thread time */
    wtl_table_spare(table, 1, 1); /* count */
    for (size_t i = 0; i < regions->count; i++) {
        const struct wtl_region_row *row = &regions->rows[i];
        wtl_noun_text_row(table, row->name[0] ? WTL_PLAIN : WTL_FAINT, &wtl_noun_region, row);
        unbalanced += row->unbalanced;
        crossing += row->crossing;
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    if (style && style->verbose)
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "regions",
                            "inclusive: energy of the machine while any thread was inside; "
                            "exclusive: while it was the innermost region of any thread. "
                            "Overlapping regions share energy, so columns do not add up");
    print_doubts(out, style, regions);
    print_exact(out, style, regions);
    if (unbalanced || crossing) {
        char text[160];
        (void)snprintf(text, sizeof text, "%llu begin or end without counterpart, %llu crossing",
                       unbalanced, crossing);
        wtl_print_paragraph(out, style, WTL_PLAIN, WTL_TEXT_LABEL, "! REGIONS", text);
    }
    (void)fputc('\n', out);
    return rc;
}

size_t wtl_csv_regions_begin(struct wtl_row_writer *sheet, FILE *out)
{
    return wtl_noun_csv_begin(sheet, out, "regions", &wtl_noun_region_row);
}

void wtl_csv_regions(struct wtl_row_writer *sheet,
                     size_t columns,
                     size_t run,
                     const struct wtl_region_table *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        const struct wtl_region_of_run row = {.run = run, .row = &regions->rows[i]};
        wtl_noun_csv_row(sheet, columns, &wtl_noun_region_row, &row);
    }
}
