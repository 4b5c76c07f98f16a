/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extrae's calls for instrumented programs, with the names and types of its published manual, so that such a
 * program compiles and links unchanged. libwattle-extrae.so records them in wattle's trace:
 *
 *     cc -I.../wattle-extrae app.c -lwattle-extrae && wattle run --tasks -- ./a.out
 *     LD_PRELOAD=libwattle-extrae.so wattle run --tasks -- ./app        (built for Extrae)
 *
 * Extrae_event(type, value) is an event of the trace (wattle_event()). As in Paraver, a value holds until the next
 * event of its type on the same thread, and 0 ends it: this stretch is also a region, and therefore has an energy.
 * libwattle-extrae(7) says which names regions have, and what each call does. Nothing here fails, prints or
 * changes errno; all calls are safe from any thread.
 */
#ifndef EXTRAE_USER_EVENTS
#define EXTRAE_USER_EVENTS

#include "extrae_types.h"

#ifdef __cplusplus
extern "C" {
#endif

void Extrae_get_version(unsigned *major, unsigned *minor, unsigned *revision);
void Extrae_init(void);
extrae_init_type_t Extrae_is_initialized(void);
void Extrae_fini(void);
void Extrae_flush(void);

void Extrae_event(extrae_type_t type, extrae_value_t value);
void Extrae_nevent(unsigned count, extrae_type_t *types, extrae_value_t *values);
void Extrae_counters(void);
void Extrae_eventandcounters(extrae_type_t type, extrae_value_t value);
void Extrae_neventandcounters(unsigned count, extrae_type_t *types, extrae_value_t *values);
void Extrae_define_event_type(extrae_type_t *type,
                              char *description,
                              unsigned *nvalues,
                              extrae_value_t *values,
                              char **description_values);

/* The call's address, as in Extrae. */
unsigned long long Extrae_user_function(unsigned enter);
unsigned long long Extrae_user_function_at_level(unsigned enter, unsigned level);

void Extrae_shutdown(void);
void Extrae_restart(void);

void Extrae_init_UserCommunication(struct extrae_UserCommunication *communication);
void Extrae_init_CombinedEvents(struct extrae_CombinedEvents *events);
void Extrae_emit_CombinedEvents(struct extrae_CombinedEvents *events);

/* These do nothing: wattle has its own settings, and finds threads and ranks itself. */
void Extrae_previous_hwc_set(void);
void Extrae_next_hwc_set(void);
void Extrae_set_options(int options);
void Extrae_set_tracing_tasks(int from, int to);
void Extrae_network_counters(void);
void Extrae_network_routes(int task);
void Extrae_resume_virtual_thread(unsigned vthread);
void Extrae_suspend_virtual_thread(void);
void Extrae_register_stacked_type(extrae_type_t type);
void Extrae_register_codelocation_type(extrae_type_t t1,
                                       extrae_type_t t2,
                                       const char *s1,
                                       const char *s2);
void Extrae_register_function_address(void *address,
                                      const char *funcname,
                                      const char *modname,
                                      unsigned line);
void Extrae_set_threadid_function(unsigned (*function)(void));
void Extrae_set_numthreads_function(unsigned (*function)(void));
void Extrae_set_taskid_function(unsigned (*function)(void));
void Extrae_set_numtasks_function(unsigned (*function)(void));
void Extrae_set_barrier_tasks_function(void (*function)(void));

#define EXTRAE_DISABLE_ALL_OPTIONS 0
#define EXTRAE_CALLER_OPTION       1
#define EXTRAE_HWC_OPTION          2
#define EXTRAE_MPI_HWC_OPTION      4
#define EXTRAE_MPI_OPTION          8
#define EXTRAE_OMP_OPTION          16
#define EXTRAE_OMP_HWC_OPTION      32
#define EXTRAE_UF_HWC_OPTION       64
#define EXTRAE_SAMPLING_OPTION     128
#define EXTRAE_ENABLE_ALL_OPTIONS  255

#ifdef __cplusplus
}
#endif
#endif
