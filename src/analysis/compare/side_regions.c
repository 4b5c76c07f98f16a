/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of both sides: see side_regions.h. */
#include "analysis/compare/side_regions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/results.h"
#include "base/fail.h"

/* The regions of the first run, two rows each: time, energy. */
static int add_rows(struct wtl_sides *sides, struct wattle_error *err)
{
    struct wtl_region_table table;
    int rc = wtl_region_table_open(&sides->a[0], &table, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < table.count && rc == 0; i++) {
        const char *name = table.rows[i].name[0] ? table.rows[i].name : "(outside)";
        if (!wtl_side_row_add(sides, WTL_ROW_REGION, name, "time", "s") ||
            !wtl_side_row_add(sides, WTL_ROW_REGION, name, "energy", "J"))
            rc = wtl_no_memory_for(err, "%zu regions", table.count);
    }
    wtl_region_table_close(&table);
    return rc;
}

/* Store one run's regions in their rows, and what the sensors leave open, squared. */
static void fill_run(struct wtl_sides *sides,
                     size_t first,
                     const struct wtl_region_table *table,
                     bool is_b,
                     size_t run,
                     double *squares)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct wtl_region_row *region = &table->rows[i];
        const char *name = region->name[0] ? region->name : "(outside)";
        for (size_t k = first; k < sides->count; k += 2) {
            struct wtl_side_row *time = &sides->rows[k], *energy = &sides->rows[k + 1];
            if (strncmp(time->name, name, sizeof time->name - 1) != 0)
                continue;
            (is_b ? time->b : time->a)[run] = region->union_s;
            (is_b ? energy->b : energy->a)[run] =
                region->inclusive.interval_only ? (double)NAN : region->inclusive.j;
            squares[k + 1] += region->inclusive.half_j * region->inclusive.half_j;
            if (region->inclusive.interval_only)
                (void)snprintf(energy->why, sizeof energy->why,
                               "too short for the sampling in a run of %s", is_b ? "B" : "A");
            break;
        }
    }
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static int fill_side(struct wtl_sides *sides, size_t first, bool is_b, struct wattle_error *err)
{
    const struct wtl_result *results = is_b ? sides->b : sides->a;
    size_t n = is_b ? sides->b_n : sides->a_n;
    double *squares = calloc(sides->count + 1, sizeof *squares);
    int rc = 0;
    if (!squares)
        return wtl_no_memory_for(err, "%zu regions", sides->count);
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct wtl_region_table table;
        rc = wtl_region_table_open(&results[i], &table, err);
        if (rc < 0)
            break;
        fill_run(sides, first, &table, is_b, i, squares);
        wtl_region_table_close(&table);
    }
    for (size_t k = first; k < sides->count && rc == 0; k++) {
        struct wtl_side_row *row = &sides->rows[k];
        double part = sqrt(squares[k]) / sum_of(is_b ? row->b : row->a, n);
        row->resolution = isfinite(part) ? hypot(row->resolution, part) : row->resolution;
    }
    free(squares);
    return rc;
}

/* A region missing on a side is not merely unknown there. */
static bool is_absent(const double *time_s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isnan(time_s[i]))
            return false;
    }
    return true;
}

/* The energy of a region is a part of the total, with the same quality. */
static void trust_as_total(struct wtl_side_row *row, const struct wtl_side_row *energy)
{
    row->quality = energy->quality;
    row->simulated = energy->simulated;
    for (int end = 0; end < 2; end++) {
        row->a_range[end] =
            energy->a_range[end] / energy->comparison.a.mean * row->comparison.a.mean;
        row->b_range[end] =
            energy->b_range[end] / energy->comparison.b.mean * row->comparison.b.mean;
    }
}

int wtl_side_regions_add(struct wtl_sides *sides,
                         const struct wtl_sides_options *options,
                         struct wattle_error *err)
{
    size_t first = sides->count;
    int rc = add_rows(sides, err);
    rc = rc < 0 ? rc : fill_side(sides, first, false, err);
    rc = rc < 0 ? rc : fill_side(sides, first, true, err);
    for (size_t k = first; k < sides->count && rc == 0; k++) {
        struct wtl_side_row *row = &sides->rows[k];
        if (is_absent(sides->rows[k - (k - first) % 2].b, sides->b_n))
            (void)snprintf(row->why, sizeof row->why, "B has no such region");
        if (!row->why[0] && wtl_side_row_compare(sides, options, row) < 0)
            rc = wtl_no_memory_for(err, "the regions");
        else if (strcmp(row->quantity, "energy") == 0)
            trust_as_total(row, &sides->rows[1]);
    }
    return rc;
}
