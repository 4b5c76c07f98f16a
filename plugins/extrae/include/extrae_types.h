/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of Extrae's calls, as in its published manual. See extrae_user_events.h. */
#ifndef EXTRAE_TYPES_INCLUDED
#define EXTRAE_TYPES_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned extrae_type_t;
typedef unsigned long long extrae_value_t;

typedef enum { EXTRAE_USER_SEND = 0, EXTRAE_USER_RECV = 1 } extrae_user_communication_types_t;

typedef enum {
    EXTRAE_USER_FUNCTION_NONE = -1,
    EXTRAE_USER_FUNCTION_LEAVE = 0,
    EXTRAE_USER_FUNCTION_ENTER = 1
} extrae_user_function_t;

typedef enum {
    EXTRAE_NOT_INITIALIZED = 0,
    EXTRAE_INITIALIZED_EXTRAE_INIT = 1,
    EXTRAE_INITIALIZED_MPI_INIT = 2,
    EXTRAE_INITIALIZED_SHMEM_INIT = 3
} extrae_init_type_t;

struct extrae_UserCommunication {
    extrae_user_communication_types_t type;
    unsigned tag;
    unsigned size;
    int partner;
    long long id;
};
#define extrae_user_communication_t struct extrae_UserCommunication

struct extrae_CombinedEvents {
    int HardwareCounters; /* != 0: read the counters */
    int Callers;
    int UserFunction; /* an extrae_user_function_t */
    unsigned nEvents;
    extrae_type_t *Types;
    extrae_value_t *Values;
    unsigned nCommunications;
    extrae_user_communication_t *Communications;
};
#define extrae_combined_events_t struct extrae_CombinedEvents

#ifdef __cplusplus
}
#endif
#endif
