/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions (tags) and events: what the program itself says about its time.
 *
 *     uint32_t solve = wattle_region_id("solve");   // once
 *     wattle_region_begin(solve);                   // cheap: tens of nanoseconds
 *     ...
 *     wattle_region_end(solve);
 *
 * Under "wattle run" with a trace, or while a recorder with a trace runs, the calls append to a file mapped into
 * memory that survives kill -9; otherwise they cost a test and return. Regions nest per thread;
 * crossing or unbalanced ones are recorded and reported, never fatal. A region belongs to the thread
 * that calls: each thread of a team begins and ends its own. Nothing here fails, prints or changes
 * errno. "wattle stats --regions" and <wattle/trace.h> give the energy by name.
 *
 * Thread rule: all calls are safe from any thread, begin, end and event by id from signal handlers,
 * too. After fork the child's calls are recorded as its own; ids stay good.
 */
#ifndef WATTLE_REGION_H
#define WATTLE_REGION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The id of a region's name, the same for the same name in one process; to be called once, outside
 * of hot code and of signal handlers. The name is copied; 1 to 255 bytes of UTF-8. Returns the id
 * >= 1, whether or not recording is on; or 0 when the name is not acceptable, there is no memory or
 * the table (65535 names) is full; 0 is accepted, and ignored, by begin and end. Since 0.1.
 */
uint32_t wattle_region_id(const char *name);

/* Begin and end a region on the calling thread; end takes the id of the one that ends. Since 0.1. */
void wattle_region_begin(uint32_t id);
void wattle_region_end(uint32_t id);

/* The same by name: one look-up more for each call, without a lock once the name is known. Since
 * 0.1. */
void wattle_region_begin_name(const char *name);
void wattle_region_end_name(const char *name);

/*
 * Record that something of kind `type` with `value` happened now on this thread (Paraver's
 * type:value pairs; types are the caller's own). Types from 0xFFFF0000 on are wattle's: ignored. Since 0.1.
 */
void wattle_event(uint32_t type, uint64_t value);

/* 1 when calls of this process are being recorded, else 0. Since 0.1. */
int wattle_recording(void);

#ifdef __cplusplus
}
#endif
#endif
