/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a phase begins, among the rows around a step that the detector found: see step_place.h. */
#include <math.h>

#include "analysis/phases/detector_parts.h"
#include "analysis/phases/step_place.h"

/* Rows on either side of the candidate that are examined, and rows that give the level before. */
#define NEAR   24
#define BEFORE 64

uint64_t wtl_detector_place(struct wtl_detector *d, uint64_t row)
{
    uint64_t oldest = wtl_detector_oldest(d);
    uint64_t begin = row > BEFORE ? row - BEFORE : 0;
    double costs[2 * NEAR + 1] = {0}, *x = d->scratch;
    begin = begin > d->phase_begin ? begin : d->phase_begin;
    begin = begin > oldest ? begin : oldest;
    size_t n = (size_t)(d->rows - begin), at = (size_t)(row - begin);
    size_t from = at > NEAR + 1 ? at - NEAR : 1;
    size_t to = at + NEAR < n - 1 ? at + NEAR : n - 1;
    for (size_t c = 0; c < d->columns; c++) {
        struct wtl_level_step step = {.phi = d->column[c].noise.phi, .sd = d->column[c].noise.sd};
        for (size_t i = 0; i < n; i++)
            x[i] = wtl_detector_row(d, begin + i)[c];
        wtl_step_levels(x, 1, n, at, &step);
        wtl_step_costs(x, 1, &step, from, to - from + 1, costs);
    }
    return begin + from + wtl_step_best(costs, to - from + 1, NULL, NULL);
}
