/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurement of a node from inside a program (measure/measurement.h), made by the process that has
 * the node's seat.
 *
 *     wtl_profiler_node_open(&plan, &node, err);       samples from here on
 *     wtl_profiler_node_end(node, cpu_s, &result);     flags, footer; the spools are removed
 *     wtl_profiler_node_close(node);
 *
 * Call these from one thread. If something is unavailable (sensors, the trace, its regions), this
 * is reported and the measurement continues without it.
 */
#ifndef WTL_PROFILER_NODE_H
#define WTL_PROFILER_NODE_H

#include "measure/measurement.h"
#include "profiler/profiler_settings.h"

/* All borrowed during the call, except the world. */
struct wtl_profiler_plan {
    const struct wtl_world *world;
    const struct wtl_profiler_settings *settings;
    const char *node_name, *node_key; /* metadata of the trace */
    const char *run_id;
    const char *trace; /* absolute path of the trace to create; NULL = none */
    struct wtl_teller teller;
};

/* Returns 0; -EEXIST if a trace given in an option exists; -EINVAL for unknown sensors; -ENOMEM,
 * -EAGAIN. */
int wtl_profiler_node_open(const struct wtl_profiler_plan *plan,
                           struct wtl_measurement **ret_node,
                           struct wattle_error *err);

/* The window ends now. cpu_s: CPU time of all processes of the job on this node; NaN = unknown.
 * Returns 0, or why the trace is incomplete, which is reported; *ret_result, owned by the caller,
 * is valid in both cases. */
int wtl_profiler_node_end(struct wtl_measurement *node,
                          double cpu_s,
                          struct wtl_result *ret_result);

/* Accepts NULL; without a preceding end, the trace is left as after a crash. */
void wtl_profiler_node_close(struct wtl_measurement *node);

#endif
