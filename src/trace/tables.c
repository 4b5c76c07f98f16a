/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading of records into tables: see tables.h. Ids come from a file that may be damaged or made by
 * an enemy, so they are bounded before anything is sized by them, and an entry that was never
 * defined stays recognisable (a channel without scale, a group without channels).
 */
#include "trace/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "trace/crc32c.h"

enum {
    ENTRIES_MAX = 1 << 24, /* strings, processes, threads of one trace */
    TEXTS_MAX = 256 << 20, /* bytes of all texts: some hundred bytes may unpack to 16 MiB of them */
    /* What a file tells at most: so much, whatever its size, and so much more a byte. */
    TEXTS_FREE = 16 << 20,
    TEXTS_A_BYTE = 64,
    GAPS_FREE = 1 << 18,
    GAP_BYTES = 4
};

void *wtl_list_add(struct wtl_list *list, size_t size)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 8;
        void *items = realloc(list->items, capacity * size);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    void *item = (char *)list->items + list->count * size;
    memset(item, 0, size);
    list->count++;
    return item;
}

/* Item number id, added with all before it when it is not there. An id may leap over ids whose
 * records were in a damaged block, but not so far that memory is the sender's to spend. */
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

bool wtl_tables_holds(unsigned type)
{
    return (type >= WTL_BLOCK_METADATA && type <= WTL_BLOCK_GROUPS) ||
           (type >= WTL_BLOCK_GAPS && type <= WTL_BLOCK_THREADS);
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

/* Most keys are not there and have no bit; most others are told apart by their check. */
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

int wtl_record_next(struct wtl_cursor *cursor, struct wtl_cursor *ret_record)
{
    if (wtl_cursor_left(cursor) == 0)
        return 0;
    size_t n = wtl_cursor_u32(cursor);
    const uint8_t *p = wtl_cursor_take(cursor, n);
    if (!p)
        return -EBADMSG;
    *ret_record = wtl_cursor_init(p, n);
    return 1;
}

/*
 * Texts and ids of channels live in one piece of memory for each payload: as large as the payload,
 * since each text stands there with two bytes more than its NUL takes, each group with sixteen.
 */
struct room {
    char *at;
};

static const char *take_text(struct wtl_cursor *record, struct room *room)
{
    const char *text;
    size_t n = wtl_cursor_text(record, &text);
    char *copy = room->at;
    memcpy(copy, text, n);
    copy[n] = 0;
    room->at += n + 1;
    return copy;
}

static int load_meta(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    char *begin = room->at;
    const char *key = take_text(record, room);
    uint32_t check = wtl_crc32c(begin, (size_t)(room->at - begin) - 1);
    const char *value = take_text(record, room);
    if (record->failed)
        return -EBADMSG;
    struct wtl_meta *meta = find_meta(tables, key, check);
    if (meta && strcmp(meta->value, value) == 0) { /* repeated */
        room->at = begin;
        return 0;
    }
    if (!meta && tables->meta.count >= WTL_TRACE_META_MAX)
        return -EBADMSG;
    if (!meta)
        meta = (struct wtl_meta *)wtl_list_add(&tables->meta, sizeof *meta);
    if (!meta)
        return -ENOMEM;
    *meta = (struct wtl_meta){.key = key, .value = value, .check = check};
    tables->seen[seen_word(check)] |= (uint64_t)1 << check % 64;
    return 0;
}

static int load_channel(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    (void)room;
    uint32_t id = wtl_cursor_u32(record);
    struct wattle_channel channel = {.domain = (enum wattle_domain)wtl_cursor_u8(record)};
    channel.quantity = (enum wattle_quantity)wtl_cursor_u8(record);
    channel.kind = (enum wattle_kind)wtl_cursor_u8(record);
    channel.quality = (enum wattle_quality)wtl_cursor_u8(record);
    channel.flags = wtl_cursor_u32(record);
    channel.index = (int)(int32_t)wtl_cursor_u32(record);
    channel.sub = (int)(int32_t)wtl_cursor_u32(record);
    channel.scale = wtl_cursor_f64(record);
    channel.modulus = wtl_cursor_u64(record);
    channel.refresh_ns = wtl_cursor_u64(record);
    channel.window_ns = wtl_cursor_u64(record);
    channel.max_w = wtl_cursor_f64(record);
    channel.ratio_low = wtl_cursor_f64(record);
    channel.ratio_high = wtl_cursor_f64(record);
    wtl_cursor_text_into(record, channel.name, sizeof channel.name);
    wtl_cursor_text_into(record, channel.sensor, sizeof channel.sensor);
    wtl_cursor_text_into(record, channel.within, sizeof channel.within);
    wtl_cursor_text_into(record, channel.location, sizeof channel.location);
    wtl_cursor_text_into(record, channel.label, sizeof channel.label);
    if (record->failed || !(channel.scale > 0) || isinf(channel.scale))
        return -EBADMSG;
    void *item;
    int code = list_at(&tables->channels, sizeof(struct wtl_trace_channel), id,
                       WTL_TRACE_CHANNELS_MAX, &item);
    if (code == 0)
        ((struct wtl_trace_channel *)item)->channel = channel;
    return code;
}

static int load_origin(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    (void)room;
    uint32_t id = wtl_cursor_u32(record);
    uint64_t first_raw = wtl_cursor_u64(record);
    void *item;
    if (record->failed)
        return -EBADMSG;
    int code = list_at(&tables->channels, sizeof(struct wtl_trace_channel), id,
                       WTL_TRACE_CHANNELS_MAX, &item);
    if (code < 0)
        return code;
    struct wtl_trace_channel *channel = (struct wtl_trace_channel *)item;
    channel->has_origin = true;
    channel->first_raw = first_raw;
    return 0;
}

static int load_group(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    uint32_t id = wtl_cursor_u32(record), flags = wtl_cursor_u32(record);
    uint32_t count = wtl_cursor_u32(record);
    if (record->failed || count == 0 || count > wtl_cursor_left(record) / 4)
        return -EBADMSG;
    if (wtl_tables_group(tables, id))
        return wtl_tables_group(tables, id)->count == count ? 0 : -EBADMSG; /* repeated */
    room->at += -(uintptr_t)room->at % sizeof(uint32_t);
    uint32_t *channels = (uint32_t *)(void *)room->at;
    room->at += count * sizeof *channels;
    int code = 0;
    for (uint32_t i = 0; i < count; i++) {
        channels[i] = wtl_cursor_u32(record);
        if (channels[i] >= WTL_TRACE_CHANNELS_MAX)
            code = -EBADMSG;
    }
    void *item;
    if (code == 0)
        code = list_at(&tables->groups, sizeof(struct wtl_trace_group), id, WTL_TRACE_GROUPS_MAX,
                       &item);
    if (code == 0)
        *(struct wtl_trace_group *)item =
            (struct wtl_trace_group){.channels = channels, .count = count, .flags = flags};
    return code;
}

static int load_gap(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    (void)room;
    struct wtl_gap gap = {.channel = wtl_cursor_u32(record)};
    uint32_t reason = wtl_cursor_u32(record);
    gap.reason = (enum wtl_gap_reason)reason;
    gap.error = (int)(int32_t)wtl_cursor_u32(record);
    gap.begin_ns = wtl_cursor_u64(record);
    gap.end_ns = wtl_cursor_u64(record);
    if (record->failed || reason >= 32 || gap.channel >= WTL_TRACE_CHANNELS_MAX)
        return -EBADMSG;
    if (tables->gaps_max > 0 && tables->gaps.count >= tables->gaps_max)
        return 0;
    if (tables->file_bytes > 0 && tables->gaps.count >= GAPS_FREE + tables->file_bytes / GAP_BYTES)
        return -EOVERFLOW;
    struct wtl_gap *item = (struct wtl_gap *)wtl_list_add(&tables->gaps, sizeof gap);
    if (!item)
        return -ENOMEM;
    *item = gap;
    return 0;
}

/* Every second pair goes when the table is full; the first and the last always stay. */
static void thin_clocks(struct wtl_tables *tables)
{
    struct wtl_clock_pair *pairs = (struct wtl_clock_pair *)tables->clocks.items;
    size_t kept = 0, count = tables->clocks.count;
    for (size_t i = 0; i < count; i++)
        if (i % 2 == 0 || i == count - 1)
            pairs[kept++] = pairs[i];
    tables->clocks.count = kept;
}

static int load_clocks(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    (void)room;
    struct wtl_clock_pair pair = {.monotonic_ns = wtl_cursor_u64(record)};
    pair.boottime_ns = wtl_cursor_u64(record);
    pair.realtime_ns = wtl_cursor_u64(record);
    if (record->failed)
        return -EBADMSG;
    if (tables->clocks_max > 0 && tables->clocks.count >= tables->clocks_max)
        thin_clocks(tables);
    struct wtl_clock_pair *item =
        (struct wtl_clock_pair *)wtl_list_add(&tables->clocks, sizeof pair);
    if (!item)
        return -ENOMEM;
    *item = pair;
    return 0;
}

static int load_window(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    (void)room;
    uint8_t which = wtl_cursor_u8(record);
    uint64_t time_ns = wtl_cursor_u64(record);
    if (record->failed)
        return -EBADMSG;
    if (which > 1)
        return 0; /* of a newer version */
    struct wtl_trace_window *window = &tables->window;
    if (which == 0) {
        window->started = true;
        window->start_monotonic_ns = time_ns;
    } else {
        window->ended = true;
        window->end_monotonic_ns = time_ns;
    }
    return 0;
}

static int load_string(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    uint32_t id = wtl_cursor_u32(record);
    void *item;
    if (record->failed || id == 0)
        return -EBADMSG;
    int code = list_at(&tables->strings, sizeof(char *), id - 1, ENTRIES_MAX, &item);
    if (code < 0)
        return code;
    *(const char **)item = take_text(record, room);
    return record->failed ? -EBADMSG : 0;
}

static int load_process(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    uint32_t id = wtl_cursor_u32(record);
    struct wtl_trace_process process = {.pid = wtl_cursor_u32(record)};
    process.rank = (int32_t)wtl_cursor_u32(record);
    process.start_ns = wtl_cursor_u64(record);
    void *item;
    if (record->failed)
        return -EBADMSG;
    int code = list_at(&tables->processes, sizeof process, id, ENTRIES_MAX, &item);
    if (code < 0)
        return code;
    process.command = take_text(record, room);
    *(struct wtl_trace_process *)item = process;
    return record->failed ? -EBADMSG : 0;
}

static int load_thread(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room)
{
    uint32_t id = wtl_cursor_u32(record);
    struct wtl_trace_thread thread = {.process = wtl_cursor_u32(record)};
    thread.tid = wtl_cursor_u32(record);
    void *item;
    if (record->failed)
        return -EBADMSG;
    int code = list_at(&tables->threads, sizeof thread, id, ENTRIES_MAX, &item);
    if (code < 0)
        return code;
    thread.name = take_text(record, room);
    *(struct wtl_trace_thread *)item = thread;
    return record->failed ? -EBADMSG : 0;
}

typedef int load_fn(struct wtl_tables *tables, struct wtl_cursor *record, struct room *room);

static load_fn *const loaders[WTL_BLOCK_TYPES] = {
    [WTL_BLOCK_METADATA] = load_meta,     [WTL_BLOCK_CHANNELS] = load_channel,
    [WTL_BLOCK_ORIGINS] = load_origin,    [WTL_BLOCK_GROUPS] = load_group,
    [WTL_BLOCK_GAPS] = load_gap,          [WTL_BLOCK_CLOCKS] = load_clocks,
    [WTL_BLOCK_WINDOW] = load_window,     [WTL_BLOCK_STRINGS] = load_string,
    [WTL_BLOCK_PROCESSES] = load_process, [WTL_BLOCK_THREADS] = load_thread,
};

static bool needs_room(unsigned type)
{
    return type == WTL_BLOCK_METADATA || type == WTL_BLOCK_GROUPS || type >= WTL_BLOCK_STRINGS;
}

static size_t texts_most(const struct wtl_tables *tables)
{
    bool small = tables->file_bytes > 0 && tables->file_bytes < TEXTS_MAX / TEXTS_A_BYTE;
    size_t most = small ? TEXTS_FREE + TEXTS_A_BYTE * (size_t)tables->file_bytes : TEXTS_MAX;
    return most < TEXTS_MAX ? most : TEXTS_MAX;
}

int wtl_tables_load(struct wtl_tables *tables, unsigned type, struct wtl_cursor cursor)
{
    struct wtl_cursor record;
    struct room room = {NULL};
    size_t size = wtl_cursor_left(&cursor);
    int code;
    if (!wtl_tables_holds(type) || tables->skip_types >> type & 1 || size == 0)
        return 0;
    char **slot = NULL;
    if (needs_room(type)) {
        if (size > texts_most(tables) - tables->room_bytes)
            return -EBADMSG;
        slot = (char **)wtl_list_add(&tables->rooms, sizeof *slot);
        if (slot)
            room.at = *slot = malloc(size);
        if (!room.at)
            return -ENOMEM;
        tables->room_bytes += size;
    }
    while ((code = wtl_record_next(&cursor, &record)) > 0) {
        code = loaders[type](tables, &record, &room);
        if (code < 0)
            break;
    }
    if (slot && room.at == *slot) { /* all of it was known */
        free(*slot);
        tables->rooms.count--;
        tables->room_bytes -= size;
    }
    return code;
}
