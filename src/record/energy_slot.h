/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of a slot of the energy page, as the writer stores them: a latch (two copies and a
 * sequence) without fences, which the thread sanitizer does not support. A release store of a word
 * follows the change of the sequence before it; the reader's part is in <wattle/page.h>.
 */
#ifndef WTL_RECORD_ENERGY_SLOT_H
#define WTL_RECORD_ENERGY_SLOT_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <wattle/page.h>

static_assert(sizeof(struct wattle_page_point) == 32, "layout of the energy page");
static_assert(sizeof(struct wattle_page_now) == 128, "layout of the energy page");
static_assert(sizeof(struct wattle_page_header) == 256, "layout of the energy page");
static_assert(sizeof(struct wattle_page_channel) == 512, "layout of the energy page");
static_assert(offsetof(struct wattle_page_slot, now) == 64, "layout of the energy page");
static_assert(offsetof(struct wattle_page_slot, rings) == 320, "layout of the energy page");

static inline void wtl_energy_store(uint64_t *at, uint64_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static inline void wtl_energy_store_double(double *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wtl_energy_store((uint64_t *)(void *)at, bits);
}

/* The time is stored last: where it was 0, the point is complete once it is not. */
static inline void wtl_energy_store_point(struct wattle_page_point *at,
                                          const struct wattle_page_point *point)
{
    wtl_energy_store_double(&at->energy_j, point->energy_j);
    wtl_energy_store_double(&at->variance_j2, point->variance_j2);
    wtl_energy_store(&at->unknown_ns, point->unknown_ns);
    wtl_energy_store(&at->time_ns, point->time_ns);
}

static inline struct wattle_page_point wtl_energy_load_point(const struct wattle_page_point *at)
{
    struct wattle_page_point point = {.time_ns = wattle_page_load_(&at->time_ns)};
    point.energy_j = wattle_page_load_double_(&at->energy_j);
    point.variance_j2 = wattle_page_load_double_(&at->variance_j2);
    point.unknown_ns = wattle_page_load_(&at->unknown_ns);
    return point;
}

static inline void wtl_energy_store_copy(struct wattle_page_now *at,
                                         const struct wattle_page_now *now)
{
    wtl_energy_store(&at->time_ns, now->time_ns);
    wtl_energy_store_double(&at->energy_j, now->energy_j);
    wtl_energy_store_double(&at->variance_j2, now->variance_j2);
    wtl_energy_store(&at->unknown_ns, now->unknown_ns);
    wtl_energy_store(&at->changed_ns, now->changed_ns);
    wtl_energy_store(&at->before_ns, now->before_ns);
    wtl_energy_store_double(&at->power_w, now->power_w);
    wtl_energy_store(&at->power_ns, now->power_ns);
    wtl_energy_store(&at->count, now->count);
    wtl_energy_store(&at->raw, now->raw);
    wtl_energy_store(&at->raw_ns, now->raw_ns);
    wtl_energy_store(&at->ticks, now->ticks);
    wtl_energy_store(&at->since_ns, now->since_ns);
    wtl_energy_store(&at->half_ns, now->half_ns);
    wtl_energy_store_double(&at->off_w, now->off_w);
    __atomic_store_n(&at->status, now->status, __ATOMIC_RELEASE);
    __atomic_store_n(&at->quality, now->quality, __ATOMIC_RELEASE);
}

/* Replace both copies, one after the other: at each moment, the sequence names a complete one. It is
 * even before and after. */
static inline void wtl_energy_latch(struct wattle_page_slot *slot,
                                    const struct wattle_page_now *now)
{
    uint64_t sequence = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED);
    wtl_energy_store(&slot->sequence, sequence + 1); /* readers use copy 1 */
    wtl_energy_store_copy(&slot->now[0], now);
    wtl_energy_store(&slot->sequence, sequence + 2); /* and copy 0 */
    wtl_energy_store_copy(&slot->now[1], now);
}

/* A writer was killed at some moment: make the copies equal to the complete one, which is returned. */
static inline struct wattle_page_now wtl_energy_unlatch(struct wattle_page_slot *slot)
{
    struct wattle_page_now now = slot->now[slot->sequence & 1];
    if (slot->sequence & 1) {
        wtl_energy_store_copy(&slot->now[0], &now);
        wtl_energy_store(&slot->sequence, slot->sequence + 1);
    }
    wtl_energy_store_copy(&slot->now[1], &now);
    return now;
}

#endif
