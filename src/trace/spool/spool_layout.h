/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a spool (docs/format/spool.md), shared by the region calls, which write it, and the
 * reader; and the information that the reader returns. */
#ifndef WTL_TRACE_SPOOL_LAYOUT_H
#define WTL_TRACE_SPOOL_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/task.h>

#include "base/config/visible_devices.h"

#define WTL_SPOOL_MAGIC   "WTLSPOOL"
#define WTL_SPOOL_VERSION 1
#define WTL_SPOOL_HEADER  4096u       /* bytes */
#define WTL_SPOOL_CHUNK   65536u      /* bytes */
#define WTL_CHUNK_MAGIC   0x434c5457u /* "WTLC" */
#define WTL_CHUNK_HEADER  64u         /* bytes; records or names follow */
#define WTL_NAME_ID_MAX   65535u
#define WTL_NAME_BYTES    255u

enum wtl_spool_clock {
    WTL_SPOOL_MONOTONIC = 0, /* times are CLOCK_MONOTONIC ns */
    WTL_SPOOL_TSC = 1        /* times are TSC cycles, converted to CLOCK_MONOTONIC by pairs */
};

enum wtl_chunk_type { WTL_CHUNK_RECORDS = 1, WTL_CHUNK_NAMES = 2 };

/* Kinds of records; 0 = not written. */
enum wtl_spool_kind {
    WTL_SPOOL_BEGIN = 1,
    WTL_SPOOL_END = 2,
    WTL_SPOOL_EVENT = 3, /* id = type; the next record is its value */
    WTL_SPOOL_VALUE = 4, /* time = value of the previous record */
    WTL_SPOOL_CLOCK = 5, /* a clock pair; value = CLOCK_MONOTONIC ns at `time` */
    WTL_SPOOL_THREAD =
        6, /* the following records are from thread number `id`; value = ns; value's id = tid */
    WTL_SPOOL_THREAD_END = 7, /* a clock pair; the thread ended */
    /* A begin that its thread may take back within WTL_SPOOL_MAYBE_NS, freeing its slot. Older ones, and
     * those left when the process ended, are valid. */
    WTL_SPOOL_MAYBE = 8,
    /* Of the mark before, at its time: time = value, id = key of a detail, or name of a counter. */
    WTL_SPOOL_DETAIL = 9,
    WTL_SPOOL_COUNTER = 10,
    /* Marks of tasks and states have the kinds of <wattle/task.h>, and a value. */
    WTL_SPOOL_LAST = WATTLE_STATE_LEAVE + WATTLE_STATE_OTHER
};

#define WTL_SPOOL_MAYBE_NS 50000000u /* on the thread's clock; readers wait twice as long */

struct wtl_spool_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint32_t chunk_size;
    uint32_t clock; /* enum wtl_spool_clock */
    uint32_t pid;
    uint32_t ppid;
    uint64_t process_start_ns; /* after boot, from /proc/PID/stat */
    int32_t rank;              /* of the MPI process; -1 = unknown */
    uint32_t incarnation;      /* number of earlier files with this pid */
    uint64_t pair_time;        /* a clock pair at creation */
    uint64_t pair_ns;
    uint64_t realtime_ns; /* CLOCK_REALTIME at pair_ns */
    uint64_t drops;       /* calls that could not be recorded */
    char boot_id[40];
    char command[32];
    char host[64];
    uint64_t refused;    /* calls with an id of 0: their name was empty, too long, or beyond the
                         limit */
    uint64_t nested;     /* calls of signal handlers during another call whose chunk was full */
    uint32_t why;        /* errno of failing to extend the file when `drops` began; 0 = unknown */
    uint32_t full;       /* 1 = calls were refused after name WTL_NAME_ID_MAX */
    uint64_t has_offset; /* 1 = the next member is valid */
    int64_t offset_ns;   /* of its time namespace: its CLOCK_MONOTONIC minus the machine's */
    char visible[WTL_VISIBLE_BYTES]; /* visible_devices.h; "" = unknown */
};

struct wtl_spool_chunk {
    uint32_t magic;
    uint32_t type;   /* enum wtl_chunk_type */
    uint32_t number; /* in the file, from 0 */
    uint32_t zero[13];
};

struct wtl_spool_record {
    uint64_t time;
    uint64_t what; /* kind << 32 | id, stored last */
};

/* A name: this header, its bytes, then zeros up to a multiple of 8. */
struct wtl_spool_name {
    uint32_t id;
    uint32_t length; /* 1 .. WTL_NAME_BYTES */
};

static_assert(sizeof(struct wtl_spool_header) == 256 + WTL_VISIBLE_BYTES, "layout of the spool");
static_assert(sizeof(struct wtl_spool_chunk) == WTL_CHUNK_HEADER, "layout of the spool");
static_assert(sizeof(struct wtl_spool_record) == 16, "layout of the spool");

#define WTL_CHUNK_RECORD_COUNT \
    ((WTL_SPOOL_CHUNK - WTL_CHUNK_HEADER) / sizeof(struct wtl_spool_record))

static inline uint64_t wtl_spool_what(enum wtl_spool_kind kind, uint32_t id)
{
    return (uint64_t)kind << 32 | id;
}

struct wtl_spool_info {
    struct wtl_spool_header header; /* strings are NUL-terminated; pair_ns is on the reader's
                                       clock */
    uint64_t records;               /* readable begins, ends and events */
    uint64_t ignored;               /* invalid records */
    size_t threads;
    size_t names;
};

struct wtl_spool_thread {
    uint32_t number; /* in the process, from 1, in order of first use */
    uint32_t tid;    /* Linux thread id */
    uint64_t first_ns;
};

#endif
