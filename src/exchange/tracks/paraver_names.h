/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that Paraver traces use for states and events, as Extrae writes them, so that Paraver's stock
 * configurations work; docs/format/paraver.md lists them. */
#ifndef WTL_EXCHANGE_PARAVER_NAMES_H
#define WTL_EXCHANGE_PARAVER_NAMES_H

#include <stdint.h>

#include "exchange/tracks/tracks.h"

enum {
    WTL_PARAVER_RUNNING = 1,
    WTL_PARAVER_POWER_SUM = 500000009,  /* of pmlib: sum of its lines; */
    WTL_PARAVER_POWER = 500000010,      /* + number of the line, at most */
    WTL_PARAVER_POWER_LAST = 500000138, /* this one */
    WTL_PARAVER_FUNCTION = 60000019,
    WTL_PARAVER_MPI_PEER = 50000001,
    WTL_PARAVER_MPI_GROUP = 50000002,
    WTL_PARAVER_MPI_OTHER = 50000003,
    WTL_PARAVER_CLASS = 60100000,     /* + enum wtl_track_class: of wattle */
    WTL_PARAVER_DECIMALS = 3,         /* power is in mW */
    WTL_PARAVER_UNKNOWN = -1000,      /* a power that is not known; */
    WTL_PARAVER_UNKNOWN_UW = -1000000 /* in files of libwattle-pmlib, which have microwatts */
};

struct wtl_paraver_state {
    unsigned number;
    const char *name;
    const char *colour;
};

/* All states; terminated by a NULL name. */
extern const struct wtl_paraver_state wtl_paraver_states[];

/* The state of a thread in this type of activity. */
unsigned wtl_paraver_state_of(const struct wtl_track_type *type);

/* The event type for begins and ends of activities of a type, and *ret_value, its value (index: of the type). */
uint32_t wtl_paraver_event_of(const struct wtl_track_type *type, size_t index, uint64_t *ret_value);

/* A power as the value of an event, in mW: never that of an unknown one, from which a power of just -1 W is 1 mW away. */
int64_t wtl_paraver_power_value(double watts);

/* "Task"; for event types of this class. */
const char *wtl_paraver_class_name(enum wtl_track_class kind);

#endif
