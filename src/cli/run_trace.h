/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of one measurement: made before the command starts, with a folder for the regions of its
 * processes beside it; finished when all is known that belongs into it.
 *
 *     wtl_run_trace_init(&trace, path, teller);      path NULL: all of this does nothing
 *     wtl_run_trace_spool(&trace);                   then the environment for the command
 *     wtl_run_trace_create(&trace, options, err);    then trace.writer is there, or a flag says why not
 *     wtl_run_trace_begun(&trace);                   the command runs
 *     wtl_run_trace_fold(&trace, &result);           the window is over
 *     wtl_run_trace_finish(&trace, &result);         footer
 *     wtl_run_trace_fini(&trace);
 */
#ifndef WTL_CLI_RUN_TRACE_H
#define WTL_CLI_RUN_TRACE_H

#include <stdbool.h>

#include "model/result.h"
#include "record/fold.h"
#include "trace/writer.h"

/* Where sentences for the user go that stop nothing. */
struct wtl_teller {
    void (*warn)(void *context, const char *sentence); /* may be NULL */
    void *context;
};

struct wtl_run_trace {
    char *path;
    char *
        old; /* the second name of the file that it replaces, until the command runs; NULL = none */
    bool replaces; /* with force: what lay there, and beside it, goes when the command runs */
    char *
        spool; /* "WATTLE_SPOOL=<trace>.d/run-XXXXXX" for the command's environment; NULL = no regions */
    int spool_refused;               /* 0, or why that folder could not be made */
    struct wtl_trace_writer *writer; /* NULL = there is no trace */
    struct wtl_fold *fold;           /* of that folder, for the session to follow; NULL = none */
    struct wtl_teller teller;
    struct wattle_error
        why_none; /* why it could not be made; "" = it could, or was not asked for */
};

/* 0 or -ENOMEM; in both cases for wtl_run_trace_fini(). */
int wtl_run_trace_init(struct wtl_run_trace *trace,
                       const char *path,
                       const struct wtl_teller *teller);

/* Make a folder of this run's own in <trace>.d, in which the processes of the command leave their regions. Where that fails there
 * will be none; that is a warning once the trace itself could be made. */
void wtl_run_trace_spool(struct wtl_run_trace *trace);

/* That folder, absolute; NULL = there is none. */
const char *wtl_run_trace_folder(const struct wtl_run_trace *trace);

/* Create the file. -EEXIST when it exists; with force it is replaced, unless it is an input (cli/inputs.h: -EINVAL). Any other failure: an error with the remedy when the user
 * named the file (required), otherwise a warning, and the run continues without a trace. */
int wtl_run_trace_create(struct wtl_run_trace *trace,
                         const struct wtl_trace_options *options,
                         bool required,
                         struct wattle_error *err);

/* A trace that was asked for and could not be made is told in the result. */
void wtl_run_trace_flag(const struct wtl_run_trace *trace, struct wtl_result *result);

/* The regions that the command's processes left go into the trace; what was lost is a flag. */
void wtl_run_trace_fold(struct wtl_run_trace *trace, struct wtl_result *result);

/* Add the footer. A trace that could not be written to its end is a warning and a flag of the
 * result, whose own numbers do not depend on it. */
void wtl_run_trace_finish(struct wtl_run_trace *trace, struct wtl_result *result);

/* From here on there is something to keep: the file that was replaced goes for good, and with it what processes had left beside it. */
void wtl_run_trace_begun(struct wtl_run_trace *trace);

/* Nothing was measured: remove what was made. What it replaced is there again, unless the command ran. */
void wtl_run_trace_discard(struct wtl_run_trace *trace);

void wtl_run_trace_fini(struct wtl_run_trace *trace);

#endif
