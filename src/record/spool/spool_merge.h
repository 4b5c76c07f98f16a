/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fold: merge the spools of all processes of a run into its trace.
 *
 *     wtl_spool_merge_open(dir, &merge, err);
 *     wtl_spool_merge_follow(merge, writer, now_ns);     a few times a second during the run
 *     wtl_spool_merge_write(merge, writer, &report, err);
 *     wtl_trace_writer_finish(writer, err);      the trace is safe
 *     wtl_spool_merge_remove(merge);                     now the spools can be removed
 *     wtl_spool_merge_close(merge);
 *
 * After a crash the same calls merge what is left in the folder into the trace being repaired;
 * wtl_spool_merge_resume() marks what is in it already.
 */
#ifndef WTL_RECORD_SPOOL_MERGE_H
#define WTL_RECORD_SPOOL_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/reader.h"
#include "trace/writer.h"

struct wtl_spool_merge;

struct wtl_spool_merge_report {
    uint64_t spools;  /* merged: one for each program that a process ran */
    uint64_t bad;     /* files that are not readable spools; they are left in place */
    uint64_t foreign; /* processes whose clock differs by an unknown amount; also left in place */
    uint64_t threads;
    uint64_t marks;
    uint64_t ignored;    /* invalid records */
    uint64_t drops;      /* calls that could not be recorded because a spool could not grow */
    uint64_t nested;     /* calls of signal handlers within another call when the chunk was full */
    int why;             /* errno of the first of `drops`; 0 = unknown */
    bool several;        /* there were other errors, too */
    uint64_t tasks;      /* marks of tasks and states, part of `marks` */
    uint64_t tasks_done; /* tasks that were complete */
    uint64_t cut;        /* processes that went to the summary of tasks at the size limit */
    char unseen[240];    /* what runtimes of tasks did not report, ", " between; "" = nothing */
    uint64_t merged;     /* types of tasks that are of several constructs */
    char merged_names[240]; /* of them, ", " between, as many as fit */
    uint64_t refused;       /* calls whose name was refused */
    uint64_t full;          /* processes that had used up the names */
    uint64_t without;       /* processes that could not create a spool */
    int why_without;        /* errno of one of them; 0 = unknown */
};

/* What was lost, as text; false and an empty text if nothing was. */
bool wtl_spool_merge_losses(const struct wtl_spool_merge_report *report, char *text, size_t size);

/* Scan the folder. A folder that does not exist has no spools. Returns 0 or -errno. */
int wtl_spool_merge_open(const char *dir,
                         struct wtl_spool_merge **ret_fold,
                         struct wattle_error *err);
void wtl_spool_merge_close(struct wtl_spool_merge *merge); /* accepts NULL */

/* Number of files that look like spools. */
size_t wtl_spool_merge_count(const struct wtl_spool_merge *merge);

/* The trace being read already has marks from these spools: skip them. Call before
 * wtl_spool_merge_write(); the reader and its tables must stay valid until then. Returns 0 or
 * -errno. */
int wtl_spool_merge_resume(struct wtl_spool_merge *merge,
                           struct wtl_trace_reader *reader,
                           struct wattle_error *err);

/* Have it said, once and from the writer's thread, when a process has used up its names (WTL_NAME_ID_MAX) and calls are
 * refused; looked for once a second while wtl_spool_merge_follow() is called. */
void wtl_spool_merge_watch_names(struct wtl_spool_merge *merge,
                                 void (*full)(void *context),
                                 void *context);

/*
 * Write the marks up to a tenth of a second ago, merged in time order, so that little is left for
 * the end. Stops if it would cost the run too much; wtl_spool_merge_write() does the rest in any
 * case, and reports errors. Call from the writer's thread.
 */
void wtl_spool_merge_follow(struct wtl_spool_merge *merge,
                            struct wtl_trace_writer *writer,
                            uint64_t now_ns);

/*
 * Write all remaining marks, merged in time order. Memory: 5 KiB for each thread of the processes
 * that ran at the same time. An unreadable spool loses only that spool. Returns 0, -ENOMEM, or the
 * writer's error: then nothing may be removed. Once per merge.
 */
int wtl_spool_merge_write(struct wtl_spool_merge *merge,
                          struct wtl_trace_writer *writer,
                          struct wtl_spool_merge_report *ret_report,
                          struct wattle_error *err);

/* Remove the spools that were merged completely, leftovers of a measurement that was killed, and
 * the folder if it is empty then. Does nothing if there are spools and wtl_spool_merge_write() did
 * not succeed. */
int wtl_spool_merge_remove(struct wtl_spool_merge *merge);

/* Remove what other runs left next to the folder of this one (record/spool/spool_file.h); call it
 * when their trace is replaced. Files that are not spools are kept. */
void wtl_spool_merge_discard_others(const char *dir);

#endif
