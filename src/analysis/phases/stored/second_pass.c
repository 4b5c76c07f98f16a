/* SPDX-License-Identifier: BSD-3-Clause */
/* The second pass over a stored recording: see second_pass.h. */
#include "analysis/phases/stored/second_pass.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"

/* Shortest phase, in rows. */
#define MIN_ROWS 3
/* Divisions, each with the noise of the one before. */
#define ROUNDS 3
/* False boundaries per recording that are accepted, if that is more than the rate per row says. */
#define PER_RECORDING 0.01
/* Tests per row: measured, in noise of all kinds (bench_phases stored). Neighbouring rows tell much the same, and a boundary
 * must pass two tests. */
#define TESTS 0.5

/* Evidence of noise that is exceeded with this probability: chi-squared (E. Wilson, M. Hilferty 1931). */
static double penalty_of(double probability, size_t series)
{
    double x = -2 * log(probability), k = (double)series;
    double z = sqrt(fmax(0, x - log(6.28 * x))), part = 2 / (9 * k);
    double root = 1 - part + z * sqrt(part);
    return k * root * root * root;
}

static int init(struct wtl_second_pass *pass)
{
    size_t cells = (pass->rows + 1) * pass->series, rows = pass->rows + 2;
    pass->x = calloc(cells, sizeof *pass->x);
    pass->white = calloc(cells, sizeof *pass->white);
    pass->start = calloc(cells, sizeof *pass->start);
    pass->sum = calloc(cells, sizeof *pass->sum);
    pass->room = calloc(rows, sizeof *pass->room);
    pass->least = calloc(rows, sizeof *pass->least);
    pass->fixed = calloc(rows, sizeof *pass->fixed);
    pass->from = calloc(rows, sizeof *pass->from);
    pass->open = calloc(rows, sizeof *pass->open);
    pass->begin = calloc(rows, sizeof *pass->begin);
    return pass->x && pass->white && pass->start && pass->sum && pass->room && pass->least &&
                   pass->fixed && pass->from && pass->open && pass->begin
               ? 0
               : -ENOMEM;
}

static void fini(struct wtl_second_pass *pass)
{
    free(pass->x);
    free(pass->white);
    free(pass->start);
    free(pass->sum);
    free(pass->room);
    free(pass->least);
    free(pass->fixed);
    free(pass->from);
    free(pass->open);
    free(pass->begin);
}

static int list_bounds(const struct wtl_second_pass *pass, struct wtl_phase_bounds *bounds)
{
    int rc = 0;
    bounds->count = 0;
    for (size_t p = 0; rc == 0 && p < pass->count; p++)
        rc = wtl_phase_bounds_add(bounds, pass->begin[p]);
    return rc;
}

int wtl_phase_second_pass(const struct wtl_counter_rows *rows,
                          const struct wtl_phase_options *options,
                          struct wtl_phase_bounds *bounds,
                          struct wattle_error *err)
{
    struct wtl_second_pass pass = {.rows = rows->rows, .series = rows->columns + 1};
    double rate = fmax(options->false_alarms_per_row, PER_RECORDING / (double)rows->rows);
    pass.min_rows = options->min_rows ? options->min_rows : MIN_ROWS;
    pass.min_rows = pass.min_rows < rows->rows ? pass.min_rows : rows->rows;
    pass.penalty = penalty_of(fmin(rate / TESTS, 0.01), pass.series);
    int rc = init(&pass);
    if (rc == 0) {
        wtl_second_prepare(&pass, rows);
        for (size_t p = 0; p < bounds->count; p++)
            pass.begin[pass.count++] = bounds->list[p].first;
        pass.begin[pass.count] = rows->rows;
        for (int round = 0; round < ROUNDS; round++) {
            wtl_second_noise(&pass);
            wtl_second_divide(&pass);
        }
        wtl_second_noise(&pass);
        wtl_second_confirm(&pass);
        rc = list_bounds(&pass, bounds);
    }
    fini(&pass);
    return rc < 0 ? wtl_no_memory_for(err, "the phases of %zu rows", rows->rows) : 0;
}
