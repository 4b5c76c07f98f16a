/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle report" of runs of many nodes: grouping arguments into runs, their profiles, page, document and figures. */
#ifndef WTL_CLI_REPORT_RUN_H
#define WTL_CLI_REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "cli/report/report_figure.h"
#include "cli/verb.h"

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

#endif
