/* SPDX-License-Identifier: BSD-3-Clause */
/* Extrae's calls in C. */
#define _GNU_SOURCE
#include <extrae_user_events.h>

#include <stddef.h>
#include <string.h>

#include <wattle/region.h>
#include <wattle/task.h>

#include "events.h"
#include "value_name.h"

#define EXPORT __attribute__((visibility("default")))

static bool initialized;

/* Of the manual that these calls follow. */
EXPORT void Extrae_get_version(unsigned *major, unsigned *minor, unsigned *revision)
{
    if (major)
        *major = 4;
    if (minor)
        *minor = 0;
    if (revision)
        *revision = 0;
}

/* The first event opens the file, and the kernel keeps its contents: nothing to do at begin and end. */
EXPORT void Extrae_init(void)
{
    __atomic_store_n(&initialized, true, __ATOMIC_RELAXED);
}

EXPORT void Extrae_fini(void)
{
    __atomic_store_n(&initialized, false, __ATOMIC_RELAXED);
}

EXPORT extrae_init_type_t Extrae_is_initialized(void)
{
    return __atomic_load_n(&initialized, __ATOMIC_RELAXED) ? EXTRAE_INITIALIZED_EXTRAE_INIT
                                                           : EXTRAE_NOT_INITIALIZED;
}

EXPORT void Extrae_flush(void)
{
}

EXPORT void Extrae_event(extrae_type_t type, extrae_value_t value)
{
    events_add(type, value);
}

EXPORT void Extrae_nevent(unsigned count, extrae_type_t *types, extrae_value_t *values)
{
    for (unsigned i = 0; types && values && i < count; i++)
        events_add(types[i], values[i]);
}

EXPORT void Extrae_counters(void)
{
    events_counters();
}

EXPORT void Extrae_eventandcounters(extrae_type_t type, extrae_value_t value)
{
    events_add(type, value);
    events_counters();
}

EXPORT void Extrae_neventandcounters(unsigned count, extrae_type_t *types, extrae_value_t *values)
{
    Extrae_nevent(count, types, values);
    events_counters();
}

EXPORT void Extrae_define_event_type(extrae_type_t *type,
                                     char *description,
                                     unsigned *nvalues,
                                     extrae_value_t *values,
                                     char **description_values)
{
    unsigned count = nvalues && values && description_values ? *nvalues : 0;

    if (!type)
        return;
    value_name_define_type(*type, description);
    wattle_task_mark(WATTLE_TASK_LABEL_TYPE,
                     description && description[0] ? wattle_region_id(description) : 0, *type);
    for (unsigned i = 0; i < count; i++) {
        value_name_define(*type, values[i], description_values[i]);
        if (description_values[i] && description_values[i][0])
            wattle_task_mark(WATTLE_TASK_LABEL_VALUE, wattle_region_id(description_values[i]),
                             values[i]);
    }
}

EXPORT unsigned long long Extrae_user_function(unsigned enter)
{
    const void *address = __builtin_return_address(0);

    events_function(enter != 0, address);
    return (unsigned long long)(size_t)address;
}

/* The address of a caller further up is that of code without a frame pointer: of the call itself. */
EXPORT unsigned long long Extrae_user_function_at_level(unsigned enter, unsigned level)
{
    const void *address = __builtin_return_address(0);

    (void)level;
    events_function(enter != 0, address);
    return (unsigned long long)(size_t)address;
}

EXPORT void Extrae_shutdown(void)
{
    events_on(false);
}

EXPORT void Extrae_restart(void)
{
    events_on(true);
}

EXPORT void Extrae_init_UserCommunication(struct extrae_UserCommunication *communication)
{
    if (communication)
        *communication = (struct extrae_UserCommunication){.type = EXTRAE_USER_SEND};
}

EXPORT void Extrae_init_CombinedEvents(struct extrae_CombinedEvents *events)
{
    if (events)
        *events = (struct extrae_CombinedEvents){.UserFunction = EXTRAE_USER_FUNCTION_NONE};
}

/* Communications between threads are not recorded; wattle has those of MPI. */
EXPORT void Extrae_emit_CombinedEvents(struct extrae_CombinedEvents *events)
{
    if (!events)
        return;
    if (events->UserFunction == EXTRAE_USER_FUNCTION_ENTER ||
        events->UserFunction == EXTRAE_USER_FUNCTION_LEAVE)
        events_function(events->UserFunction == EXTRAE_USER_FUNCTION_ENTER,
                        __builtin_return_address(0));
    Extrae_nevent(events->nEvents, events->Types, events->Values);
    if (events->HardwareCounters)
        events_counters();
}

/* ---- what does nothing ---- */

EXPORT void Extrae_previous_hwc_set(void)
{
}

EXPORT void Extrae_next_hwc_set(void)
{
}

EXPORT void Extrae_set_options(int options)
{
    (void)options;
}

EXPORT void Extrae_set_tracing_tasks(int from, int to)
{
    (void)from;
    (void)to;
}

EXPORT void Extrae_network_counters(void)
{
}

EXPORT void Extrae_network_routes(int task)
{
    (void)task;
}

EXPORT void Extrae_resume_virtual_thread(unsigned vthread)
{
    (void)vthread;
}

EXPORT void Extrae_suspend_virtual_thread(void)
{
}

EXPORT void Extrae_register_stacked_type(extrae_type_t type)
{
    (void)type;
}

EXPORT void Extrae_register_codelocation_type(extrae_type_t t1,
                                              extrae_type_t t2,
                                              const char *s1,
                                              const char *s2)
{
    (void)t1;
    (void)t2;
    (void)s1;
    (void)s2;
}

EXPORT void Extrae_register_function_address(void *address,
                                             const char *funcname,
                                             const char *modname,
                                             unsigned line)
{
    (void)address;
    (void)funcname;
    (void)modname;
    (void)line;
}

EXPORT void Extrae_set_threadid_function(unsigned (*function)(void))
{
    (void)function;
}

EXPORT void Extrae_set_numthreads_function(unsigned (*function)(void))
{
    (void)function;
}

EXPORT void Extrae_set_taskid_function(unsigned (*function)(void))
{
    (void)function;
}

EXPORT void Extrae_set_numtasks_function(unsigned (*function)(void))
{
    (void)function;
}

EXPORT void Extrae_set_barrier_tasks_function(void (*function)(void))
{
    (void)function;
}
