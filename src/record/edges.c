/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for counter ticks, polling all counters of a lane in turn: see edges.h. */
#include "record/edges.h"

#include "model/bound.h"
#include "model/tally/tally.h"

enum {
    EDGE_CHANNELS_MAX = 64, /* more could not be polled within one tick anyway */
    TICKS_OF_PATIENCE = 3,  /* a counter that stands still for this long is asleep */
    TICKS_AWAKE = 20,       /* a counter that cannot sleep ticks more slowly than it claims */
    TICKS_UNTIL_BLUNT = 8,  /* after this many, ticks that were seen less precisely are accepted */
    FAILURES_MAX = 8, /* consecutive failed looks before a counter is given up: it may be gone */
    FINE_PARTS = 8,   /* a look that takes longer than this fraction of a refresh has no definite
                       * time */
    PATIENCE_NS = 50 * 1000 * 1000,
    FOLLOW_STEP_NS = 500 * 1000,
    LOOKS_PER_REFRESH = 16, /* at counters that tick slowly */
    SLOW_TICKS = 6          /* after this many without a tick one of them has stopped
                             * (continuity.c) */
};

static const uint64_t FOLLOW_NS = 2500000000; /* a coarse page has a value each second */

/* One look at a counter. */
struct look {
    uint64_t raw, time_ns;
};

struct poll {
    struct wtl_source *source;
    size_t run, at, channel;
    struct look first, last; /* consecutive, with the same value: the counter stood still in
                              * between */
    uint64_t refresh_ns, patience_ns;
    uint64_t edge_ns;      /* the last look that showed a tick */
    uint64_t spacing_ns;   /* the shortest time between two of them; 0 = not seen */
    uint64_t watched_ns;   /* time polled without a tick, excluding interruptions */
    unsigned fine, usable; /* ticks seen precisely, and precisely enough for wtl_tally */
    unsigned failed;
    bool has_last, told; /* told: some of it is in the ring */
    bool left;           /* asleep or gone */
};

/* A hardware counter that is read here, not by wattled. */
static bool has_ticks(const struct wattle_channel *channel)
{
    return channel->kind == WATTLE_COUNTER && channel->quantity == WATTLE_ENERGY &&
           channel->quality == WATTLE_MEASURED && !(channel->flags & WATTLE_CHANNEL_RELAYED) &&
           channel->refresh_ns > 0;
}

bool wtl_edges_visible(const struct wattle_channel *channel)
{
    return has_ticks(channel) && !(channel->flags & WATTLE_CHANNEL_SLOW) &&
           !wtl_ticks_slowly(channel);
}

bool wtl_edges_awaited(const struct wattle_channel *channel)
{
    return has_ticks(channel) && wtl_ticks_slowly(channel) &&
           channel->refresh_ns <= WTL_AWAITED_REFRESH_NS;
}

static size_t gather(const struct wtl_lane *lane,
                     bool (*wanted)(const struct wattle_channel *channel),
                     struct poll *polls)
{
    size_t count = 0;
    for (size_t r = 0; r < lane->run_count; r++) {
        const struct wtl_batch *run = &lane->runs[r];
        for (size_t i = 0; i < run->n && count < EDGE_CHANNELS_MAX; i++) {
            const struct wattle_channel *channel = &run->source->channels[run->first + i];
            if (!wanted(channel))
                continue;
            uint64_t ticks = wtl_ticks_slowly(channel) ? SLOW_TICKS : TICKS_AWAKE;
            if (!wtl_domain_is_awake(channel->domain))
                ticks = TICKS_OF_PATIENCE;
            polls[count++] = (struct poll){.source = run->source,
                                           .run = r,
                                           .at = run->first + i,
                                           .channel = run->channel + i,
                                           .refresh_ns = channel->refresh_ns,
                                           .patience_ns = ticks * channel->refresh_ns};
        }
    }
    return count;
}

/* Record what two looks show: a tick in between, or (with the same value) none. */
static void push(struct wtl_lane *lane,
                 const struct poll *poll,
                 const struct look *from,
                 const struct look *to)
{
    uint64_t record[5] = {WTL_RECORD_EDGE | (uint64_t)poll->channel << 8, from->time_ns,
                          to->time_ns, from->raw, to->raw};
    if (from->time_ns == to->time_ns)
        return; /* a single look */
    wtl_lane_push(lane, record, 5);
}

/* The look `now` is the first with a different value. */
static void take_tick(struct wtl_lane *lane, struct poll *poll, const struct look *now, bool behind)
{
    uint64_t gap_ns = now->time_ns - poll->last.time_ns;
    if (behind && !poll->told)
        push(lane, poll, &poll->first, &poll->last);
    push(lane, poll, &poll->last, now);
    poll->told = true;
    poll->fine += gap_ns * FINE_PARTS <= 2 * poll->refresh_ns;
    poll->usable += gap_ns * WTL_TALLY_SHARP <= 2 * poll->refresh_ns;
    uint64_t spacing_ns = poll->edge_ns ? now->time_ns - poll->edge_ns : 0;
    if (poll->spacing_ns == 0 || spacing_ns < poll->spacing_ns)
        poll->spacing_ns = spacing_ns;
    poll->edge_ns = now->time_ns;
    poll->watched_ns = 0;
}

static void compare(struct wtl_lane *lane, struct poll *poll, const struct look *now, bool behind)
{
    uint64_t gap_ns = now->time_ns - poll->last.time_ns;
    bool ticked = poll->has_last && now->raw != poll->last.raw;
    if (ticked)
        take_tick(lane, poll, now, behind);
    else if (poll->has_last && gap_ns * FINE_PARTS <= 2 * poll->refresh_ns)
        poll->watched_ns += gap_ns;
    if (ticked || !poll->has_last)
        poll->first = *now;
    poll->last = *now;
    poll->has_last = true;
    poll->left = poll->watched_ns > poll->patience_ns;
}

/* One look at one counter. */
static void poll_counter(struct wtl_lane *lane, struct poll *poll, bool behind, uint64_t *now_ns)
{
    struct wattle_reading reading = {0};
    uint64_t before_ns = *now_ns;
    atomic_store_explicit(&lane->reading, poll->run, memory_order_relaxed);
    poll->source->driver->read(poll->source, poll->at, 1, &reading);
    if (atomic_load_explicit(&lane->abandoned, memory_order_acquire))
        return; /* no longer needed */
    *now_ns = wtl_world_monotonic(lane->world);
    uint64_t took_ns = *now_ns - before_ns;
    struct look now = {.raw = reading.raw, .time_ns = before_ns + took_ns / 2};
    bool timed = reading.status == 0 && took_ns * FINE_PARTS <= poll->refresh_ns;
    if (timed && !behind && lane->energy)
        wtl_energy_page_poll(lane->energy, poll->channel, now.time_ns, now.raw);
    poll->failed = reading.status != 0 ? poll->failed + 1 : 0;
    if (reading.status != 0) {
        poll->has_last = false; /* a tick may have been missed */
        poll->left = poll->failed >= FAILURES_MAX;
    } else if (timed) {
        compare(lane, poll, &now, behind);
    } else if (now.raw != poll->last.raw) {
        poll->has_last = false; /* interrupted: the time of the value is unknown */
    }
}

/* Have enough ticks been seen, and (before the start) recently enough? */
static bool suffices(const struct poll *poll,
                     unsigned want,
                     bool behind,
                     uint64_t polled_ns,
                     uint64_t now_ns)
{
    if (poll->left)
        return true;
    if (poll->usable < want ||
        (poll->fine < want && polled_ns < TICKS_UNTIL_BLUNT * poll->refresh_ns))
        return false;
    uint64_t spacing_ns = poll->spacing_ns > poll->refresh_ns ? poll->spacing_ns : poll->refresh_ns;
    return behind || 2 * (now_ns - poll->edge_ns) <= 3 * spacing_ns;
}

/* Look at each counter that still needs it; true if none does. */
static bool look_around(struct wtl_lane *lane,
                        struct poll *polls,
                        size_t count,
                        unsigned want,
                        bool behind,
                        uint64_t began_ns,
                        uint64_t *now_ns)
{
    bool enough = true;
    for (size_t i = 0; i < count; i++) {
        struct poll *poll = &polls[i];
        if (!poll->left && !(behind && suffices(poll, want, behind, *now_ns - began_ns, *now_ns)))
            poll_counter(lane, poll, behind, now_ns);
    }
    for (size_t i = 0; i < count; i++)
        enough &= suffices(&polls[i], want, behind, *now_ns - began_ns, *now_ns);
    return enough;
}

/* Record the counters that stood still until the end. */
static void push_stood(struct wtl_lane *lane, const struct poll *polls, size_t count, bool behind)
{
    if (atomic_load_explicit(&lane->abandoned, memory_order_acquire))
        return;
    for (size_t i = 0; i < count; i++) {
        if (polls[i].has_last && (!behind || !polls[i].told))
            push(lane, &polls[i], &polls[i].first, &polls[i].last);
    }
}

void wtl_edges_poll(struct wtl_lane *lane, unsigned want, bool behind)
{
    struct poll polls[EDGE_CHANNELS_MAX];
    uint64_t began_ns = wtl_world_monotonic(lane->world), now_ns = began_ns, before_ns;
    size_t count = gather(lane, wtl_edges_visible, polls);
    do {
        before_ns = now_ns; /* the clock of a recorded host stands still during a look */
    } while (!look_around(lane, polls, count, want, behind, began_ns, &now_ns) &&
             now_ns != before_ns && now_ns - began_ns < PATIENCE_NS);
    push_stood(lane, polls, count, behind);
}

void wtl_edges_await(struct wtl_lane *lane)
{
    struct poll polls[EDGE_CHANNELS_MAX];
    uint64_t began_ns = wtl_world_monotonic(lane->world), now_ns = began_ns;
    uint64_t step_ns = UINT64_MAX, patience_ns = 0;
    size_t count = gather(lane, wtl_edges_awaited, polls);
    for (size_t i = 0; i < count; i++) {
        uint64_t refresh_ns = polls[i].refresh_ns;
        step_ns =
            step_ns < refresh_ns / LOOKS_PER_REFRESH ? step_ns : refresh_ns / LOOKS_PER_REFRESH;
        patience_ns = patience_ns > polls[i].patience_ns ? patience_ns : polls[i].patience_ns;
    }
    while (count > 0 && !look_around(lane, polls, count, 1, true, began_ns, &now_ns) &&
           now_ns - began_ns <= patience_ns &&
           !atomic_load_explicit(&lane->abandoned, memory_order_acquire)) {
        if (lane->world->ops->sleep_until(lane->world, now_ns + step_ns) < 0)
            break;
        now_ns = wtl_world_monotonic(lane->world);
    }
    push_stood(lane, polls, count, true);
}

void wtl_edges_follow(struct wtl_lane *lane)
{
    uint64_t began_ns = wtl_world_monotonic(lane->world), now_ns = began_ns;
    while (!wtl_lane_follow(lane) && now_ns - began_ns < FOLLOW_NS &&
           !atomic_load_explicit(&lane->abandoned, memory_order_acquire)) {
        if (lane->world->ops->sleep_until(lane->world, now_ns + FOLLOW_STEP_NS) < 0)
            break;
        now_ns = wtl_world_monotonic(lane->world);
    }
}
