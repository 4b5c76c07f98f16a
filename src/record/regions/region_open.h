/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The innermost region that a thread is in, found from its records: the calls themselves keep no
 * stack. The records in the thread's chunk are walked backwards; when a chunk is full, the regions
 * open at its end are carried over.
 */
#ifndef WTL_RECORD_REGION_OPEN_H
#define WTL_RECORD_REGION_OPEN_H

#include <stdint.h>

/* From now on carry regions from chunk to chunk, which costs a walk over each chunk. */
void wtl_region_open_want(void);

/* The thread leaves its chunk, whose records end at `end`. For wtl_place_find(). */
void wtl_region_open_carry(uintptr_t chunk_end, uintptr_t end);

/* Reset the thread's state, after fork. */
void wtl_region_open_forget(void);

/*
 * The innermost open region of the calling thread, whose chunk ends at `chunk_end` and whose next
 * record goes to `next`: its id, and its begin in ticks of the region calls' clock. 0, or -ENOENT:
 * there is none, or it began before everything that is kept.
 */
int wtl_region_open_find(uintptr_t chunk_end,
                         uintptr_t next,
                         uint64_t *ret_begin,
                         uint32_t *ret_id);

#endif
