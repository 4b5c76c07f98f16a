/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the reader share. */
#ifndef WTL_TRACE_READER_STATE_H
#define WTL_TRACE_READER_STATE_H

#include "trace/blocks/digest.h"
#include "trace/blocks/footer_block.h"
#include "trace/blocks/index.h"
#include "trace/blocks/walk.h"
#include "trace/reader.h"
#include "trace/tables.h"

struct wtl_trace_reader {
    int fd;
    char *path; /* for messages */
    struct wtl_unpacker *unpacker;
    struct wtl_walk walk; /* no footer: behind the last block looked at */
    struct wtl_tables tables;
    struct wtl_index *index; /* with a footer: loaded when first wanted */
    uint64_t index_offset;
    bool has_index;
    struct wtl_footer footer;
    bool tables_complete; /* strings, processes, threads are in */
    struct wtl_digest *digest;
    uint64_t digest_offset; /* behind the last block it was fed */
    struct wtl_list gaps;   /* struct wtl_gap, when gaps_complete */
    bool gaps_complete;
    struct wtl_footer_regions regions; /* computed, when regions_complete */
    bool regions_complete;
    uint64_t first_ns, last_ns; /* no footer: of all samples; first > last = none */
    uint64_t types;             /* bit t: a block of type t was seen, or the footer says so */
    struct wtl_trace_reader_status status;
};

/* A reader of an open file, which it takes over (also on failure). Blocks at or behind `end` are
 * not looked at, a footer neither, when it is not UINT64_MAX. */
int wtl_trace_reader_attach(int fd,
                            const char *path,
                            uint64_t end,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

/* A failure of reading, with a sentence; -EOVERFLOW: it unpacks to more than a file of its size tells. */
int wtl_trace_reader_fail(const char *path, int code, struct wattle_error *err);

/* Of the trace, now; 0 = not known. */
uint64_t wtl_trace_reader_bytes(const struct wtl_trace_reader *reader);

/* Offset up to which this reader looks at blocks. */
uint64_t wtl_trace_reader_limit(const struct wtl_trace_reader *reader);

/* The index, loaded if need be; NULL when there is none that can be read. */
const struct wtl_index *wtl_trace_reader_index(struct wtl_trace_reader *reader);

/* Call visit for each good block up to the limit, from *offset on, and move it. A payload that is
 * damaged is passed over. Returns 0 or what visit returned below 0. */
typedef int wtl_block_visit_fn(void *context,
                               const struct wtl_walk_item *item,
                               struct wtl_cursor payload);
int wtl_trace_reader_visit(struct wtl_trace_reader *reader,
                           uint64_t types,
                           uint64_t *offset,
                           wtl_block_visit_fn *visit,
                           void *context);

#endif
