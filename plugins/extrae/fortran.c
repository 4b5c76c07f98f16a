/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extrae's calls in Fortran, as module extrae_module declares them: everything by reference; texts end with
 * C_NULL_CHAR.
 */
#include <extrae_user_events.h>

#include <stddef.h>

#include "events.h"

#define FORTRAN(name, ...)                                         \
    __attribute__((visibility("default"))) void name(__VA_ARGS__); \
    void name(__VA_ARGS__)

FORTRAN(extrae_init_, void)
{
    Extrae_init();
}

FORTRAN(extrae_fini_, void)
{
    Extrae_fini();
}

FORTRAN(extrae_flush_, void)
{
}

FORTRAN(extrae_version_, unsigned *major, unsigned *minor, unsigned *revision)
{
    Extrae_get_version(major, minor, revision);
}

FORTRAN(extrae_get_version_, unsigned *major, unsigned *minor, unsigned *revision)
{
    Extrae_get_version(major, minor, revision);
}

FORTRAN(extrae_event_, const extrae_type_t *type, const extrae_value_t *value)
{
    events_add(*type, *value);
}

FORTRAN(extrae_nevent_, const unsigned *count, extrae_type_t *types, extrae_value_t *values)
{
    Extrae_nevent(*count, types, values);
}

FORTRAN(extrae_counters_, void)
{
    events_counters();
}

FORTRAN(extrae_eventandcounters_, const extrae_type_t *type, const extrae_value_t *value)
{
    Extrae_eventandcounters(*type, *value);
}

FORTRAN(extrae_neventandcounters_,
        const unsigned *count,
        extrae_type_t *types,
        extrae_value_t *values)
{
    Extrae_neventandcounters(*count, types, values);
}

FORTRAN(extrae_define_event_type_,
        extrae_type_t *type,
        char *description,
        unsigned *nvalues,
        extrae_value_t *values,
        char **description_values)
{
    Extrae_define_event_type(type, description, nvalues, values, description_values);
}

FORTRAN(extrae_user_function_, const unsigned *enter)
{
    events_function(*enter != 0, __builtin_return_address(0));
}

FORTRAN(extrae_shutdown_, void)
{
    Extrae_shutdown();
}

FORTRAN(extrae_restart_, void)
{
    Extrae_restart();
}

FORTRAN(extrae_previous_hwc_set_, void)
{
}

FORTRAN(extrae_next_hwc_set_, void)
{
}

FORTRAN(extrae_set_options_, const int *options)
{
    (void)options;
}

FORTRAN(extrae_set_tracing_tasks_, const int *from, const int *to)
{
    (void)from;
    (void)to;
}
