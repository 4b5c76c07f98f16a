/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions as text, JSON and CSV. A region too short to be resolved is shown with its interval. */
#include "report/regions.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/digits.h"
#include "report/json_value.h"
#include "report/table.h"

enum { CELL = 64 };

/* What the visits found that waited for ticks. */
static void print_exact(FILE *out, const struct wtl_region_table *regions)
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
        wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "exact", text);
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

/* What is to be known of energies that are not there, or hardly. */
static void print_doubts(FILE *out, const struct wtl_region_table *regions)
{
    size_t unknown = 0, coarse = 0;
    char text[240], interval[CELL];
    for (size_t i = 0; i < regions->count; i++) {
        unknown += is_unknown(&regions->rows[i]);
        coarse += is_coarse(&regions->rows[i]);
    }
    if (unknown > 0) {
        (void)snprintf(text, sizeof text,
                       "of %zu the energy is unknown: a gap in the samples lost it, or there are "
                       "no samples of all of that time",
                       unknown);
        wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "! REGIONS", text);
    }
    if (coarse > 0) {
        bool stated = regions->interval_ns > 0;
        (void)snprintf(
            text, sizeof text,
            "%zu too short for samples%s%s, of which only the interval is known; a shorter "
            "interval (-i) narrows it",
            coarse, stated ? " every " : "",
            stated ? wtl_digits_time(interval, sizeof interval, (double)regions->interval_ns * 1e-9)
                   : "");
        wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "too short", text);
    }
}

int wtl_text_regions(FILE *out,
                     const struct wtl_style *style,
                     const struct wtl_region_table *regions)
{
    static const struct wtl_column columns[] = {{"region", false},
                                                {"count", true},
                                                {"thread time", true},
                                                {"inclusive [J]", true},
                                                {"exclusive [J]", true}};
    if (regions->count == 0) {
        wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "regions",
                            "none: the program told of none (see wattle_region(3))");
        (void)fputc('\n', out);
        return 0;
    }
    struct wtl_table *table = wtl_table_create(columns, 5);
    unsigned long long unbalanced = 0, crossing = 0;
    for (size_t i = 0; i < regions->count; i++) {
        const struct wtl_region_row *row = &regions->rows[i];
        char number[24], time[CELL], inclusive[CELL], exclusive[CELL];
        bool outside = !row->name[0];
        (void)snprintf(number, sizeof number, "%llu", (unsigned long long)row->count);
        const char *cells[] = {outside ? "(outside of all)" : row->name, outside ? "" : number,
                               outside ? "" : wtl_digits_time(time, sizeof time, row->thread_s),
                               wtl_digits_energy(inclusive, CELL, &row->inclusive),
                               outside ? "" : wtl_digits_energy(exclusive, CELL, &row->exclusive)};
        wtl_table_row(table, outside ? WTL_FAINT : WTL_PLAIN, cells);
        unbalanced += row->unbalanced;
        crossing += row->crossing;
    }
    int rc = wtl_table_print(table, out, WTL_TEXT_INDENT, style);
    wtl_table_destroy(table);
    (void)fputc('\n', out);
    wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "regions",
                        "inclusive: of the machine while any thread was inside; exclusive: while "
                        "it was the innermost of some thread. Regions that overlap share energy, "
                        "so columns do not add up");
    print_doubts(out, regions);
    print_exact(out, regions);
    if (unbalanced || crossing) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "%llu begin or end without its counterpart, %llu crossing", unbalanced,
                       crossing);
        wtl_print_paragraph(out, NULL, WTL_PLAIN, WTL_TEXT_LABEL, "! REGIONS", text);
    }
    (void)fputc('\n', out);
    return rc;
}

static const char *doubt_of(const struct wtl_region_row *row)
{
    return is_unknown(row) ? "unknown" : is_coarse(row) ? "interval only" : NULL;
}

json_t *wtl_json_region_energy(const struct wtl_energy *energy)
{
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "energy_j", wtl_json_number(energy->j));
    wtl_json_set(&o, "resolution_interval_j", wtl_json_number(energy->half_j));
    wtl_json_set(&o, "interval_only", json_boolean(energy->interval_only));
    return wtl_json_done(&o);
}

static json_t *exact_of(const struct wtl_exact_sum *exact)
{
    const struct wtl_energy energy = wtl_exact_energy(exact);
    if (wtl_exact_count(exact) == 0)
        return json_null();
    struct wtl_json o = wtl_json_object();
    wtl_json_set(&o, "count", wtl_json_count(wtl_exact_count(exact)));
    wtl_json_set(&o, "energy_j", wtl_json_number(energy.j));
    wtl_json_set(&o, "resolution_interval_j", wtl_json_number(energy.half_j));
    wtl_json_set(&o, "wait_s", wtl_json_number(exact->wait_s));
    return wtl_json_done(&o);
}

json_t *wtl_json_regions(const struct wtl_region_table *regions)
{
    struct wtl_json list = wtl_json_array();
    for (size_t i = 0; i < regions->count; i++) {
        const struct wtl_region_row *row = &regions->rows[i];
        struct wtl_json o = wtl_json_object();
        wtl_json_set(&o, "name", wtl_json_text(row->name[0] ? row->name : NULL));
        wtl_json_set(&o, "count", wtl_json_count(row->count));
        wtl_json_set(&o, "thread_s", wtl_json_number(row->thread_s));
        wtl_json_set(&o, "union_s", wtl_json_number(row->union_s));
        wtl_json_set(&o, "exclusive_s", wtl_json_number(row->exclusive_s));
        wtl_json_set(&o, "inclusive", wtl_json_region_energy(&row->inclusive));
        wtl_json_set(&o, "exclusive", wtl_json_region_energy(&row->exclusive));
        wtl_json_set(&o, "exact", exact_of(&row->exact));
        wtl_json_set(&o, "unbalanced", wtl_json_count(row->unbalanced));
        wtl_json_set(&o, "crossing", wtl_json_count(row->crossing));
        wtl_json_set(&o, "doubt", wtl_json_text(doubt_of(row)));
        wtl_json_add(&list, wtl_json_done(&o));
    }
    return wtl_json_done(&list);
}

static const char *const columns[] = {"run",         "region",
                                      "count",       "thread_s",
                                      "union_s",     "exclusive_s",
                                      "inclusive_j", "inclusive_interval_j",
                                      "exclusive_j", "exclusive_interval_j",
                                      "unbalanced",  "crossing",
                                      "doubt"};
enum { COLUMNS = sizeof columns / sizeof *columns };

void wtl_csv_regions_begin(struct wtl_sheet *sheet, FILE *out)
{
    wtl_sheet_begin(sheet, out, WTL_SHEET_CSV, false, "regions");
    wtl_sheet_columns(sheet, columns, COLUMNS);
}

void wtl_csv_regions(struct wtl_sheet *sheet, size_t run, const struct wtl_region_table *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        const struct wtl_region_row *row = &regions->rows[i];
        const struct wtl_cell cells[COLUMNS] = {wtl_cell_count(run),
                                                wtl_cell_text(row->name),
                                                wtl_cell_count(row->count),
                                                wtl_cell_number(row->thread_s, 9),
                                                wtl_cell_number(row->union_s, 9),
                                                wtl_cell_number(row->exclusive_s, 9),
                                                wtl_cell_number(row->inclusive.j, 9),
                                                wtl_cell_number(row->inclusive.half_j, 9),
                                                wtl_cell_number(row->exclusive.j, 9),
                                                wtl_cell_number(row->exclusive.half_j, 9),
                                                wtl_cell_count(row->unbalanced),
                                                wtl_cell_count(row->crossing),
                                                wtl_cell_text(doubt_of(row) ? doubt_of(row) : "")};
        wtl_sheet_row(sheet, cells, COLUMNS);
    }
}
