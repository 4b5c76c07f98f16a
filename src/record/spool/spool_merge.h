/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fold: bring the spools of all processes of a run into its trace.
 *
 *     wtl_spool_merge_open(dir, &merge, err);
 *     wtl_spool_merge_follow(merge, writer, now_ns);     a few times a second while the run goes on
 *     wtl_spool_merge_write(merge, writer, &report, err);
 *     wtl_trace_writer_finish(writer, err);      the trace is safe
 *     wtl_spool_merge_remove(merge);                     now the spools may go
 *     wtl_spool_merge_close(merge);
 *
 * After a crash the same calls bring what is left in the folder into the trace that is repaired;
 * wtl_spool_merge_resume() says what is in it already.
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
    uint64_t spools;  /* folded in: one for each program that a process ran */
    uint64_t bad;     /* files that are no readable spool; they are left where they are */
    uint64_t foreign; /* processes whose clock is another, by an unknown amount; likewise */
    uint64_t threads;
    uint64_t marks;
    uint64_t ignored; /* records that make no sense */
    uint64_t drops;   /* calls that could not be recorded, since a spool could not grow */
    uint64_t nested;  /* calls of signal handlers within another call whose chunk was full */
    int why;          /* errno of the first of `drops`; 0 = not known */
    bool several;     /* there are others */
    uint64_t refused; /* calls whose name was refused */
    uint64_t without; /* processes that could not make a spool */
    int why_without;  /* errno of one of them; 0 = not known */
};

/* What was lost, in words; false, and no words, when nothing was. */
bool wtl_spool_merge_losses(const struct wtl_spool_merge_report *report, char *text, size_t size);

/* Look into the folder. A folder that does not exist has no spools. Returns 0 or -errno. */
int wtl_spool_merge_open(const char *dir,
                         struct wtl_spool_merge **ret_fold,
                         struct wattle_error *err);
void wtl_spool_merge_close(struct wtl_spool_merge *merge); /* accepts NULL */

/* Number of files that look like spools. */
size_t wtl_spool_merge_count(const struct wtl_spool_merge *merge);

/* The marks of this trace are from these spools: they are passed over. Before wtl_spool_merge_write(); the
 * reader must stay until then, with its tables. Returns 0 or -errno. */
int wtl_spool_merge_resume(struct wtl_spool_merge *merge,
                           struct wtl_trace_reader *reader,
                           struct wattle_error *err);

/*
 * Write the marks that have come, up to a tenth of a second ago, merged in the order of time, so that
 * little is left for the end. It gives up where that would cost the run too much; wtl_spool_merge_write()
 * does the rest in any case, and tells what is wrong. By the writer's thread.
 */
void wtl_spool_merge_follow(struct wtl_spool_merge *merge,
                            struct wtl_trace_writer *writer,
                            uint64_t now_ns);

/*
 * Write all marks that are left, merged in the order of time. Memory: the processes that ran at the same time,
 * 5 KiB for each of their threads. A spool that cannot be read costs that spool, not the others.
 * Returns 0, -ENOMEM, or what the writer returned: then nothing may be removed. Once per merge.
 */
int wtl_spool_merge_write(struct wtl_spool_merge *merge,
                          struct wtl_trace_writer *writer,
                          struct wtl_spool_merge_report *ret_report,
                          struct wattle_error *err);

/* Remove the spools that were written whole, what a measurement that was killed left beside them, and the folder when it is empty
 * then. Does nothing when there are spools and wtl_spool_merge_write() did not succeed. */
int wtl_spool_merge_remove(struct wtl_spool_merge *merge);

/* Remove what other runs have left beside the folder of this one (record/spool/spool_file.h), as goes with the trace that they were of. What
 * is no spool stays. */
void wtl_spool_merge_discard_others(const char *dir);

#endif
