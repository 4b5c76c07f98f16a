/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The appender: the end of a file where blocks are appended, with everything that belongs to each block:
 * sequence, digest, index. The writer has one from the first block on; repair opens one after the last good
 * block of a file without a footer.
 */
#ifndef WTL_TRACE_APPENDER_H
#define WTL_TRACE_APPENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "base/own_file.h"
#include "trace/blocks/digest.h"
#include "trace/blocks/index.h"
#include "trace/blocks/marks.h"
#include "trace/own_facts.h"
#include "trace/regions/region_live.h"
#include "trace/string_set.h"
#include "trace/trace_options.h"

struct wtl_appender {
    int fd;
    struct wtl_file_id id; /* of the file: the surrounding program may close fd and reuse its
                              number */
    char *path;            /* absolute, to reopen it; NULL = unknown */
    bool sync;
    uint64_t offset, blocks; /* of the end; good blocks before it */
    uint32_t sequence;       /* of the next block */
    uint64_t damaged, damaged_bytes;
    uint64_t types;  /* bit t: there is a block of type t */
    uint64_t needed; /* blocks with WTL_BLOCK_NEEDED */
    const struct wtl_tables *tables;
    struct wtl_packer *packer;
    struct wtl_digest *digest;
    struct wtl_index *index;
    struct wtl_region_live live;
    const struct wtl_string_set *strings; /* names of live regions; NULL = none */
    struct wtl_own_facts own;             /* of the events in the file */
    struct wtl_column_work work;
    struct wtl_bytes payload;
};

/* Create the file and its first block. Returns 0, -EEXIST, -EBUSY, or an errno. */
int wtl_appender_create(struct wtl_appender *appender,
                        const char *path,
                        const struct wtl_trace_options *options,
                        const struct wtl_tables *tables,
                        struct wattle_error *err);

/* Check whether it could be created there, without changing anything. Returns as wtl_appender_create(). */
int wtl_appender_check(const char *path, bool force, struct wattle_error *err);

/* Use an existing file at this path; takes over fd, also on failure, and gives it another number. The
 * caller sets offset, counts and types. emit: destination of the pyramid's blocks. */
int wtl_appender_attach(struct wtl_appender *appender,
                        int fd,
                        const char *path,
                        const struct wtl_tables *tables,
                        wtl_pyramid_block_fn *emit,
                        void *context);
/*
 * For an attached file: determine offset, sequence, counts, types and index by walking over it;
 * *ret_cut_bytes is the size of what follows its last whole block, or of an index whose footer is missing. 0,
 * -ENOMEM, or the error of read(2).
 */
int wtl_appender_measure(struct wtl_appender *appender, uint64_t *ret_cut_bytes);
void wtl_appender_fini(struct wtl_appender *appender);
/* In the child of a fork: close its copy of the descriptor, which would keep the file locked after the
 * parent's death. Nothing is freed. */
void wtl_appender_forget(struct wtl_appender *appender);

/* Append one block: 0, or the errno of the write, with the end unchanged. If the program has closed the
 * file, it is reopened; -ESTALE if this gives another file, or one that someone else has continued or
 * truncated. */
int wtl_appender_block(struct wtl_appender *appender,
                       struct wtl_block_head *head,
                       const uint8_t *payload,
                       size_t n);

/* Write records of a table, compressed if worthwhile, in as many blocks as needed. */
int wtl_appender_records(struct wtl_appender *appender,
                         unsigned type,
                         const struct wtl_bytes *records);
int wtl_appender_rows(struct wtl_appender *appender, const struct wtl_rows *rows);
/* Write marks of any kind and order; they are sorted in place. */
int wtl_appender_marks(struct wtl_appender *appender, struct wtl_mark *marks, size_t n);
int wtl_appender_pyramid(void *appender, struct wtl_pyramid_block *block);

/* Information about processes from wattle's own events, written as a block of metadata if there is any,
 * and added to the caller's tables for the footer. */
int wtl_appender_own_facts(struct wtl_appender *appender, struct wtl_tables *tables);

/* Write the rest of the pyramids, the index and the footer. */
int wtl_appender_footer(struct wtl_appender *appender);

#endif
