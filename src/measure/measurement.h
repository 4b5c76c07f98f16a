/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurement: from opening the sensors to the result and the finished trace, used by "wattle run",
 * the other verbs that measure, a recorder, and the profiler inside a program.
 *
 *     wtl_measurement_init(&m, &options, err);
 *     wtl_run_trace_spool(&m.trace);            where processes leave regions: now set their environment
 *     wtl_measurement_open(&m, err);            sensors, trace, its metadata of the machine, session
 *     wtl_measurement_prepare(&m);              ticks before
 *     wtl_measurement_start(&m);                the start of the window; release what is measured
 *     wtl_measurement_begin(&m);
 *     wtl_run_trace_begun(&m.trace);
 *     wtl_measurement_end(&m, end_ns);          ticks after; all samples are in
 *     wtl_measurement_result(&m, &used, &result);
 *     wtl_measurement_fill_trace(&m, &result, err);      regions, flags, resource usage
 *     wtl_measurement_finish(&m, &result, err);          footer
 *     wtl_measurement_close(&m);                always, after init
 *
 * Call these from one thread, unless stated otherwise. Problems that do not stop the measurement
 * (sensors that do not answer, a trace that cannot be created) are reported to the teller. Callers
 * may read the members, and change only options.target, before open.
 */
#ifndef WTL_MEASURE_MEASUREMENT_H
#define WTL_MEASURE_MEASUREMENT_H

#include "measure/measurement_state.h"

/* What the measured processes used, if the caller knows; else the channels' values. */
struct wtl_measurement_used {
    double cpu_s; /* NaN = unknown */
    double max_rss_bytes;
    int exit_code; /* -1 = none */
};

/* The session's threads block all signals, so that they take none meant for the host program.
 * Otherwise like wtl_session_create(). */
int wtl_measurement_session(const struct wtl_session_options *options,
                            struct wtl_session **ret_session,
                            struct wattle_error *err);

/* 0 or -ENOMEM; call wtl_measurement_close() in both cases. */
int wtl_measurement_init(struct wtl_measurement *m,
                         const struct wtl_measurement_options *options,
                         struct wattle_error *err);

/* Open only the sensors, before wtl_measurement_open(), which then keeps them: for a caller that gives
 * up privileges in between. Returns as wtl_measurement_open(). */
int wtl_measurement_open_sensors(struct wtl_measurement *m, struct wattle_error *err);

/* 0; -EINVAL for unknown sensors; -ENODEV, -EACCES if required sensors are missing; or as
 * wtl_run_trace_create() or wtl_trace_resume(), and wtl_session_create(). */
int wtl_measurement_open(struct wtl_measurement *m, struct wattle_error *err);

/* Read the frequency settings, then wait for the ticks before. As wtl_session_prepare(). */
bool wtl_measurement_prepare(struct wtl_measurement *m);

/* The window opens now. Release what is measured between the two calls. */
void wtl_measurement_start(struct wtl_measurement *m);
void wtl_measurement_begin(struct wtl_measurement *m);

/* The first part of the end; see wtl_session_stop(). */
void wtl_measurement_end(struct wtl_measurement *m, uint64_t end_ns);

/* The result so far, owned by the caller (wtl_result_fini()). */
void wtl_measurement_so_far(struct wtl_measurement *m, struct wtl_result *ret_result);

/* The result, owned by the caller; the same rules assign flags to every result, whatever measured
 * it. */
void wtl_measurement_result(struct wtl_measurement *m,
                            const struct wtl_measurement_used *used,
                            struct wtl_result *ret_result);

/* Write to the trace what is known at the end of the window, apart from samples. 0, or why regions
 * are missing. */
int wtl_measurement_fill_trace(struct wtl_measurement *m,
                               struct wtl_result *result,
                               struct wattle_error *err);

/* Write to the trace a flag that the measurement cannot determine itself. */
void wtl_measurement_flag(struct wtl_measurement *m, const char *name, const char *text);

/* Nothing was measured; leave no trace. */
void wtl_measurement_discard(struct wtl_measurement *m);

/* Stop sampling, and leave the trace unfinished so that another process can continue it. */
void wtl_measurement_leave(struct wtl_measurement *m);

/* Free everything except what the caller has taken: m->trace, if set to 0. A measurement that was
 * not ended is left as after a crash. */
void wtl_measurement_close(struct wtl_measurement *m);

#endif
