/* SPDX-License-Identifier: BSD-3-Clause */
/* Serialises rows for another process of the same program: numbers are copied as in memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cluster/run_row.h"

enum { TEXTS = 8 };

static void list_texts(struct wtl_run_row *row, char ***texts)
{
    char **all[TEXTS] = {&row->path, &row->run_id, &row->name,    &row->key,
                         &row->host, &row->nodes,  &row->command, &row->groups};
    memcpy((void *)texts, (const void *)all, sizeof all);
}

static void put_text(struct wtl_bytes *bytes, const char *text)
{
    size_t n = strlen(text);
    wtl_bytes_put_u64(bytes, n);
    wtl_bytes_put(bytes, text, n);
}

static char *take_text(struct wtl_cursor *cursor)
{
    uint64_t n = wtl_cursor_u64(cursor);
    const uint8_t *text = wtl_cursor_take(cursor, n);
    return text ? strndup((const char *)text, n) : NULL;
}

void wtl_run_row_put(struct wtl_bytes *bytes, const struct wtl_run_row *row)
{
    struct wtl_run_row copy = *row;
    char **texts[TEXTS];
    list_texts(&copy, texts);
    wtl_bytes_put(bytes, row, sizeof *row);
    for (size_t i = 0; i < TEXTS; i++)
        put_text(bytes, *texts[i]);
    wtl_bytes_put(bytes, row->domains, row->domain_count * sizeof *row->domains);
    wtl_bytes_put(bytes, row->parts, row->part_count * sizeof *row->parts);
    wtl_bytes_put(bytes, row->flags, row->flag_count * sizeof *row->flags);
    wtl_bytes_put(bytes, row->ranks, row->rank_count * sizeof *row->ranks);
    for (uint32_t i = 0; i < row->region_count; i++) {
        wtl_bytes_put(bytes, &row->regions[i], sizeof row->regions[i]);
        put_text(bytes, row->regions[i].name);
    }
}

/* count items, or NULL: out of memory, or there are fewer (the cursor has then failed). */
static void *take_array(struct wtl_cursor *cursor, uint32_t count, size_t size)
{
    const uint8_t *from = wtl_cursor_take(cursor, (size_t)count * size);
    void *items = from ? malloc((size_t)count * size + 1) : NULL;
    if (items)
        memcpy(items, from, (size_t)count * size);
    return items;
}

static int take_regions(struct wtl_cursor *cursor, uint32_t count, struct wtl_run_row *row)
{
    row->regions = count <= wtl_cursor_left(cursor) / sizeof *row->regions
                       ? calloc((size_t)count + 1, sizeof *row->regions)
                       : NULL;
    if (!row->regions)
        return -EBADMSG;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *from = wtl_cursor_take(cursor, sizeof *row->regions);
        if (!from)
            return -EBADMSG;
        memcpy(&row->regions[i], from, sizeof *row->regions);
        row->regions[i].name = take_text(cursor);
        if (!row->regions[i].name)
            return -EBADMSG;
        row->region_count = i + 1;
    }
    return 0;
}

int wtl_run_row_take(struct wtl_cursor *cursor, struct wtl_run_row *ret_row)
{
    struct wtl_run_row row;
    char **texts[TEXTS];
    const uint8_t *from = wtl_cursor_take(cursor, sizeof row);
    bool whole = true;
    if (!from)
        return -EBADMSG;
    memcpy(&row, from, sizeof row);
    uint32_t regions = row.region_count;
    list_texts(&row, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        *texts[i] = take_text(cursor);
        whole = whole && *texts[i];
    }
    row.domains =
        (struct wtl_run_domain *)take_array(cursor, row.domain_count, sizeof *row.domains);
    row.parts = (struct wtl_run_domain *)take_array(cursor, row.part_count, sizeof *row.parts);
    row.flags = (struct wtl_result_flag *)take_array(cursor, row.flag_count, sizeof *row.flags);
    row.ranks = (int32_t *)take_array(cursor, row.rank_count, sizeof *row.ranks);
    row.regions = NULL;
    row.region_count = 0;
    whole = whole && row.domains && row.parts && row.flags && row.ranks;
    int rc = whole ? take_regions(cursor, regions, &row) : -ENOMEM;
    if (cursor->failed)
        rc = -EBADMSG;
    if (rc < 0)
        wtl_run_row_fini(&row);
    else
        *ret_row = row;
    return rc;
}
