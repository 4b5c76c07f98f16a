/* SPDX-License-Identifier: BSD-3-Clause */
/* Ticks: where an axis has its numbers, and how they read. */
#ifndef WTL_PLOT_TICKS_H
#define WTL_PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { WTL_TICKS_MAX = 24 };

struct wtl_tick {
    double value; /* on the axis' own scale, without prefix */
    char text[24];
};

struct wtl_ticks {
    double low, high; /* of the axis: as asked for, or widened to ticks */
    struct wtl_tick ticks[WTL_TICKS_MAX];
    size_t count;
    double minor;  /* distance of the small ticks between; 0 = none */
    char unit[16]; /* with its prefix: "kW", "ms", "min" */
};

/*
 * About `wanted` ticks (1, 2 or 5 times a power of ten) for values from low to high in a unit; with
 * a prefix of 10^-12 to 10^12 if the unit takes one. widen: the axis ends on ticks. Ends that are
 * not finite or the same give an axis around them.
 */
void wtl_ticks_numbers(struct wtl_ticks *ticks,
                       double low,
                       double high,
                       size_t wanted,
                       const char *unit,
                       bool widen);

/* The same for seconds: ms and below, s, min, h or d; beyond a minute the steps are those of a clock. */
void wtl_ticks_time(struct wtl_ticks *ticks, double low_s, double high_s, size_t wanted);

#endif
