/* SPDX-License-Identifier: BSD-3-Clause */
/* What the recording calls share (region.c, tentative_region.c): their clock, and the way off the
 * hot path. */
#ifndef WTL_RECORD_REGION_CALL_H
#define WTL_RECORD_REGION_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#    include <x86intrin.h>
#endif

#include "record/regions/region_place.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline uint64_t wtl_region_now(const struct wtl_place *at)
{
#if defined(__x86_64__)
    if (LIKELY(at->pair_due != UINT64_MAX))
        return __rdtsc();
#endif
    struct timespec ts;

    (void)at;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail */
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Recording is off: as cheap as possible, one word that is read; public calls test it before anything that needs a register saved. A
 * thread that does not see yet that it is off has a place with an end of 0, and sees it under the lock. */
static inline bool wtl_region_is_known_off(void)
{
    return __atomic_load_n(&wtl_region_state_now, __ATOMIC_RELAXED) == WTL_REGION_OFF;
}

/* The same in what may be a child of fork: if it was off in the parent, it is off. */
static inline bool wtl_region_is_off(void)
{
    if (wtl_region_is_known_off())
        return true;
    if (UNLIKELY(*wtl_place_own == 0))
        wtl_place_forget_parent();
    return false;
}

/* The stack position, as one word; never 0. */
static inline uint32_t wtl_region_stack(void)
{
    uintptr_t at;
#if defined(__x86_64__)
    __asm__("movq %%rsp, %0" : "=r"(at));
#else
    at = (uintptr_t)__builtin_frame_address(0);
#endif
    return (uint32_t)at | 1;
}

/*
 * Is the call that recorded this stack position still active? A call within it comes from a
 * handler, and is deeper on the stack by at least what the kernel puts between them, or on an
 * alternate stack. A call that a handler left by siglongjmp() has not ended, but then the stack is
 * unwound. Returns outer, or 0 if it is gone.
 */
uint32_t wtl_region_outer(uint32_t outer, uint32_t stack);

/* The chunk does not change between enter and leave, not even in handlers. */
static inline uint32_t wtl_region_enter(struct wtl_place *at)
{
    uint32_t was = at->inside, stack = wtl_region_stack();

    if (UNLIKELY(was != 0))
        was = wtl_region_outer(was, stack);
    at->inside = stack;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return was;
}

static inline void wtl_region_leave(struct wtl_place *at, uint32_t was)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    at->inside = was;
}

/* Off the hot path: a record that did not fit. nested: in a signal handler that interrupted a call,
 * which still holds its place in the old chunk. kind 0: only find a place for the thread. Returns
 * the address of the record, 0 = none. */
uintptr_t wtl_region_refill(enum wtl_spool_kind kind, uint32_t id, uint64_t value, uint32_t nested);

/* A clock pair, when it is due. */
void wtl_region_refresh_pair(struct wtl_place *at);

#endif
