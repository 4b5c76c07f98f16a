/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The digest: see digest.h. Rows wait in the writer's buffers while gaps and the borders of the window are
 * written immediately, so these come first in the file. They are held here until the sample that they precede
 * arrives: a tally needs its input in time order, whatever the order of blocks.
 */
#include "trace/blocks/digest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound.h"
#include "model/reading.h"

enum {
    WAITING_MAX = 1024
}; /* gaps not yet followed by a sample; beyond this the oldest is passed on */

struct channel_state {
    struct wtl_tally tally;
    bool known, begun, ended; /* has a tally; start and end were passed to it */
    uint64_t missed_ns;       /* last row without a value for it; 0 = none */
};

struct group_state {
    bool seen;
    uint64_t next_ordinal, last_ns;
    struct wtl_pyramid *pyramid;
    bool no_pyramid;
};

struct wtl_digest {
    const struct wtl_tables *tables;
    wtl_pyramid_block_fn *emit;
    void *context;
    struct wtl_list channels; /* struct channel_state */
    struct wtl_list groups;   /* struct group_state */
    struct wtl_list waiting;  /* struct wtl_gap, in the order received */
    struct wtl_trace_window window;
    struct wtl_digest_totals totals;
};

int wtl_digest_create(const struct wtl_tables *tables,
                      wtl_pyramid_block_fn *emit,
                      void *context,
                      struct wtl_digest **ret_digest)
{
    struct wtl_digest *digest = calloc(1, sizeof *digest);
    if (!digest)
        return -ENOMEM;
    digest->tables = tables;
    digest->emit = emit;
    digest->context = context;
    digest->totals.first_ns = UINT64_MAX;
    *ret_digest = digest;
    return 0;
}

void wtl_digest_destroy(struct wtl_digest *digest)
{
    if (!digest)
        return;
    struct group_state *groups = (struct group_state *)digest->groups.items;
    for (size_t i = 0; i < digest->groups.count; i++)
        wtl_pyramid_destroy(groups[i].pyramid);
    free(digest->channels.items);
    free(digest->groups.items);
    free(digest->waiting.items);
    free(digest);
}

/* The state of a channel; NULL with *ret_code 0 when the trace does not define it, or its values cannot be
 * interpreted. */
static struct channel_state *channel_state(struct wtl_digest *digest, uint32_t id, int *ret_code)
{
    const struct wtl_trace_channel *channel = wtl_tables_channel(digest->tables, id);
    *ret_code = 0;
    if (!channel || !wtl_channel_is_understood(&channel->channel))
        return NULL;
    while (digest->channels.count <= id)
        if (!wtl_list_add(&digest->channels, sizeof(struct channel_state))) {
            *ret_code = -ENOMEM;
            return NULL;
        }
    struct channel_state *state = (struct channel_state *)digest->channels.items + id;
    if (!state->known) {
        wtl_tally_init(&state->tally, &channel->channel);
        state->known = true;
    }
    return state;
}

/* Pass borders of the window before time_ns to a tally. */
static void tell_window(struct channel_state *state,
                        const struct wtl_trace_window *window,
                        uint64_t time_ns)
{
    if (window->started && !state->begun && time_ns > window->start_monotonic_ns) {
        wtl_tally_begin(&state->tally, window->start_monotonic_ns);
        state->begun = true;
    }
    if (window->ended && !state->ended && time_ns > window->end_monotonic_ns) {
        wtl_tally_end(&state->tally, window->end_monotonic_ns);
        state->ended = true;
    }
}

static void feed_gap(const struct wtl_digest *digest,
                     struct channel_state *state,
                     const struct wtl_gap *gap)
{
    tell_window(state, &digest->window, gap->end_ns);
    wtl_tally_gap(&state->tally, gap);
}

/* The earliest end of the waiting gaps of a channel; UINT64_MAX = none waits. */
static uint64_t due_ns(const struct wtl_digest *digest, uint32_t channel)
{
    const struct wtl_gap *gaps = (const struct wtl_gap *)digest->waiting.items;
    uint64_t earliest_ns = UINT64_MAX;
    for (size_t i = 0; i < digest->waiting.count; i++)
        if (gaps[i].channel == channel && gaps[i].end_ns < earliest_ns)
            earliest_ns = gaps[i].end_ns;
    return earliest_ns;
}

/* Feed the waiting gaps of a channel that end at or before time_ns. */
static void feed_waiting(struct wtl_digest *digest,
                         struct channel_state *state,
                         uint32_t channel,
                         uint64_t time_ns)
{
    struct wtl_gap *gaps = (struct wtl_gap *)digest->waiting.items;
    size_t kept = 0;
    for (size_t i = 0; i < digest->waiting.count; i++) {
        if (gaps[i].channel == channel && gaps[i].end_ns <= time_ns)
            feed_gap(digest, state, &gaps[i]);
        else
            gaps[kept++] = gaps[i];
    }
    digest->waiting.count = kept;
}

static int add_gap(struct wtl_digest *digest, const struct wtl_gap *gap)
{
    int code;
    const struct wtl_trace_channel *channel = wtl_tables_channel(digest->tables, gap->channel);
    if (channel && !wtl_channel_is_understood(&channel->channel))
        return 0;
    if (digest->waiting.count >= WAITING_MAX) {
        struct wtl_gap oldest = *(struct wtl_gap *)digest->waiting.items;
        struct channel_state *state = channel_state(digest, oldest.channel, &code);
        if (state)
            feed_waiting(digest, state, oldest.channel, oldest.end_ns);
        if (digest->waiting.count >=
            WAITING_MAX) { /* belongs to a channel that the trace does not define */
            struct wtl_gap *gaps = (struct wtl_gap *)digest->waiting.items;
            memmove(gaps, gaps + 1, --digest->waiting.count * sizeof *gaps);
        }
    }
    struct wtl_gap *item = (struct wtl_gap *)wtl_list_add(&digest->waiting, sizeof *item);
    if (!item)
        return -ENOMEM;
    *item = *gap;
    struct group_state *groups = (struct group_state *)digest->groups.items;
    for (size_t i = 0; i < digest->groups.count; i++)
        if (groups[i].pyramid)
            wtl_pyramid_gap(groups[i].pyramid, gap);
    return 0;
}

int wtl_digest_table(struct wtl_digest *digest, unsigned type, struct wtl_cursor cursor)
{
    struct wtl_tables one = {0};
    if (type != WTL_BLOCK_GAPS && type != WTL_BLOCK_WINDOW)
        return 0;
    one.window = digest->window;
    int code = wtl_tables_load(&one, type, cursor);
    digest->window = one.window;
    const struct wtl_gap *gaps = (const struct wtl_gap *)one.gaps.items;
    for (size_t i = 0; i < one.gaps.count && code == 0; i++) {
        code = add_gap(digest, &gaps[i]);
        digest->totals.gaps++;
    }
    wtl_tables_fini(&one);
    return code;
}

/* Blocks of the group are missing before these rows. */
static int note_damage(struct wtl_digest *digest, const struct wtl_rows *rows, uint64_t since_ns)
{
    for (size_t c = 0; c < rows->columns; c++) {
        struct wtl_gap gap = {.channel = rows->channels[c],
                              .reason = WTL_GAP_DAMAGED,
                              .begin_ns = since_ns,
                              .end_ns = rows->time_ns[0]};
        int code = add_gap(digest, &gap);
        if (code < 0)
            return code;
        digest->totals.gaps++;
    }
    return 0;
}

static struct group_state *group_state(struct wtl_digest *digest, uint32_t id)
{
    while (digest->groups.count <= id)
        if (!wtl_list_add(&digest->groups, sizeof(struct group_state)))
            return NULL;
    return (struct group_state *)digest->groups.items + id;
}

static int feed_column(struct wtl_digest *digest, const struct wtl_rows *rows, size_t c)
{
    int code;
    uint32_t id = rows->channels[c];
    struct channel_state *state = channel_state(digest, id, &code);
    if (!state)
        return code;
    const uint64_t *values = rows->values + c * rows->stride;
    const uint8_t *missing = rows->missing ? rows->missing + c * rows->stride : NULL;
    bool edge = (rows->flags & WTL_GROUP_EDGE) != 0;
    bool bordered = digest->window.started || digest->window.ended;
    uint64_t gap_ns = due_ns(digest, id);
    for (size_t r = 0; r < rows->rows; r++) {
        if (missing && missing[r]) {
            state->missed_ns = rows->time_ns[r];
            continue;
        }
        if (rows->time_ns[r] >= gap_ns) {
            feed_waiting(digest, state, id, rows->time_ns[r]);
            gap_ns = due_ns(digest, id);
        }
        if (bordered)
            tell_window(state, &digest->window, rows->time_ns[r]);
        wtl_tally_sample(&state->tally, rows->time_ns[r], values[r], edge);
    }
    return 0;
}

/* Gaps may come before the first rows of their group. */
static int make_pyramid(struct wtl_digest *digest, struct group_state *group, uint32_t id)
{
    if (!digest->emit || group->no_pyramid || group->pyramid)
        return 0;
    int code =
        wtl_pyramid_create(digest->tables, id, digest->emit, digest->context, &group->pyramid);
    group->no_pyramid = code == -ENOTSUP;
    if (code < 0)
        return code == -ENOTSUP ? 0 : code;
    const struct wtl_gap *gaps = (const struct wtl_gap *)digest->waiting.items;
    for (size_t i = 0; i < digest->waiting.count; i++)
        wtl_pyramid_gap(group->pyramid, &gaps[i]);
    return 0;
}

int wtl_digest_rows(struct wtl_digest *digest, const struct wtl_rows *rows)
{
    struct wtl_digest_totals *totals = &digest->totals;
    struct group_state *group = group_state(digest, rows->group);
    if (!group)
        return -ENOMEM;
    int code = make_pyramid(digest, group, rows->group);
    if (code == 0 && rows->ordinal > group->next_ordinal)
        code = note_damage(digest, rows, group->seen ? group->last_ns : rows->time_ns[0]);
    group->seen = true;
    group->next_ordinal = rows->ordinal + 1;
    group->last_ns = rows->time_ns[rows->rows - 1];
    totals->rows += rows->rows;
    if (rows->time_ns[0] < totals->first_ns)
        totals->first_ns = rows->time_ns[0];
    if (group->last_ns > totals->last_ns)
        totals->last_ns = group->last_ns;
    for (size_t c = 0; c < rows->columns && code == 0; c++)
        code = feed_column(digest, rows, c);
    return code < 0 || !group->pyramid ? code : wtl_pyramid_rows(group->pyramid, rows);
}

int wtl_digest_finish(struct wtl_digest *digest)
{
    struct group_state *groups = (struct group_state *)digest->groups.items;
    int result = 0;
    for (size_t i = 0; i < digest->groups.count; i++) {
        int code = groups[i].pyramid ? wtl_pyramid_finish(groups[i].pyramid) : 0;
        result = code < 0 ? code : result;
    }
    return result;
}

/* Whether its counter has shown only the value of its first sample, for longer than a working counter can. */
static bool has_never_ticked(const struct wtl_tally *tally)
{
    return !tally->broken && tally->last.value == 0 &&
           tally->stand.from.time_ns == tally->first_ns &&
           wtl_never_ticked(&tally->channel, tally->stand.to.time_ns - tally->first_ns);
}

/*
 * The writer was killed while the channel had no values: the gap open at that time is not in the file. Only a
 * stall can be recognised, since it is reported immediately. Without an end of the window each channel is
 * counted up to its last sample; this one up to the time when it had none, because that time is unknown. So
 * is the whole time of a channel that never ticked: the writer reports this only at the end.
 */
static void close_cut_off(struct channel_state *state,
                          const struct wtl_trace_window *window,
                          uint32_t channel)
{
    struct wtl_tally *tally = &state->tally;
    uint64_t seen_ns = tally->has ? tally->last.time_ns : window->start_monotonic_ns;
    uint64_t end_ns = state->missed_ns > seen_ns ? state->missed_ns : seen_ns;
    bool stalled = tally->lost_until_ns > seen_ns && tally->gap_reasons >> WTL_GAP_STALLED & 1;
    bool never = has_never_ticked(tally) && end_ns > window->start_monotonic_ns;
    if (!window->started || window->ended || (end_ns == seen_ns && !never))
        return;
    tell_window(state, window, end_ns);
    struct wtl_gap gap = {.channel = channel,
                          .reason = stalled || never ? WTL_GAP_STALLED : WTL_GAP_READ_FAILED,
                          .begin_ns = stalled ? tally->lost_until_ns : seen_ns,
                          .end_ns = end_ns};
    if (never)
        gap.begin_ns = tally->first_ns;
    wtl_tally_end(tally, end_ns);
    wtl_tally_gap(tally, &gap);
}

void wtl_digest_summary(const struct wtl_digest *digest,
                        uint32_t channel,
                        struct wtl_summary *ret_summary)
{
    const struct wtl_trace_channel *entry = wtl_tables_channel(digest->tables, channel);
    const struct channel_state *states = (const struct channel_state *)digest->channels.items;
    static const struct wattle_channel nothing = {.scale = 1};
    bool understood = entry && wtl_channel_is_understood(&entry->channel);
    struct channel_state copy = {0};
    if (channel < digest->channels.count && states[channel].known)
        copy = states[channel];
    else
        wtl_tally_init(&copy.tally, understood ? &entry->channel : &nothing);
    const struct wtl_gap *gaps = (const struct wtl_gap *)digest->waiting.items;
    for (size_t i = 0; understood && i < digest->waiting.count; i++) {
        if (gaps[i].channel != channel)
            continue;
        tell_window(&copy, &digest->window, gaps[i].end_ns);
        wtl_tally_gap(&copy.tally, &gaps[i]);
    }
    tell_window(&copy, &digest->window, UINT64_MAX);
    if (copy.known)
        close_cut_off(&copy, &digest->window, channel);
    wtl_tally_summary(&copy.tally, ret_summary);
}

const struct wtl_pyramid_level *wtl_digest_level(const struct wtl_digest *digest,
                                                 uint32_t group,
                                                 unsigned l)
{
    const struct group_state *groups = (const struct group_state *)digest->groups.items;
    if (group >= digest->groups.count || !groups[group].pyramid)
        return NULL;
    return wtl_pyramid_level(groups[group].pyramid, l);
}

void wtl_digest_totals(const struct wtl_digest *digest, struct wtl_digest_totals *ret_totals)
{
    *ret_totals = digest->totals;
}
