/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy between two instants: see stretch_energy.h. */
#include "analysis/stretch_energy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/paces.h"
#include "base/fail.h"
#include "model/reading.h"

/* Samples are read from so long before the stretch, and after it: slow sensors have several in it. */
#define MARGIN_NS (UINT64_C(60) * 1000000000)

struct counted {
    struct wtl_tally tally;
    uint32_t id;
    bool used, begun, ended;
    size_t gap; /* the next of the trace */
};

struct pass {
    uint64_t begin_ns, end_ns;
    uint64_t start_ns, stop_ns; /* the window of the run; 0 and UINT64_MAX = unknown */
    const struct wtl_gap *gaps; /* sorted by begin for each channel */
    size_t gap_count;
    struct counted *channels;
    size_t count;
};

static void tell_borders(const struct pass *pass, struct counted *channel, uint64_t time_ns)
{
    if (!channel->begun && time_ns > pass->begin_ns) {
        wtl_tally_begin(&channel->tally, pass->begin_ns);
        channel->begun = true;
    }
    if (!channel->ended && time_ns > pass->end_ns) {
        wtl_tally_end(&channel->tally, pass->end_ns);
        channel->ended = true;
    }
}

/* Gaps that end at or before time_ns. Those from before the first sample that was read do not matter. */
static void tell_gaps(const struct pass *pass, struct counted *channel, uint64_t time_ns)
{
    for (; channel->gap < pass->gap_count; channel->gap++) {
        const struct wtl_gap *gap = &pass->gaps[channel->gap];
        if (gap->channel != channel->id)
            continue;
        if (gap->end_ns > time_ns)
            return;
        if (gap->end_ns + MARGIN_NS < pass->begin_ns)
            continue;
        tell_borders(pass, channel, gap->end_ns);
        wtl_tally_gap(&channel->tally, gap);
    }
}

/*
 * Counters are polled for their ticks next to the borders of the run. These ticks say something about a border of the stretch
 * only if nothing of the run lies between the two; elsewhere a poll is a sample like any other.
 */
static bool is_poll(const struct pass *pass, uint64_t time_ns)
{
    if (time_ns <= pass->begin_ns)
        return pass->begin_ns <= pass->start_ns;
    if (time_ns >= pass->end_ns)
        return pass->end_ns >= pass->stop_ns;
    return time_ns > pass->start_ns && time_ns < pass->stop_ns;
}

static void take_column(const struct pass *pass,
                        struct counted *channel,
                        const struct wtl_trace_chunk *chunk,
                        const struct wtl_trace_column *column)
{
    bool edges = (chunk->flags & WTL_GROUP_EDGE) != 0;
    for (size_t i = 0; i < chunk->rows; i++) {
        if (column->missing && column->missing[i])
            continue;
        tell_gaps(pass, channel, chunk->time_ns[i]);
        tell_borders(pass, channel, chunk->time_ns[i]);
        wtl_tally_sample(&channel->tally, chunk->time_ns[i], column->values[i],
                         edges && is_poll(pass, chunk->time_ns[i]));
    }
}

static void take_chunk(const struct pass *pass, const struct wtl_trace_chunk *chunk)
{
    for (size_t c = 0; c < chunk->column_count; c++)
        for (size_t i = 0; i < pass->count; i++)
            if (pass->channels[i].used && pass->channels[i].id == chunk->columns[c].channel)
                take_column(pass, &pass->channels[i], chunk, &chunk->columns[c]);
}

static void summarize(const struct pass *pass, struct counted *channel, struct wtl_summary *ret)
{
    static const struct wattle_channel nothing = {.scale = 1};
    if (channel->used) {
        tell_gaps(pass, channel, UINT64_MAX);
        tell_borders(pass, channel, UINT64_MAX);
    } else {
        wtl_tally_init(&channel->tally, &nothing);
    }
    wtl_tally_summary(&channel->tally, ret);
}

/*
 * Whether it is of the whole run: then the energy is that of the result, whose tally learned only from the samples how often
 * a counter updates.
 */
static bool is_whole(const struct pass *pass)
{
    return pass->begin_ns <= pass->start_ns && pass->end_ns >= pass->stop_ns;
}

/*
 * A counter that updates more slowly than it claims is what it is: a stretch inside one of its updates, which sees none, is
 * not one without energy. Samples all over the trace show it.
 */
static int init_tallies(struct pass *pass,
                        struct wtl_trace_reader *reader,
                        const uint32_t *channels,
                        struct wattle_error *err)
{
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = channels, .channel_count = pass->count};
    uint64_t *refresh_ns = calloc(wtl_trace_reader_channel_count(reader) + 1, sizeof *refresh_ns);
    bool whole = is_whole(pass);
    int rc = refresh_ns ? 0 : wtl_no_memory(err);
    if (rc == 0 && !whole)
        rc = wtl_paces_read(reader, &range, refresh_ns, err);
    for (size_t i = 0; rc == 0 && i < pass->count; i++) {
        const struct wtl_trace_channel *entry = wtl_trace_reader_channel(reader, channels[i]);
        pass->channels[i].id = channels[i];
        pass->channels[i].used = entry && wtl_channel_is_understood(&entry->channel);
        if (!pass->channels[i].used)
            continue;
        struct wattle_channel channel = entry->channel;
        if (!whole && refresh_ns[channels[i]] > channel.refresh_ns)
            channel.refresh_ns = refresh_ns[channels[i]];
        wtl_tally_init(&pass->channels[i].tally, &channel);
    }
    free(refresh_ns);
    return rc;
}

static int read_samples(struct pass *pass,
                        struct wtl_trace_reader *reader,
                        const uint32_t *channels,
                        struct wattle_error *err)
{
    const struct wtl_trace_range range = {
        .begin_ns = pass->begin_ns > MARGIN_NS ? pass->begin_ns - MARGIN_NS : 0,
        .end_ns = pass->end_ns < UINT64_MAX - MARGIN_NS ? pass->end_ns + MARGIN_NS : UINT64_MAX,
        .channels = channels,
        .channel_count = pass->count};
    struct wtl_trace_samples *samples = NULL;
    struct wtl_trace_chunk chunk;
    int rc = wtl_trace_samples_open(reader, &range, &samples, err);
    while (rc >= 0 && (rc = wtl_trace_samples_next(samples, &chunk, err)) > 0)
        take_chunk(pass, &chunk);
    wtl_trace_samples_close(samples);
    return rc;
}

int wtl_stretch_energy_read(struct wtl_trace_reader *reader,
                            const uint32_t *channels,
                            size_t count,
                            uint64_t begin_ns,
                            uint64_t end_ns,
                            struct wtl_summary *ret_summaries,
                            struct wattle_error *err)
{
    struct pass pass = {.begin_ns = begin_ns,
                        .end_ns = end_ns,
                        .count = count,
                        .channels = calloc(count + 1, sizeof *pass.channels)};
    int rc = pass.channels ? 0 : wtl_no_memory(err);
    if (rc == 0 && end_ns <= begin_ns)
        rc = wtl_fail(err, -EINVAL, "a stretch must end after it begins");
    int gaps = rc < 0 ? rc : wtl_trace_reader_gaps(reader, &pass.gaps, err);
    pass.gap_count = gaps > 0 ? (size_t)gaps : 0;
    struct wtl_trace_window window;
    wtl_trace_reader_window(reader, &window);
    pass.start_ns = window.started ? window.start_monotonic_ns : 0;
    pass.stop_ns = window.ended ? window.end_monotonic_ns : UINT64_MAX;
    rc = gaps < 0 ? gaps : init_tallies(&pass, reader, channels, err);
    rc = rc < 0 ? rc : read_samples(&pass, reader, channels, err);
    for (size_t i = 0; rc >= 0 && i < count; i++)
        summarize(&pass, &pass.channels[i], &ret_summaries[i]);
    free(pass.channels);
    return rc < 0 ? rc : 0;
}
