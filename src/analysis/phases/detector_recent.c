/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recent rows, divided again every few rows with the method for stored recordings (stored/second_pass.h). It uses the jump
 * at a boundary, and knows the noise of the same rows, so that it sees what the CUSUMs do not: changes in autocorrelated noise.
 * It looks at the same rows again and again, so that more evidence is asked for than in a recording that is divided once.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/phases/detector_parts.h"

/* Rows that are divided, and how often. */
#define RECENT 256
#define EVERY  4
/* Fewest rows from which the noise is learnt. */
#define FEWEST 48
/* Divisions, each with the noise of the one before. */
#define ROUNDS 2
/* Rows of the new phase before it is reported. */
#define MIN_AFTER 4
/* So near to the begin of the present phase it is the same boundary, placed otherwise. */
#define SAME 8
/* Tests per row: more than "bench_phases live" shows at rates that can be counted, as it has seen one alarm in 10^5 rows of AR(1) 0.9. */
#define TESTS 64

int wtl_detector_init_recent(struct wtl_detector *d)
{
    if (!(d->recent = calloc(1, sizeof *d->recent)))
        return -ENOMEM;
    return wtl_second_init(d->recent, RECENT, d->columns);
}

void wtl_detector_fini_recent(struct wtl_detector *d)
{
    if (d->recent)
        wtl_second_fini(d->recent);
    free(d->recent);
}

bool wtl_detector_is_time_to_look(const struct wtl_detector *d)
{
    return d->recent && d->rows >= FEWEST && d->rows % EVERY == 0 &&
           d->rows - d->phase_begin >= d->options.min_rows + MIN_AFTER;
}

/* The rows, and the phases that are known. */
static void take_rows(const struct wtl_detector *d, struct wtl_second_pass *pass, uint64_t first)
{
    pass->rows = (size_t)(d->rows - first);
    for (size_t r = 0; r < pass->rows; r++)
        for (size_t c = 0; c < d->columns; c++)
            pass->x[r * pass->series + c] = wtl_detector_row(d, first + r)[c];
    pass->begin[0] = 0;
    pass->count = 1;
    for (size_t i = 0; i < WTL_DETECTOR_BEGUN; i++) {
        uint64_t begin = d->begun[(d->begun_count + i) % WTL_DETECTOR_BEGUN];
        if (begin > first + pass->begin[pass->count - 1] && begin < d->rows)
            pass->begin[pass->count++] = (size_t)(begin - first);
    }
    pass->begin[pass->count] = pass->rows;
}

bool wtl_detector_look_back(struct wtl_detector *d, uint64_t *ret_row)
{
    struct wtl_second_pass *pass = d->recent;
    uint64_t first = d->rows > RECENT ? d->rows - RECENT : 0;
    pass->min_rows = d->options.min_rows;
    pass->alone = d->options.false_alarms_per_row / TESTS;
    for (size_t c = 0; c < pass->series; c++)
        pass->phi[c] = pass->sd[c] = 0;
    take_rows(d, pass, first);
    wtl_second_prepare(pass);
    for (int round = 0; round < ROUNDS; round++) {
        wtl_second_noise(pass);
        pass->penalty = wtl_second_need(pass);
        wtl_second_divide(pass);
        wtl_second_confirm(pass);
    }
    for (size_t p = 1; p < pass->count; p++) {
        *ret_row = first + pass->begin[p];
        if (*ret_row >= d->phase_begin + SAME && *ret_row + MIN_AFTER <= d->rows)
            return true;
    }
    return false;
}
