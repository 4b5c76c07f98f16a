/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a trace in memory: metadata, channels, groups, clock pairs, window, gaps, strings, processes,
 * threads. A reader fills them from blocks and from the footer, which contain the same records; the writer
 * fills its own in the same way, so that both reflect the contents of the file.
 */
#ifndef WTL_TRACE_TABLES_H
#define WTL_TRACE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gap.h"
#include "trace/blocks/block.h"
#include "trace/blocks/bytes.h"
#include "trace/blocks/entries.h"
#include "trace/blocks/record_type.h"

#define WTL_FOOTER_GAPS   256 /* the footer contains the first of them */
#define WTL_FOOTER_CLOCKS 256 /* and this many clock pairs, thinned */

/* A growing array; its owner knows the size of the items. */
struct wtl_list {
    void *items;
    size_t count;
};

#define WTL_META_SEEN 16 /* words */

struct wtl_tables {
    struct wtl_list meta;         /* struct wtl_meta */
    uint64_t seen[WTL_META_SEEN]; /* a bit for the check value of each of their keys */
    struct wtl_list channels;     /* struct wtl_trace_channel */
    struct wtl_list groups;       /* struct wtl_trace_group */
    struct wtl_list clocks;       /* struct wtl_clock_pair */
    struct wtl_list gaps;         /* struct wtl_gap */
    struct wtl_list strings;      /* const char *, NULL = not defined; number i is item i - 1 */
    struct wtl_list processes;    /* struct wtl_trace_process, command or NULL */
    struct wtl_list threads;      /* struct wtl_trace_thread, name or NULL */
    struct wtl_list rooms;        /* void *: memory of the strings and ids above */
    size_t room_bytes;
    uint64_t file_bytes; /* of the trace: data is limited to what is plausible for this size; 0 =
                            no limit */
    struct wtl_trace_window window;
    unsigned skip_types; /* bit t: records of type t are checked but not stored */
    size_t gaps_max;     /* further ones are not stored; 0 = no limit */
    size_t clocks_max;   /* thinned to this; 0 = no limit */
};

void wtl_tables_fini(struct wtl_tables *tables);

/* Load the records of a payload. Returns 0; -EBADMSG (those before the bad one are kept), -EOVERFLOW (more
 * gaps than plausible for file_bytes), -ENOMEM. */
int wtl_tables_load(struct wtl_tables *tables, unsigned type, struct wtl_cursor cursor);

/* Room for one more item, zeroed and counted; NULL on out of memory. */
void *wtl_list_add(struct wtl_list *list, size_t size);

const struct wtl_trace_channel *wtl_tables_channel(const struct wtl_tables *tables, size_t id);
const struct wtl_trace_group *wtl_tables_group(const struct wtl_tables *tables, size_t id);
int wtl_tables_find_channel(const struct wtl_tables *tables, const char *name); /* -ENOENT */
const struct wtl_meta *wtl_tables_find_meta(const struct wtl_tables *tables, const char *key);

/* A length that is filled in at the end: of a record, of a section of the footer. */
size_t wtl_record_begin(struct wtl_bytes *bytes);
void wtl_record_end(struct wtl_bytes *bytes, size_t begin);

/* All records of a type as in the footer: metadata to window. */
void wtl_tables_put(const struct wtl_tables *tables, unsigned type, struct wtl_bytes *bytes);

#endif
