/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The appender: the end of a file at which blocks are appended, with all that goes along with each of
 * them: sequence, digest, index. The writer has one from the first block on; repair opens one behind
 * the last good block of a file that lacks its footer.
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
    struct wtl_file_id id; /* of the file: the program around may close fd, and open another by
                              its number */
    char *path;            /* absolute, to open it again; NULL = not known */
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
    const struct wtl_string_set *strings; /* names of live regions; NULL when there are none */
    struct wtl_own_facts own;             /* of the events in the file */
    struct wtl_column_work work;
    struct wtl_bytes payload;
};

/* Make the file and its first block. Returns 0, -EEXIST, -EBUSY, or an errno. */
int wtl_appender_create(struct wtl_appender *appender,
                        const char *path,
                        const struct wtl_trace_options *options,
                        const struct wtl_tables *tables,
                        struct wattle_error *err);

/* Could it be made there? Nothing is changed. Returns as wtl_appender_create(). */
int wtl_appender_check(const char *path, bool force, struct wattle_error *err);

/* On a file that is there, of this path; takes fd over, also on failure, and gives it another number. Offset, counts, types are
 * the caller's to set. emit: where the pyramid's blocks go. */
int wtl_appender_attach(struct wtl_appender *appender,
                        int fd,
                        const char *path,
                        const struct wtl_tables *tables,
                        wtl_pyramid_block_fn *emit,
                        void *context);
/* Of an attached one: offset, sequence, counts, types and index by a walk over the file; *ret_cut_bytes are behind
 * its last whole block, or are an index whose footer is missing. 0, -ENOMEM, or what read(2) said. */
int wtl_appender_measure(struct wtl_appender *appender, uint64_t *ret_cut_bytes);
void wtl_appender_fini(struct wtl_appender *appender);
/* In the child of a fork: close its copy of the descriptor, which would keep the file locked behind the parent's death. Nothing is
 * freed. */
void wtl_appender_forget(struct wtl_appender *appender);

/* Append one block: 0, or the errno of the write; the end is then where it was. Where the program has closed the file it is opened
 * again; -ESTALE when that gives another one, or one that somebody else has gone on with or cut short. */
int wtl_appender_block(struct wtl_appender *appender,
                       struct wtl_block_head *head,
                       const uint8_t *payload,
                       size_t n);

/* Records of a table, compressed when that is worth it, in as many blocks as they need. */
int wtl_appender_records(struct wtl_appender *appender,
                         unsigned type,
                         const struct wtl_bytes *records);
int wtl_appender_rows(struct wtl_appender *appender, const struct wtl_rows *rows);
/* Marks of any kind and order; they are sorted in place. */
int wtl_appender_marks(struct wtl_appender *appender, struct wtl_mark *marks, size_t n);
int wtl_appender_pyramid(void *appender, struct wtl_pyramid_block *block);

/* What processes said by wattle's own events, as a block of metadata where there is any, and into the tables of
 * the footer, which are the caller's own. */
int wtl_appender_own_facts(struct wtl_appender *appender, struct wtl_tables *tables);

/* The rest of the pyramids, the index, the footer. */
int wtl_appender_footer(struct wtl_appender *appender);

#endif
