/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the reader. */
#ifndef WTL_TRACE_READER_STATE_H
#define WTL_TRACE_READER_STATE_H

#include "trace/blocks/digest.h"
#include "trace/blocks/footer_block.h"
#include "trace/blocks/index.h"
#include "trace/blocks/walk.h"
#include "trace/id_map.h"
#include "trace/reader.h"
#include "trace/tables.h"

struct wtl_trace_reader {
    int fd;
    char *path; /* for messages */
    struct wtl_unpacker *unpacker;
    struct wtl_walk walk; /* no footer: after the last block processed */
    struct wtl_tables tables;
    struct wtl_index *index; /* with a footer: loaded on demand */
    uint64_t index_offset;
    bool has_index;
    struct wtl_footer footer;
    bool tables_complete; /* strings, processes, threads are loaded */
    struct wtl_digest *digest;
    uint64_t digest_offset; /* after the last block added to it */
    struct wtl_list gaps;   /* struct wtl_gap, when gaps_complete */
    bool gaps_complete;
    struct wtl_footer_regions regions; /* computed, when regions_complete */
    bool regions_complete;
    uint64_t first_ns, last_ns; /* no footer: of all samples; first > last = none */
    uint64_t types;             /* bit t: a block of type t was seen, or is listed in the footer */
    struct wtl_trace_reader_status status;
    struct wtl_id_map lost; /* with a footer: unreadable parts that were met, by place */
    uint64_t lost_bytes;
};

/* A reader for an open file, which it takes over (also on failure). Unless `end` is UINT64_MAX, blocks at
 * or after `end` and the footer are ignored. */
int wtl_trace_reader_attach(int fd,
                            const char *path,
                            uint64_t end,
                            struct wtl_trace_reader **ret_reader,
                            struct wattle_error *err);

/* Report a read error with a message; -EOVERFLOW: it unpacks to more than is plausible for its size. */
int wtl_trace_reader_fail(const char *path, int code, struct wattle_error *err);

/* Present size of the trace; 0 = unknown. */
uint64_t wtl_trace_reader_bytes(const struct wtl_trace_reader *reader);

/* Offset up to which this reader reads blocks. */
uint64_t wtl_trace_reader_limit(const struct wtl_trace_reader *reader);

/* The index, loaded if necessary; NULL when no index can be read. */
const struct wtl_index *wtl_trace_reader_index(struct wtl_trace_reader *reader);

/* A part of the file that cannot be read was met: it is counted once. A footer does not know what was damaged after it was
 * written, so this shows in the status only once it is read. 0 or -ENOMEM. */
int wtl_trace_reader_lost(struct wtl_trace_reader *reader, const struct wtl_walk_item *item);

/* Call visit for each good block from *offset up to the limit, and advance *offset. A damaged payload is
 * skipped. Returns 0 or a negative result of visit. */
typedef int wtl_block_visit_fn(void *context,
                               const struct wtl_walk_item *item,
                               struct wtl_cursor payload);
int wtl_trace_reader_visit(struct wtl_trace_reader *reader,
                           uint64_t types,
                           uint64_t *offset,
                           wtl_block_visit_fn *visit,
                           void *context);

#endif
