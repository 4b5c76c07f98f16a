/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sensors answer: see health.h. */
#define _GNU_SOURCE
#include "daemon/health.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/fail.h"
#include "daemon/log.h"
#include "model/bound.h"

static const uint64_t PATIENCE_NS = 3000000000; /* and at least this many readings: */
enum { READINGS = 3 };

struct wtl_health {
    uint64_t start_ns;
    size_t count;
    int states[];
};

struct wtl_health *wtl_health_create(size_t count, uint64_t time_ns)
{
    struct wtl_health *health = calloc(1, sizeof *health + count * sizeof *health->states);
    if (health) {
        health->start_ns = time_ns;
        health->count = count;
    }
    return health;
}

void wtl_health_destroy(struct wtl_health *health)
{
    free(health);
}

/* What decides whether it may stand still. */
static struct wattle_channel about(const struct wattle_page_channel *channel)
{
    return (struct wattle_channel){.domain = (enum wattle_domain)channel->domain,
                                   .quantity = (enum wattle_quantity)channel->quantity,
                                   .kind = (enum wattle_kind)channel->kind,
                                   .quality = (enum wattle_quality)channel->quality,
                                   .flags = channel->flags,
                                   .refresh_ns = channel->refresh_ns};
}

static uint64_t since(uint64_t time_ns, uint64_t before_ns)
{
    return time_ns > before_ns ? time_ns - before_ns : 0;
}

uint64_t wtl_health_known_ns(const struct wattle_page_channel *channel,
                             const struct wattle_page_now *now)
{
    const struct wattle_channel counter = about(channel);
    bool stands = wtl_stands_still(&counter, since(now->raw_ns, now->changed_ns));
    return stands && now->before_ns < now->time_ns ? now->before_ns : now->time_ns;
}

uint64_t wtl_health_proof_ns(const struct wattle_page *page)
{
    uint64_t longest_ns = 0;
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        const struct wattle_channel counter = about(wattle_page_channel_at(page, i));
        const uint64_t wait_ns = (WTL_STAND_REFRESHES + 1) * counter.refresh_ns;
        struct wattle_page_now now = {0};
        int rc = wattle_page_read(page, i, &now);
        if ((rc == 0 || rc == -ESTALE) && now.status == 0 && wtl_counts_always(&counter) &&
            !wtl_ticks_slowly(&counter) && since(now.raw_ns, now.before_ns) > wait_ns &&
            wait_ns > longest_ns)
            longest_ns = wait_ns;
    }
    return longest_ns;
}

/* Its age, if it is older than samples may be. */
static uint64_t silent_ns(const struct wattle_page *page,
                          size_t i,
                          const struct wattle_page_now *now,
                          uint64_t time_ns)
{
    uint64_t refresh_ns = wattle_page_channel_at(page, i)->refresh_ns;
    uint64_t interval_ns = page->header->interval_ns, patience_ns = PATIENCE_NS;
    uint64_t age_ns = since(time_ns, now->time_ns);
    if (interval_ns < refresh_ns)
        interval_ns = refresh_ns;
    if (patience_ns < READINGS * interval_ns)
        patience_ns = READINGS * interval_ns;
    return now->status != 0 || age_ns > patience_ns ? age_ns : 0;
}

uint64_t wtl_health_unknown_ns(const struct wattle_page *page,
                               size_t i,
                               const struct wattle_page_now *now,
                               uint64_t time_ns)
{
    uint64_t known_ns = wtl_health_known_ns(wattle_page_channel_at(page, i), now);
    uint64_t silent = silent_ns(page, i, now, time_ns);
    return silent > 0 || known_ns < now->time_ns ? since(time_ns, known_ns) : 0;
}

static int state_of(const struct wtl_health *health,
                    const struct wattle_page *page,
                    size_t i,
                    uint64_t time_ns)
{
    struct wattle_page_now now = {0};
    int rc = wattle_page_read(page, i, &now);
    if (rc == 0 && now.status != 0)
        return -(int)now.status;
    if (now.time_ns < health->start_ns) /* no sample yet: what there is, is from the ledger */
        now.time_ns = health->start_ns;
    return silent_ns(page, i, &now, time_ns) > 0 ? -ETIMEDOUT : 0;
}

size_t wtl_health_look(struct wtl_health *health, const struct wattle_page *page, uint64_t time_ns)
{
    size_t failing = 0;
    for (size_t i = 0; i < health->count; i++) {
        const char *name = wattle_page_channel_at(page, i)->name;
        int state = state_of(health, page, i, time_ns);
        failing += state != 0;
        if (state == health->states[i])
            continue;
        if (state == 0)
            wtl_log(WTL_LOG_INFO, "%s works again", name);
        else if (state == -ETIMEDOUT)
            wtl_log(WTL_LOG_WARNING, "%s does not answer; its energy is unknown until it does",
                    name);
        else
            wtl_log(WTL_LOG_WARNING, "%s cannot be read: %s; its energy is unknown until it can",
                    name, wtl_strerror(state));
        health->states[i] = state;
    }
    return failing;
}

int wtl_health_of(const struct wtl_health *health, size_t i)
{
    return i < health->count ? health->states[i] : 0;
}
