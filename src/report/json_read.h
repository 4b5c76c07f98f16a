/* SPDX-License-Identifier: BSD-3-Clause */
/* Results from a document "wattle.run/1", as far as comparisons need them. */
#ifndef WTL_REPORT_JSON_READ_H
#define WTL_REPORT_JSON_READ_H

#include <wattle/error.h>

#include "analysis/traces/results.h"
#include "model/result.h"

/*
 * The runs of the document in a file: each repeat, or the only one. They have texts, window, total,
 * flags, how frequencies were chosen, and channels with name, domain, energy and power (of activity
 * channels, the power limits); the rest is unknown. Freed with wtl_run_results_free(). 0; -EBADMSG
 * with a sentence if it is not such a document; -ENOMEM, or the errno of reading.
 */
int wtl_json_results_read(const char *path,
                          struct wtl_result **ret_results,
                          size_t *ret_count,
                          struct wattle_error *err);

#endif
