/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of a slot of the energy page, as writer and readers store and load them: a seqlock
 * (Boehm 2012) without fences, which the thread sanitizer does not support. A release store of a
 * word follows the odd sequence; an acquire load of a word precedes the second look at the
 * sequence.
 */
#ifndef WTL_RECORD_ENERGY_SLOT_H
#define WTL_RECORD_ENERGY_SLOT_H

#include <string.h>

#include "record/energy_page.h"

static inline void wtl_energy_store(uint64_t *at, uint64_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static inline uint64_t wtl_energy_load(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline void wtl_energy_store_double(double *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wtl_energy_store((uint64_t *)(void *)at, bits);
}

static inline double wtl_energy_load_double(const double *at)
{
    uint64_t bits = wtl_energy_load((const uint64_t *)(const void *)at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void wtl_energy_store_point(struct wtl_energy_point *at,
                                          const struct wtl_energy_point *point)
{
    wtl_energy_store(&at->time_ns, point->time_ns);
    wtl_energy_store_double(&at->energy_j, point->energy_j);
    wtl_energy_store_double(&at->variance_j2, point->variance_j2);
    wtl_energy_store(&at->unknown_ns, point->unknown_ns);
}

static inline struct wtl_energy_point wtl_energy_load_point(const struct wtl_energy_point *at)
{
    return (struct wtl_energy_point){.time_ns = wtl_energy_load(&at->time_ns),
                                     .energy_j = wtl_energy_load_double(&at->energy_j),
                                     .variance_j2 = wtl_energy_load_double(&at->variance_j2),
                                     .unknown_ns = wtl_energy_load(&at->unknown_ns)};
}

/* Between these two, readers accept nothing. */
static inline void wtl_energy_slot_open(struct wtl_energy_slot *slot)
{
    __atomic_store_n(&slot->sequence, slot->sequence + 1, __ATOMIC_RELAXED);
}

static inline void wtl_energy_slot_shut(struct wtl_energy_slot *slot)
{
    __atomic_store_n(&slot->sequence, slot->sequence + 1, __ATOMIC_RELEASE);
}

#endif
