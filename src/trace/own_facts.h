/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Own facts: information about processes from wattle's own events (own_event.h), as metadata of the trace, so
 * that a footer contains what is spread over thousands of blocks: sync.N.* (clocks of other nodes) and mpi.*
 * (docs/format/trace.md). Writer and repair collect it from the same blocks in the same order and therefore
 * write the same.
 */
#ifndef WTL_TRACE_OWN_FACTS_H
#define WTL_TRACE_OWN_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/bytes.h"
#include "trace/blocks/mark.h"
#include "trace/tables.h"

#define WTL_OWN_SYNCS_MAX 64   /* points: half of them the first, half the last */
#define WTL_OWN_RANKS_MAX 1024 /* ranks per node */

struct wtl_own_facts {
    struct wtl_list threads;   /* uint32_t: process, by id of the thread; only as needed for
                                  events */
    struct wtl_list syncs;     /* of all threads, in file order */
    struct wtl_list processes; /* those with MPI events */
    uint64_t ranks;            /* of the job; 0 = unknown */
};

void wtl_own_facts_fini(struct wtl_own_facts *facts);

/* Add the payload of a table of threads, or events, in file order. 0 or -ENOMEM. */
int wtl_own_facts_threads(struct wtl_own_facts *facts, struct wtl_cursor payload);
int wtl_own_facts_events(struct wtl_own_facts *facts, const struct wtl_mark *marks, size_t n);

/* Write metadata records for everything that is not yet in the tables. */
void wtl_own_facts_put(const struct wtl_own_facts *facts,
                       const struct wtl_tables *tables,
                       struct wtl_bytes *records);

#endif
