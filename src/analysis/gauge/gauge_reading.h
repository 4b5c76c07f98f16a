/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a gauge before it is understood: its readings, and the load meanwhile. */
#ifndef WTL_ANALYSIS_GAUGE_READING_H
#define WTL_ANALYSIS_GAUGE_READING_H

/* What was read, and when; times ascend. */
struct wtl_gauge_reading {
    double time_s, watts;
};

/* The load from time_s on, 0 to 1; times ascend. Before the first step it is that of the first. */
struct wtl_load_step {
    double time_s, load;
};

/* NaN = unknown; half: half of the 95 % interval. */
struct wtl_gauge_value {
    double value, half;
};

#endif
