/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a page shows of a trace, schema "wattle.report/1": docs/format/report.md. */
#ifndef WTL_REPORT_REPORT_DOCUMENT_H
#define WTL_REPORT_REPORT_DOCUMENT_H

#include <jansson.h>

#include <wattle/error.h>

#include "model/result.h"
#include "report/noun.h"
#include "trace/reader.h"

/* Called before each part of the work, in words: "distribution of power". */
typedef void wtl_report_step_fn(void *context, const char *step);

extern const struct wtl_noun wtl_noun_report;

/*
 * The document of a trace, `result` being that of the same one. Its size is bounded: about 1 MB however
 * long the trace, and 16 bytes for 100 points each more with hundreds of channels. step may be NULL.
 * 0 with a new reference; -ENOMEM; or what the reader said.
 */
int wtl_report_document(struct wtl_trace_reader *reader,
                        const struct wtl_result *result,
                        wtl_report_step_fn *step,
                        void *context,
                        json_t **ret_document,
                        struct wattle_error *err);

#endif
