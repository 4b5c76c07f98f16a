/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The streaming detector of phases: it is given one row after another and reports that a phase began some rows ago. It
 * neither allocates nor locks after wtl_detector_create(). Its memory is bounded: about 0.3 MB for 15 columns, and 0.2 MB
 * more for the second pass, which takes most of its time.
 *
 *     struct wtl_detector_options options = wtl_detector_options_default();
 *     wtl_detector_create(columns, &options, &detector, err);
 *     for each row: if (wtl_detector_push(detector, row, &back) == 1)
 *         ... the row `back` rows before this one is the first of the new phase ...
 *     wtl_detector_close(detector);
 *
 * One thread per detector.
 */
#ifndef WTL_ANALYSIS_DETECTOR_H
#define WTL_ANALYSIS_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/phases/phase.h"

enum { WTL_DETECTOR_COLUMNS = WTL_ROW_COLUMNS + 1 /* the counters, and power */ };

struct wtl_detector;

struct wtl_detector_options {
    enum wtl_phase_method method; /* WTL_PHASE_FOCUS or WTL_PHASE_NP_FOCUS */
    double false_alarms_per_row;  /* 1e-6 */
    size_t min_rows;              /* shortest phase; 0 = the default */
    bool
        second_pass; /* focus: divide the last 256 rows again with every fourth: finds more, later */
};

struct wtl_detector_options wtl_detector_options_default(void);

/* Returns 0; -EINVAL for no or too many columns or another method; -ENOMEM; with a message. */
int wtl_detector_create(size_t columns,
                        const struct wtl_detector_options *options,
                        struct wtl_detector **ret_detector,
                        struct wattle_error *err);

/*
 * Add a row: rates per second in the order of the counters, then power if there is a column for it. A value that is
 * not finite is missing. Returns 1 if a phase has begun: *ret_back (may be NULL) rows before this row, 0 = with this
 * row; else 0.
 */
int wtl_detector_push(struct wtl_detector *detector, const double *row, size_t *ret_back);

/* Forget everything, as before the first row; or all except what the noise is like. */
void wtl_detector_reset(struct wtl_detector *detector);
void wtl_detector_restart(struct wtl_detector *detector);

void wtl_detector_close(struct wtl_detector *detector); /* accepts NULL */

#endif
