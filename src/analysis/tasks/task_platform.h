/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a machine takes whatever runs: P(c) = alpha + beta c, the power with c busy cores, c >= 1; P_S = alpha - P_Y, where P_Y is the
 * power of the idle machine. Alpha is where the line meets c = 0, not the idle power.
 */
#ifndef WTL_ANALYSIS_TASK_PLATFORM_H
#define WTL_ANALYSIS_TASK_PLATFORM_H

#include <stddef.h>

struct wtl_task_line {
    double alpha_w, beta_w;           /* NaN: fewer than two different c */
    double alpha_half_w, beta_half_w; /* 95 % intervals, half; NaN: too few points */
};

/* Through n points, by least squares. */
struct wtl_task_line wtl_task_line_of(const double *cores, const double *power_w, size_t n);

#endif
