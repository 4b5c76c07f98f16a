/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Own facts: what processes said of themselves by wattle's own events (own_event.h), as metadata of the trace, so that a footer
 * suffices for what stands in thousands of blocks: sync.N.* (clocks of other nodes) and mpi.* (docs/format/trace.md). Writer and
 * repair collect them from the same blocks in the same order and so write the same.
 */
#ifndef WTL_TRACE_OWN_FACTS_H
#define WTL_TRACE_OWN_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/bytes.h"
#include "trace/blocks/mark.h"
#include "trace/tables.h"

#define WTL_OWN_SYNCS_MAX 64   /* points: the first and the last half of so many */
#define WTL_OWN_RANKS_MAX 1024 /* ranks of a node */

struct wtl_own_facts {
    struct wtl_list threads;   /* uint32_t: process, by id of the thread; only what events need */
    struct wtl_list syncs;     /* of all threads, in the order of the file */
    struct wtl_list processes; /* that said anything of MPI */
    uint64_t ranks;            /* of the job; 0 = unknown */
};

void wtl_own_facts_fini(struct wtl_own_facts *facts);

/* A payload of the table of threads; events, in the order of the file. 0 or -ENOMEM. */
int wtl_own_facts_threads(struct wtl_own_facts *facts, struct wtl_cursor payload);
int wtl_own_facts_events(struct wtl_own_facts *facts, const struct wtl_mark *marks, size_t n);

/* Records of metadata for all that the tables do not say already. */
void wtl_own_facts_put(const struct wtl_own_facts *facts,
                       const struct wtl_tables *tables,
                       struct wtl_bytes *records);

#endif
