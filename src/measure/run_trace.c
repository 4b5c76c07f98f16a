/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trace of one measurement: see run_trace.h. No problem with the trace may cost the
 * measurement: write errors are reported at once and in the result, and the run continues.
 */
#define _GNU_SOURCE
#include "measure/run_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/own_file.h"
#include "model/flag.h"
#include "record/spool/spool_file.h"

static void warn(const struct wtl_run_trace *trace, const char *sentence)
{
    if (trace->teller.warn)
        trace->teller.warn(trace->teller.context, sentence);
}

int wtl_run_trace_init(struct wtl_run_trace *trace,
                       const char *path,
                       const struct wtl_teller *teller)
{
    *trace = (struct wtl_run_trace){.teller = *teller};
    trace->path = path ? strdup(path) : NULL;
    return path && !trace->path ? -ENOMEM : 0;
}

static const char *spool_folder(const struct wtl_run_trace *trace)
{
    return strchr(trace->spool, '=') + 1;
}

const char *wtl_run_trace_path(const struct wtl_run_trace *trace)
{
    return trace->refused < 0 ? NULL : trace->path;
}

const char *wtl_run_trace_folder(const struct wtl_run_trace *trace)
{
    return trace->writer && trace->spool ? spool_folder(trace) : NULL;
}

/* The path as another process would find it; or NULL with errno. */
static char *absolute_path(const char *path)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0), *absolute = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (here && asprintf(&absolute, "%s/%s", here, path) < 0)
        absolute = NULL; /* it is undefined */
    free(here);
    return absolute;
}

void wtl_run_trace_spool(struct wtl_run_trace *trace)
{
    char *absolute = trace->path ? absolute_path(trace->path) : NULL, *folder = NULL;
    if (!trace->path)
        return;
    trace->spool_refused = absolute ? wtl_spool_folder_begin(absolute, &folder) : -errno;
    if (folder && asprintf(&trace->spool, "WATTLE_SPOOL=%s", folder) < 0) {
        trace->spool = NULL; /* it is undefined */
        trace->spool_refused = -ENOMEM;
        (void)wtl_spool_folder_end(folder);
    }
    free(folder);
    free(absolute);
    if (wtl_run_trace_folder(trace))
        wtl_spool_folder_tell(spool_folder(trace), trace->writer);
}

void wtl_run_trace_no_spool(struct wtl_run_trace *trace)
{
    if (trace->spool)
        (void)wtl_spool_folder_end(
            spool_folder(trace)); /* kept if anything is left in it, for repair */
    free(trace->spool);
    trace->spool = NULL;
}

static void warn_of_spool(const struct wtl_run_trace *trace)
{
    char sentence[800];
    if (trace->spool_refused == -EPERM)
        (void)snprintf(sentence, sizeof sentence,
                       "%.500s.d is a link, a file, or another user's folder, so regions will not "
                       "be recorded; remove it, or write the trace elsewhere",
                       trace->path);
    else
        (void)snprintf(sentence, sizeof sentence, "%.500s.d: %s; regions will not be recorded",
                       trace->path, wtl_strerror(trace->spool_refused));
    warn(trace, sentence);
}

/* Keep a second name for a file to be replaced. On file systems without hard links, the old file is
 * lost if the command cannot be started. */
static void keep_old(struct wtl_run_trace *trace)
{
    if (asprintf(&trace->old, "%s.old-%d", trace->path, (int)getpid()) < 0)
        trace->old = NULL;
    if (trace->old && link(trace->path, trace->old) < 0) {
        free(trace->old);
        trace->old = NULL;
    }
}

static void give_back_old(struct wtl_run_trace *trace)
{
    /* Two names of one file: then rename() does nothing. */
    if (trace->old && rename(trace->old, trace->path) == 0)
        (void)unlink(trace->old);
    free(trace->old);
    trace->old = NULL;
}

static void drop_old(struct wtl_run_trace *trace)
{
    if (trace->old)
        (void)unlink(trace->old); /* ours */
    free(trace->old);
    trace->old = NULL;
}

void wtl_run_trace_begun(struct wtl_run_trace *trace)
{
    drop_old(trace);
    if (trace->replaces && trace->spool)
        wtl_spool_merge_discard_others(spool_folder(trace));
}

static void go_without(struct wtl_run_trace *trace, const char *remedy, struct wattle_error *why)
{
    char sentence[sizeof why->text + 160];
    if (remedy) /* the writer's remedy is for a command line */
        (void)wtl_fail(why, 0, "%.300s: %s", trace->path, wtl_strerror(trace->refused));
    (void)snprintf(sentence, sizeof sentence, "%s; measuring without a trace%s%s", why->text,
                   remedy ? ": " : "", remedy ? remedy : "");
    trace->why_none = *why;
    warn(trace, sentence);
}

/* From the session's thread; messages to people are single writes. */
static void warn_of_names(void *context)
{
    warn(context, "regions: a process has 65535 names, the limit; regions, events and tasks of "
                  "further names are "
                  "not recorded (flag REGIONS LOST), those of the names before are; put numbers "
                  "into the value of wattle_event() rather than into names");
}

/* Open the folder for the regions of a newly created trace. */
static void open_folder(struct wtl_run_trace *trace)
{
    if (trace->spool_refused < 0)
        warn_of_spool(trace); /* the trace has reported what is wrong with both */
    if (!trace->spool)
        return;
    wtl_spool_folder_tell(spool_folder(trace), trace->writer);
    if (wtl_spool_merge_open(spool_folder(trace), &trace->merge, NULL) < 0)
        trace->merge = NULL; /* retried, and reported, at the end */
    if (trace->merge)
        wtl_spool_merge_watch_names(trace->merge, warn_of_names, trace);
}

/* The measurement fails with its trace. */
static int refuse(int rc, const struct wattle_error *why, struct wattle_error *err)
{
    return wtl_fail(err, rc, "%s%s", rc == -EEXIST ? "" : "cannot write the trace ", why->text);
}

int wtl_run_trace_check(const char *path, bool force, struct wattle_error *err)
{
    struct wattle_error why = {""};
    int rc = wtl_trace_writer_check(path, force, &why);
    return rc < 0 ? refuse(rc, &why, err) : 0;
}

int wtl_run_trace_create(struct wtl_run_trace *trace,
                         const struct wtl_run_trace_options *options,
                         struct wattle_error *err)
{
    const struct wtl_trace_options file = {.force = options->force, .sync = options->sync};
    enum wtl_trace_need need = options->need;
    struct wattle_error why = {""};
    if (!trace->path)
        return 0;
    trace->replaces = options->force;
    if (options->force)
        keep_old(trace);
    trace->refused = wtl_trace_writer_create(trace->path, &file, &trace->writer, &why);
    if (trace->refused == 0) {
        open_folder(trace);
        return 0;
    }
    give_back_old(trace);
    if (need == WTL_TRACE_MUST || (need == WTL_TRACE_NEW && trace->refused == -EEXIST))
        return refuse(trace->refused, &why, err);
    go_without(trace, options->remedy, &why);
    return 0;
}

void wtl_run_trace_flag(const struct wtl_run_trace *trace, struct wtl_result *result)
{
    if (!trace->writer)
        result->trace = NULL;
    if (trace->why_none.text[0]) /* out of memory: already warned */
        (void)wtl_result_flag(result, WTL_FLAG_NO_TRACE, "%s", trace->why_none.text);
}

static void tell_losses(const struct wtl_run_trace *trace,
                        const struct wtl_spool_merge_report *report,
                        struct wtl_result *result)
{
    char losses[240], sentence[sizeof losses + 16];
    if (!wtl_spool_merge_losses(report, losses, sizeof losses))
        return;
    (void)snprintf(sentence, sizeof sentence, "regions: %s", losses);
    warn(trace, sentence);
    (void)wtl_result_flag(result, WTL_FLAG_REGIONS_LOST, "%s", losses);
}

static void tell_tasks(const struct wtl_spool_merge_report *report, struct wtl_result *result)
{
    result->task_marks = report->tasks;
    result->tasks_complete = report->tasks_done;
    result->tasks_cut = report->cut;
    if (result->tasks && report->tasks == 0)
        (void)wtl_result_flag(
            result, WTL_FLAG_NO_TASKS,
            "nothing in the command reported tasks; wattle doctor lists what can");
    if (report->unseen[0])
        (void)wtl_result_flag(result, WTL_FLAG_TASKS_UNSEEN, "not reported by the task runtime: %s",
                              report->unseen);
    if (report->merged > 0)
        (void)wtl_result_flag(
            result, WTL_FLAG_MERGED_TYPES,
            "%" PRIu64 " type%s of several task constructs, of which the compiler or linker made "
            "one: %s; start the program itself, not by a script, or compile it with -O0",
            report->merged, report->merged == 1 ? " is" : "s are each", report->merged_names);
    if (report->cut > 0)
        (void)wtl_result_flag(result, WTL_FLAG_TASKS_CUT,
                              "%" PRIu64 " process%s reached --tasks-limit; from then on only a "
                              "summary of the tasks was recorded",
                              report->cut, report->cut == 1 ? "" : "es");
}

/* Write all spools into the trace. */
static int write_regions(struct wtl_run_trace *trace,
                         struct wtl_spool_merge_report *report,
                         struct wattle_error *err)
{
    if (access(spool_folder(trace), F_OK) < 0 && errno == ENOENT)
        return wtl_fail(
            err, -ENOENT,
            "the folder for regions was removed during the measurement: its regions are lost");
    int rc = trace->merge ? 0 : wtl_spool_merge_open(spool_folder(trace), &trace->merge, err);
    return rc < 0 ? rc : wtl_spool_merge_write(trace->merge, trace->writer, report, err);
}

int wtl_run_trace_fold(struct wtl_run_trace *trace,
                       struct wtl_result *result,
                       struct wattle_error *err)
{
    struct wattle_error why = {""};
    struct wtl_spool_merge_report report = {0};
    if (!trace->writer)
        return 0;
    if (trace->spool_refused < 0)
        (void)wtl_result_flag(result, WTL_FLAG_REGIONS_LOST,
                              "cannot create the folder for regions: %s",
                              wtl_strerror(trace->spool_refused));
    if (!trace->spool)
        return 0;
    int rc = write_regions(trace, &report, &why);
    if (rc == 0) {
        tell_losses(trace, &report, result);
        tell_tasks(&report, result);
        return 0;
    }
    warn(trace, why.text);
    (void)wtl_result_flag(result, WTL_FLAG_REGIONS_LOST, "%.190s", why.text);
    return wtl_fail(err, rc, "%s", why.text);
}

/* Report a trace that is not complete. */
static int tell_unfinished(struct wtl_run_trace *trace,
                           int rc,
                           const char *why,
                           struct wtl_result *result,
                           struct wattle_error *err)
{
    char sentence[sizeof err->text + 512];
    (void)snprintf(sentence, sizeof sentence, "%.500s: %s", trace->path, why);
    warn(trace, sentence);
    (void)wtl_result_flag(result, WTL_FLAG_UNFINISHED,
                          "the trace is incomplete: %s. The results printed here are complete",
                          rc == -ESTALE ? "another program cut it short or replaced it"
                                        : wtl_strerror(rc));
    return wtl_fail(err, rc, "%s", why);
}

/* The name refers to nothing, or to another file, which must not affect this result. */
static void tell_lost_name(struct wtl_run_trace *trace, int rc, struct wtl_result *result)
{
    const char *what = rc == -ENOENT   ? "it was removed while it was being written"
                       : rc == -ESTALE ? "another file replaced it while it was being written"
                                       : wtl_strerror(rc);
    char sentence[600];
    (void)snprintf(sentence, sizeof sentence, "%.500s: the trace is lost: %s", trace->path, what);
    warn(trace, sentence);
    (void)wtl_result_flag(result, WTL_FLAG_NO_TRACE, "%s", what);
    result->trace = NULL;
}

int wtl_run_trace_finish(struct wtl_run_trace *trace,
                         struct wtl_result *result,
                         struct wattle_error *err)
{
    struct wattle_error why = {""};
    if (!trace->writer)
        return 0;
    struct wtl_file_id file = wtl_trace_writer_file(trace->writer);
    int rc = wtl_trace_writer_finish(trace->writer, &why), named = 0;
    trace->writer = NULL;
    if (rc < 0)
        rc = tell_unfinished(trace, rc, why.text, result, err);
    else if (trace->merge)
        (void)wtl_spool_merge_remove(
            trace->merge); /* leftovers are harmless: the trace has their content */
    named = wtl_own_file_named(trace->path, &file);
    if (named < 0)
        tell_lost_name(trace, named, result);
    return rc;
}

void wtl_run_trace_discard(struct wtl_run_trace *trace)
{
    if (!trace->writer)
        return;
    wtl_trace_writer_abandon(trace->writer);
    trace->writer = NULL;
    if (trace->old)
        give_back_old(trace);
    else
        (void)unlink(trace->path); /* just created by us, and empty */
}

void wtl_run_trace_fini(struct wtl_run_trace *trace)
{
    wtl_trace_writer_abandon(trace->writer);
    drop_old(trace);
    wtl_spool_merge_close(trace->merge);
    wtl_run_trace_no_spool(trace);
    free(trace->path);
    *trace = (struct wtl_run_trace){0};
}

void wtl_run_trace_forget(struct wtl_run_trace *trace)
{
    if (trace->writer)
        wtl_trace_writer_forget(trace->writer);
}
