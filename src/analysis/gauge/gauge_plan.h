/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A load that shows what a gauge does: quiet, long single steps for slow filters, then on and off times around the period, each
 * drawn anew, so that nothing keeps step with the gauge. Twice, so that halves can be compared.
 */
#ifndef WTL_ANALYSIS_GAUGE_PLAN_H
#define WTL_ANALYSIS_GAUGE_PLAN_H

#include <stdint.h>

#include "analysis/gauge/gauge.h"

/* The steps, malloc'ed, from time 0; the last one is at the end, with load 0. period_s: a guess; hold_s: of the long steps; seed: of
 * the draws. Returns their number, or 0 without memory. */
size_t wtl_gauge_plan(double period_s,
                      double hold_s,
                      uint64_t seed,
                      struct wtl_load_step **ret_steps);

#endif
