/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run set: runs that are known already, so that none counts twice. The same run may be named twice, or be there as a
 * copy under another name; counted as a repeat it would narrow every interval without any new measurement. A run is
 * known by its id, its start and its node; where a trace has no id, by its content. A result of a document has no id:
 * it is known by its node, its times, its energy and the CPU time that wattle itself used.
 */
#ifndef WTL_ANALYSIS_RUN_SET_H
#define WTL_ANALYSIS_RUN_SET_H

#include <stdbool.h>
#include <stdint.h>

#include <wattle/error.h>

#include "analysis/traces/trace_list.h"
#include "model/result.h"

struct wtl_run_identity {
    char id[128], node[128];     /* "" = unknown */
    uint64_t start_ns, begin_ns; /* time of day, 0 = unknown; the same on the node's own clock */
    double own_cpu_s, energy_j;  /* of a result; else NaN */
    size_t traces;               /* of many nodes; 1 = a single trace, 0 = not a trace */
    bool result;                 /* of a result, not read from its trace */
    char *name;                  /* owned */
};

struct wtl_run_set {
    struct wtl_run_identity *runs; /* owned */
    size_t count;
    bool
        copies_only; /* a run and one of its traces are not the same: they are still to be grouped */
};

/*
 * Add the runs of the list from that index on; those that the set has already are moved to what the list leaves out
 * ("a copy of NAME"). What cannot be read is kept, for the message of whoever reads it. 0 or -ENOMEM.
 */
int wtl_run_set_add(struct wtl_run_set *set, struct wtl_trace_list *names, size_t from);

/* Add the run of a result, which may be of a document. The name of the run that it is a copy of, borrowed; "": it is new;
 * NULL: out of memory. */
const char *wtl_run_set_add_result(struct wtl_run_set *set,
                                   const struct wtl_result *result,
                                   const char *name);

/* Move a name to what the list leaves out, as a copy of the first. 0 or -ENOMEM. */
int wtl_run_set_leave(struct wtl_trace_list *names, const char *name, const char *first);

void wtl_run_set_fini(struct wtl_run_set *set);

#endif
