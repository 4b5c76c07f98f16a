/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of records, with fields in the order of docs/format/trace.md: see record_type.h. */
#include "trace/blocks/record_type.h"

#include <errno.h>
#include <string.h>

#include "model/gap.h"
#include "trace/blocks/block.h"
#include "trace/blocks/entries.h"

#define FIELD(T, member, kind)                                                      \
    {                                                                               \
#        member, WTL_FIELD_##kind, offsetof(T, member), sizeof(((T *)NULL)->member) \
    }
#define TYPE(text, has_id, rows)                                \
    {                                                           \
        .name = (text), .numbered = (has_id), .fields = (rows), \
        .field_count = sizeof(rows) / sizeof *(rows)            \
    }

static const struct wtl_field meta[] = {FIELD(struct wtl_meta, key, TEXT),
                                        FIELD(struct wtl_meta, value, TEXT)};
static const struct wtl_field channels[] = {
    FIELD(struct wattle_channel, domain, U8),     FIELD(struct wattle_channel, quantity, U8),
    FIELD(struct wattle_channel, kind, U8),       FIELD(struct wattle_channel, quality, U8),
    FIELD(struct wattle_channel, flags, U32),     FIELD(struct wattle_channel, index, U32),
    FIELD(struct wattle_channel, sub, U32),       FIELD(struct wattle_channel, scale, F64),
    FIELD(struct wattle_channel, modulus, U64),   FIELD(struct wattle_channel, refresh_ns, U64),
    FIELD(struct wattle_channel, window_ns, U64), FIELD(struct wattle_channel, max_w, F64),
    FIELD(struct wattle_channel, ratio_low, F64), FIELD(struct wattle_channel, ratio_high, F64),
    FIELD(struct wattle_channel, name, NAME),     FIELD(struct wattle_channel, sensor, NAME),
    FIELD(struct wattle_channel, within, NAME),   FIELD(struct wattle_channel, location, NAME),
    FIELD(struct wattle_channel, label, NAME)};
static const struct wtl_field origins[] = {FIELD(struct wtl_trace_channel, first_raw, U64)};
static const struct wtl_field groups[] = {FIELD(struct wtl_trace_group, flags, U32),
                                          FIELD(struct wtl_trace_group, channels, IDS)};
static const struct wtl_field gaps[] = {
    FIELD(struct wtl_gap, channel, U32), FIELD(struct wtl_gap, reason, U32),
    FIELD(struct wtl_gap, error, U32), FIELD(struct wtl_gap, begin_ns, U64),
    FIELD(struct wtl_gap, end_ns, U64)};
static const struct wtl_field clocks[] = {FIELD(struct wtl_clock_pair, monotonic_ns, U64),
                                          FIELD(struct wtl_clock_pair, boottime_ns, U64),
                                          FIELD(struct wtl_clock_pair, realtime_ns, U64)};
static const struct wtl_field borders[] = {FIELD(struct wtl_trace_border, is_end, U8),
                                           FIELD(struct wtl_trace_border, time_ns, U64)};
static const struct wtl_field strings[] = {{"text", WTL_FIELD_TEXT, 0, sizeof(const char *)}};
static const struct wtl_field processes[] = {
    FIELD(struct wtl_trace_process, pid, U32), FIELD(struct wtl_trace_process, rank, U32),
    FIELD(struct wtl_trace_process, start_ns, U64), FIELD(struct wtl_trace_process, command, TEXT)};
static const struct wtl_field threads[] = {FIELD(struct wtl_trace_thread, process, U32),
                                           FIELD(struct wtl_trace_thread, tid, U32),
                                           FIELD(struct wtl_trace_thread, name, TEXT)};

static const struct wtl_record_type types[WTL_BLOCK_TYPES] = {
    [WTL_BLOCK_METADATA] = TYPE("metadata", false, meta),
    [WTL_BLOCK_CHANNELS] = TYPE("channels", true, channels),
    [WTL_BLOCK_ORIGINS] = TYPE("origins", true, origins),
    [WTL_BLOCK_GROUPS] = TYPE("groups", true, groups),
    [WTL_BLOCK_GAPS] = TYPE("gaps", false, gaps),
    [WTL_BLOCK_CLOCKS] = TYPE("clocks", false, clocks),
    [WTL_BLOCK_WINDOW] = TYPE("window", false, borders),
    [WTL_BLOCK_STRINGS] = TYPE("strings", true, strings),
    [WTL_BLOCK_PROCESSES] = TYPE("processes", true, processes),
    [WTL_BLOCK_THREADS] = TYPE("threads", true, threads),
};

const struct wtl_record_type *wtl_record_type(unsigned type)
{
    return type < WTL_BLOCK_TYPES && types[type].name ? &types[type] : NULL;
}

uint64_t wtl_record_types(void)
{
    uint64_t all = 0;
    for (unsigned type = 0; type < WTL_BLOCK_TYPES; type++)
        all |= types[type].name ? (uint64_t)1 << type : 0;
    return all;
}

bool wtl_record_type_has_texts(const struct wtl_record_type *type)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].kind == WTL_FIELD_TEXT || type->fields[i].kind == WTL_FIELD_IDS)
            return true;
    return false;
}

/* ---- written ---- */

static void put_ids(struct wtl_bytes *bytes, const void *place)
{
    const uint32_t *ids;
    size_t count;
    memcpy(&ids, place, sizeof ids);
    memcpy(&count, (const char *)place + sizeof ids, sizeof count);
    wtl_bytes_put_u32(bytes, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        wtl_bytes_put_u32(bytes, ids[i]);
}

static void put_field(struct wtl_bytes *bytes, const struct wtl_field *field, const void *value)
{
    const void *place = (const char *)value + field->offset;
    switch (field->kind) {
    case WTL_FIELD_U8:
        wtl_bytes_put_u8(bytes, (uint8_t) * (const unsigned *)place);
        break;
    case WTL_FIELD_U32:
        wtl_bytes_put_u32(bytes, *(const uint32_t *)place);
        break;
    case WTL_FIELD_U64:
        wtl_bytes_put_u64(bytes, *(const uint64_t *)place);
        break;
    case WTL_FIELD_F64:
        wtl_bytes_put_f64(bytes, *(const double *)place);
        break;
    case WTL_FIELD_TEXT:
        wtl_bytes_put_text(bytes, *(const char *const *)place);
        break;
    case WTL_FIELD_NAME:
        wtl_bytes_put_text(bytes, place);
        break;
    case WTL_FIELD_IDS:
        put_ids(bytes, place);
        break;
    }
}

void wtl_record_put(struct wtl_bytes *bytes, unsigned type, uint32_t id, const void *value)
{
    size_t begin = bytes->length;
    wtl_bytes_put_u32(bytes, 0);
    if (types[type].numbered)
        wtl_bytes_put_u32(bytes, id);
    for (size_t i = 0; i < types[type].field_count; i++)
        put_field(bytes, &types[type].fields[i], value);
    if (!bytes->failed)
        wtl_store_u32(bytes->data + begin, (uint32_t)(bytes->length - begin - 4));
}

/* ---- read ---- */

static const char *take_text(struct wtl_cursor *record, char **room)
{
    const char *text;
    size_t n = wtl_cursor_text(record, &text);
    char *copy = *room;
    memcpy(copy, text, n);
    copy[n] = 0;
    *room += n + 1;
    return copy;
}

static void take_ids(struct wtl_cursor *record, char **room, void *place)
{
    size_t count = wtl_cursor_u32(record);
    if (count > wtl_cursor_left(record) / 4) {
        record->failed = true;
        return;
    }
    *room += -(uintptr_t)*room % sizeof(uint32_t);
    uint32_t *ids = (uint32_t *)(void *)*room;
    *room += count * sizeof *ids;
    for (size_t i = 0; i < count; i++)
        ids[i] = wtl_cursor_u32(record);
    memcpy(place, &ids, sizeof ids);
    memcpy((char *)place + sizeof ids, &count, sizeof count);
}

static void take_field(const struct wtl_field *field,
                       struct wtl_cursor *record,
                       char **room,
                       void *value)
{
    void *place = (char *)value + field->offset;
    switch (field->kind) {
    case WTL_FIELD_U8:
        *(unsigned *)place = wtl_cursor_u8(record);
        break;
    case WTL_FIELD_U32:
        *(uint32_t *)place = wtl_cursor_u32(record);
        break;
    case WTL_FIELD_U64:
        *(uint64_t *)place = wtl_cursor_u64(record);
        break;
    case WTL_FIELD_F64:
        *(double *)place = wtl_cursor_f64(record);
        break;
    case WTL_FIELD_TEXT:
        *(const char **)place = take_text(record, room);
        break;
    case WTL_FIELD_NAME:
        wtl_cursor_text_into(record, place, field->size);
        break;
    case WTL_FIELD_IDS:
        take_ids(record, room, place);
        break;
    }
}

int wtl_record_get(const struct wtl_record_type *type,
                   struct wtl_cursor *record,
                   char **room,
                   uint32_t *ret_id,
                   void *ret_value)
{
    *ret_id = type->numbered ? wtl_cursor_u32(record) : 0;
    for (size_t i = 0; i < type->field_count && !record->failed; i++)
        take_field(&type->fields[i], record, room, ret_value);
    return record->failed ? -EBADMSG : 0;
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
