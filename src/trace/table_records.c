/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing of records: the fields of each table in the order of docs/format/trace.md. */
#include "trace/tables.h"

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

void wtl_record_meta(struct wtl_bytes *bytes, const char *key, const char *value)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_text(bytes, key);
    wtl_bytes_put_text(bytes, value);
    wtl_record_end(bytes, record);
}

void wtl_record_channel(struct wtl_bytes *bytes, uint32_t id, const struct wattle_channel *channel)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, id);
    wtl_bytes_put_u8(bytes, (uint8_t)channel->domain);
    wtl_bytes_put_u8(bytes, (uint8_t)channel->quantity);
    wtl_bytes_put_u8(bytes, (uint8_t)channel->kind);
    wtl_bytes_put_u8(bytes, (uint8_t)channel->quality);
    wtl_bytes_put_u32(bytes, channel->flags);
    wtl_bytes_put_u32(bytes, (uint32_t)channel->index);
    wtl_bytes_put_u32(bytes, (uint32_t)channel->sub);
    wtl_bytes_put_f64(bytes, channel->scale);
    wtl_bytes_put_u64(bytes, channel->modulus);
    wtl_bytes_put_u64(bytes, channel->refresh_ns);
    wtl_bytes_put_u64(bytes, channel->window_ns);
    wtl_bytes_put_f64(bytes, channel->max_w);
    wtl_bytes_put_f64(bytes, channel->ratio_low);
    wtl_bytes_put_f64(bytes, channel->ratio_high);
    wtl_bytes_put_text(bytes, channel->name);
    wtl_bytes_put_text(bytes, channel->sensor);
    wtl_bytes_put_text(bytes, channel->within);
    wtl_bytes_put_text(bytes, channel->location);
    wtl_bytes_put_text(bytes, channel->label);
    wtl_record_end(bytes, record);
}

void wtl_record_origin(struct wtl_bytes *bytes, uint32_t channel, uint64_t first_raw)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, channel);
    wtl_bytes_put_u64(bytes, first_raw);
    wtl_record_end(bytes, record);
}

void wtl_record_group(struct wtl_bytes *bytes, uint32_t id, const struct wtl_trace_group *group)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, id);
    wtl_bytes_put_u32(bytes, group->flags);
    wtl_bytes_put_u32(bytes, (uint32_t)group->count);
    for (size_t i = 0; i < group->count; i++)
        wtl_bytes_put_u32(bytes, group->channels[i]);
    wtl_record_end(bytes, record);
}

void wtl_record_gap(struct wtl_bytes *bytes, const struct wtl_gap *gap)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, gap->channel);
    wtl_bytes_put_u32(bytes, (uint32_t)gap->reason);
    wtl_bytes_put_u32(bytes, (uint32_t)gap->error);
    wtl_bytes_put_u64(bytes, gap->begin_ns);
    wtl_bytes_put_u64(bytes, gap->end_ns);
    wtl_record_end(bytes, record);
}

void wtl_record_clocks(struct wtl_bytes *bytes, const struct wtl_clock_pair *pair)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u64(bytes, pair->monotonic_ns);
    wtl_bytes_put_u64(bytes, pair->boottime_ns);
    wtl_bytes_put_u64(bytes, pair->realtime_ns);
    wtl_record_end(bytes, record);
}

void wtl_record_window(struct wtl_bytes *bytes, bool end, uint64_t time_ns)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u8(bytes, end);
    wtl_bytes_put_u64(bytes, time_ns);
    wtl_record_end(bytes, record);
}

void wtl_record_string(struct wtl_bytes *bytes, uint32_t id, const char *text)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, id);
    wtl_bytes_put_text(bytes, text);
    wtl_record_end(bytes, record);
}

void wtl_record_process(struct wtl_bytes *bytes,
                        uint32_t id,
                        const struct wtl_trace_process *process)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, id);
    wtl_bytes_put_u32(bytes, process->pid);
    wtl_bytes_put_u32(bytes, (uint32_t)process->rank);
    wtl_bytes_put_u64(bytes, process->start_ns);
    wtl_bytes_put_text(bytes, process->command);
    wtl_record_end(bytes, record);
}

void wtl_record_thread(struct wtl_bytes *bytes, uint32_t id, const struct wtl_trace_thread *thread)
{
    size_t record = wtl_record_begin(bytes);
    wtl_bytes_put_u32(bytes, id);
    wtl_bytes_put_u32(bytes, thread->process);
    wtl_bytes_put_u32(bytes, thread->tid);
    wtl_bytes_put_text(bytes, thread->name);
    wtl_record_end(bytes, record);
}

static void put_clocks(const struct wtl_tables *tables, struct wtl_bytes *bytes)
{
    const struct wtl_clock_pair *pairs = (const struct wtl_clock_pair *)tables->clocks.items;
    for (size_t i = 0; i < tables->clocks.count; i++)
        wtl_record_clocks(bytes, &pairs[i]);
}

static void put_gaps(const struct wtl_tables *tables, struct wtl_bytes *bytes)
{
    const struct wtl_gap *gaps = (const struct wtl_gap *)tables->gaps.items;
    for (size_t i = 0; i < tables->gaps.count && i < WTL_FOOTER_GAPS; i++)
        wtl_record_gap(bytes, &gaps[i]);
}

static void put_channels(const struct wtl_tables *tables, unsigned type, struct wtl_bytes *bytes)
{
    for (uint32_t i = 0; i < tables->channels.count; i++) {
        const struct wtl_trace_channel *channel = wtl_tables_channel(tables, i);
        if (!channel)
            continue;
        if (type == WTL_BLOCK_CHANNELS)
            wtl_record_channel(bytes, i, &channel->channel);
        else if (channel->has_origin)
            wtl_record_origin(bytes, i, channel->first_raw);
    }
}

void wtl_tables_put(const struct wtl_tables *tables, unsigned type, struct wtl_bytes *bytes)
{
    const struct wtl_meta *meta = (const struct wtl_meta *)tables->meta.items;
    switch (type) {
    case WTL_BLOCK_METADATA:
        for (size_t i = 0; i < tables->meta.count; i++)
            wtl_record_meta(bytes, meta[i].key, meta[i].value);
        break;
    case WTL_BLOCK_CHANNELS:
    case WTL_BLOCK_ORIGINS:
        put_channels(tables, type, bytes);
        break;
    case WTL_BLOCK_GROUPS:
        for (uint32_t i = 0; i < tables->groups.count; i++)
            if (wtl_tables_group(tables, i))
                wtl_record_group(bytes, i, wtl_tables_group(tables, i));
        break;
    case WTL_BLOCK_CLOCKS:
        put_clocks(tables, bytes);
        break;
    case WTL_BLOCK_GAPS:
        put_gaps(tables, bytes);
        break;
    case WTL_BLOCK_WINDOW:
        if (tables->window.started)
            wtl_record_window(bytes, false, tables->window.start_monotonic_ns);
        if (tables->window.ended)
            wtl_record_window(bytes, true, tables->window.end_monotonic_ns);
        break;
    default:
        break;
    }
}
