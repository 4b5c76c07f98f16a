/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the writer. */
#ifndef WTL_TRACE_WRITER_STATE_H
#define WTL_TRACE_WRITER_STATE_H

#include "trace/appender.h"
#include "trace/resumed.h"
#include "trace/string_set.h"
#include "trace/writer.h"

/* The rows of a group waiting for their block. */
struct pending_rows {
    size_t capacity, count;
    uint64_t ordinal;
    uint64_t last_ns; /* of the very last row */
    uint64_t *time_ns, *values;
    uint8_t *missing;
    bool any_missing;
};

struct wtl_trace_writer {
    struct wtl_appender appender;
    struct wtl_tables tables;
    struct wtl_string_set strings;
    struct wtl_string_set names;               /* of channels */
    struct wtl_bytes records[WTL_BLOCK_TYPES]; /* waiting, by type */
    uint64_t records_since_ns;  /* the poll before the oldest of them arrived; 0 = unknown */
    struct wtl_list rows;       /* struct pending_rows, by group */
    struct wtl_list last_group; /* uint32_t by channel: group of its last row, + 1 */
    struct wtl_mark *marks;
    size_t mark_count;
    bool marked; /* wtl_trace_writer_marked() was called, or a mark was added without it */
    uint64_t marks_since_ns;
    uint64_t polled_ns, poll_ns; /* the last poll; maximum time until the next one */
    uint32_t process_count, thread_count;
    uint64_t repeat_at;
    struct wtl_trace_writer_status status;
    struct wtl_trace_resumed *resumed; /* owned; NULL = it created its file */
};

/* A writer without a file, with the limits of a footer's tables; NULL on out of memory. */
struct wtl_trace_writer *wtl_writer_make(void);

/* Continue numbering of strings, processes and threads after those of the tables. 0, -EBADMSG when these
 * have holes, -ENOMEM. */
int wtl_writer_continue(struct wtl_trace_writer *writer, const struct wtl_tables *tables);

/* The first failure is returned once, and stored. */
int wtl_writer_settle(struct wtl_trace_writer *writer, int code);

/*
 * A writer at the end of a file begun by another one, for data that needs no channel. It owns the appender
 * until it is closed, which writes waiting data and returns the appender. tables: of the file; numbering
 * continues after its strings, processes and threads. -EBADMSG when they have holes. close frees; 0 or the
 * first failure.
 */
int wtl_writer_borrow(struct wtl_appender *appender,
                      const struct wtl_tables *tables,
                      struct wtl_trace_writer **ret_writer);
int wtl_writer_give_back(struct wtl_trace_writer *writer, struct wtl_appender *appender);

/* Whether records are waiting; write them, one block per table. */
bool wtl_writer_has_records(const struct wtl_trace_writer *writer);
int wtl_writer_flush_records(struct wtl_trace_writer *writer);

#endif
