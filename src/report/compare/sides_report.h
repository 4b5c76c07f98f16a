/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of two sides as text, JSON "wattle.compare/1" (docs/format/compare.md) or CSV. */
#ifndef WTL_REPORT_SIDES_REPORT_H
#define WTL_REPORT_SIDES_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include <wattle/error.h>

#include "analysis/compare/conditions.h"
#include "analysis/compare/sides.h"
#include "report/noun.h"
#include "report/report.h"

struct wtl_sides_report {
    const struct wtl_sides *sides;
    const struct wtl_conditions *conditions; /* NULL = not compared */
    double resolve;
};

/* Write and flush. 0; -ENOMEM; the negative errno of the write that failed, with a sentence. */
int wtl_report_sides(FILE *out,
                     enum wtl_format format,
                     const struct wtl_sides_report *report,
                     const struct wtl_style *style,
                     struct wattle_error *err);

/* What wtl_report_sides() is made of. The document: a new reference, NULL without memory. */
int wtl_text_sides(FILE *out, const struct wtl_style *style, const struct wtl_sides_report *report);
extern const struct wtl_noun wtl_noun_compare, wtl_noun_compare_row; /* its rows in CSV */
json_t *wtl_json_sides(const struct wtl_sides_report *report);
void wtl_csv_sides(FILE *out, const struct wtl_sides_report *report);

/* What the energy of a side's runs is: "measured", "simulated", ...; "partly simulated", "mixed" where they differ; "unknown": no total. */
const char *wtl_side_quality(const struct wtl_result *results, size_t n);

/* The flags of a side's runs, each once: the next, its first text, and the number of runs that have it; false: no more. */
bool wtl_side_flag_next(const struct wtl_result *results,
                        size_t n,
                        size_t *cursor,
                        const struct wtl_result_flag **ret_flag,
                        size_t *ret_runs);

#endif
