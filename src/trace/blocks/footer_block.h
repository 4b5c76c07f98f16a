/* SPDX-License-Identifier: BSD-3-Clause */
/* The payload of the footer block: writing it from the appender's data, and reading it. */
#ifndef WTL_TRACE_FOOTER_BLOCK_H
#define WTL_TRACE_FOOTER_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tally/tally.h"
#include "trace/blocks/bytes.h"
#include "trace/blocks/digest.h"
#include "trace/blocks/footer.h"
#include "trace/blocks/index.h"
#include "trace/tables.h"

/* Region summaries together with the data they point to. */
struct wtl_footer_regions {
    struct wtl_region_summary *regions;
    size_t count;
};

void wtl_footer_regions_fini(struct wtl_footer_regions *table);

/* Where the energies of a summary are stored. */
struct wtl_region_room {
    uint32_t *channels; /* [count] each */
    struct wtl_energy *inclusive, *exclusive;
};

/* Add a summary with a copy of the name and room for the energies of `count` channels, to be filled in by
 * the caller. NULL on out of memory. */
struct wtl_region_summary *wtl_region_table_add(struct wtl_footer_regions *table,
                                                const char *name,
                                                size_t name_length,
                                                size_t count,
                                                struct wtl_region_room *ret_room);

/*
 * Make the names unique, and all but the first non-empty: readers identify regions by name. A name that
 * occurs twice (several names were in a damaged block, or the file was manipulated) gets its index appended:
 * "solve (17)". 0 or -ENOMEM.
 */
int wtl_region_table_tell_apart(struct wtl_footer_regions *table);

/* Parts left out of a footer that would be longer than a block, in this order. */
enum wtl_footer_left_out {
    WTL_LEFT_OUT_REGIONS = 1u << 0,
    WTL_LEFT_OUT_SUMMARIES = 1u << 1,
    WTL_LEFT_OUT_TABLES = 1u << 2, /* metadata, channels, origins, groups */
    WTL_LEFT_OUT_PYRAMIDS = 1u << 3,
    WTL_LEFT_OUT_END = 1u << 4
};

/* Input for a footer. */
struct wtl_footer_source {
    const struct wtl_tables *tables;
    const struct wtl_digest *digest;
    struct wtl_footer_regions regions;
    uint64_t blocks, damaged, damaged_bytes, types, needed;
    uint64_t footer_offset, index_offset;
};

/* Write all parts except those that must be left out for a payload of at most `most` bytes. */
void wtl_footer_put(const struct wtl_footer_source *source, size_t most, struct wtl_bytes *payload);
void wtl_footer_source_fini(struct wtl_footer_source *source);

/* A parsed footer. */
struct wtl_footer {
    uint64_t blocks, damaged, damaged_bytes, types;
    uint64_t needed;   /* blocks with WTL_BLOCK_NEEDED */
    uint64_t left_out; /* enum wtl_footer_left_out */
    struct wtl_digest_totals totals;
    struct wtl_list summaries; /* struct wtl_footer_summary */
    struct wtl_footer_regions regions;
    struct wtl_list levels; /* struct wtl_pyramid_level */
};

struct wtl_footer_summary {
    uint32_t channel;
    struct wtl_summary summary;
};

/* Load the sections into *footer (zeroed) and *tables. Returns 0, -EBADMSG, -ENOMEM; what was
 * loaded is freed with wtl_footer_fini() in any case. */
int wtl_footer_load(struct wtl_cursor cursor, struct wtl_footer *footer, struct wtl_tables *tables);
void wtl_footer_fini(struct wtl_footer *footer);

#endif
