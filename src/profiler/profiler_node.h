/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measurement of a node from inside of a program: sensors, trace, the folder of regions, the session that
 * samples. It is made by the one process that has the node's seat.
 *
 *     wtl_profiler_node_open(&plan, &node, err);       samples from here on
 *     wtl_profiler_node_end(node, cpu_s, &result);     flags, footer; the spools go
 *     wtl_profiler_node_close(node);
 *
 * One thread calls these. What cannot be had is told and done without: sensors, the trace, its regions.
 */
#ifndef WTL_PROFILER_NODE_H
#define WTL_PROFILER_NODE_H

#include <stdbool.h>

#include <wattle/error.h>

#include "base/world.h"
#include "model/result.h"
#include "profiler/profiler_settings.h"

struct wtl_profiler_node;

/* All borrowed for the call, but the world. */
struct wtl_profiler_plan {
    const struct wtl_world *world;
    const struct wtl_profiler_settings *settings;
    const char *node_name, *node_key; /* metadata of the trace */
    const char *run_id;
    const char *trace;         /* absolute path of the trace to be made; NULL = none */
    wtl_profiler_tell_fn tell; /* NULL = say nothing */
};

/* Returns 0; -EEXIST when a trace that an option names is there; -EINVAL for sensors that are not known; -ENOMEM, -EAGAIN. */
int wtl_profiler_node_open(const struct wtl_profiler_plan *plan,
                           struct wtl_profiler_node **ret_node,
                           struct wattle_error *err);

/* Absolute paths, borrowed; NULL = there is none. */
const char *wtl_profiler_node_trace(const struct wtl_profiler_node *node);
const char *wtl_profiler_node_spool(const struct wtl_profiler_node *node);

/* A doubt about the measurement, into the trace. */
void wtl_profiler_node_flag(struct wtl_profiler_node *node, const char *name, const char *text);

/* The window closes now. cpu_s: CPU time of all processes of the job on this node; NaN = not known. Returns 0, or why the trace is
 * not whole, which is told; *ret_result, the caller's, is good all the same. */
int wtl_profiler_node_end(struct wtl_profiler_node *node,
                          double cpu_s,
                          struct wtl_result *ret_result);

/* Stop sampling, and leave the trace without its end and footer, for another process to go on. */
void wtl_profiler_node_leave(struct wtl_profiler_node *node);

/* In the child of a fork: let go of the trace, which else stays locked when the parent has been killed. Nothing is freed.
 * Accepts NULL. */
void wtl_profiler_node_forget(struct wtl_profiler_node *node);

/* Accepts NULL; without an end before, the trace stays as after a crash. */
void wtl_profiler_node_close(struct wtl_profiler_node *node);

#endif
