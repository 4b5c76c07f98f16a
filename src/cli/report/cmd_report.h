/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of "wattle report": reports of many nodes, and the page with a server. */
#ifndef WTL_CLI_CMD_REPORT_H
#define WTL_CLI_CMD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <wattle/error.h>

#include "cli/report/report_figure.h"
#include "cli/verb.h"
#include "model/result.h"
#include "report/tasks/lanes_document.h"
#include "trace/reader.h"

/* ---- report_run.c ---- */

/* "wattle report" of runs of many nodes: grouping arguments into runs, their profiles, page, document and figures. */

struct wtl_report_run {
    char *const *words;        /* [count], names of runs */
    const char *const *labels; /* name of each; NULL: its run.id */
    size_t count;
    const char *output; /* NULL = standard output */
    bool json, force, redact;
    double reference_w;                     /* NaN = none */
    const struct wtl_report_figure *figure; /* path NULL: the page or the document */
};

/* Is it a report of runs? True for a run of several traces, a run file, or several names; a single trace has a different page. */
bool wtl_report_is_of_runs(char *const *words, size_t count);

/* Write the report. Returns 0, or -errno with a message. Missing traces are reported on stderr. */
int wtl_report_run_make(const struct wtl_report_run *request,
                        const struct wtl_command *command,
                        struct wattle_error *err);

/* ---- report_serve.c ---- */

/* "wattle report --serve": the page of a trace on 127.0.0.1, with what is too large for a file. */

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
