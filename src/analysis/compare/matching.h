/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching: may these results be compared with each other? A verdict is one on the programs only where
 * node, governor, limits and what the total contains are the same, and where something was measured.
 * From results alone, so that it serves live runs, traces and stored documents; what a trace tells
 * beyond that is analysis/compare/conditions.h's.
 */
#ifndef WTL_ANALYSIS_MATCHING_H
#define WTL_ANALYSIS_MATCHING_H

#include <stdbool.h>

#include "analysis/compare/metric.h"

/*
 * Is there a reason against a verdict by that metric? Then true, and the first one as part of a
 * sentence in buf. What is unknown in both of two results is the same in them; an unknown node is a
 * reason.
 */
bool wtl_matching_forbids(const struct wtl_result *results,
                          size_t count,
                          enum wtl_metric metric,
                          char *buf,
                          size_t n);

/* Do two totals differ in kind: in quality, in what they contain, or is one simulated? Then there is no
 * mean of them; true, and the difference as part of a sentence in buf. A total that is unknown is
 * another kind than one that is known. */
bool wtl_matching_totals_differ(const struct wtl_result *a,
                                const struct wtl_result *b,
                                char *buf,
                                size_t n);

/* Does the total leave out the energy of more than a thousandth of the run? Then it is too low by what
 * nobody knows, and no verdict on energy is one on the program; true, and a part of a sentence in buf. */
bool wtl_matching_incomplete(const struct wtl_result *result, char *buf, size_t n);

/* The same between two sets, each of which matches in itself. */
bool wtl_matching_differ(const struct wtl_result *a,
                         const struct wtl_result *b,
                         enum wtl_metric metric,
                         char *buf,
                         size_t n);

#endif
