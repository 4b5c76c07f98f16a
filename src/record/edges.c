/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for the ticks of counters, all of a lane in turn: see edges.h. */
#include "record/edges.h"

#include "model/bound.h"
#include "model/tally.h"

enum {
    EDGE_CHANNELS_MAX = 64, /* more could not be polled within one tick anyway */
    TICKS_OF_PATIENCE = 3,  /* a counter that stands still for so long is asleep */
    TICKS_AWAKE = 20,       /* one that cannot sleep ticks more slowly than it claims */
    FAILURES_MAX = 8,       /* failed looks until a counter is left alone: it may be gone */
    PATIENCE_NS = 50 * 1000 * 1000
};

struct poll {
    struct wtl_source *source;
    size_t at, channel;
    uint64_t last_raw, last_ns, refresh_ns, patience_ns;
    uint64_t watched_ns; /* time polled without a tick, but for interruptions */
    unsigned found, failed;
    bool has_last;
};

bool wtl_edges_visible(const struct wattle_channel *channel)
{
    return channel->kind == WATTLE_COUNTER && channel->quantity == WATTLE_ENERGY &&
           !(channel->flags & WATTLE_CHANNEL_SLOW) && channel->quality == WATTLE_MEASURED &&
           channel->refresh_ns > 0 && channel->refresh_ns <= WTL_EDGE_REFRESH_MAX_NS;
}

static size_t gather(const struct wtl_lane *lane, struct poll *polls)
{
    size_t count = 0;
    for (size_t r = 0; r < lane->run_count; r++) {
        const struct wtl_run *run = &lane->runs[r];
        for (size_t i = 0; i < run->n && count < EDGE_CHANNELS_MAX; i++) {
            const struct wattle_channel *channel = &run->source->channels[run->first + i];
            if (!wtl_edges_visible(channel))
                continue;
            uint64_t ticks = wtl_domain_is_awake(channel->domain) ? TICKS_AWAKE : TICKS_OF_PATIENCE;
            polls[count++] = (struct poll){.source = run->source,
                                           .at = run->first + i,
                                           .channel = run->channel + i,
                                           .refresh_ns = channel->refresh_ns,
                                           .patience_ns = ticks * channel->refresh_ns};
        }
    }
    return count;
}

/* One look at one counter; true when no more looks are needed. */
static bool look(struct wtl_lane *lane, struct poll *poll, unsigned want, uint64_t *now_ns)
{
    struct wattle_reading reading = {0};
    poll->source->driver->read(poll->source, poll->at, 1, &reading);
    uint64_t after_ns = wtl_world_monotonic(lane->world);
    uint64_t time_ns = *now_ns + (after_ns - *now_ns) / 2;
    uint64_t gap_ns = time_ns - poll->last_ns;
    bool sharp = gap_ns * WTL_TALLY_SHARP <= 2 * poll->refresh_ns;
    *now_ns = after_ns;
    if (reading.status != 0) {
        poll->has_last = false; /* a tick may have gone unseen */
        return ++poll->failed >= FAILURES_MAX;
    }
    if (poll->has_last && reading.raw != poll->last_raw) {
        uint64_t record[5] = {WTL_RECORD_EDGE | (uint64_t)poll->channel << 8, poll->last_ns,
                              time_ns, poll->last_raw, reading.raw};
        wtl_lane_push(lane, record, 5);
        poll->found += sharp;
        poll->watched_ns = 0;
    } else if (poll->has_last && sharp) {
        poll->watched_ns += gap_ns;
    }
    poll->has_last = true;
    poll->last_raw = reading.raw;
    poll->last_ns = time_ns;
    return poll->found >= want || poll->watched_ns > poll->patience_ns;
}

void wtl_edges_poll(struct wtl_lane *lane, unsigned want)
{
    struct poll polls[EDGE_CHANNELS_MAX];
    uint64_t now_ns = wtl_world_monotonic(lane->world), deadline_ns = now_ns + PATIENCE_NS;
    size_t count = gather(lane, polls);
    while (count > 0 && now_ns < deadline_ns) {
        size_t kept = 0;
        uint64_t before_ns = now_ns;
        for (size_t i = 0; i < count; i++) {
            if (!look(lane, &polls[i], want, &now_ns))
                polls[kept++] = polls[i];
        }
        count = kept;
        if (now_ns == before_ns)
            return; /* the clock of a recorded host stands still while one looks at it */
    }
}
