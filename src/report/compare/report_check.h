/* SPDX-License-Identifier: BSD-3-Clause */
/* What "wattle check" has found: as text, as JSON "wattle.check/1" (docs/format/json.md), and as JUnit
 * for CI. */
#ifndef WTL_REPORT_REPORT_CHECK_H
#define WTL_REPORT_REPORT_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/compare/check.h"
#include "report/noun.h"
#include "report/report.h"

extern const struct wtl_noun wtl_noun_check; /* of its document */

/* How unclear outcomes are treated. */
struct wtl_check_rules {
    bool allow_unknown; /* UNKNOWN passes */
    bool strict;        /* NOT_ABOVE is unknown */
};

/* 0 passed, 1 above, 3 cannot tell: the exit status. */
int wtl_check_status(const struct wtl_check *check, const struct wtl_check_rules *rules);

/* WTL_FORMAT_TEXT or WTL_FORMAT_JSON; command and base in words. 0; -ENOMEM; or the errno of the
 * write, with a sentence. */
int wtl_report_check(FILE *out,
                     enum wtl_format format,
                     const struct wtl_check *check,
                     const struct wtl_check_rules *rules,
                     const struct wtl_style *style,
                     struct wattle_error *err);

/* A test suite with one case: passed, failure (above), error (cannot tell), skipped (the same,
 * allowed). Errors of the stream stay in it. */
void wtl_junit_check(FILE *out, const struct wtl_check *check, const struct wtl_check_rules *rules);

/* The same for a check that did not end: an error with this message, so that no earlier report passes for this one. */
void wtl_junit_failed(FILE *out, enum wtl_metric metric, const char *command, const char *message);

#endif
