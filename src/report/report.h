/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Report: results for people (a table), for programs (JSON "wattle.run/1", docs/format/json.md) and
 * for spreadsheets (CSV, docs/format/csv.md). One result is one measurement; several are repeats of
 * the same one: means on top, their spread beside, each run below.
 */
#ifndef WTL_REPORT_REPORT_H
#define WTL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <wattle/error.h>

#include "analysis/traces/results.h"
#include "model/result.h"
#include "report/style.h"

enum wtl_format { WTL_FORMAT_TEXT = 0, WTL_FORMAT_JSON = 1, WTL_FORMAT_CSV = 2 };

/* "text", "json", "csv", NULL: in the order of the enum. */
extern const char *const wtl_format_names[];

/*
 * Write results[0 .. count-1], count >= 1, to out and flush it. style matters for text and may be
 * NULL. Returns 0; -ENOMEM; or the negative errno of the write that failed, with a sentence.
 */
int wtl_report_results(FILE *out,
                       enum wtl_format format,
                       const struct wtl_result *results,
                       size_t count,
                       const struct wtl_style *style,
                       struct wattle_error *err);

/* The same of one result as text, with its regions before the last line, which is the trace and the next command. */
int wtl_report_with_regions(FILE *out,
                            const struct wtl_result *result,
                            const struct wtl_region_table *regions,
                            const struct wtl_style *style,
                            struct wattle_error *err);

/* One line on a measurement that is still going on: energy and mean power so far, and up to when. */
int wtl_report_progress(FILE *out, const struct wtl_result *so_far, struct wattle_error *err);

#endif
