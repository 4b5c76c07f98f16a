/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The spool: what one process wrote about its regions and events, in a file mapped into its memory
 * (docs/format/spool.md). Here is
 * the reader, which trusts no byte of it: a program that was killed, or that wrote through a wild
 * pointer, costs at most the records that it spoilt.
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

/* Open for reading what any process may have put into the folder of spools: nothing but a regular file of this user (root reads those
 * of others), without waiting for anybody. Returns a descriptor; -EPERM for anything else, or what open(2) said. */
int wtl_spool_open_file(const char *path);

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
