/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy between two instants: see stretch_energy.h. */
#include "analysis/power/stretch_energy.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/power/paces.h"
#include "base/fail.h"
#include "model/bound.h"
#include "model/reading.h"
#include "model/tally/tally_border.h"
#include "trace/regions/region_channel.h"
#include "trace/regions/region_energy.h"

/* Samples are read from so long before the stretch, and after it: slow sensors have several in it. */
#define MARGIN_NS (UINT64_C(60) * 1000000000)

struct counted {
    struct wtl_tally tally;
    uint32_t id;
    bool used, begun, ended;
    size_t gap;                       /* the next of the trace */
    uint64_t rows, first_ns, last_ns; /* of samples without polls */
    struct wtl_region_queue
        polls; /* they are in blocks of their own, and wait for a later sample */
};

struct poll {
    uint64_t time_ns, value;
};

/* Samples of a counter that are no farther apart than this many of its updates tell them apart. */
static const double OFTEN = 1.5;

struct pass {
    uint64_t begin_ns, end_ns;
    uint64_t start_ns, stop_ns; /* the window of the run; 0 and UINT64_MAX = unknown */
    const struct wtl_gap *gaps; /* sorted by begin for each channel */
    size_t gap_count;
    struct counted *channels;
    size_t count;
    struct wtl_region_energy *region; /* the stretch as a region; NULL: it is the whole run */
    int error;
};

static void note_error(struct pass *pass, int rc)
{
    if (rc < 0 && pass->error == 0)
        pass->error = rc;
}

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
static void tell_gaps(struct pass *pass, struct counted *channel, uint64_t time_ns)
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
        struct wtl_gap mine = *gap;
        mine.channel = (uint32_t)(channel - pass->channels);
        note_error(pass, pass->region ? wtl_region_energy_gap(pass->region, &mine) : 0);
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

static void count_row(struct counted *channel, uint64_t time_ns)
{
    if (channel->rows++ == 0)
        channel->first_ns = time_ns;
    channel->last_ns = time_ns;
}

static void take_value(struct pass *pass,
                       struct counted *channel,
                       uint64_t time_ns,
                       uint64_t value,
                       bool poll)
{
    tell_gaps(pass, channel, time_ns);
    tell_borders(pass, channel, time_ns);
    wtl_tally_sample(&channel->tally, time_ns, value, poll && is_poll(pass, time_ns));
    if (pass->region)
        note_error(pass, wtl_region_energy_sample(pass->region, (size_t)(channel - pass->channels),
                                                  time_ns, value, poll));
}

/* The polls before a time. */
static void take_polls(struct pass *pass, struct counted *channel, uint64_t time_ns)
{
    while (channel->polls.count > 0) {
        const struct poll *first = (const struct poll *)wtl_region_queue_at(&channel->polls, 0);
        if (first->time_ns >= time_ns)
            return;
        take_value(pass, channel, first->time_ns, first->value, true);
        wtl_region_queue_pop(&channel->polls);
    }
}

static void take_column(struct pass *pass,
                        struct counted *channel,
                        const struct wtl_trace_chunk *chunk,
                        const struct wtl_trace_column *column)
{
    bool edges = (chunk->flags & WTL_GROUP_EDGE) != 0;
    for (size_t i = 0; i < chunk->rows; i++) {
        if (column->missing && column->missing[i])
            continue;
        if (edges) {
            const struct poll poll = {chunk->time_ns[i], column->values[i]};
            note_error(pass, wtl_region_queue_push(&channel->polls, &poll));
            continue;
        }
        take_polls(pass, channel, chunk->time_ns[i]);
        take_value(pass, channel, chunk->time_ns[i], column->values[i], false);
        count_row(channel, chunk->time_ns[i]);
    }
}

static void take_chunk(struct pass *pass, const struct wtl_trace_chunk *chunk)
{
    for (size_t c = 0; c < chunk->column_count; c++)
        for (size_t i = 0; i < pass->count; i++)
            if (pass->channels[i].used && pass->channels[i].id == chunk->columns[c].channel)
                take_column(pass, &pass->channels[i], chunk, &chunk->columns[c]);
    note_error(pass, pass->region ? wtl_region_energy_advance(pass->region) : 0);
}

static void summarize(struct pass *pass, struct counted *channel, struct wtl_summary *ret)
{
    static const struct wattle_channel nothing = {.scale = 1};
    if (channel->used) {
        take_polls(pass, channel, UINT64_MAX);
        tell_gaps(pass, channel, UINT64_MAX);
        tell_borders(pass, channel, UINT64_MAX);
    } else {
        wtl_tally_init(&channel->tally, &nothing);
    }
    wtl_tally_summary(&channel->tally, ret);
}

/* Whether a border is in a time in which the counter stood still: that is divided by time. */
static bool is_standing(const struct wtl_tally *tally)
{
    const struct wtl_stand *in = tally->stand_in.to.time_ns ? &tally->stand_in : &tally->stand;
    const struct wtl_stand *out = tally->stand_out.to.time_ns ? &tally->stand_out : &tally->stand;
    return wtl_tally_stands(tally, in) || wtl_tally_stands(tally, out);
}

/* Whether what is open at a border is one of its updates, and not the time between two samples, which time divides. */
static bool is_divided_by_ticks(const struct counted *channel)
{
    const struct wattle_channel *own = &channel->tally.channel;
    double apart_ns = channel->rows > 1 ? (double)(channel->last_ns - channel->first_ns) /
                                              (double)(channel->rows - 1)
                                        : INFINITY;
    return own->kind == WATTLE_COUNTER && own->quantity == WATTLE_ENERGY &&
           own->refresh_ns >= WTL_POLLED_REFRESH_NS && apart_ns <= OFTEN * (double)own->refresh_ns;
}

/*
 * Where nothing of it is unknown, the energy of a counter that ticks slowly is that of a region between the two borders:
 * nothing says that the power changes there, as it does at the borders of a run, to which the tally extrapolates it.
 */
static void take_region(const struct pass *pass, size_t i, struct wtl_summary *summary)
{
    const struct wtl_region_result *result = wtl_region_energy_result(pass->region, 1);
    const struct counted *channel = &pass->channels[i];
    if (!result || !channel->used || !is_divided_by_ticks(channel) || summary->unknown_ns > 0 ||
        isnan(result->inclusive[i].j) || is_standing(&channel->tally))
        return;
    summary->amount = result->inclusive[i].j;
    summary->amount_half = result->inclusive[i].half_j;
    summary->mean_w = summary->amount / ((double)(pass->end_ns - pass->begin_ns) * 1e-9);
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
 * not one without energy. Samples all over the trace show it, and the steps of a gauge that shows a single one of them in the stretch.
 */
static int init_tallies(struct pass *pass,
                        struct wtl_trace_reader *reader,
                        const uint32_t *channels,
                        struct wattle_error *err)
{
    const struct wtl_trace_range range = {
        .end_ns = UINT64_MAX, .channels = channels, .channel_count = pass->count};
    size_t all = wtl_trace_reader_channel_count(reader) + 1;
    uint64_t *refresh_ns = calloc(all, sizeof *refresh_ns);
    struct wtl_quantum *quanta = calloc(all, sizeof *quanta);
    bool whole = is_whole(pass);
    if (!refresh_ns || !quanta) {
        free(refresh_ns);
        free(quanta);
        return wtl_no_memory(err);
    }
    int rc = whole ? 0 : wtl_paces_read(reader, &range, refresh_ns, quanta, err);
    for (size_t i = 0; rc == 0 && i < pass->count; i++) {
        const struct wtl_trace_channel *entry = wtl_trace_reader_channel(reader, channels[i]);
        pass->channels[i].id = channels[i];
        pass->channels[i].polls.size = sizeof(struct poll);
        pass->channels[i].used = entry && wtl_channel_is_understood(&entry->channel);
        if (!pass->channels[i].used)
            continue;
        struct wattle_channel channel = entry->channel;
        if (!whole && refresh_ns[channels[i]] > channel.refresh_ns)
            channel.refresh_ns = refresh_ns[channels[i]];
        wtl_tally_init(&pass->channels[i].tally, &channel);
        pass->channels[i].tally.quantum = quanta[channels[i]];
    }
    free(refresh_ns);
    free(quanta);
    return rc;
}

/* The stretch as a region, of all the samples that are read. */
static int begin_region(struct pass *pass, struct wattle_error *err)
{
    const struct wtl_mark begin = {.time_ns = pass->begin_ns, .name = 1, .kind = WTL_MARK_BEGIN};
    const struct wtl_mark end = {.time_ns = pass->end_ns, .name = 1, .kind = WTL_MARK_END};
    uint64_t from_ns = pass->start_ns, to_ns = pass->stop_ns;
    if (from_ns + MARGIN_NS < pass->begin_ns)
        from_ns = pass->begin_ns - MARGIN_NS;
    if (to_ns > pass->end_ns && to_ns - pass->end_ns > MARGIN_NS)
        to_ns = pass->end_ns + MARGIN_NS;
    if (from_ns == 0 || from_ns > pass->begin_ns)
        from_ns = pass->begin_ns;
    if (to_ns < pass->end_ns)
        to_ns = pass->end_ns;
    struct wattle_channel *channels = calloc(pass->count + 1, sizeof *channels);
    if (!channels)
        return wtl_no_memory(err);
    for (size_t i = 0; i < pass->count; i++)
        channels[i] = pass->channels[i].tally.channel;
    int rc = wtl_region_energy_create(channels, pass->count, from_ns, to_ns, &pass->region, err);
    free(channels);
    if (rc == 0 && ((rc = wtl_region_energy_mark(pass->region, &begin)) < 0 ||
                    (rc = wtl_region_energy_mark(pass->region, &end)) < 0))
        return wtl_fail(err, rc, "the energy of a stretch: %s", wtl_strerror(rc));
    if (rc == 0)
        wtl_region_energy_marked(pass->region, UINT64_MAX);
    return rc;
}

static int finish(struct pass *pass, struct wattle_error *err)
{
    if (pass->region)
        note_error(pass, wtl_region_energy_finish(pass->region));
    return pass->error < 0 ? wtl_fail(err, pass->error, "the energy of a stretch: %s",
                                      wtl_strerror(pass->error))
                           : 0;
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

static int take_results(struct pass *pass, struct wtl_summary *summaries, struct wattle_error *err)
{
    for (size_t i = 0; i < pass->count; i++)
        summarize(pass, &pass->channels[i], &summaries[i]);
    int rc = finish(pass, err);
    for (size_t i = 0; rc == 0 && pass->region && i < pass->count; i++)
        take_region(pass, i, &summaries[i]);
    return rc;
}

static void free_channels(struct pass *pass)
{
    for (size_t i = 0; pass->channels && i < pass->count; i++)
        free(pass->channels[i].polls.items);
    free(pass->channels);
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
    if (rc == 0 && !is_whole(&pass))
        rc = begin_region(&pass, err);
    rc = rc < 0 ? rc : read_samples(&pass, reader, channels, err);
    rc = rc < 0 ? rc : take_results(&pass, ret_summaries, err);
    wtl_region_energy_destroy(pass.region);
    free_channels(&pass);
    return rc < 0 ? rc : 0;
}
