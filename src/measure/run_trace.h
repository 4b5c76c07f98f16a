/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of one measurement: made before the window opens, with a folder for the regions of processes
 * beside it; finished when all is known that belongs into it.
 *
 *     wtl_run_trace_init(&trace, path, teller);      path NULL: all of this does nothing
 *     wtl_run_trace_spool(&trace);                   then the environment for a command
 *     wtl_run_trace_create(&trace, options, err);    then trace.writer is there, or a flag says why not
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

/* Where sentences for the user go that stop nothing. */
struct wtl_teller {
    void (*warn)(void *context, const char *sentence); /* may be NULL */
    void *context;
};

/* What is done without a trace that cannot be made? */
enum wtl_trace_need {
    WTL_TRACE_NEW, /* its failure is told, and the measurement goes on; but not where the file exists */
    WTL_TRACE_MUST, /* nothing: its failure is one of the measurement */
    WTL_TRACE_TRY   /* its failure is told in any case, and the measurement goes on */
};

struct wtl_run_trace_options {
    bool force, sync; /* as in struct wtl_trace_options */
    enum wtl_trace_need need;
    const char *
        remedy; /* what helps where none could be made: "give another path in X"; NULL = nothing is said */
};

struct wtl_run_trace {
    char *path;
    char *
        old; /* the second name of the file that it replaces, until the command runs; NULL = none */
    bool replaces; /* with force: what lay there, and beside it, goes when the command runs */
    char *
        spool; /* "WATTLE_SPOOL=<trace>.d/run-XXXXXX" for the command's environment; NULL = no regions */
    int spool_refused;               /* 0, or why that folder could not be made */
    int refused;                     /* 0, or why the trace could not */
    struct wtl_trace_writer *writer; /* NULL = there is no trace */
    struct wtl_spool_merge *merge;   /* of that folder, for the session to follow; NULL = none */
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

/* Give it up: regions are recorded elsewhere. */
void wtl_run_trace_no_spool(struct wtl_run_trace *trace);

/* Where it was made; NULL = it was not. */
const char *wtl_run_trace_path(const struct wtl_run_trace *trace);

/* That folder of a trace that was made, absolute; NULL = there is none. */
const char *wtl_run_trace_folder(const struct wtl_run_trace *trace);

/* Could that trace be made? Nothing is changed. 0, or as wtl_run_trace_create() of one that must be. */
int wtl_run_trace_check(const char *path, bool force, struct wattle_error *err);

/* Create the file; with force one that exists is replaced. 0, also when it goes on without, as options->need says; or why it failed, with
 * the writer's sentence: -EEXIST, -EBUSY, -EINVAL and others. */
int wtl_run_trace_create(struct wtl_run_trace *trace,
                         const struct wtl_run_trace_options *options,
                         struct wattle_error *err);

/* A trace that was asked for and could not be made is told in the result. */
void wtl_run_trace_flag(const struct wtl_run_trace *trace, struct wtl_result *result);

/* The regions that processes left go into the trace; what was lost is a flag. 0, or why they are not in it, which is a warning. */
int wtl_run_trace_fold(struct wtl_run_trace *trace,
                       struct wtl_result *result,
                       struct wattle_error *err);

/* Add the footer. A trace that could not be written to its end is a warning and a flag of the
 * result, whose own numbers do not depend on it. 0, or why it is not whole. */
int wtl_run_trace_finish(struct wtl_run_trace *trace,
                         struct wtl_result *result,
                         struct wattle_error *err);

/* From here on there is something to keep: the file that was replaced goes for good, and with it what processes had left beside it. */
void wtl_run_trace_begun(struct wtl_run_trace *trace);

/* Nothing was measured: remove what was made. What it replaced is there again, unless the command ran. */
void wtl_run_trace_discard(struct wtl_run_trace *trace);

void wtl_run_trace_fini(struct wtl_run_trace *trace);

/* In the child of a fork: let go of the file, which else stays locked when the parent has been killed. Nothing is freed. */
void wtl_run_trace_forget(struct wtl_run_trace *trace);

#endif
