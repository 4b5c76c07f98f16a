/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of one measurement: created before the window opens, with a folder for the regions of
 * processes next to it; finished when everything that belongs into it is known.
 *
 *     wtl_run_trace_init(&trace, path, teller);      path NULL: all calls do nothing
 *     wtl_run_trace_spool(&trace);                   then set the environment of a command
 *     wtl_run_trace_create(&trace, options, err);    sets trace.writer, or a flag says why not
 *     wtl_run_trace_begun(&trace);                   the window is open
 *     wtl_run_trace_fold(&trace, &result, err);      the window is over
 *     wtl_run_trace_finish(&trace, &result, err);    footer
 *     wtl_run_trace_fini(&trace);
 */
#ifndef WTL_MEASURE_RUN_TRACE_H
#define WTL_MEASURE_RUN_TRACE_H

#include <stdbool.h>

#include "model/result.h"
#include "record/spool/spool_merge.h"
#include "trace/writer.h"

/* Receives messages for the user that do not stop anything. */
struct wtl_teller {
    void (*warn)(void *context, const char *sentence); /* may be NULL */
    void *context;
};

/* What happens if the trace cannot be created? */
enum wtl_trace_need {
    WTL_TRACE_NEW,  /* warn, and measure without it; but fail if the file exists */
    WTL_TRACE_MUST, /* the measurement fails */
    WTL_TRACE_TRY   /* warn in any case, and measure without it */
};

struct wtl_run_trace_options {
    bool force, sync; /* as in struct wtl_trace_options */
    enum wtl_trace_need need;
    const char *remedy; /* the remedy if none could be created: "give another path in X"; NULL = no
                 * remedy */
};

struct wtl_run_trace {
    char *path;
    char *old; /* the second name of the file being replaced, until the command runs; NULL = none */
    bool replaces; /* with force: the old file and its folder are removed when the command runs */
    char *
        spool; /* "WATTLE_SPOOL=<trace>.d/run-XXXXXX" for the command's environment; NULL = no regions */
    int spool_refused;               /* 0, or why that folder could not be created */
    int refused;                     /* 0, or why the trace could not be created */
    struct wtl_trace_writer *writer; /* NULL = there is no trace */
    struct wtl_spool_merge *merge;   /* for that folder, followed by the session; NULL = none */
    struct wtl_teller teller;
    struct wattle_error
        why_none; /* why it could not be created; "" = it was, or was not requested */
};

/* 0 or -ENOMEM; call wtl_run_trace_fini() in both cases. */
int wtl_run_trace_init(struct wtl_run_trace *trace,
                       const char *path,
                       const struct wtl_teller *teller);

/* Create a folder for this run in <trace>.d, where the processes of the command leave their
 * regions. If that fails there are no regions; this is a warning once the trace itself has been
 * created. */
void wtl_run_trace_spool(struct wtl_run_trace *trace);

/* Drop the folder: regions are recorded elsewhere. */
void wtl_run_trace_no_spool(struct wtl_run_trace *trace);

/* Path of the created trace; NULL = none. */
const char *wtl_run_trace_path(const struct wtl_run_trace *trace);

/* Absolute path of that folder of a created trace; NULL = none. */
const char *wtl_run_trace_folder(const struct wtl_run_trace *trace);

/* Could that trace be created? Changes nothing. 0, or as wtl_run_trace_create() with
 * WTL_TRACE_MUST. */
int wtl_run_trace_check(const char *path, bool force, struct wattle_error *err);

/* Create the file; with force, replace an existing one. Returns 0, also if options->need allows
 * measuring without a trace; or the error with the writer's message: -EEXIST, -EBUSY, -EINVAL and
 * others. */
int wtl_run_trace_create(struct wtl_run_trace *trace,
                         const struct wtl_run_trace_options *options,
                         struct wattle_error *err);

/* Flag in the result that a requested trace could not be created. */
void wtl_run_trace_flag(const struct wtl_run_trace *trace, struct wtl_result *result);

/* Merge the regions left by processes into the trace; losses become a flag. 0, or why the regions
 * are missing, which is a warning. */
int wtl_run_trace_fold(struct wtl_run_trace *trace,
                       struct wtl_result *result,
                       struct wattle_error *err);

/* Add the footer. If the trace could not be written completely, that is a warning and a flag of the
 * result, whose own numbers do not depend on it. 0, or why it is incomplete. */
int wtl_run_trace_finish(struct wtl_run_trace *trace,
                         struct wtl_result *result,
                         struct wattle_error *err);

/* From here on there is something to keep: the replaced file is removed for good, with what
 * processes had left next to it. */
void wtl_run_trace_begun(struct wtl_run_trace *trace);

/* Nothing was measured: remove what was created and restore what it replaced, unless the command
 * ran. */
void wtl_run_trace_discard(struct wtl_run_trace *trace);

void wtl_run_trace_fini(struct wtl_run_trace *trace);

/* In the child of a fork: release the file, which would otherwise stay locked when the parent is
 * killed. Frees nothing. */
void wtl_run_trace_forget(struct wtl_run_trace *trace);

#endif
