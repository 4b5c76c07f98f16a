/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to the reader's tables: see reader.h. */
#include <errno.h>

#include "trace/reader_state.h"

const char *wtl_trace_reader_meta(const struct wtl_trace_reader *reader, const char *key)
{
    const struct wtl_meta *meta = wtl_tables_find_meta(&reader->tables, key);
    return meta ? meta->value : NULL;
}

size_t wtl_trace_reader_meta_count(const struct wtl_trace_reader *reader)
{
    return reader->tables.meta.count;
}

int wtl_trace_reader_meta_at(const struct wtl_trace_reader *reader,
                             size_t i,
                             const char **ret_key,
                             const char **ret_value)
{
    const struct wtl_meta *meta = (const struct wtl_meta *)reader->tables.meta.items;
    if (i >= reader->tables.meta.count)
        return -EINVAL;
    *ret_key = meta[i].key;
    *ret_value = meta[i].value;
    return 0;
}

size_t wtl_trace_reader_channel_count(const struct wtl_trace_reader *reader)
{
    return reader->tables.channels.count;
}

const struct wtl_trace_channel *wtl_trace_reader_channel(const struct wtl_trace_reader *reader,
                                                         size_t id)
{
    return wtl_tables_channel(&reader->tables, id);
}

int wtl_trace_reader_find_channel(const struct wtl_trace_reader *reader, const char *name)
{
    return wtl_tables_find_channel(&reader->tables, name);
}

size_t wtl_trace_reader_group_count(const struct wtl_trace_reader *reader)
{
    return reader->tables.groups.count;
}

const struct wtl_trace_group *wtl_trace_reader_group(const struct wtl_trace_reader *reader,
                                                     size_t id)
{
    return wtl_tables_group(&reader->tables, id);
}

size_t wtl_trace_reader_clocks(const struct wtl_trace_reader *reader,
                               const struct wtl_clock_pair **ret_pairs)
{
    *ret_pairs = (const struct wtl_clock_pair *)reader->tables.clocks.items;
    return reader->tables.clocks.count;
}

int wtl_trace_reader_realtime(const struct wtl_trace_reader *reader,
                              uint64_t monotonic_ns,
                              uint64_t *ret_realtime_ns)
{
    const struct wtl_clock_pair *pairs, *nearest = NULL;
    size_t count = wtl_trace_reader_clocks(reader, &pairs);
    uint64_t least_ns = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t at_ns = pairs[i].monotonic_ns;
        uint64_t away_ns = at_ns > monotonic_ns ? at_ns - monotonic_ns : monotonic_ns - at_ns;
        if (!nearest || away_ns < least_ns) {
            nearest = &pairs[i];
            least_ns = away_ns;
        }
    }
    if (!nearest)
        return -ENOENT;
    *ret_realtime_ns = nearest->realtime_ns + (monotonic_ns - nearest->monotonic_ns);
    return 0;
}

void wtl_trace_reader_window(const struct wtl_trace_reader *reader,
                             struct wtl_trace_window *ret_window)
{
    *ret_window = reader->tables.window;
}

const char *wtl_trace_reader_string(const struct wtl_trace_reader *reader, size_t id)
{
    const char **strings = (const char **)reader->tables.strings.items;
    return id >= 1 && id <= reader->tables.strings.count ? strings[id - 1] : NULL;
}

size_t wtl_trace_reader_process_count(const struct wtl_trace_reader *reader)
{
    return reader->tables.processes.count;
}

const struct wtl_trace_process *wtl_trace_reader_process(const struct wtl_trace_reader *reader,
                                                         size_t id)
{
    const struct wtl_trace_process *all =
        (const struct wtl_trace_process *)reader->tables.processes.items;
    return id < reader->tables.processes.count && all[id].command ? &all[id] : NULL;
}

size_t wtl_trace_reader_thread_count(const struct wtl_trace_reader *reader)
{
    return reader->tables.threads.count;
}

const struct wtl_trace_thread *wtl_trace_reader_thread(const struct wtl_trace_reader *reader,
                                                       size_t id)
{
    const struct wtl_trace_thread *all =
        (const struct wtl_trace_thread *)reader->tables.threads.items;
    return id < reader->tables.threads.count && all[id].name ? &all[id] : NULL;
}
