/* SPDX-License-Identifier: BSD-3-Clause */
/* A change in the documents of "wattle compare", "wattle ab" and "wattle check": `method`, `coverage` and `changes`, the same in each. */
#ifndef WTL_REPORT_JSON_CHANGE_H
#define WTL_REPORT_JSON_CHANGE_H

#include "analysis/compare/change.h"
#include "report/noun.h"

extern const struct wtl_noun wtl_noun_changes; /* struct wtl_change, as a part of a document */

#endif
