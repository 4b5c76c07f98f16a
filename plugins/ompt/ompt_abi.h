/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this tool uses of OMPT, the tools interface of OpenMP 5.0 to 5.2 (chapter "OMPT Interface"): numbers and
 * prototypes as the standard has them, so that the tool is built without any runtime's <omp-tools.h>.
 */
#ifndef OMPT_ABI_H
#define OMPT_ABI_H

#include <stdint.h>

union ompt_data {
    uint64_t value;
    void *ptr;
};

enum ompt_event {
    OMPT_THREAD_BEGIN = 1,
    OMPT_THREAD_END = 2,
    OMPT_PARALLEL_BEGIN = 3,
    OMPT_PARALLEL_END = 4,
    OMPT_TASK_CREATE = 5,
    OMPT_TASK_SCHEDULE = 6,
    OMPT_IMPLICIT_TASK = 7,
    OMPT_SYNC_REGION_WAIT = 16,
    OMPT_DEPENDENCES = 18,
    OMPT_TASK_DEPENDENCE = 19,
    OMPT_WORK = 20,
    OMPT_SYNC_REGION = 23,
    OMPT_MUTEX_ACQUIRE = 26,
    OMPT_MUTEX_ACQUIRED = 27
};

enum ompt_set_result { OMPT_SET_ALWAYS = 5, OMPT_SET_SOMETIMES = 3 };

enum ompt_endpoint { OMPT_BEGIN = 1, OMPT_END = 2, OMPT_BEGINEND = 3 };

enum ompt_thread_kind { OMPT_THREAD_WORKER = 2 };

enum ompt_task_flag {
    OMPT_TASK_INITIAL = 0x1,
    OMPT_TASK_IMPLICIT = 0x2,
    OMPT_TASK_EXPLICIT = 0x4,
    OMPT_TASK_TARGET = 0x8,
    OMPT_TASK_TASKWAIT = 0x10
};

enum ompt_task_status {
    OMPT_TASK_COMPLETE = 1,
    OMPT_TASK_YIELD = 2,
    OMPT_TASK_CANCEL = 3,
    OMPT_TASK_DETACH = 4,
    OMPT_TASK_EARLY_FULFILL = 5,
    OMPT_TASK_LATE_FULFILL = 6,
    OMPT_TASK_SWITCH = 7,
    OMPT_TASKWAIT_COMPLETE = 8
};

enum ompt_work {
    OMPT_WORK_LOOP = 1,
    OMPT_WORK_SECTIONS = 2,
    OMPT_WORK_SINGLE = 3,
    OMPT_WORK_SINGLE_OTHER = 4,
    OMPT_WORK_WORKSHARE = 5,
    OMPT_WORK_DISTRIBUTE = 6,
    OMPT_WORK_TASKLOOP = 7,
    OMPT_WORK_SCOPE = 8
};

enum ompt_sync {
    OMPT_SYNC_BARRIER = 1,
    OMPT_SYNC_BARRIER_IMPLICIT = 2,
    OMPT_SYNC_BARRIER_EXPLICIT = 3,
    OMPT_SYNC_BARRIER_IMPLEMENTATION = 4,
    OMPT_SYNC_TASKWAIT = 5,
    OMPT_SYNC_TASKGROUP = 6,
    OMPT_SYNC_REDUCTION = 7,
    OMPT_SYNC_BARRIER_WORKSHARE = 8,
    OMPT_SYNC_BARRIER_PARALLEL = 9,
    OMPT_SYNC_BARRIER_TEAMS = 10
};

enum ompt_mutex {
    OMPT_MUTEX_LOCK = 1,
    OMPT_MUTEX_NEST_LOCK = 3,
    OMPT_MUTEX_CRITICAL = 5,
    OMPT_MUTEX_ORDERED = 7
};

enum ompt_dependence_type {
    OMPT_DEPENDENCE_IN = 1,
    OMPT_DEPENDENCE_OUT = 2,
    OMPT_DEPENDENCE_INOUT = 3,
    OMPT_DEPENDENCE_MUTEXINOUTSET = 4,
    OMPT_DEPENDENCE_SOURCE = 5,
    OMPT_DEPENDENCE_SINK = 6,
    OMPT_DEPENDENCE_INOUTSET = 7
};

struct ompt_dependence {
    union ompt_data variable;
    int type; /* enum ompt_dependence_type */
};

struct ompt_frame;

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_function callback);

struct ompt_start_tool_result {
    int (*initialize)(ompt_lookup lookup, int initial_device, union ompt_data *tool);
    void (*finalize)(union ompt_data *tool);
    union ompt_data tool;
};

struct ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime);

#endif
