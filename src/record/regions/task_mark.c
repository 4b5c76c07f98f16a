/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of <wattle/task.h>: a mark is two records of the thread's chunk, a detail one, reserved in one
 * instruction. The kernel's work for fresh pages of the file is most of the cost: bytes count. The rest is as for the region calls (region.c).
 */
#define _GNU_SOURCE
#include <wattle/task.h>

#include "record/regions/region_call.h"
#include "trace/blocks/mark.h"

enum { RECORDS = 2 }; /* of a mark; a detail has one */

static_assert(2 * RECORDS + WATTLE_TASK_DETAILS_MAX <= WTL_PLACE_MOST,
              "a mark, its details and a cut at once");

struct call {
    uint32_t kind, name;
    uint64_t value;
    const struct wattle_task_detail *details;
    unsigned count;
};

static inline uintptr_t bytes_of(const struct call *call)
{
    return (RECORDS + call->count) * WTL_PLACE_RECORD;
}

/* In their order: a process that is killed in between leaves a mark with fewer details, never details
 * of another mark. */
static inline void store(uintptr_t slot, uint64_t time, const struct call *call)
{
    wtl_place_store(slot + WTL_PLACE_RECORD, call->value, WTL_SPOOL_VALUE, 0);
    wtl_place_store(slot, time, (enum wtl_spool_kind)call->kind, call->name);
    slot += RECORDS * WTL_PLACE_RECORD;
    for (unsigned i = 0; i < call->count; i++, slot += WTL_PLACE_RECORD)
        wtl_place_store(slot, call->details[i].value,
                        call->details[i].kind == WATTLE_TASK_DETAIL ? WTL_SPOOL_DETAIL
                                                                    : WTL_SPOOL_COUNTER,
                        call->details[i].name);
}

static bool is_of_summary(uint32_t kind)
{
    return kind == WATTLE_TASK_SUM || kind == WATTLE_TASK_LABEL_TYPE ||
           kind == WATTLE_TASK_LABEL_VALUE;
}

int wattle_task_recording(void)
{
    struct wtl_place_held held;
    int state = __atomic_load_n(&wtl_task_state_now, __ATOMIC_RELAXED);

    if (UNLIKELY(state < 0) && !wtl_place.busy) {
        wtl_place_hold(&held);
        wtl_place_release(&held);
        state = __atomic_load_n(&wtl_task_state_now, __ATOMIC_RELAXED);
    }
    return state > 0 ? state : 0;
}

/* With the lock held and room for both: at the limit a cut takes the place of the mark. */
static void store_within(struct wtl_place *at, const struct call *call)
{
    const struct call cut = {.kind = WATTLE_TASK_CUT};

    if (wtl_place_over_limit())
        store(wtl_place_reserve(at, bytes_of(&cut)), wtl_region_now(at), &cut);
    if (wtl_task_state_now == 1 || is_of_summary(call->kind))
        store(wtl_place_reserve(at, bytes_of(call)), wtl_region_now(at), call);
}

static __attribute__((noinline, cold)) void refill(const struct call *call, uint32_t nested)
{
    struct wtl_place *at = &wtl_place;
    struct wtl_place_held held;
    int state = wtl_region_state();

    if (state == WTL_REGION_OFF)
        return;
    if (state == WTL_REGION_FULL || at->busy || (nested && !wtl_place_has_more(at))) {
        at->next = wtl_place_end(at); /* read by each call, written by none */
        wtl_place_drop(state != WTL_REGION_FULL);
        return;
    }
    wtl_place_hold(&held);
    if (wtl_region_state() == WTL_REGION_ON)
        wtl_place_find(nested != 0, 2 * RECORDS + call->count);
    if (wtl_region_state() == WTL_REGION_ON) {
        store_within(at, call);
    } else if (wtl_region_state() == WTL_REGION_FULL) {
        at->next = wtl_place_end(at);
        wtl_place_drop(false);
    }
    wtl_place_release(&held);
    wtl_place_start_ahead(&held, nested != 0);
}

static inline void append(const struct call *call)
{
    struct wtl_place *at = &wtl_place;
    int state = __atomic_load_n(&wtl_task_state_now, __ATOMIC_RELAXED);

    if (LIKELY(state == 0) || wtl_region_is_off())
        return;
    if (UNLIKELY(state != 1)) {
        state = wattle_task_recording();
        if (state == 0 || (state == 2 && !is_of_summary(call->kind)))
            return;
    }
    uint32_t was = wtl_region_enter(at);
    uintptr_t bytes = bytes_of(call), slot = wtl_place_reserve(at, bytes);

    if (LIKELY(slot + bytes <= wtl_place_end(at))) {
        uint64_t time = wtl_region_now(at);

        store(slot, time, call);
        if (UNLIKELY(time - at->pair_time > at->pair_due))
            wtl_region_refresh_pair(at);
    } else {
        refill(call, was);
    }
    wtl_region_leave(at, was);
}

void wattle_task_mark(uint32_t kind, uint32_t name, uint64_t value)
{
    const struct call call = {.kind = kind, .name = name, .value = value};

    if (LIKELY(wtl_mark_is_task(kind)))
        append(&call);
}

void wattle_task_mark_with(uint32_t kind,
                           uint32_t name,
                           uint64_t value,
                           const struct wattle_task_detail *details,
                           unsigned count)
{
    struct call call = {.kind = kind, .name = name, .value = value, .details = details};

    while (call.count < count && call.count < WATTLE_TASK_DETAILS_MAX &&
           (details[call.count].kind == WATTLE_TASK_DETAIL ||
            details[call.count].kind == WATTLE_TASK_COUNTER))
        call.count++;
    if (LIKELY(wtl_mark_is_task(kind)))
        append(&call);
}
