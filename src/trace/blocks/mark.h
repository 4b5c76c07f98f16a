/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mark: a region or event call of a program: a region begins or ends, an event happened. Marks have this form
 * when they leave the spool, and when they enter and leave the trace.
 */
#ifndef WTL_TRACE_MARK_H
#define WTL_TRACE_MARK_H

#include <stdint.h>

/* The numeric values are part of the formats of spool and trace. */
enum wtl_mark_kind {
    WTL_MARK_BEGIN = 0,
    WTL_MARK_END = 1,
    WTL_MARK_EVENT = 2,
    WTL_MARK_THREAD_END = 3, /* the thread ended, and with it what it left open */
    WTL_MARK_KIND_COUNT = 4
};

struct wtl_mark {
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t value;   /* event: its value; others: 0 */
    uint32_t thread;  /* index of the thread in the table of the spool or trace */
    uint32_t name;    /* begin, end: number of the name in the table of the spool or trace, >= 1;
                         event: its type */
    enum wtl_mark_kind kind;
};

#endif
