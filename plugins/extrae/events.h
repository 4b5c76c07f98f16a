/* SPDX-License-Identifier: BSD-3-Clause */
/* What Extrae's calls record, the same for C and Fortran. */
#ifndef EXTRAE_EVENTS_H
#define EXTRAE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Between Extrae_shutdown and Extrae_restart only ends of what is open are recorded. */
void events_on(bool on);

/* An event, and the region of its value. */
void events_add(uint32_t type, uint64_t value);
/* The counters of the calling thread. */
void events_counters(void);
/* Enter, or (0) leave, the function that contains `address`. */
void events_function(bool enter, const void *address);

#endif
