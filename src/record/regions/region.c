/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public region and event calls. A call reserves 16 bytes in the thread's chunk of the mapped
 * spool, reads the clock and stores; everything else (first use, a full chunk, an occasional clock
 * pair) happens in wtl_region_refill(). Recording is on if WATTLE_SPOOL names a folder, or while a
 * recorder with a trace runs. Ids are assigned in either case, since programs keep them in static
 * variables.
 *
 * Signal handlers: the reservation is one instruction, so a handler on the same thread gets the
 * next record; signals are blocked off the hot path; a handler that interrupts a call and finds the
 * chunk full drops its mark. Children of vfork and posix_spawn must not make calls.
 */
#define _GNU_SOURCE
#include <wattle/region.h>

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "record/regions/region_call.h"
#include "record/regions/region_name.h"
#include "record/regions/region_open.h"
#include "record/regions/region_place.h"
#include "record/regions/task_counters.h"
#include "trace/own_event.h"

__attribute__((noinline, cold)) uint32_t wtl_region_outer(uint32_t outer, uint32_t stack)
{
    enum { FRAME = 512 }; /* minimum that the kernel puts between them */
    stack_t alternate;
    bool elsewhere = sigaltstack(NULL, &alternate) < 0 || (alternate.ss_flags & SS_ONSTACK);

    return elsewhere || (int32_t)(outer - stack) >= FRAME ? outer : 0;
}

__attribute__((noinline, cold)) uintptr_t wtl_region_refill(enum wtl_spool_kind kind,
                                                            uint32_t id,
                                                            uint64_t value,
                                                            uint32_t nested)
{
    struct wtl_place *at = &wtl_place;
    struct wtl_place_held held;
    int state = wtl_region_state();
    uintptr_t slot = 0;

    if (state == WTL_REGION_OFF)
        return 0;
    if (state == WTL_REGION_FULL || at->busy || (nested && !wtl_place_has_more(at))) {
        at->next = wtl_place_end(at); /* read by each call, written by none */
        wtl_place_drop(state != WTL_REGION_FULL);
        return 0;
    }
    wtl_place_hold(&held);
    if (wtl_region_state() == WTL_REGION_ON)
        wtl_place_find(nested != 0, 2);
    if (wtl_region_state() == WTL_REGION_ON && kind != 0) {
        slot = wtl_place_reserve(at, (kind == WTL_SPOOL_EVENT ? 2 : 1) * WTL_PLACE_RECORD);
        if (kind == WTL_SPOOL_EVENT)
            wtl_place_store(slot + WTL_PLACE_RECORD, value, WTL_SPOOL_VALUE, 0);
        wtl_place_store(slot, wtl_region_now(at), kind, id);
    } else if (wtl_region_state() == WTL_REGION_FULL) {
        at->next = wtl_place_end(at);
        wtl_place_drop(false);
    }
    wtl_place_release(&held);
    wtl_place_start_ahead(&held, nested != 0);
    return slot;
}

__attribute__((noinline, cold)) void wtl_region_refresh_pair(struct wtl_place *at)
{
    uintptr_t slot = wtl_place_reserve(at, 2 * WTL_PLACE_RECORD);

    if (slot + 2 * WTL_PLACE_RECORD <= wtl_place_end(at))
        wtl_place_store_pair(slot, WTL_SPOOL_CLOCK, 0, 0);
}

static __attribute__((noinline)) void append(enum wtl_spool_kind kind, uint32_t id)
{
    struct wtl_place *at = &wtl_place;

    if (wtl_region_is_off())
        return;
    if (UNLIKELY(id == 0)) {
        wtl_place_refuse();
        return;
    }
    uint32_t was = wtl_region_enter(at);
    uintptr_t slot = wtl_place_reserve(at, WTL_PLACE_RECORD);

    if (LIKELY(slot < wtl_place_end(at))) {
        uint64_t time = wtl_region_now(at);

        wtl_place_store(slot, time, kind, id);
        if (UNLIKELY(time - at->pair_time > at->pair_due))
            wtl_region_refresh_pair(at);
    } else {
        (void)wtl_region_refill(kind, id, 0, was);
    }
    wtl_region_leave(at, was);
    if (UNLIKELY(wtl_task_is_counting()))
        wtl_task_counters_mark();
}

void wattle_region_begin(uint32_t id)
{
    if (!wtl_region_is_known_off())
        append(WTL_SPOOL_BEGIN, id);
}

void wattle_region_end(uint32_t id)
{
    if (!wtl_region_is_known_off())
        append(WTL_SPOOL_END, id);
}

void wattle_event(uint32_t type, uint64_t value)
{
    if (!wtl_region_is_known_off() && LIKELY(type < WTL_EVENT_OWN))
        wtl_region_event(type, value);
}

void wtl_region_event(uint32_t type, uint64_t value)
{
    struct wtl_place *at = &wtl_place;

    if (wtl_region_is_off())
        return;
    uint32_t was = wtl_region_enter(at);
    uintptr_t slot = wtl_place_reserve(at, 2 * WTL_PLACE_RECORD);

    if (LIKELY(slot + WTL_PLACE_RECORD < wtl_place_end(at))) {
        wtl_place_store(slot + WTL_PLACE_RECORD, value, WTL_SPOOL_VALUE, 0);
        uint64_t time = wtl_region_now(at);

        wtl_place_store(slot, time, WTL_SPOOL_EVENT, type);
        if (UNLIKELY(time - at->pair_time > at->pair_due))
            wtl_region_refresh_pair(at);
    } else {
        (void)wtl_region_refill(WTL_SPOOL_EVENT, type, value, was);
    }
    wtl_region_leave(at, was);
}

/* The id of a name, registered if it is new. */
static __attribute__((noinline)) uint32_t add_name(const char *text, size_t length, uint64_t hash)
{
    struct wtl_place_held held;

    if (length == 0 || wtl_place.busy)
        return 0;
    wtl_place_hold(&held);
    const struct wtl_region_name *name = wtl_region_name_add(text, length, hash);

    wtl_place_write_names();
    wtl_place_release(&held);
    return name ? name->id : 0;
}

uint32_t wattle_region_id(const char *text)
{
    size_t length;

    if (!text)
        return 0;
    uint64_t hash = wtl_region_name_hash(text, &length);
    const struct wtl_region_name *name = wtl_region_name_find(text, length, hash);

    return LIKELY(name) ? name->id : add_name(text, length, hash);
}

void wattle_region_begin_name(const char *text)
{
    if (!wtl_region_is_off())
        wattle_region_begin(wattle_region_id(text));
}

void wattle_region_end_name(const char *text)
{
    if (!wtl_region_is_off())
        wattle_region_end(wattle_region_id(text));
}

int wattle_recording(void)
{
    struct wtl_place_held held;

    if (wtl_region_state() == WTL_REGION_UNKNOWN && !wtl_place.busy) {
        wtl_place_hold(&held);
        wtl_place_release(&held);
    }
    return wtl_region_state() == WTL_REGION_ON;
}

int wtl_region_innermost(uint64_t *ret_begin_ns, uint32_t *ret_id)
{
    struct wtl_place *at = &wtl_place;
    uint64_t begin = 0;
    if (wtl_place_end(at) == 0 || at->chunk_end == 0)
        return -ENOENT;
    uint32_t was = wtl_region_enter(at);
    int rc = wtl_region_open_find(at->chunk_end, at->next, &begin, ret_id);
    uint64_t now = wtl_region_now(at);
    wtl_region_leave(at, was);
    if (rc < 0)
        return rc;
    uint64_t now_ns = wtl_spool_pair_take(false).monotonic_ns;
    uint64_t ago_ns = wtl_place_ns(now > begin ? now - begin : 0);
    *ret_begin_ns = ago_ns < now_ns ? now_ns - ago_ns : 0;
    return 0;
}
