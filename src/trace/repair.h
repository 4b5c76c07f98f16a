/* SPDX-License-Identifier: BSD-3-Clause */
/* Repair: give a trace that was cut off (kill -9, full disk) its footer. What is there is kept. */
#ifndef WTL_TRACE_REPAIR_H
#define WTL_TRACE_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

struct wtl_trace_repair {
    bool had_footer;    /* the file was complete: nothing has been changed */
    bool reopened;      /* it was complete, and something was left beside it: a new footer */
    uint64_t blocks;    /* good ones that were found */
    uint64_t damaged;   /* stretches that are no readable block; they stay in the file */
    uint64_t cut_bytes; /* of an unfinished last block, overwritten by the footer */
    uint64_t rows;      /* rows of samples that were recovered */
    uint64_t first_ns, last_ns; /* their time; 0 0 = none */
    bool filled;                /* what was left beside it was asked for */
};

struct wtl_trace_writer;

struct wtl_trace_reader;

/* Gives what was left beside the file by calls of writer.h for strings, processes, threads,
 * marks and metadata only; reader: of what is in the file already. 0, or -errno: then nothing of it stays. */
typedef int wtl_trace_fill_fn(void *context,
                              struct wtl_trace_reader *reader,
                              struct wtl_trace_writer *writer);

/*
 * Add the footer to the trace at path. Idempotent: on a complete file nothing is written. A trace
 * that another process is still writing must not be repaired; it holds a lock, and -EBUSY says so.
 * Returns 0; -EBADMSG, -ENOTSUP as wtl_trace_reader_open(); or the errno of a failed write: all
 * that was readable before is so still.
 */
int wtl_trace_repair(const char *path,
                     struct wtl_trace_repair *ret_report,
                     struct wattle_error *err);

/* The same, and before the footer is added `fill` is called once, also for a file that was complete, whose footer is made
 * anew. Not when the file is damaged and has marks: which of them are lost cannot be told, and a second copy would be counted twice. */
int wtl_trace_repair_with(const char *path,
                          wtl_trace_fill_fn *fill,
                          void *context,
                          struct wtl_trace_repair *ret_report,
                          struct wattle_error *err);

#endif
