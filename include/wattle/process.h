/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls for the tool of a parallel runtime (libwattle-mpi is one) that describe the process it runs
 * in: its rank, the offset of its clock from that of another node, its time inside the runtime, and
 * the intervals that make up this time.
 *
 *     struct wattle_stretch wait;
 *     wattle_stretch_begin(&wait, id);               // 10 to 20 ns
 *     int rc = next_function(...);
 *     ticks += wattle_stretch_end(&wait);            // a region only if long enough
 *
 * These calls are recorded with the region calls (<wattle/region.h>), survive kill -9 like them,
 * and do nothing while nothing is being recorded. Nothing here fails, prints or changes errno.
 *
 * Thread rule: all calls are safe from any thread; end a stretch on the thread that began it.
 */
#ifndef WATTLE_PROCESS_H
#define WATTLE_PROCESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This process is `rank` of `ranks`, counted from 0, in MPI_COMM_WORLD. Ignored unless 0 <= rank
 * < ranks. Since 0.1. */
void wattle_process_rank(int rank, int ranks);

/*
 * A number that identifies this node: equal in all processes of a node, different on other nodes.
 * (64-bit FNV-1a hash of WATTLE_NODE, or of host name and boot id.) Since 0.1.
 */
uint64_t wattle_process_node(void);

/*
 * At this moment the clock of the node `reference` (its wattle_process_node()) equals this node's
 * CLOCK_MONOTONIC plus offset_ns, to within error_ns. Since 0.1.
 */
void wattle_process_sync(int64_t offset_ns, uint64_t error_ns, uint64_t reference);

/*
 * The process has made `calls` calls of the runtime so far and spent time_ns in them, summed over
 * its threads. The latest values count; calling this twice a second keeps them correct even after
 * kill -9. Since 0.1.
 */
void wattle_process_mpi(uint64_t calls, uint64_t time_ns);

/* A time interval that becomes a region only if it is long enough. The members are private to
 * wattle. */
struct wattle_stretch {
    uint64_t begin;  /* ticks; 0 = nothing is being recorded */
    uintptr_t place; /* of its record; 0 = no record */
    uint32_t id;
};

/* Begin a stretch; id is from wattle_region_id(), 0 = only time it. Since 0.1. */
void wattle_stretch_begin(struct wattle_stretch *stretch, uint32_t id);

/*
 * End a stretch. If it lasted at least wattle_stretch_least(), it is kept as a region, otherwise it
 * leaves no record. Returns its duration in ticks (see wattle_stretch_ns()); 0 while nothing is
 * being recorded. Since 0.1.
 */
uint64_t wattle_stretch_end(struct wattle_stretch *stretch);

/* Set the minimum duration at which stretches of this process become regions: 0 = all; values
 * above 50 ms count as 50 ms. Default 20 us. Since 0.1. */
void wattle_stretch_least(uint64_t least_ns);

/* Convert ticks to nanoseconds. Takes about 0.1 us. Since 0.1. */
uint64_t wattle_stretch_ns(uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
