/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure: one measurement (measure/measurement.h) of a command, a process, a cgroup or the machine: the command is held, released
 * and waited for here. "wattle run" repeats it as often as asked.
 */
#ifndef WTL_CLI_MEASURE_H
#define WTL_CLI_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/child.h"
#include "measure/measurement.h"

struct wtl_job;

/* Somebody who looks on while the machine is measured (no command, no pid), and says when that ends. */
struct wtl_attendant {
    /* Called on the caller's thread when the window is open; it closes when this returns. NULL = none. */
    void (*attend)(void *context, struct wtl_measurement *measurement);
    void *context;
};

struct wtl_measure_options {
    struct wtl_measurement_options
        what;                   /* its target is a running process, a cgroup, or the machine */
    char *const *argv;          /* the command; NULL = none */
    enum wtl_child_stdio stdio; /* of the command */
    bool regions; /* those of other processes belong into the trace, though there is no command */
    uint64_t duration_ns; /* without a command: how long; 0 = until it ends */
    uint64_t delay_ns;    /* the window starts this long after the command */
    uint64_t print_ns;    /* the result so far this often; 0 = never */
    void (*progress)(const struct wtl_result *so_far); /* takes it */
    struct wtl_job *job; /* node and launcher of "wattle run"; NULL = neither matters */
    struct wtl_attendant attendant;
};

/* In virtual time, for an attendant: let it pass up to an instant. */
void wtl_measure_advance(struct wtl_measurement *measurement, uint64_t time_ns);

/*
 * Measure once. On success *ret_result is the caller's (wtl_result_fini()), *ret_child tells
 * how the command ended, and *ret_trace is still open for what is learnt later:
 * wtl_run_trace_finish(), wtl_run_trace_fini(). Failures before the command was released: -EINVAL, -EEXIST, ... with a
 * sentence, and the command has not run. When it cannot be executed: -ENOENT, -EACCES, ... and
 * ret_child->exec_errno is set.
 */
int wtl_measure(const struct wtl_measure_options *options,
                struct wtl_signals *signals,
                struct wtl_child *ret_child,
                struct wtl_result *ret_result,
                struct wtl_run_trace *ret_trace,
                struct wattle_error *err);

#endif
