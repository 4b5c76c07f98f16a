/* SPDX-License-Identifier: BSD-3-Clause */
/* Ticks: where an axis has numbers, and their text. */
#ifndef WTL_PLOT_TICKS_H
#define WTL_PLOT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

enum { WTL_TICKS_MAX = 24 };

struct wtl_tick {
    double value; /* in the axis's own unit, without prefix */
    char text[24];
};

struct wtl_ticks {
    double low, high; /* ends of the axis: as requested, or widened to ticks */
    struct wtl_tick ticks[WTL_TICKS_MAX];
    size_t count;
    double minor;  /* distance of the minor ticks; 0 = none */
    char unit[16]; /* including its prefix: "kW", "ms", "min" */
};

/*
 * About `wanted` ticks (1, 2 or 5 times a power of ten) for values from low to high in a unit; with
 * a prefix of 10^-12 to 10^12 if the unit accepts one. widen: the axis ends on ticks. Non-finite or
 * equal ends give an axis around them.
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
