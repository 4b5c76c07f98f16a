/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracepoints with which bench_tasks compares: what a task's begin and end record. Included several times, as
 * LTTng-UST wants it. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench_tasks
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tasks_lttng.h"

#if !defined(WTL_BENCH_TASKS_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#    define WTL_BENCH_TASKS_LTTNG_H
#    include <lttng/tracepoint.h>
#    include <stdint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(bench_tasks, run, LTTNG_UST_TP_ARGS(uint32_t, type, uint64_t, task),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, type, type) lttng_ust_field_integer(uint64_t, task, task)))
LTTNG_UST_TRACEPOINT_EVENT(bench_tasks, done, LTTNG_UST_TP_ARGS(uint32_t, type, uint64_t, task),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, type, type) lttng_ust_field_integer(uint64_t, task, task)))
/* clang-format on */
#endif
#include <lttng/tracepoint-event.h>
