/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure: one measurement (measure/measurement.h) of a command, a process, a cgroup or the machine: holds,
 * releases and waits for the command. "wattle run" repeats it.
 */
#ifndef WTL_CLI_MEASURE_H
#define WTL_CLI_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/child.h"
#include "measure/measurement.h"

struct wtl_job;

/* A callback that runs while the machine is measured (no command, no pid) and determines the end. */
struct wtl_attendant {
    /* Called on the caller's thread when the window has started; the window ends when it returns. NULL = none. */
    void (*attend)(void *context, struct wtl_measurement *measurement);
    void *context;
};

struct wtl_measure_options {
    struct wtl_measurement_options
        what;                   /* its target is a running process, a cgroup, or the machine */
    char *const *argv;          /* the command; NULL = none */
    enum wtl_child_stdio stdio; /* of the command */
    bool regions;               /* record regions of other processes even without a command */
    uint64_t duration_ns;       /* without a command: how long; 0 = until it ends */
    uint64_t delay_ns;          /* the window starts this long after the command */
    uint64_t print_ns;          /* interval of intermediate results; 0 = never */
    void (*progress)(const struct wtl_result *so_far); /* takes it */
    struct wtl_job *job; /* node and launcher of "wattle run"; NULL = none */
    struct wtl_attendant attendant;
    /* Called when all is open and the command is held: the window follows at once. Not 0: nothing is measured; as the
     * result of wtl_measure(). NULL = none. */
    int (*ready)(void *context, struct wattle_error *err);
    void *ready_context;
};

/* In virtual time, for an attendant: advance to an instant. */
void wtl_measure_advance(struct wtl_measurement *measurement, uint64_t time_ns);

/*
 * Measure once. On success the caller owns *ret_result (wtl_result_fini()), *ret_child is how the command
 * ended, and *ret_trace is still open for later data: wtl_run_trace_finish(), wtl_run_trace_fini(). On
 * failure before the release, -EINVAL, -EEXIST, ... with a message, and the command has not run. If it cannot
 * be executed: -ENOENT, -EACCES, ... and ret_child->exec_errno is set.
 */
int wtl_measure(const struct wtl_measure_options *options,
                struct wtl_signals *signals,
                struct wtl_child *ret_child,
                struct wtl_result *ret_result,
                struct wtl_run_trace *ret_trace,
                struct wattle_error *err);

#endif
