/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the calling thread at the borders of tasks and regions: the events of WATTLE_TASKS_COUNTERS, a list
 *
 *     NAME=TYPE:CONFIG[:CONFIG1[:CONFIG2]],...
 *
 * of perf_event_attr's members in C notation, which "wattle run" writes for a set. They are read with rdpmc where the
 * kernel allows it, else with one read(2); the clock of the thread (1:1) with clock_gettime(2).
 */
#ifndef WTL_RECORD_TASK_COUNTERS_H
#define WTL_RECORD_TASK_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WTL_TASK_COUNTERS_MAX = 12, WTL_TASK_COUNTER_NAME = 64 };

struct wtl_task_event {
    char name[WTL_TASK_COUNTER_NAME];
    uint32_t type;
    uint64_t config[3];
};

/* Parse the list. Returns how many, at most WTL_TASK_COUNTERS_MAX; entries that are malformed are left out. */
unsigned wtl_task_events_parse(const char *text, struct wtl_task_event *events);

/* false once it is known that no set is read; else region marks are followed by counters. */
extern bool wtl_task_counting __attribute__((visibility("hidden")));
static inline bool wtl_task_is_counting(void)
{
    return __atomic_load_n(&wtl_task_counting, __ATOMIC_RELAXED);
}

/* Write the thread's counters after its last mark. */
void wtl_task_counters_mark(void);

#endif
