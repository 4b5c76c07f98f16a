/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stretches: regions that are kept or dropped only at their end. The begin is written at once, as
 * "maybe" (docs/format/spool.md), so that a process killed inside one leaves a trace of it and a
 * live reader sees long ones in time. A short one is withdrawn: its place is free again, so only
 * long ones use space in the spool.
 *
 * A reader treats a begin as final when it is WTL_SPOOL_MAYBE_NS * 2 old; the thread withdraws it
 * only if, after announcing that, it finds that less than half of this time has passed. So neither
 * waits for the other.
 */
#define _GNU_SOURCE
#include <wattle/process.h>

#include <stdatomic.h>
#include <stddef.h>

#include "record/regions/region_call.h"

static const uint64_t LEAST_NS = 20000;

/* The threshold in ticks, 0 = unknown yet; and in ns. */
static _Atomic uint64_t least_ticks, least_ns = UINT64_MAX;

static __attribute__((noinline, cold)) uint64_t find_least(void)
{
    uint64_t ns = atomic_load(&least_ns);
    uint64_t ticks = wtl_place_ticks(ns == UINT64_MAX ? LEAST_NS : ns);

    atomic_store(&least_ticks, ticks + 1);
    return ticks + 1;
}

void wattle_stretch_least(uint64_t ns)
{
    atomic_store(&least_ns, ns < WTL_SPOOL_MAYBE_NS ? ns : WTL_SPOOL_MAYBE_NS);
    atomic_store(&least_ticks, 0); /* computed at the next end */
}

uint64_t wattle_stretch_ns(uint64_t ticks)
{
    return wtl_place_ns(ticks);
}

void wattle_stretch_begin(struct wattle_stretch *stretch, uint32_t id)
{
    struct wtl_place *at = &wtl_place;

    *stretch = (struct wattle_stretch){.id = id};
    if (wtl_region_is_off())
        return;
    uint32_t was = wtl_region_enter(at);

    if (id) {
        uintptr_t slot = wtl_place_reserve(at, WTL_PLACE_RECORD);

        if (LIKELY(slot < wtl_place_end(at))) {
            stretch->begin = wtl_region_now(at);
            wtl_place_store(slot, stretch->begin, WTL_SPOOL_MAYBE, id);
        } else {
            slot = wtl_region_refill(WTL_SPOOL_MAYBE, id, 0, was);
            stretch->begin =
                slot ? ((struct wtl_spool_record *)slot)->time : wtl_region_now(at); /* no room */
        }
        stretch->place = slot;
    } else {
        if (UNLIKELY(wtl_place_end(at) == 0)) /* its clock is not known yet */
            (void)wtl_region_refill(0, 0, 0, was);
        stretch->begin = wtl_place_end(at) ? wtl_region_now(at) : 0;
    }
    wtl_region_leave(at, was);
}

/* The record of the begin, which remains as it is; NULL if the thread has a different chunk by
 * now. */
static struct wtl_spool_record *begin_of(const struct wattle_stretch *stretch,
                                         const struct wtl_place *at)
{
    uintptr_t first = at->chunk_end - WTL_SPOOL_CHUNK;

    /* Compare with the chunk, not with the end of the writable part: the previous chunk, unmapped,
     * may have been just below this one. */
    if (stretch->place < first || stretch->place + WTL_PLACE_RECORD > wtl_place_end(at))
        return NULL;
    struct wtl_spool_record *record = (struct wtl_spool_record *)stretch->place;

    return record->time == stretch->begin &&
                   record->what == wtl_spool_what(WTL_SPOOL_MAYBE, stretch->id)
               ? record
               : NULL;
}

static void write_end(struct wtl_place *at, uint32_t id, uint64_t time, uint32_t was)
{
    uintptr_t slot = wtl_place_reserve(at, WTL_PLACE_RECORD);

    if (LIKELY(slot < wtl_place_end(at)))
        wtl_place_store(slot, time, WTL_SPOOL_END, id);
    else
        (void)wtl_region_refill(WTL_SPOOL_END, id, 0, was);
}

/* Returns the end time. */
static uint64_t settle(const struct wattle_stretch *stretch, struct wtl_place *at, uint32_t was)
{
    struct wtl_spool_record *record = begin_of(stretch, at);
    uint64_t least = atomic_load_explicit(&least_ticks, memory_order_relaxed);

    if (UNLIKELY(least == 0))
        least = find_least();
    if (record)
        __atomic_store_n(&record->what, 0,
                         __ATOMIC_RELEASE); /* visible long before the half is over */
    uint64_t time = wtl_region_now(at);

    if (record && time - stretch->begin < least - 1 && wtl_place_give_back(at, stretch->place))
        return time;
    if (record)
        __atomic_store_n(&record->what, wtl_spool_what(WTL_SPOOL_BEGIN, stretch->id),
                         __ATOMIC_RELEASE);
    write_end(at, stretch->id, time, was);
    return time;
}

uint64_t wattle_stretch_end(struct wattle_stretch *stretch)
{
    struct wtl_place *at = &wtl_place;

    if (stretch->begin == 0)
        return 0;
    if (wtl_region_is_off() || UNLIKELY(wtl_place_end(at) == 0))
        return 0; /* recording has ended, or this is the child of a fork */
    uint32_t was = wtl_region_enter(at);
    uint64_t time = stretch->place ? settle(stretch, at, was) : wtl_region_now(at);

    if (UNLIKELY(time - at->pair_time > at->pair_due))
        wtl_region_refresh_pair(at);
    wtl_region_leave(at, was);
    return time > stretch->begin ? time - stretch->begin : 1;
}
