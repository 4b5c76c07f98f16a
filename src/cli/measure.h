/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure: one measurement of a command, a process, a cgroup or the machine, from opening the
 * sensors to the result and the finished trace. "wattle run" repeats it as often as asked.
 */
#ifndef WTL_CLI_MEASURE_H
#define WTL_CLI_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/child.h"
#include "cli/run_trace.h"
#include "model/result.h"
#include "source/select.h"

struct wtl_job;
struct wtl_measurement; /* one that goes on */

/* Somebody who looks on while the machine is measured (no command, no pid), and says when that ends. */
struct wtl_attendant {
    /* Called on the caller's thread when the window is open; it closes when this returns. NULL = none. */
    void (*attend)(void *context, struct wtl_measurement *measurement);
    void *context;
};

struct wtl_measure_options {
    const struct wtl_world *world;
    const struct wtl_settings *settings; /* of drivers, from the configuration */
    char *const *argv;                   /* the command; NULL = none */
    enum wtl_child_stdio stdio;          /* of the command */
    pid_t pid;                           /* of a running process; 0 = none */
    const char *cgroup;                  /* NULL = none */
    const char *sensors;                 /* as --sensor; NULL = what is there */
    const char *trace_path;              /* NULL = no trace */
    bool trace_required; /* the user named it: when it cannot be created, nothing is measured */
    bool force, sync;
    bool regions; /* those of other processes belong into the trace, though there is no command */
    uint64_t interval_ns;
    uint64_t duration_ns; /* without a command: how long; 0 = until it ends */
    uint64_t delay_ns;    /* the window starts this long after the command */
    uint64_t print_ns;    /* a line on stderr this often; 0 = never */
    int sampler_cpu;
    bool edges; /* wait for the counters' ticks at the borders */
    bool require_measured;
    double work; /* NaN = not given */
    const char *work_unit;
    const char *labels;       /* model/labels.h; NULL or "" = none */
    const char *command_line; /* for result and trace; NULL without a command */
    const char *node;         /* of a job: its name in the result; NULL = no job */
    struct wtl_job *job;      /* node and launcher of "wattle run"; NULL = neither matters */
    struct wtl_teller teller;
    struct wtl_attendant attendant;
};

/*
 * For an attendant: the result so far, which is the caller's (wtl_result_fini()); the idle power and the
 * CPUs that an estimate speaks of (NaN, 0 = it is not the estimate that speaks); and in virtual time, to let it pass up to an instant.
 */
void wtl_measurement_so_far(struct wtl_measurement *measurement, struct wtl_result *ret_result);
double wtl_measurement_idle_w(const struct wtl_measurement *measurement, double *ret_cpus);
/* Its trace, as it was given, and the folder in which processes leave their regions for it; NULL = none. */
const char *wtl_measurement_trace(const struct wtl_measurement *measurement);
const char *wtl_measurement_spool(const struct wtl_measurement *measurement);
void wtl_measurement_advance(struct wtl_measurement *measurement, uint64_t time_ns);

/* The sentence for a command that could not be executed, and what would help; returns code. */
int wtl_measure_tell_exec(const char *name, int code, struct wattle_error *err);

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
