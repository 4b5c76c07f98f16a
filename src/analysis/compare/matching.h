/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching: may these results be compared with each other? A verdict is on the programs only if
 * node, governor, limits and content of the total are the same, and energy was measured.
 * It needs results only, so it works for live runs, traces and stored documents; what only traces
 * contain is compared by analysis/compare/conditions.h.
 */
#ifndef WTL_ANALYSIS_MATCHING_H
#define WTL_ANALYSIS_MATCHING_H

#include <stdbool.h>

#include "analysis/compare/metric.h"

/*
 * Is there a reason against a verdict on that metric? If so, true, and the first reason as part of a
 * sentence in buf. A value unknown in both results is the same in both; an unknown node is a reason.
 */
bool wtl_matching_forbids(const struct wtl_result *results,
                          size_t count,
                          enum wtl_metric metric,
                          char *buf,
                          size_t n);

/* Do two totals differ in kind: in quality, in what they contain, or is one simulated? Then they have
 * no common mean; true, and the difference as part of a sentence in buf. An unknown total is a
 * different kind from a known one. */
bool wtl_matching_totals_differ(const struct wtl_result *a,
                                const struct wtl_result *b,
                                char *buf,
                                size_t n);

/* Do the known totals of two groups of runs contain different things, also within a group? Then they have no common mean:
 * true, and two that differ in ret_two, borrowed. b_n may be 0. */
bool wtl_matching_contents_differ(const struct wtl_result *a,
                                  size_t a_n,
                                  const struct wtl_result *b,
                                  size_t b_n,
                                  const char *ret_two[2]);

/* Was its measurement cut off, so that its time and energy are only a part? True, and a part of a sentence in buf. */
bool wtl_matching_cut_off(const struct wtl_result *result, char *buf, size_t n);

/* Does the total leave out so much (wtl_gap_matters())? Then it is too low by
 * an unknown amount, and a verdict on energy is not allowed; true, and a part of a sentence in buf. */
bool wtl_matching_incomplete(const struct wtl_result *result, char *buf, size_t n);

/* Is it a window average that sees a part of the time only, or whose window is too long for a run of wall_s? What runs differ in
 * may be in the rest, or outside; true, and a part of a sentence in buf. */
bool wtl_matching_average(const struct wtl_result_channel *c, double wall_s, char *buf, size_t n);

/* Is such a one in the total? */
bool wtl_matching_averages(const struct wtl_result *result, char *buf, size_t n);

/* The same between two sets, each of which has matching results. */
bool wtl_matching_differ(const struct wtl_result *a,
                         const struct wtl_result *b,
                         enum wtl_metric metric,
                         char *buf,
                         size_t n);

#endif
