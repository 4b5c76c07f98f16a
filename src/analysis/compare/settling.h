/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settling: did power, and temperature, stand while it was measured? A processor under load warms up, and
 * a warm one leaks more; after some ten seconds it may lose its turbo budget. What is measured
 * meanwhile is not what the load draws in the long run.
 *
 * The rule. The stretch to be measured is cut into equal parts. A straight line through their mean powers (least
 * squares) has drifted when its slope is significant (p < 0.1, Student's t with n - 2 degrees of freedom) AND steeper
 * than 0.5 % of the mean per minute; one through their temperatures when it is significant and steeper than
 * 2 degrees per minute and rises or falls by 2 degrees or more: sensors have steps of one, which look like a slope.
 * A stretch that has drifted is given up for the next one, also before its end when its first parts, ten at least, have drifted (p < 0.001, since one looks many times). A false alarm costs one more
 * stretch, an oversight the result: hence the generous 0.1. Neighbours are taken for independent: a meter that
 * averages over several parts makes the rule stricter.
 *
 * What it is worth: power that approaches its end as exp(-t/tau) differs from it by slope * tau: 0.5 % per
 * minute and tau of 30 s leave 0.25 %. Noise hides some: of 3 % that are missing at the start with tau of 30 s, 0.16 % are left
 * when the parts vary by 0.1 %, 0.4 % when they vary by 0.5 % (bench/bench_settling.c), and no interval over runs knows of it. A
 * longer stretch finds more.
 */
#ifndef WTL_ANALYSIS_SETTLING_H
#define WTL_ANALYSIS_SETTLING_H

#include <stdbool.h>
#include <stddef.h>

#define WTL_SETTLING_POWER_PER_MIN   0.005 /* part of the mean */
#define WTL_SETTLING_CELSIUS_PER_MIN 2.0
#define WTL_SETTLING_CELSIUS         2.0 /* over the stretch */

enum { WTL_SETTLING_PARTS = 30, WTL_SETTLING_FEWEST = 10 };

struct wtl_settling_part {
    double time_s;        /* its middle, from any origin; rising */
    double power_w;       /* mean over the part; NaN = unknown, which is left out */
    double temperature_c; /* NaN = unknown */
};

enum wtl_settling_state {
    WTL_SETTLING_OPEN,    /* fewer than ten parts are known */
    WTL_SETTLING_STEADY,  /* no drift is seen */
    WTL_SETTLING_DRIFTED, /* it is */
};

struct wtl_settling {
    enum wtl_settling_state state;
    double power_per_min;   /* slope as part of the mean: 0.01 = 1 % per minute; NaN = unknown */
    double power_p;         /* of no slope; NaN = unknown */
    double celsius_per_min; /* NaN = unknown */
    double celsius_p;
    bool power_drifts, celsius_drifts; /* which of them makes it DRIFTED */
};

/* Judge n parts. whole: the stretch is over; else more parts will come. */
struct wtl_settling wtl_settling_of(const struct wtl_settling_part *parts, size_t n, bool whole);

#endif
