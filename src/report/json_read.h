/* SPDX-License-Identifier: BSD-3-Clause */
/* Results from a document "wattle.run/1", as far as comparisons need them. */
#ifndef WTL_REPORT_JSON_READ_H
#define WTL_REPORT_JSON_READ_H

#include <wattle/error.h>

#include "analysis/results.h"
#include "model/result.h"

/*
 * The runs of the document in this file: with repeats each of them, else the one. They have texts,
 * window, total, flags, how frequencies were chosen, the channels that have a name and a domain, with
 * energy and power (of activity: the power limits); the rest is unknown. To be freed by
 * wtl_run_results_free(). 0; -EBADMSG with a sentence when it is no such document; -ENOMEM, or the
 * errno of reading.
 */
int wtl_json_results_read(const char *path,
                          struct wtl_result **ret_results,
                          size_t *ret_count,
                          struct wattle_error *err);

#endif
