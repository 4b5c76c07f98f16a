/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of events reserved for wattle (docs/format/trace.md, "Events of wattle's own"): facts about a process
 * that must survive its kill -9, and are therefore recorded like its regions, through the spool into the
 * trace. wattle_event() ignores these types, so that no program can record such facts by accident.
 */
#ifndef WTL_TRACE_OWN_EVENT_H
#define WTL_TRACE_OWN_EVENT_H

#include <stdint.h>

#define WTL_EVENT_OWN UINT32_C(0xFFFF0000) /* the first; all types from here on */

/* The clock of another node at the time of the event: three consecutive events on one thread. */
#define WTL_EVENT_SYNC_OFFSET UINT32_C(0xFFFF0001) /* i64 ns: reference clock - this node's clock */
#define WTL_EVENT_SYNC_ERROR  UINT32_C(0xFFFF0002) /* u64 ns: half width of the offset's interval */
#define WTL_EVENT_SYNC_REFERENCE \
    UINT32_C(0xFFFF0003) /* u64: wtl_hash_text() of the reference's node key */

/* For the process; the last of each is valid. */
#define WTL_EVENT_MPI_RANK  UINT32_C(0xFFFF0010) /* u64: in MPI_COMM_WORLD, from 0 */
#define WTL_EVENT_MPI_RANKS UINT32_C(0xFFFF0011) /* u64: number of ranks */
#define WTL_EVENT_MPI_TIME_NS \
    UINT32_C(0xFFFF0012) /* u64: time within MPI calls, summed over the threads */
#define WTL_EVENT_MPI_CALLS UINT32_C(0xFFFF0013) /* u64: MPI calls, without those made inside MPI */

#define WTL_EXACT_WAIT "wattle exact wait" /* the region in which an exact region waits */

/* For an exact region: directly after its end (and that of the wait), on the same thread. Doubles are
 * stored as their bits. */
#define WTL_EVENT_EXACT_WAIT_NS  UINT32_C(0xFFFF0020) /* u64 ns: waited at both borders */
#define WTL_EVENT_EXACT_ENERGY_J UINT32_C(0xFFFF0021) /* f64 J: of the total; NaN = no total */
#define WTL_EVENT_EXACT_HALF_J   UINT32_C(0xFFFF0022) /* f64 J: half width of its 95 % interval */

#endif
