/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as a self-contained HTML file: the template of the page with its document. */
#ifndef WTL_REPORT_PAGE_H
#define WTL_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <wattle/error.h>

#include "model/result.h"

/* Was the page built in? Otherwise -ENOTSUP with a message that says what to do. */
int wtl_page_there(struct wattle_error *err);

/* Write the page of a document (wtl_report_document()) of the result. Names and texts in it cannot
 * become markup. served: see page_template.h. 0; -ENOMEM; what wtl_page_there() says. Errors of the stream stay in it. */
int wtl_page_write(FILE *out,
                   const json_t *document,
                   const struct wtl_result *result,
                   bool served,
                   struct wattle_error *err);

#endif
