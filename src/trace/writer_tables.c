/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer's tables: records wait by type until a block of rows needs them or they are old. Each is
 * immediately parsed into our own tables by the code a reader uses, so that the footer agrees with the
 * blocks.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "trace/writer_state.h"

enum {
    TABLES_BYTES = 8192, /* of waiting records per table */
    TEXT_MAX = 65535
};

static bool broken(const struct wtl_trace_writer *writer)
{
    return writer->status.error != 0;
}

int wtl_writer_flush_records(struct wtl_trace_writer *writer)
{
    int code = 0;
    for (unsigned type = 0; type < WTL_BLOCK_TYPES && code == 0; type++) {
        struct wtl_bytes *records = &writer->records[type];
        if (records->failed)
            return -ENOMEM;
        if (records->length == 0)
            continue;
        code = wtl_appender_records(&writer->appender, type, records);
        wtl_bytes_reset(records);
    }
    writer->records_since_ns = 0;
    return code;
}

bool wtl_writer_has_records(const struct wtl_trace_writer *writer)
{
    bool any = false;
    for (int t = 0; t < WTL_BLOCK_TYPES; t++)
        any |= writer->records[t].length > 0;
    return any;
}

/* Add a record, and parse it into our own tables. -EINVAL is a caller error and breaks nothing. */
static int put_record(struct wtl_trace_writer *writer,
                      unsigned type,
                      uint32_t id,
                      const void *value)
{
    struct wtl_bytes *records = &writer->records[type];
    size_t begin = records->length;
    wtl_record_put(records, type, id, value);
    if (writer->records_since_ns == 0)
        writer->records_since_ns = writer->polled_ns;
    int code =
        records->failed
            ? -ENOMEM
            : wtl_tables_load(&writer->tables, type,
                              wtl_cursor_init(records->data + begin, records->length - begin));
    if (code < 0)
        records->length = begin;
    if (code == -EBADMSG)
        return -EINVAL;
    if (code == 0 && records->length >= TABLES_BYTES)
        code = wtl_writer_flush_records(writer);
    return wtl_writer_settle(writer, code);
}

int wtl_trace_writer_meta(struct wtl_trace_writer *writer, const char *key, const char *value)
{
    if (!*key || strlen(key) > TEXT_MAX || strlen(value) > TEXT_MAX)
        return -EINVAL;
    if (broken(writer))
        return 0;
    struct wtl_meta meta = {.key = key, .value = value};
    return put_record(writer, WTL_BLOCK_METADATA, 0, &meta);
}

int wtl_trace_writer_channel(struct wtl_trace_writer *writer, const struct wattle_channel *channel)
{
    size_t id = writer->tables.channels.count;
    bool fresh;
    if (!(channel->scale > 0) || isinf(channel->scale) || id >= WTL_TRACE_CHANNELS_MAX)
        return -EINVAL;
    if (wtl_string_set_add(&writer->names, channel->name, &fresh) < 0)
        return wtl_writer_settle(writer, -ENOMEM);
    if (!fresh)
        return -EINVAL;
    int code = put_record(writer, WTL_BLOCK_CHANNELS, (uint32_t)id, channel);
    uint32_t *last = (uint32_t *)wtl_list_add(&writer->last_group, sizeof *last);
    if (!last)
        code = wtl_writer_settle(writer, -ENOMEM);
    return code < 0 ? code : (int)id;
}

int wtl_trace_writer_origin(struct wtl_trace_writer *writer, uint32_t channel, uint64_t first_raw)
{
    const struct wtl_trace_channel *entry = wtl_tables_channel(&writer->tables, channel);
    if (!entry || entry->has_origin)
        return -EINVAL;
    if (broken(writer))
        return 0;
    struct wtl_trace_channel origin = {.first_raw = first_raw};
    return put_record(writer, WTL_BLOCK_ORIGINS, channel, &origin);
}

int wtl_trace_writer_group(struct wtl_trace_writer *writer,
                           const uint32_t *channels,
                           size_t count,
                           unsigned flags)
{
    size_t id = writer->tables.groups.count;
    if (count == 0 || count > WTL_TRACE_CHANNELS_MAX || id >= WTL_TRACE_GROUPS_MAX ||
        (flags & WTL_GROUP_EDGE && count != 1))
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!wtl_tables_channel(&writer->tables, channels[i]))
            return -EINVAL;
    struct wtl_trace_group group = {.channels = channels, .count = count, .flags = flags};
    int code = put_record(writer, WTL_BLOCK_GROUPS, (uint32_t)id, &group);
    if (!wtl_list_add(&writer->rows, sizeof(struct pending_rows)))
        code = wtl_writer_settle(writer, -ENOMEM);
    return code < 0 ? code : (int)id;
}

int wtl_trace_writer_gap(struct wtl_trace_writer *writer, const struct wtl_gap *gap)
{
    if (broken(writer))
        return 0;
    if (!wtl_tables_channel(&writer->tables, gap->channel) || gap->end_ns < gap->begin_ns ||
        (unsigned)gap->reason >= WTL_GAP_REASON_COUNT)
        return -EINVAL;
    return put_record(writer, WTL_BLOCK_GAPS, 0, gap);
}

int wtl_trace_writer_clocks(struct wtl_trace_writer *writer, const struct wtl_clock_pair *pair)
{
    return broken(writer) ? 0 : put_record(writer, WTL_BLOCK_CLOCKS, 0, pair);
}

static int window_border(struct wtl_trace_writer *writer, bool end, uint64_t time_ns)
{
    const struct wtl_trace_window *window = &writer->tables.window;
    if (broken(writer)) /* its window may not have begun */
        return 0;
    if (end ? window->ended || !window->started || time_ns < window->start_monotonic_ns
            : window->started)
        return -EINVAL;
    struct wtl_trace_border border = {.is_end = end, .time_ns = time_ns};
    int code = put_record(writer, WTL_BLOCK_WINDOW, 0, &border);
    if (end)
        wtl_region_live_window_end(&writer->appender.live, time_ns);
    return code < 0 ? code : wtl_writer_settle(writer, wtl_writer_flush_records(writer));
}

int wtl_trace_writer_window_begin(struct wtl_trace_writer *writer, uint64_t start_monotonic_ns)
{
    return window_border(writer, false, start_monotonic_ns);
}

int wtl_trace_writer_window_end(struct wtl_trace_writer *writer, uint64_t end_monotonic_ns)
{
    return window_border(writer, true, end_monotonic_ns);
}

int wtl_trace_writer_string(struct wtl_trace_writer *writer, const char *text)
{
    bool fresh;
    if (strlen(text) > TEXT_MAX)
        return -EINVAL;
    int id = wtl_string_set_add(&writer->strings, text, &fresh);
    if (id < 0)
        return wtl_writer_settle(writer, id) < 0 ? id : 0;
    if (!fresh || broken(writer))
        return id;
    int code = put_record(writer, WTL_BLOCK_STRINGS, (uint32_t)id, &text);
    return code < 0 ? code : id;
}

int wtl_trace_writer_process(struct wtl_trace_writer *writer,
                             const struct wtl_trace_process *process)
{
    uint32_t id = writer->process_count;
    if (strlen(process->command) > TEXT_MAX || id >= INT32_MAX)
        return -EINVAL;
    int code = broken(writer) ? 0 : put_record(writer, WTL_BLOCK_PROCESSES, id, process);
    if (code < 0)
        return code;
    writer->process_count++;
    return (int)id;
}

int wtl_trace_writer_thread(struct wtl_trace_writer *writer, const struct wtl_trace_thread *thread)
{
    uint32_t id = writer->thread_count;
    if (strlen(thread->name) > TEXT_MAX || id >= INT32_MAX ||
        thread->process >= writer->process_count)
        return -EINVAL;
    int code = broken(writer) ? 0 : put_record(writer, WTL_BLOCK_THREADS, id, thread);
    if (code < 0)
        return code;
    writer->thread_count++;
    return (int)id;
}
