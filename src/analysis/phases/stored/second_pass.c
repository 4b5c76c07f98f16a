/* SPDX-License-Identifier: BSD-3-Clause */
/* The second pass over a stored recording: see second_pass.h. */
#include "analysis/phases/stored/second_pass.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"

/* Of more rows than this the first division stands: memory (about 0.6 kB a row) and time (about 0.1 ms) would be too much. */
#define ROWS_MAX 500000
/* Shortest phase, in rows. */
#define MIN_ROWS 3
/* Divisions, each with the noise of the one before. */
#define ROUNDS 3
/* False boundaries per recording of one phase that are accepted, if that is more than the rate per row says. */
#define PER_RECORDING 0.01
/* Share of false boundaries among those that are found, beside that. */
#define FALSE_SHARE 0.02
/* Probability per row of what is examined at all. */
#define LOOSEST 0.0025
#define MOST    0.01
/* Tests per row: measured, in noise of all kinds (bench_phases stored). Neighbouring rows tell much the same, and a boundary
 * must pass two tests. */
#define TESTS 0.5

/* Chi-squared (E. Wilson, M. Hilferty 1931). */
double wtl_second_evidence(double probability, size_t series)
{
    double x = -2 * log(probability), k = (double)series;
    double z = sqrt(fmax(0, x - log(6.28 * x))), part = 2 / (9 * k);
    double root = 1 - part + z * sqrt(part);
    return k * root * root * root;
}

int wtl_second_init(struct wtl_second_pass *pass, size_t rows, size_t series)
{
    size_t cells = (rows + 1) * series, lines = rows + 2;
    *pass = (struct wtl_second_pass){.rows = rows, .series = series, .raise = 1};
    pass->x = calloc(cells, sizeof *pass->x);
    pass->white = calloc(cells, sizeof *pass->white);
    pass->start = calloc(cells, sizeof *pass->start);
    pass->sum = calloc(cells, sizeof *pass->sum);
    pass->room = calloc(lines, sizeof *pass->room);
    pass->inverse = calloc(WTL_SECOND_INVERSES * series, sizeof *pass->inverse);
    pass->least = calloc(lines, sizeof *pass->least);
    pass->fixed = calloc(lines, sizeof *pass->fixed);
    pass->from = calloc(lines, sizeof *pass->from);
    pass->open = calloc(lines, sizeof *pass->open);
    pass->begin = calloc(lines, sizeof *pass->begin);
    return pass->x && pass->white && pass->start && pass->sum && pass->room && pass->inverse &&
                   pass->least && pass->fixed && pass->from && pass->open && pass->begin
               ? 0
               : -ENOMEM;
}

void wtl_second_fini(struct wtl_second_pass *pass)
{
    free(pass->x);
    free(pass->white);
    free(pass->start);
    free(pass->sum);
    free(pass->room);
    free(pass->inverse);
    free(pass->least);
    free(pass->fixed);
    free(pass->from);
    free(pass->open);
    free(pass->begin);
    *pass = (struct wtl_second_pass){.raise = 1};
}

static void take_rows(struct wtl_second_pass *pass, const struct wtl_counter_rows *rows)
{
    for (size_t r = 0; r < rows->rows; r++) {
        double *x = pass->x + r * pass->series;
        for (size_t c = 0; c < rows->columns; c++)
            x[c] = rows->rate[r * rows->columns + c];
        x[rows->columns] = rows->power_w[r];
    }
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
    struct wtl_second_pass pass;
    double count = (double)rows->rows;
    double rate = fmax(options->false_alarms_per_row, PER_RECORDING / count);
    if (rows->rows > ROWS_MAX)
        return 0;
    int rc = wtl_second_init(&pass, rows->rows, rows->columns + 1);
    pass.min_rows = options->min_rows ? options->min_rows : MIN_ROWS;
    pass.min_rows = pass.min_rows < rows->rows ? pass.min_rows : rows->rows;
    pass.alone = fmin(rate / TESTS, MOST);
    pass.beside = FALSE_SHARE / count / TESTS;
    pass.penalty = wtl_second_evidence(fmax(pass.alone, LOOSEST), pass.series);
    if (rc == 0) {
        take_rows(&pass, rows);
        wtl_second_prepare(&pass);
        for (size_t p = 0; p < bounds->count; p++)
            pass.begin[pass.count++] = bounds->list[p].first;
        pass.begin[pass.count] = rows->rows;
        for (int round = 0; round < ROUNDS; round++) {
            wtl_second_noise(&pass);
            wtl_second_divide(&pass);
            wtl_second_confirm(&pass);
            /* A phase of a few rows has two boundaries, and must be worth both. */
            pass.penalty = fmax(pass.penalty, wtl_second_need(&pass));
        }
        rc = list_bounds(&pass, bounds);
    }
    wtl_second_fini(&pass);
    return rc < 0 ? wtl_no_memory_for(err, "the phases of %zu rows", rows->rows) : 0;
}
