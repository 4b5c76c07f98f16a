/* SPDX-License-Identifier: BSD-3-Clause */
/* Repair: add the footer to a trace that was cut off (kill -9, full disk). Existing data is kept. */
#ifndef WTL_TRACE_REPAIR_H
#define WTL_TRACE_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_trace_repair {
    bool had_footer;    /* the file was complete: nothing was changed */
    bool reopened;      /* it was complete, but data was left beside it: a new footer was written */
    uint64_t blocks;    /* good ones found */
    uint64_t damaged;   /* unreadable parts; they stay in the file */
    uint64_t cut_bytes; /* of an unfinished last block, overwritten by the footer */
    uint64_t rows;      /* rows of samples that were recovered */
    uint64_t first_ns, last_ns; /* their time; 0 0 = none */
    bool filled;                /* data left beside it was requested */
};

struct wtl_trace_writer;

struct wtl_trace_reader;

/* Adds data left beside the file, using calls of writer.h for strings, processes, threads, marks and
 * metadata only; reader: for what is already in the file. 0, or -errno: then none of it is kept. */
typedef int wtl_trace_fill_fn(void *context,
                              struct wtl_trace_reader *reader,
                              struct wtl_trace_writer *writer);

/*
 * Add the footer to the trace at path. Idempotent: nothing is written to a complete file. A trace still being
 * written by another process must not be repaired; that process holds a lock, so the result is -EBUSY.
 * Returns 0; -EBADMSG, -ENOTSUP as wtl_trace_reader_open(); or the errno of a failed write: everything that
 * was readable before is still readable.
 */
int wtl_trace_repair(const char *path,
                     struct wtl_trace_repair *ret_report,
                     struct wattle_error *err);

/*
 * The same, and before the footer is added `fill` is called once, also for a complete file, whose footer is
 * then replaced. Not called when the file is damaged and has marks: which of them are lost is unknown, and a
 * second copy would be counted twice.
 */
int wtl_trace_repair_with(const char *path,
                          wtl_trace_fill_fn *fill,
                          void *context,
                          struct wtl_trace_repair *ret_report,
                          struct wattle_error *err);

/* Whether a process is writing the trace, by its lock; false where the file system has no locks. Takes the lock itself for
 * an instant: ask seldom. */
bool wtl_trace_has_writer(const char *path);

#endif
