/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the begin of a trace for the pace of its counters and the steps of its gauges: see paces.h. */
#include "analysis/power/paces.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "model/pace.h"
#include "model/reading.h"

/* More would cost time and change little: 65 s at 1 kHz. */
enum { ROWS = 65536 };

struct seen {
    bool is_gauge;
    struct wtl_quantum quantum;
    struct wtl_pace pace;
    struct wtl_polled polled;
};

static void take_column(const struct wtl_trace_chunk *chunk,
                        const struct wtl_trace_column *column,
                        struct seen *seen)
{
    for (size_t row = 0; row < chunk->rows; row++) {
        if (column->missing && column->missing[row])
            continue;
        if (seen->is_gauge)
            wtl_quantum_add(&seen->quantum, column->values[row]);
        else if (chunk->flags & WTL_GROUP_EDGE)
            wtl_polled_add(&seen->polled, chunk->time_ns[row], column->values[row]);
        else
            wtl_pace_add(&seen->pace, chunk->time_ns[row], column->values[row]);
    }
}

static int read_rows(struct wtl_trace_reader *reader,
                     const struct wtl_trace_range *range,
                     struct seen *seen,
                     struct wattle_error *err)
{
    struct wtl_trace_samples *samples;
    struct wtl_trace_chunk chunk;
    int rc = wtl_trace_samples_open(reader, range, &samples, err);
    if (rc < 0)
        return rc;
    for (size_t rows = 0; rows < ROWS; rows += chunk.rows) {
        rc = wtl_trace_samples_next(samples, &chunk, err);
        if (rc <= 0)
            break;
        for (size_t c = 0; c < chunk.column_count; c++)
            take_column(&chunk, &chunk.columns[c], &seen[chunk.columns[c].channel]);
    }
    wtl_trace_samples_close(samples);
    return rc < 0 ? rc : 0;
}

int wtl_paces_read(struct wtl_trace_reader *reader,
                   const struct wtl_trace_range *range,
                   uint64_t *refresh_ns,
                   struct wtl_quantum *quanta,
                   struct wattle_error *err)
{
    size_t channels = wtl_trace_reader_channel_count(reader);
    uint32_t *ids = calloc(range->channel_count + 1, sizeof *ids);
    struct seen *seen = calloc(channels + 1, sizeof *seen);
    struct wtl_trace_range wanted = {.end_ns = UINT64_MAX, .channels = ids};
    int rc = 0;
    if (!ids || !seen) {
        rc = wtl_no_memory_for(err, "the samples");
        goto out;
    }
    for (size_t i = 0; i < range->channel_count; i++) {
        const struct wtl_trace_channel *entry =
            wtl_trace_reader_channel(reader, range->channels[i]);
        if (!entry || !wtl_channel_is_energy(&entry->channel))
            continue;
        bool is_gauge = entry->channel.kind != WATTLE_COUNTER;
        if (is_gauge && !quanta)
            continue;
        seen[range->channels[i]].is_gauge = is_gauge;
        ids[wanted.channel_count++] = range->channels[i];
    }
    if (wanted.channel_count > 0)
        rc = read_rows(reader, &wanted, seen, err);
    for (size_t i = 0; rc == 0 && i < range->channel_count; i++) {
        uint32_t id = range->channels[i];
        if (id < channels && quanta)
            quanta[id] = seen[id].quantum;
        if (id < channels)
            refresh_ns[id] = wtl_pace_polled_refresh_ns(
                &seen[id].pace, &seen[id].polled, &wtl_trace_reader_channel(reader, id)->channel);
    }
out:
    free(ids);
    free(seen);
    return rc;
}
