/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading records into tables: see tables.h. Ids come from a file that may be damaged or malicious, so they
 * are checked before they determine any size, and an entry that was never defined can be recognised (a
 * channel without scale, a group without channels).
 */
#include "trace/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "trace/blocks/crc32c.h"

enum {
    ENTRIES_MAX = 1 << 24, /* strings, processes, threads per trace */
    TEXTS_MAX = 256 << 20, /* total bytes of strings: a few hundred bytes may unpack to 16 MiB of
                              them */
    /* Plausibility limit for a file: this much regardless of its size, plus this much per byte. */
    TEXTS_FREE = 16 << 20,
    TEXTS_A_BYTE = 64,
    GAPS_FREE = 1 << 18,
    GAP_BYTES = 4
};

void *wtl_list_add(struct wtl_list *list, size_t size)
{
    if (wtl_grow(&list->items, list->count, size) < 0)
        return NULL;
    void *item = (char *)list->items + list->count * size;
    memset(item, 0, size);
    list->count++;
    return item;
}

/* Item number id, created together with all before it if it does not exist. An id may skip ids whose
 * records were in a damaged block, but not by so much that the file controls memory use. */
static int list_at(struct wtl_list *list, size_t size, uint64_t id, size_t max, void **ret_item)
{
    if (id >= max || id > 4 * (uint64_t)list->count + 4096)
        return -EBADMSG;
    while (list->count <= id)
        if (!wtl_list_add(list, size))
            return -ENOMEM;
    *ret_item = (char *)list->items + (size_t)id * size;
    return 0;
}

void wtl_tables_fini(struct wtl_tables *tables)
{
    void **rooms = (void **)tables->rooms.items;
    for (size_t i = 0; i < tables->rooms.count; i++)
        free(rooms[i]);
    free(tables->rooms.items);
    free(tables->meta.items);
    free(tables->channels.items);
    free(tables->groups.items);
    free(tables->clocks.items);
    free(tables->gaps.items);
    free(tables->strings.items);
    free(tables->processes.items);
    free(tables->threads.items);
    memset(tables, 0, sizeof *tables);
}

const struct wtl_trace_channel *wtl_tables_channel(const struct wtl_tables *tables, size_t id)
{
    const struct wtl_trace_channel *all = (const struct wtl_trace_channel *)tables->channels.items;
    return id < tables->channels.count && all[id].channel.scale > 0 ? &all[id] : NULL;
}

const struct wtl_trace_group *wtl_tables_group(const struct wtl_tables *tables, size_t id)
{
    const struct wtl_trace_group *all = (const struct wtl_trace_group *)tables->groups.items;
    return id < tables->groups.count && all[id].count > 0 ? &all[id] : NULL;
}

int wtl_tables_find_channel(const struct wtl_tables *tables, const char *name)
{
    for (size_t i = 0; i < tables->channels.count; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(tables, i);
        if (channel && strcmp(channel->channel.name, name) == 0)
            return (int)i;
    }
    return -ENOENT;
}

static size_t seen_word(uint32_t check)
{
    return check / 64 % WTL_META_SEEN;
}

/* Most keys are missing and have no bit set; most others differ in their check value. */
static struct wtl_meta *find_meta(const struct wtl_tables *tables, const char *key, uint32_t check)
{
    struct wtl_meta *meta = (struct wtl_meta *)tables->meta.items;
    if (!(tables->seen[seen_word(check)] >> check % 64 & 1))
        return NULL;
    for (size_t i = 0; i < tables->meta.count; i++)
        if (meta[i].check == check && strcmp(meta[i].key, key) == 0)
            return &meta[i];
    return NULL;
}

const struct wtl_meta *wtl_tables_find_meta(const struct wtl_tables *tables, const char *key)
{
    return find_meta(tables, key, wtl_crc32c(key, strlen(key)));
}

size_t wtl_record_begin(struct wtl_bytes *bytes)
{
    size_t begin = bytes->length;
    wtl_bytes_put_u32(bytes, 0);
    return begin;
}

void wtl_record_end(struct wtl_bytes *bytes, size_t begin)
{
    if (!bytes->failed)
        wtl_store_u32(bytes->data + begin, (uint32_t)(bytes->length - begin - 4));
}

/* ---- store: 0; 1 when it existed already, its strings are not needed; -errno ---- */

/* The struct of any type of record. */
union record {
    struct wtl_meta meta;
    struct wattle_channel channel;
    struct wtl_trace_channel origin;
    struct wtl_trace_group group;
    struct wtl_gap gap;
    struct wtl_clock_pair clocks;
    struct wtl_trace_border border;
    const char *string;
    struct wtl_trace_process process;
    struct wtl_trace_thread thread;
};

static int keep_meta(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    (void)id;
    struct wtl_meta found = record->meta;
    found.check = wtl_crc32c(found.key, strlen(found.key));
    struct wtl_meta *meta = find_meta(tables, found.key, found.check);
    if (meta && strcmp(meta->value, found.value) == 0)
        return 1;
    if (!meta && tables->meta.count >= WTL_TRACE_META_MAX)
        return -EBADMSG;
    if (!meta)
        meta = (struct wtl_meta *)wtl_list_add(&tables->meta, sizeof *meta);
    if (!meta)
        return -ENOMEM;
    *meta = found;
    tables->seen[seen_word(found.check)] |= (uint64_t)1 << found.check % 64;
    return 0;
}

static int keep_channel(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    void *item;
    if (!(record->channel.scale > 0) || isinf(record->channel.scale))
        return -EBADMSG;
    int code = list_at(&tables->channels, sizeof(struct wtl_trace_channel), id,
                       WTL_TRACE_CHANNELS_MAX, &item);
    if (code == 0)
        ((struct wtl_trace_channel *)item)->channel = record->channel;
    return code;
}

static int keep_origin(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    void *item;
    int code = list_at(&tables->channels, sizeof(struct wtl_trace_channel), id,
                       WTL_TRACE_CHANNELS_MAX, &item);
    if (code < 0)
        return code;
    struct wtl_trace_channel *channel = (struct wtl_trace_channel *)item;
    channel->has_origin = true;
    channel->first_raw = record->origin.first_raw;
    return 0;
}

static int keep_group(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    const struct wtl_trace_group *group = &record->group, *known = wtl_tables_group(tables, id);
    void *item;
    if (known)
        return known->count == group->count ? 1 : -EBADMSG;
    if (group->count == 0)
        return -EBADMSG;
    for (size_t i = 0; i < group->count; i++)
        if (group->channels[i] >= WTL_TRACE_CHANNELS_MAX)
            return -EBADMSG;
    int code = list_at(&tables->groups, sizeof *group, id, WTL_TRACE_GROUPS_MAX, &item);
    if (code == 0)
        *(struct wtl_trace_group *)item = *group;
    return code;
}

static int keep_gap(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    (void)id;
    const struct wtl_gap *gap = &record->gap;
    if ((unsigned)gap->reason >= 32 || gap->channel >= WTL_TRACE_CHANNELS_MAX)
        return -EBADMSG;
    if (tables->gaps_max > 0 && tables->gaps.count >= tables->gaps_max)
        return 0;
    if (tables->file_bytes > 0 && tables->gaps.count >= GAPS_FREE + tables->file_bytes / GAP_BYTES)
        return -EOVERFLOW;
    struct wtl_gap *item = (struct wtl_gap *)wtl_list_add(&tables->gaps, sizeof *gap);
    if (!item)
        return -ENOMEM;
    *item = *gap;
    return 0;
}

/* When the table is full, every second pair is dropped; the first and the last always stay. */
static void thin_clocks(struct wtl_tables *tables)
{
    struct wtl_clock_pair *pairs = (struct wtl_clock_pair *)tables->clocks.items;
    size_t kept = 0, count = tables->clocks.count;
    for (size_t i = 0; i < count; i++)
        if (i % 2 == 0 || i == count - 1)
            pairs[kept++] = pairs[i];
    tables->clocks.count = kept;
}

static int keep_clocks(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    (void)id;
    if (tables->clocks_max > 0 && tables->clocks.count >= tables->clocks_max)
        thin_clocks(tables);
    struct wtl_clock_pair *item =
        (struct wtl_clock_pair *)wtl_list_add(&tables->clocks, sizeof *item);
    if (!item)
        return -ENOMEM;
    *item = record->clocks;
    return 0;
}

static int keep_border(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    (void)id;
    struct wtl_trace_window *window = &tables->window;
    if (record->border.is_end > 1)
        return 0; /* of a newer version */
    if (record->border.is_end) {
        window->ended = true;
        window->end_monotonic_ns = record->border.time_ns;
    } else {
        window->started = true;
        window->start_monotonic_ns = record->border.time_ns;
    }
    return 0;
}

static int keep_string(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    void *item;
    int code =
        id == 0 ? -EBADMSG : list_at(&tables->strings, sizeof(char *), id - 1, ENTRIES_MAX, &item);
    if (code == 0)
        *(const char **)item = record->string;
    return code;
}

static int keep_process(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    void *item;
    int code = list_at(&tables->processes, sizeof record->process, id, ENTRIES_MAX, &item);
    if (code == 0)
        *(struct wtl_trace_process *)item = record->process;
    return code;
}

static int keep_thread(struct wtl_tables *tables, uint32_t id, const union record *record)
{
    void *item;
    int code = list_at(&tables->threads, sizeof record->thread, id, ENTRIES_MAX, &item);
    if (code == 0)
        *(struct wtl_trace_thread *)item = record->thread;
    return code;
}

typedef int keep_fn(struct wtl_tables *tables, uint32_t id, const union record *record);

static keep_fn *const keepers[WTL_BLOCK_TYPES] = {
    [WTL_BLOCK_METADATA] = keep_meta,     [WTL_BLOCK_CHANNELS] = keep_channel,
    [WTL_BLOCK_ORIGINS] = keep_origin,    [WTL_BLOCK_GROUPS] = keep_group,
    [WTL_BLOCK_GAPS] = keep_gap,          [WTL_BLOCK_CLOCKS] = keep_clocks,
    [WTL_BLOCK_WINDOW] = keep_border,     [WTL_BLOCK_STRINGS] = keep_string,
    [WTL_BLOCK_PROCESSES] = keep_process, [WTL_BLOCK_THREADS] = keep_thread,
};

static size_t texts_most(const struct wtl_tables *tables)
{
    bool small = tables->file_bytes > 0 && tables->file_bytes < TEXTS_MAX / TEXTS_A_BYTE;
    size_t most = small ? TEXTS_FREE + TEXTS_A_BYTE * (size_t)tables->file_bytes : TEXTS_MAX;
    return most < TEXTS_MAX ? most : TEXTS_MAX;
}

/*
 * Strings and ids of channels are stored in one block of memory per payload, as large as the payload, since
 * each string takes two bytes more there than its NUL takes, and each group sixteen.
 */
static int load_records(struct wtl_tables *tables,
                        unsigned type,
                        struct wtl_cursor *cursor,
                        char **room)
{
    struct wtl_cursor cut;
    int code;
    while ((code = wtl_record_next(cursor, &cut)) > 0) {
        union record record;
        char *begin = *room;
        uint32_t id;
        code = wtl_record_get(wtl_record_type(type), &cut, room, &id, &record);
        code = code < 0 ? code : keepers[type](tables, id, &record);
        if (code < 0)
            break;
        if (code == 1)
            *room = begin;
    }
    return code;
}

int wtl_tables_load(struct wtl_tables *tables, unsigned type, struct wtl_cursor cursor)
{
    char *room = NULL, **slot = NULL;
    size_t size = wtl_cursor_left(&cursor);
    if (!wtl_record_type(type) || tables->skip_types >> type & 1 || size == 0)
        return 0;
    if (wtl_record_type_has_texts(wtl_record_type(type))) {
        if (size > texts_most(tables) - tables->room_bytes)
            return -EBADMSG;
        slot = (char **)wtl_list_add(&tables->rooms, sizeof *slot);
        if (slot)
            room = *slot = malloc(size);
        if (!room)
            return -ENOMEM;
        tables->room_bytes += size;
    }
    int code = load_records(tables, type, &cursor, &room);
    if (slot && room == *slot) { /* everything was already known */
        free(*slot);
        tables->rooms.count--;
        tables->room_bytes -= size;
    }
    return code;
}

/* ---- put ---- */

static void put_channels(const struct wtl_tables *tables, unsigned type, struct wtl_bytes *bytes)
{
    for (uint32_t i = 0; i < tables->channels.count; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(tables, i);
        if (channel && type == WTL_BLOCK_CHANNELS)
            wtl_record_put(bytes, type, i, &channel->channel);
        else if (channel && channel->has_origin)
            wtl_record_put(bytes, type, i, channel);
    }
}

static void put_window(const struct wtl_trace_window *window, struct wtl_bytes *bytes)
{
    struct wtl_trace_border start = {0, window->start_monotonic_ns},
                            end = {1, window->end_monotonic_ns};
    if (window->started)
        wtl_record_put(bytes, WTL_BLOCK_WINDOW, 0, &start);
    if (window->ended)
        wtl_record_put(bytes, WTL_BLOCK_WINDOW, 0, &end);
}

/* The first items of a list without holes. */
static void put_list(const struct wtl_list *list,
                     size_t most,
                     size_t size,
                     unsigned type,
                     struct wtl_bytes *bytes)
{
    for (size_t i = 0; i < list->count && i < most; i++)
        wtl_record_put(bytes, type, (uint32_t)i, (const char *)list->items + i * size);
}

void wtl_tables_put(const struct wtl_tables *tables, unsigned type, struct wtl_bytes *bytes)
{
    switch (type) {
    case WTL_BLOCK_METADATA:
        put_list(&tables->meta, SIZE_MAX, sizeof(struct wtl_meta), type, bytes);
        break;
    case WTL_BLOCK_CHANNELS:
    case WTL_BLOCK_ORIGINS:
        put_channels(tables, type, bytes);
        break;
    case WTL_BLOCK_GROUPS:
        for (uint32_t i = 0; i < tables->groups.count; i++)
            if (wtl_tables_group(tables, i))
                wtl_record_put(bytes, type, i, wtl_tables_group(tables, i));
        break;
    case WTL_BLOCK_CLOCKS:
        put_list(&tables->clocks, SIZE_MAX, sizeof(struct wtl_clock_pair), type, bytes);
        break;
    case WTL_BLOCK_GAPS:
        put_list(&tables->gaps, WTL_FOOTER_GAPS, sizeof(struct wtl_gap), type, bytes);
        break;
    case WTL_BLOCK_WINDOW:
        put_window(&tables->window, bytes);
        break;
    default:
        break;
    }
}
