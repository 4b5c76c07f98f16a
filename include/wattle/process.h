/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a tool of a parallel runtime (libwattle-mpi is one) tells about the process that it is in: its rank, how
 * its clock stands to that of another node, its time inside the runtime, and the stretches of that time.
 *
 *     struct wattle_stretch wait;
 *     wattle_stretch_begin(&wait, id);               // 10 to 20 ns
 *     int rc = next_function(...);
 *     ticks += wattle_stretch_end(&wait);            // a region if it was long enough, else nothing
 *
 * The calls go where the region calls go (<wattle/region.h>), survive kill -9 as those do, and do nothing where
 * nothing is being recorded. Nothing here fails, prints or changes errno.
 *
 * Thread rule: all calls are safe from any thread; a stretch ends on the thread on which it began.
 */
#ifndef WATTLE_PROCESS_H
#define WATTLE_PROCESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This process is `rank` of `ranks`, from 0, in MPI_COMM_WORLD. Ignored unless 0 <= rank < ranks. Since 0.1. */
void wattle_process_rank(int rank, int ranks);

/*
 * Which node this is, as a number: the same in all processes of one node, another on another node. (64 bits of
 * FNV-1a of WATTLE_NODE, or of host name and boot id.) Since 0.1.
 */
uint64_t wattle_process_node(void);

/*
 * Now the clock of the node `reference` (its wattle_process_node()) shows this node's CLOCK_MONOTONIC plus
 * offset_ns; the truth lies within error_ns of that. Since 0.1.
 */
void wattle_process_sync(int64_t offset_ns, uint64_t error_ns, uint64_t reference);

/*
 * So far the process made `calls` calls of the runtime and spent time_ns in them, summed over its threads.
 * The last word counts, so to say it twice a second is enough to be right after a kill -9. Since 0.1.
 */
void wattle_process_mpi(uint64_t calls, uint64_t time_ns);

/* A stretch of time that becomes a region only if it is long enough. Members are wattle's own. */
struct wattle_stretch {
    uint64_t begin;  /* ticks; 0 = nothing is being recorded */
    uintptr_t place; /* of its record; 0 = it has none */
    uint32_t id;
};

/* Begin one; id as of wattle_region_id(), 0 = time it only. Since 0.1. */
void wattle_stretch_begin(struct wattle_stretch *stretch, uint32_t id);

/*
 * End it. One that lasted for at least wattle_stretch_least() stays as a region, a shorter one leaves nothing.
 * Returns how long it lasted, in ticks (see wattle_stretch_ns()); 0 where nothing is being recorded. Since 0.1.
 */
uint64_t wattle_stretch_end(struct wattle_stretch *stretch);

/* Stretches of this process that last so long are regions: 0 = all; more than 50 ms is taken as 50 ms. 20 us
 * until it is called. Since 0.1. */
void wattle_stretch_least(uint64_t least_ns);

/* Ticks as nanoseconds. Takes some 0.1 us. Since 0.1. */
uint64_t wattle_stretch_ns(uint64_t ticks);

#ifdef __cplusplus
}
#endif
#endif
