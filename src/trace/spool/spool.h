/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spool: the regions and events recorded by one process, in a file mapped into its memory
 * (docs/format/spool.md). This is the reader, which trusts no byte of it: a program that was killed, or that
 * wrote through a wild pointer, costs at most the records it destroyed.
 */
#ifndef WTL_TRACE_SPOOL_H
#define WTL_TRACE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "trace/blocks/mark.h"
#include "trace/spool/spool_clock.h"
#include "trace/spool/spool_layout.h"

struct wtl_spool;

/*
 * Open a file in the spool folder, where any process may have put anything: only a regular file of this user
 * is accepted (root may read those of others), and the call never blocks. Returns a descriptor; -EPERM for
 * anything else, or the error of open(2).
 */
int wtl_spool_open_file(const char *path);

/*
 * Open a spool file, or bytes that stay valid until close. now may be NULL. ended: the file is no longer
 * written; else the data so far is read, and wtl_spool_refresh() reads further data. Returns 0, -EBADMSG when
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

/* From now on keep its file open only while reading from it: for users of many spools. If it cannot be
 * reopened, reading fails, for example with -EMFILE, and may be retried. */
void wtl_spool_brief(struct wtl_spool *spool);

/*
 * Read what was added since. Cursors continue where they are, after what they reported as the end. A call
 * that was interrupted between reserving its place and writing its record holds up its thread until `ended`
 * is set. Returns 0, -ENOMEM, or the error of read(2).
 */
int wtl_spool_refresh(struct wtl_spool *spool, const struct wtl_spool_now *now, bool ended);

const struct wtl_spool_info *wtl_spool_info(const struct wtl_spool *spool);
const struct wtl_spool_thread *wtl_spool_thread(const struct wtl_spool *spool, size_t i);
/* NULL when the table has no such id; valid until close. */
const char *wtl_spool_name(const struct wtl_spool *spool, uint32_t id);

/*
 * The marks of thread i, in the order of the calls, with times that never decrease. mark.thread = i,
 * mark.name = the spool's id. The cursor is owned by the caller, about 4 KiB, and need not be freed. next
 * returns 1, or 0 at the end, or a negative errno of read(2).
 */
struct wtl_spool_cursor {
    struct wtl_spool *spool;
    size_t thread;
    size_t run;    /* index of the run being read */
    uint32_t slot; /* next record of the run */
    size_t pair;   /* in the run: the current clock pair */
    uint64_t last_ns;
    uint32_t block_slot, block_count; /* contents of the buffer */
    struct wtl_spool_record block[256];
};

void wtl_spool_cursor_init(struct wtl_spool_cursor *cursor, struct wtl_spool *spool, size_t thread);
int wtl_spool_next(struct wtl_spool_cursor *cursor, struct wtl_mark *ret_mark);

#endif
