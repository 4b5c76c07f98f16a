/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a gauge published its values, from readings that are closer together than its period. A change between two
 * readings was published between them. Equal values hide a publication, so the period is not the commonest distance of
 * changes but the longest one of which (almost) all distances are multiples.
 */
#ifndef WTL_ANALYSIS_GAUGE_UPDATES_H
#define WTL_ANALYSIS_GAUGE_UPDATES_H

#include <stddef.h>

#include <wattle/error.h>

#include "analysis/gauge/gauge_reading.h"

struct wtl_gauge_updates {
    double period_s, period_half_s;
    double phase_s; /* a moment of publication: the others are whole periods away */
    double phase_half_s;
    double jitter_s;  /* rms around the grid */
    double *times_s;  /* when each value was published, on the grid unless it jitters */
    double *watts;    /* [count] */
    double quantum_w; /* NaN = none was seen */
    size_t count;
};

/* 0; -ENODATA (no period: too few changes, or read too rarely) or -ENOMEM with a message. */
int wtl_gauge_updates_find(const struct wtl_gauge_reading *readings,
                           size_t count,
                           struct wtl_gauge_updates *ret_updates,
                           struct wattle_error *err);
void wtl_gauge_updates_fini(struct wtl_gauge_updates *updates);

#endif
