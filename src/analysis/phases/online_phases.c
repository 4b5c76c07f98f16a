/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The phases of a recording by the streaming detector (detector.h), which first hears its beginning to know the noise. If that has
 * short phases, the first rows that noise is learnt from are of several: np-focus, which no second pass follows, hears them
 * a second time from the end to the beginning, and so comes to them with what it learnt from the others.
 */
#include <errno.h>

#include "analysis/phases/detector.h"
#include "analysis/phases/phase_bounds.h"
#include "base/fail.h"

/* Rows that are heard twice. */
#define FIRST 2048

static int push_row(struct wtl_detector *detector,
                    const struct wtl_counter_rows *rows,
                    size_t row,
                    size_t *ret_back)
{
    double values[WTL_DETECTOR_COLUMNS];
    for (size_t c = 0; c < rows->columns; c++)
        values[c] = rows->rate[row * rows->columns + c];
    values[rows->columns] = rows->power_w[row];
    return wtl_detector_push(detector, values, ret_back);
}

int wtl_phase_find_online(const struct wtl_counter_rows *rows,
                          const struct wtl_phase_options *options,
                          struct wtl_phase_bounds *bounds,
                          struct wattle_error *err)
{
    const struct wtl_detector_options detect = {.method = options->method,
                                                .false_alarms_per_row =
                                                    options->false_alarms_per_row,
                                                .min_rows = options->min_rows};
    struct wtl_detector *detector;
    size_t back;
    int rc = wtl_detector_create(rows->columns + 1, &detect, &detector, err);
    if (rc < 0)
        return rc;
    size_t first = rows->rows < FIRST ? rows->rows : FIRST;
    for (size_t row = 0; row < first; row++)
        (void)push_row(detector, rows, row, &back);
    for (size_t row = first; row-- > 0 && options->method == WTL_PHASE_NP_FOCUS;)
        (void)push_row(detector, rows, row, &back);
    wtl_detector_restart(detector);
    rc = wtl_phase_bounds_add(bounds, 0);
    for (size_t row = 0; rc == 0 && row < rows->rows; row++)
        if (push_row(detector, rows, row, &back) == 1)
            rc = wtl_phase_bounds_add(bounds, row - back);
    wtl_detector_close(detector);
    return rc < 0 ? wtl_no_memory_for(err, "the phases of %zu rows", rows->rows) : 0;
}
