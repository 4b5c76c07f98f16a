/* SPDX-License-Identifier: BSD-3-Clause */
/* Which regions are open: see region_open.h. */
#define _GNU_SOURCE
#include "record/regions/region_open.h"

#include <errno.h>
#include <stdbool.h>

#include "trace/spool/spool_layout.h"

#define RECORD ((uintptr_t)sizeof(struct wtl_spool_record))

enum {
    CARRIED_MAX = 8, /* deeper ones are counted only */
    ENDS_MAX = 64    /* nested regions that ended, looking back */
};

/* Initial-exec like wtl_place: a call from a signal handler must not make the loader allocate. */
static __thread struct {
    uint64_t begin[CARRIED_MAX];
    uint32_t id[CARRIED_MAX];
    uint32_t depth; /* may be more than CARRIED_MAX */
} carried __attribute__((tls_model("initial-exec")));

static bool wanted;

void wtl_region_open_want(void)
{
    __atomic_store_n(&wanted, true, __ATOMIC_RELAXED);
}

void wtl_region_open_forget(void)
{
    carried.depth = 0;
}

static uintptr_t first_record(uintptr_t chunk_end)
{
    return chunk_end - WTL_SPOOL_CHUNK + WTL_CHUNK_HEADER;
}

static void load(uintptr_t at, uint64_t *time, enum wtl_spool_kind *kind, uint32_t *id)
{
    const struct wtl_spool_record *record = (const struct wtl_spool_record *)at;
    uint64_t what = __atomic_load_n(&record->what, __ATOMIC_ACQUIRE);
    *time = record->time;
    *kind = (enum wtl_spool_kind)(what >> 32);
    *id = (uint32_t)what;
}

static void open_one(uint64_t time, uint32_t id)
{
    if (carried.depth < CARRIED_MAX) {
        carried.begin[carried.depth] = time;
        carried.id[carried.depth] = id;
    }
    carried.depth++;
}

/* Ends the innermost region of this name; the others move up, since regions may cross. */
static void end_one(uint32_t id)
{
    uint32_t known = carried.depth < CARRIED_MAX ? carried.depth : CARRIED_MAX;
    if (carried.depth > CARRIED_MAX) {
        carried.depth--; /* one of those that are only counted */
        return;
    }
    for (uint32_t i = known; i-- > 0;) {
        if (carried.id[i] != id)
            continue;
        for (uint32_t k = i; k + 1 < known; k++) {
            carried.begin[k] = carried.begin[k + 1];
            carried.id[k] = carried.id[k + 1];
        }
        carried.depth--;
        return;
    }
}

/* Start of this thread's own part of the chunk: another thread may have used it before. */
static uintptr_t own_part(uintptr_t chunk_end, uintptr_t end)
{
    uint64_t time;
    uint32_t id;
    enum wtl_spool_kind kind;
    for (uintptr_t at = end; at > first_record(chunk_end);) {
        at -= RECORD;
        load(at, &time, &kind, &id);
        if (kind == WTL_SPOOL_THREAD)
            return at;
    }
    return first_record(chunk_end);
}

void wtl_region_open_carry(uintptr_t chunk_end, uintptr_t end)
{
    uint64_t time;
    uint32_t id;
    enum wtl_spool_kind kind;
    if (!__atomic_load_n(&wanted, __ATOMIC_RELAXED) || chunk_end == 0)
        return;
    for (uintptr_t at = own_part(chunk_end, end); at + RECORD <= end; at += RECORD) {
        load(at, &time, &kind, &id);
        if (kind == WTL_SPOOL_BEGIN || kind == WTL_SPOOL_MAYBE)
            open_one(time, id);
        else if (kind == WTL_SPOOL_END)
            end_one(id);
    }
}

/* Remove an end of this id from those waiting for their begin. */
static bool was_ended(uint32_t *ends, unsigned *count, uint32_t id)
{
    for (unsigned i = *count; i-- > 0;) {
        if (ends[i] == id) {
            ends[i] = ends[--*count];
            return true;
        }
    }
    return false;
}

/* Walk back to the first begin without an end; 0 = found, or -ENOENT with the unmatched ends. */
static int walk_back(uintptr_t chunk_end,
                     uintptr_t next,
                     uint64_t *ret_time,
                     uint32_t *ret_id,
                     uint32_t *ends,
                     unsigned *count)
{
    uint64_t time;
    uint32_t id;
    enum wtl_spool_kind kind;
    for (uintptr_t at = next < chunk_end ? next : chunk_end; at > first_record(chunk_end);) {
        at -= RECORD;
        load(at, &time, &kind, &id);
        if (kind == WTL_SPOOL_THREAD)
            break;
        if (kind == WTL_SPOOL_END) {
            if (*count == ENDS_MAX)
                return -EOVERFLOW;
            ends[(*count)++] = id;
        } else if ((kind == WTL_SPOOL_BEGIN || kind == WTL_SPOOL_MAYBE) &&
                   !was_ended(ends, count, id)) {
            *ret_time = time;
            *ret_id = id;
            return 0;
        }
    }
    return -ENOENT;
}

int wtl_region_open_find(uintptr_t chunk_end, uintptr_t next, uint64_t *ret_begin, uint32_t *ret_id)
{
    uint32_t ends[ENDS_MAX];
    unsigned count = 0;
    int rc = walk_back(chunk_end, next, ret_begin, ret_id, ends, &count);
    uint32_t depth = carried.depth;
    while (rc == -ENOENT && depth > 0 && depth <= CARRIED_MAX) {
        depth--;
        if (was_ended(ends, &count, carried.id[depth]))
            continue;
        *ret_begin = carried.begin[depth];
        *ret_id = carried.id[depth];
        rc = 0;
    }
    return rc < 0 ? -ENOENT : 0;
}
