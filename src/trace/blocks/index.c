/* SPDX-License-Identifier: BSD-3-Clause */
/* The index: see index.h. When all entries are used, pairs are merged. */
#include "trace/blocks/index.h"

#include <errno.h>

static void thin(struct wtl_index *index)
{
    for (uint32_t i = 0; i < WTL_INDEX_MAX / 2; i++) {
        struct wtl_index_entry a = index->entries[2 * i], b = index->entries[2 * i + 1];
        if (b.first_ns < a.first_ns)
            a.first_ns = b.first_ns;
        if (b.last_ns > a.last_ns)
            a.last_ns = b.last_ns;
        index->entries[i] = a;
    }
    index->count = WTL_INDEX_MAX / 2;
    index->run *= 2;
}

void wtl_index_add(struct wtl_index *index, uint64_t offset, const struct wtl_block_head *head)
{
    if (index->run == 0)
        index->run = 1;
    if (index->blocks / index->run >= WTL_INDEX_MAX)
        thin(index);
    if (index->blocks++ % index->run == 0)
        index->entries[index->count++] =
            (struct wtl_index_entry){.offset = offset, .first_ns = UINT64_MAX, .last_ns = 0};
    if (head->type != WTL_BLOCK_SAMPLES && head->type != WTL_BLOCK_REGIONS &&
        head->type != WTL_BLOCK_EVENTS)
        return;
    struct wtl_index_entry *entry = &index->entries[index->count - 1];
    if (head->first_ns < entry->first_ns)
        entry->first_ns = head->first_ns;
    if (head->last_ns > entry->last_ns)
        entry->last_ns = head->last_ns;
}

uint64_t wtl_index_skip(const struct wtl_index *index,
                        uint64_t offset,
                        uint64_t begin_ns,
                        uint64_t end_ns,
                        uint64_t end_offset)
{
    /* The last entry that begins at or before offset. */
    uint32_t low = 0, high = index->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (index->entries[middle].offset <= offset)
            low = middle;
        else
            high = middle;
    }
    if (index->count == 0 || index->entries[low].offset != offset)
        return offset;
    while (low < index->count &&
           (index->entries[low].last_ns < begin_ns || index->entries[low].first_ns > end_ns))
        low++;
    return low < index->count ? index->entries[low].offset : end_offset;
}

void wtl_index_put(const struct wtl_index *index, struct wtl_bytes *payload)
{
    wtl_bytes_put_u32(payload, index->count);
    wtl_bytes_put_u32(payload, index->run);
    for (uint32_t i = 0; i < index->count; i++) {
        wtl_bytes_put_u64(payload, index->entries[i].offset);
        wtl_bytes_put_u64(payload, index->entries[i].first_ns);
        wtl_bytes_put_u64(payload, index->entries[i].last_ns);
    }
}

int wtl_index_load(struct wtl_cursor cursor, struct wtl_index *ret_index)
{
    uint32_t count = wtl_cursor_u32(&cursor), run = wtl_cursor_u32(&cursor);
    if (cursor.failed || count > WTL_INDEX_MAX)
        return -EBADMSG;
    ret_index->count = count;
    ret_index->run = run;
    ret_index->blocks = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct wtl_index_entry *entry = &ret_index->entries[i];
        entry->offset = wtl_cursor_u64(&cursor);
        entry->first_ns = wtl_cursor_u64(&cursor);
        entry->last_ns = wtl_cursor_u64(&cursor);
        if (i > 0 && entry->offset <= entry[-1].offset)
            cursor.failed = true;
    }
    if (cursor.failed) {
        ret_index->count = 0;
        return -EBADMSG;
    }
    return 0;
}
