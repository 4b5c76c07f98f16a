/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measurement of a node from inside of a program (measure/measurement.h). It is made by the one process that has the node's
 * seat.
 *
 *     wtl_profiler_node_open(&plan, &node, err);       samples from here on
 *     wtl_profiler_node_end(node, cpu_s, &result);     flags, footer; the spools go
 *     wtl_profiler_node_close(node);
 *
 * One thread calls these. What cannot be had is told and done without: sensors, the trace, its regions.
 */
#ifndef WTL_PROFILER_NODE_H
#define WTL_PROFILER_NODE_H

#include "measure/measurement.h"
#include "profiler/profiler_settings.h"

/* All borrowed for the call, but the world. */
struct wtl_profiler_plan {
    const struct wtl_world *world;
    const struct wtl_profiler_settings *settings;
    const char *node_name, *node_key; /* metadata of the trace */
    const char *run_id;
    const char *trace; /* absolute path of the trace to be made; NULL = none */
    struct wtl_teller teller;
};

/* Returns 0; -EEXIST when a trace that an option names is there; -EINVAL for sensors that are not known; -ENOMEM, -EAGAIN. */
int wtl_profiler_node_open(const struct wtl_profiler_plan *plan,
                           struct wtl_measurement **ret_node,
                           struct wattle_error *err);

/* The window closes now. cpu_s: CPU time of all processes of the job on this node; NaN = not known. Returns 0, or why the trace is
 * not whole, which is told; *ret_result, the caller's, is good all the same. */
int wtl_profiler_node_end(struct wtl_measurement *node,
                          double cpu_s,
                          struct wtl_result *ret_result);

/* Accepts NULL; without an end before, the trace stays as after a crash. */
void wtl_profiler_node_close(struct wtl_measurement *node);

#endif
