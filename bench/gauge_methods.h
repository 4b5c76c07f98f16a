/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of a job from the readings of a gauge, by the usual and the published methods, for bench_gauge.
 *
 * Yang, Adamek, Armour, "Part-time Power Measurements: nvidia-smi's Lack of Attention" (arXiv 2312.02741; SC'24): repeat
 * the job 32 times without a pause, with eight delays that shift its phase where the window is shorter than the period; four
 * such trials at random moments; leave out the repetitions during the rise, and shift readings by the window.
 * McDaniel and others, "Fine-Grained Power and Energy Attribution on AMD GPU/APU-Based Exascale Nodes" (arXiv 2604.06056): power only
 * of the readings in [start + delay + rise, end - delay - fall].
 * Both after descriptions of others of what the papers say; details not given there are ours.
 */
#ifndef WATTLE_BENCH_GAUGE_METHODS_H
#define WATTLE_BENCH_GAUGE_METHODS_H

#include "analysis/gauge/gauge_energy.h"

enum { YANG_TRIALS = 4, YANG_REPEATS = 32, YANG_SHIFTS = 8 };

/* The integral of the readings over [begin, end], by straight lines. */
double gauge_trapezoid(const struct wtl_gauge_pass *pass, double begin_s, double end_s);

/* Readings between start and end, as if they were the power. */
double gauge_naive(const struct wtl_gauge_pass *pass);

/* NaN: the job is shorter than delay, rise and fall. rise_s: from 10 to 90 %. */
double gauge_mcdaniel(const struct wtl_gauge_pass *pass,
                      double delay_s,
                      double rise_s,
                      double fall_s);

/* Energy of one repetition from the readings of a trial [begin, end] of YANG_REPEATS of duration_s, with
 * idle_s of pauses in all. */
double gauge_yang(const struct wtl_gauge_pass *trial,
                  double duration_s,
                  double idle_s,
                  double idle_w,
                  double shift_s,
                  double rise_s);

/* Mean and 95 % interval over runs, by Student's t. NaN are left out. */
struct wtl_gauge_value gauge_over_runs(const double *joules, size_t count);

#endif
