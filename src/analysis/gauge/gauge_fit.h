/* SPDX-License-Identifier: BSD-3-Clause */
/* Window, delay and filter of a gauge by least squares: the search of gauge.c. */
#ifndef WTL_ANALYSIS_GAUGE_FIT_H
#define WTL_ANALYSIS_GAUGE_FIT_H

#include <stdbool.h>

#include "analysis/gauge/gauge_updates.h"
#include "analysis/gauge/load_shape.h"

struct wtl_gauge_fit {
    const struct wtl_gauge_updates *updates;
    struct wtl_load_shape *shape;
    size_t stride;            /* every stride-th value counts */
    size_t left_out, left_to; /* values that do not count: [left_out, left_to) */
    bool filtered;            /* search for a filter, too; else assume that there is no filter */
    double window_s;          /* > 0: given, not searched */
    /* found */
    double window, delay, tau, idle_w, load_w;
    double squares, all_squares; /* what is not explained, and around the mean */
    size_t used;
};

/* The best of a grid of windows, delays and filters, then of its neighbourhood. */
void wtl_gauge_fit_search(struct wtl_gauge_fit *fit);
/* The best in the neighbourhood of what was found. */
void wtl_gauge_fit_refine(struct wtl_gauge_fit *fit);

#endif
