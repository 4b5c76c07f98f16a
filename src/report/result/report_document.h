/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that a page shows about a trace, schema "wattle.report/1": docs/format/report.md. */
#ifndef WTL_REPORT_REPORT_DOCUMENT_H
#define WTL_REPORT_REPORT_DOCUMENT_H

#include <jansson.h>

#include <wattle/error.h>

#include "model/result.h"
#include "report/noun.h"
#include "report/tasks/lanes_document.h"
#include "trace/reader.h"

/* Called before each part of the work, in words: "distribution of power". */
typedef void wtl_report_step_fn(void *context, const char *step);

extern const struct wtl_noun wtl_noun_report;

/*
 * The document of a trace; `result` is the result of the same trace, and is flagged for damage that is met. Its size is bounded: about 1
 * MB for a trace of any length, plus 100 points of 16 bytes for each channel if there are hundreds.
 * What the threads did adds at most 32 MB (WTL_REPORT_TILE_BYTES). step may be NULL. keep not NULL: the page
 * is served; only the first tile is in the document, and the lanes are the caller's, who must free them before
 * the reader is closed. 0 with a new reference; -ENOMEM; or the reader's error.
 */
int wtl_report_document(struct wtl_trace_reader *reader,
                        struct wtl_result *result,
                        wtl_report_step_fn *step,
                        void *context,
                        struct wtl_report_lanes *keep,
                        json_t **ret_document,
                        struct wattle_error *err);

#endif
