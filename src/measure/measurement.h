/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurement: one, from opening the sensors to the result and the finished trace, whoever makes it: "wattle run" and the verbs
 * that measure, a recorder or the profiler inside a program.
 *
 *     wtl_measurement_init(&m, &options, err);
 *     wtl_run_trace_spool(&m.trace);            where processes are to leave regions: then the environment for them
 *     wtl_measurement_open(&m, err);            sensors, trace, what it says of the machine, session
 *     wtl_measurement_prepare(&m);              ticks before
 *     wtl_measurement_start(&m);                the start of the window; release what is measured
 *     wtl_measurement_begin(&m);
 *     wtl_run_trace_begun(&m.trace);
 *     wtl_measurement_end(&m, end_ns);          ticks after; all samples are in
 *     wtl_measurement_result(&m, &used, &result);
 *     wtl_measurement_fill_trace(&m, &result, err);      regions, flags, what was used
 *     wtl_measurement_finish(&m, &result, err);          footer
 *     wtl_measurement_close(&m);                in any case, behind init
 *
 * One thread calls these, but where a header says otherwise. What stops nothing (sensors that do not answer, a trace that cannot
 * be made) is told to the teller. Callers read the members, and change none but options.target before the open.
 */
#ifndef WTL_MEASURE_MEASUREMENT_H
#define WTL_MEASURE_MEASUREMENT_H

#include "measure/measurement_state.h"

/* What was measured has used, as far as the caller knows; else what channels say. */
struct wtl_measurement_used {
    double cpu_s; /* NaN = not known */
    double max_rss_bytes;
    int exit_code; /* -1 = none */
};

/* The session's threads block all signals, so that they take none from the program around. As wtl_session_create(). */
int wtl_measurement_session(const struct wtl_session_options *options,
                            struct wtl_session **ret_session,
                            struct wattle_error *err);

/* 0 or -ENOMEM; in both cases for wtl_measurement_close(). */
int wtl_measurement_init(struct wtl_measurement *m,
                         const struct wtl_measurement_options *options,
                         struct wattle_error *err);

/* 0; -EINVAL for sensors that are not known; -ENODEV, -EACCES where there are none that are required; as
 * wtl_run_trace_create() or wtl_trace_resume(), and wtl_session_create(). */
int wtl_measurement_open(struct wtl_measurement *m, struct wattle_error *err);

/* How frequencies are chosen, then the ticks before. As wtl_session_prepare(). */
bool wtl_measurement_prepare(struct wtl_measurement *m);

/* The window opens now. Between the two calls what is measured is let go. */
void wtl_measurement_start(struct wtl_measurement *m);
void wtl_measurement_begin(struct wtl_measurement *m);

/* The first part of the end, see wtl_session_stop(). */
void wtl_measurement_end(struct wtl_measurement *m, uint64_t end_ns);

/* The result so far, which is the caller's (wtl_result_fini()). */
void wtl_measurement_so_far(struct wtl_measurement *m, struct wtl_result *ret_result);

/* The result, which is the caller's; the same rules give flags to each, measured by whom it may be. */
void wtl_measurement_result(struct wtl_measurement *m,
                            const struct wtl_measurement_used *used,
                            struct wtl_result *ret_result);

/* What the trace holds beside samples, as far as it is known at the end of the window. 0, or why regions are missing. */
int wtl_measurement_fill_trace(struct wtl_measurement *m,
                               struct wtl_result *result,
                               struct wattle_error *err);

/* A doubt about the measurement that it cannot know of itself, into its trace. */
void wtl_measurement_flag(struct wtl_measurement *m, const char *name, const char *text);

/* Idle power and the CPUs that it speaks of, when it is the estimate that speaks; NaN else, and *ret_cpus stays. */
double wtl_measurement_idle_w(const struct wtl_measurement *m, double *ret_cpus);

/* Nothing was measured, and no trace is left. */
void wtl_measurement_discard(struct wtl_measurement *m);

/* Stop sampling, and leave the trace without its end, for another process to go on. */
void wtl_measurement_leave(struct wtl_measurement *m);

/* Free all but what the caller has taken: m->trace, when that is set to 0. An end that was not reached is as after a crash. */
void wtl_measurement_close(struct wtl_measurement *m);

#endif
