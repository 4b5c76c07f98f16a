/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of runs of many nodes as a self-contained HTML file. */
#ifndef WTL_REPORT_RUN_PAGE_H
#define WTL_REPORT_RUN_PAGE_H

#include <stdio.h>

#include <jansson.h>

#include <wattle/error.h>

/* Was the page built in? Otherwise -ENOTSUP with a message that says what to do. */
int wtl_run_page_there(struct wattle_error *err);

/* Write the page of a document (wtl_run_document()). Names and texts in it cannot become markup. Returns 0,
 * -ENOMEM, or as wtl_run_page_there(). Errors of the stream stay in it. */
int wtl_run_page_write(FILE *out, const json_t *document, struct wattle_error *err);

#endif
