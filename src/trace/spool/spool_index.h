/* SPDX-License-Identifier: BSD-3-Clause */
/* The index of a spool, used only by its reader (spool.c, spool_index.c) and its cursors (spool_cursor.c). */
#ifndef WTL_TRACE_SPOOL_INDEX_H
#define WTL_TRACE_SPOOL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/own_file.h"
#include "trace/blocks/mark.h"
#include "trace/id_map.h"
#include "trace/spool/spool_clock.h"
#include "trace/spool/spool_layout.h"

struct wtl_spool_index_pair {
    struct wtl_spool_pair at;
    uint32_t slot; /* of its record in the chunk */
};

/* A part of a chunk written by one thread. */
struct wtl_spool_run {
    uint32_t order;      /* order of appearance */
    uint64_t offset;     /* of slot 0 of its chunk */
    uint32_t begin, end; /* slots; the end may advance in a live file */
    uint64_t first_ns;   /* of its first clock pair, which begins it */
    struct wtl_spool_index_pair *pairs;
    size_t pair_count, pair_room;
};

struct wtl_spool_index_thread {
    struct wtl_spool_thread seen;
    struct wtl_spool_run **runs; /* by first_ns */
    size_t run_count, run_room;
    bool unsorted; /* the last one was added out of order */
};

/* A chunk, and the position up to which it has been read. */
struct wtl_spool_reading {
    uint64_t at; /* offset of the chunk in the file */
    uint32_t type;
    uint32_t next;             /* slot, or byte of names, after the chunk's header */
    struct wtl_spool_run *run; /* the present one; NULL = none yet */
};

struct wtl_spool {
    int fd;
    struct wtl_file_id id;
    char *path; /* NULL: bytes */
    bool brief; /* open only while reading */
    bool held;  /* kept open: further reads follow */
    const uint8_t *bytes;
    uint64_t size;
    struct wtl_spool_info info;
    uint64_t shift_ns; /* added to its CLOCK_MONOTONIC to get the reader's, modulo 2^64 */
    double rate;       /* ns per unit of time where there is no pair on both sides; 0 = unknown */
    struct wtl_spool_pair last, now;
    bool has_now;
    bool live;        /* when it was last read */
    uint64_t settled; /* time on the spool's clock before which nothing can be taken back any
                         more */
    struct wtl_spool_index_thread *threads;
    size_t thread_count, thread_room;
    struct wtl_id_map numbers; /* of threads */
    char **names;              /* [id - 1] */
    size_t name_count;
    uint64_t next_chunk;
    struct wtl_spool_reading *readings; /* chunks that may be continued */
    size_t reading_count, reading_room;
    uint32_t run_count;
};

/* Read what was added since; ended: the file is no longer written, so gaps between records are final.
 * Returns 0, -ENOMEM or the error of read(2). */
int wtl_spool_index_refresh(struct wtl_spool *spool, bool ended);
void wtl_spool_index_fini(struct wtl_spool *spool);

static inline enum wtl_spool_kind wtl_spool_kind_of(const struct wtl_spool_record *record)
{
    return (enum wtl_spool_kind)(record->what >> 32);
}

static inline bool wtl_spool_is_pair(enum wtl_spool_kind kind)
{
    return kind == WTL_SPOOL_CLOCK || kind == WTL_SPOOL_THREAD || kind == WTL_SPOOL_THREAD_END;
}

/* A detail or counter in one record, without a time of its own. */
static inline bool wtl_spool_is_short(enum wtl_spool_kind kind)
{
    return kind == WTL_SPOOL_DETAIL || kind == WTL_SPOOL_COUNTER;
}

static inline bool wtl_spool_is_mark(enum wtl_spool_kind kind)
{
    return kind == WTL_SPOOL_BEGIN || kind == WTL_SPOOL_END || kind == WTL_SPOOL_EVENT ||
           kind == WTL_SPOOL_MAYBE || wtl_spool_is_short(kind) || wtl_mark_is_task(kind);
}

/* Whether the record is followed by a value. */
static inline bool wtl_spool_is_two(enum wtl_spool_kind kind)
{
    return wtl_spool_is_pair(kind) || kind == WTL_SPOOL_EVENT || wtl_mark_is_task(kind);
}

/* Offset of the next data at or after an offset, skipping holes known to the file system; the size when
 * if there is no such record. */
uint64_t wtl_spool_next_data(const struct wtl_spool *spool, uint64_t offset);

/* Read up to n bytes at offset: the number available, or -errno. */
ssize_t wtl_spool_read_at(struct wtl_spool *spool, uint64_t offset, void *buf, size_t n);

/* Check that the descriptor still refers to the file, else reopen it: 0, or the reason why it cannot be
 * reopened. */
int wtl_spool_hold_file(struct wtl_spool *spool);
/* Close the file of a brief spool until it is read again. */
void wtl_spool_let_file_go(struct wtl_spool *spool);

#endif
