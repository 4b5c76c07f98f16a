/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle ab" has found: as text, as JSON "wattle.ab/1" (docs/format/json.md), as CSV, one row for
 * each run (docs/format/csv.md). */
#ifndef WTL_REPORT_REPORT_AB_H
#define WTL_REPORT_REPORT_AB_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/compare/ab.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_ab, wtl_noun_ab_run; /* struct wtl_ab; its rows in CSV */

/* Write it and flush. style matters for text and may be NULL. 0; -ENOMEM; or the negative errno of
 * the write that failed, with a sentence. */
int wtl_report_ab(FILE *out,
                  enum wtl_format format,
                  const struct wtl_ab *ab,
                  const struct wtl_style *style,
                  struct wattle_error *err);

/* The parts. Errors of the stream stay in it. */
int wtl_text_ab(FILE *out, const struct wtl_style *style, const struct wtl_ab *ab); /* 0, -ENOMEM */
json_t *wtl_json_ab(const struct wtl_ab *ab); /* a new reference; NULL without memory */
void wtl_csv_ab(FILE *out, const struct wtl_ab *ab);

#endif
