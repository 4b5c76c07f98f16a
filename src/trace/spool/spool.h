/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spool: what one process wrote about its regions and events, in a file mapped into its memory
 * (docs/format/spool.md). Here are the layout, shared with src/record/regions/region.c which writes it, and
 * the reader, which trusts no byte of it: a program that was killed, or that wrote through a wild
 * pointer, costs at most the records that it spoilt.
 */
#ifndef WTL_TRACE_SPOOL_H
#define WTL_TRACE_SPOOL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/blocks/mark.h"

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
    WTL_SPOOL_TSC = 1        /* times are TSC cycles, tied to CLOCK_MONOTONIC by pairs */
};

enum wtl_chunk_type { WTL_CHUNK_RECORDS = 1, WTL_CHUNK_NAMES = 2 };

/* Kinds of records; 0 = nothing was written here. */
enum wtl_spool_kind {
    WTL_SPOOL_BEGIN = 1,
    WTL_SPOOL_END = 2,
    WTL_SPOOL_EVENT = 3, /* id = type; the next record is its value */
    WTL_SPOOL_VALUE = 4, /* time = value of the record before */
    WTL_SPOOL_CLOCK = 5, /* a clock pair; value = CLOCK_MONOTONIC ns at `time` */
    WTL_SPOOL_THREAD =
        6, /* from here on records of thread number `id`; value = ns; value's id = tid */
    WTL_SPOOL_THREAD_END = 7, /* a clock pair, and the thread is gone */
    /* A begin that its thread may take back within WTL_SPOOL_MAYBE_NS, and its place with it. What is older, or
     * what a process left, stands. */
    WTL_SPOOL_MAYBE = 8
};

#define WTL_SPOOL_MAYBE_NS 50000000u /* the thread's clock; readers wait for twice as long */

struct wtl_spool_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint32_t chunk_size;
    uint32_t clock; /* enum wtl_spool_clock */
    uint32_t pid;
    uint32_t ppid;
    uint64_t process_start_ns; /* after boot, as /proc/PID/stat tells it */
    int32_t rank;              /* of the MPI process; -1 = none known */
    uint32_t incarnation;      /* how many files of this pid were there before */
    uint64_t pair_time;        /* a clock pair at creation */
    uint64_t pair_ns;
    uint64_t realtime_ns; /* CLOCK_REALTIME at pair_ns */
    uint64_t drops;       /* calls that could not be recorded */
    char boot_id[40];
    char command[32];
    char host[64];
    uint64_t refused; /* calls with an id of 0: their name was empty, too long, or one too many */
    uint64_t
        nested;   /* calls of signal handlers that came within another call, whose chunk was full */
    uint32_t why; /* errno for which the file could not grow when `drops` began; 0 = not known */
    uint32_t zero;
    uint64_t has_offset; /* 1 = the next is known */
    int64_t offset_ns;   /* of its time namespace: its CLOCK_MONOTONIC is ahead of the machine's */
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

/* A name: this, its bytes, then zeros up to a multiple of 8. */
struct wtl_spool_name {
    uint32_t id;
    uint32_t length; /* 1 .. WTL_NAME_BYTES */
};

static_assert(sizeof(struct wtl_spool_header) == 256, "layout of the spool");
static_assert(sizeof(struct wtl_spool_chunk) == WTL_CHUNK_HEADER, "layout of the spool");
static_assert(sizeof(struct wtl_spool_record) == 16, "layout of the spool");

#define WTL_CHUNK_RECORD_COUNT \
    ((WTL_SPOOL_CHUNK - WTL_CHUNK_HEADER) / sizeof(struct wtl_spool_record))

static inline uint64_t wtl_spool_what(enum wtl_spool_kind kind, uint32_t id)
{
    return (uint64_t)kind << 32 | id;
}

struct wtl_spool;

/* Open for reading what any process may have put into the folder of spools: nothing but a regular file of this user (root reads those
 * of others), without waiting for anybody. Returns a descriptor; -EPERM for anything else, or what open(2) said. */
int wtl_spool_open_file(const char *path);

/* A clock pair: time by the spool's clock, CLOCK_MONOTONIC at the same moment. */
struct wtl_spool_pair {
    uint64_t time;
    uint64_t monotonic_ns;
};

/* May times be taken from the TSC: it is invariant, and the kernel itself keeps time by it. */
bool wtl_spool_tsc_usable(void);
struct wtl_spool_pair wtl_spool_pair_take(bool tsc);

/* What CLOCK_MONOTONIC of this process is ahead of the machine's, by its time namespace. 0, or -errno where
 * that is not known; *ret_offset_ns is 0 then. */
int wtl_spool_clock_offset(int64_t *ret_offset_ns);

/* What is added to CLOCK_MONOTONIC of a spool's process to make that of this one, modulo 2^64. */
uint64_t wtl_spool_shift_ns(const struct wtl_spool_header *header);

/* Does the process keep another time than this one, by which amount it did not tell? */
bool wtl_spool_is_foreign(const struct wtl_spool_header *header);

/* A pair taken by the reader: helps with the last second of a process that was killed, when the
 * machine has not been booted since. */
struct wtl_spool_now {
    char boot_id[40];
    struct wtl_spool_pair pair; /* of the TSC */
};

/* 0, or -ENOTSUP where the TSC is not to be used. */
int wtl_spool_now_take(struct wtl_spool_now *ret_now);

struct wtl_spool_info {
    struct wtl_spool_header header; /* texts are NUL terminated; pair_ns is on the reader's clock */
    uint64_t records;               /* begins, ends and events that can be read */
    uint64_t ignored;               /* records that make no sense */
    size_t threads;
    size_t names;
};

struct wtl_spool_thread {
    uint32_t number; /* in the process, from 1, in the order of first use */
    uint32_t tid;    /* Linux thread id */
    uint64_t first_ns;
};

/*
 * Open a spool file, or bytes that stay valid until close. now may be NULL. ended: nobody writes it any
 * more; else what is there so far is read, and wtl_spool_refresh() reads on. Returns 0, -EBADMSG when
 * it is not a spool of this version (yet), -ENOMEM, or as wtl_spool_open_file().
 */
int wtl_spool_open(const char *path,
                   const struct wtl_spool_now *now,
                   bool ended,
                   struct wtl_spool **ret_spool,
                   struct wattle_error *err);
int wtl_spool_open_bytes(const void *bytes,
                         size_t size,
                         const struct wtl_spool_now *now,
                         struct wtl_spool **ret_spool,
                         struct wattle_error *err);
void wtl_spool_close(struct wtl_spool *spool); /* accepts NULL */

/* From now on its file is open only while something is read from it: for who has many. What can then not be opened again is an error of
 * the reading, -EMFILE among them, after which it may be tried again. */
void wtl_spool_brief(struct wtl_spool *spool);

/*
 * What has come since. Cursors go on where they are, behind what they said was the end. A call that was
 * interrupted between its place and its record holds up its thread until `ended` is said. Returns 0,
 * -ENOMEM, or what read(2) said.
 */
int wtl_spool_refresh(struct wtl_spool *spool, const struct wtl_spool_now *now, bool ended);

const struct wtl_spool_info *wtl_spool_info(const struct wtl_spool *spool);
const struct wtl_spool_thread *wtl_spool_thread(const struct wtl_spool *spool, size_t i);
/* NULL when the table has no such id; valid until close. */
const char *wtl_spool_name(const struct wtl_spool *spool, uint32_t id);

/*
 * The marks of thread i, in the order in which they were made, with times that never fall.
 * mark.thread = i, mark.name = the spool's id. The cursor is the caller's, about 4 KiB, and needs
 * nothing freed. next returns 1, or 0 at the end, or a negative errno of read(2).
 */
struct wtl_spool_cursor {
    struct wtl_spool *spool;
    size_t thread;
    size_t run;    /* index of the run being read */
    uint32_t slot; /* next record of the run */
    size_t pair;   /* of the run: the clock pair in force */
    uint64_t last_ns;
    uint32_t block_slot, block_count; /* what the buffer holds */
    struct wtl_spool_record block[256];
};

void wtl_spool_cursor_init(struct wtl_spool_cursor *cursor, struct wtl_spool *spool, size_t thread);
int wtl_spool_next(struct wtl_spool_cursor *cursor, struct wtl_mark *ret_mark);

#endif
