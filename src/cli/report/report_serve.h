/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle report --serve": the page of a trace on 127.0.0.1, with what is too large for a file. */
#ifndef WTL_CLI_REPORT_SERVE_H
#define WTL_CLI_REPORT_SERVE_H

#include <stdint.h>

#include <jansson.h>

#include <wattle/error.h>

#include "model/result.h"
#include "report/tasks/lanes_document.h"
#include "trace/reader.h"

struct wtl_report_serve {
    struct wtl_trace_reader *reader;
    const struct wtl_result *result;
    struct wtl_report_lanes *lanes; /* of the document */
    const json_t *document;
    uint16_t port; /* 0: one that is free */
};

/* Print the address and answer until a signal ends the program. Returns only with an error. */
int wtl_report_serve(const struct wtl_report_serve *serve, struct wattle_error *err);

#endif
