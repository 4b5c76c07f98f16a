/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy between two instants, as the server of a page sends it (docs/format/report.md, "A served page"). */
#ifndef WTL_REPORT_STRETCH_DOCUMENT_H
#define WTL_REPORT_STRETCH_DOCUMENT_H

#include <stdint.h>

#include <jansson.h>

#include <wattle/error.h>

#include "model/result.h"
#include "report/noun.h"
#include "trace/reader.h"

extern const struct wtl_noun wtl_noun_stretch;

/* Of the energy and power channels of the result. A new reference in *ret_document. 0, -EINVAL, -ENOMEM, or the
 * reader's error. */
int wtl_stretch_document(struct wtl_trace_reader *reader,
                         const struct wtl_result *result,
                         uint64_t begin_ns,
                         uint64_t end_ns,
                         json_t **ret_document,
                         struct wattle_error *err);

#endif
