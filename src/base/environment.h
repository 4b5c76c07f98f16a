/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment as a library in somebody's program may read it. A program that has more rights than who started it (setuid,
 * setgid, file capabilities: AT_SECURE of getauxval(3)) would write where that one's environment says: to the library
 * there is no environment then, and wattle_init() does nothing.
 */
#ifndef WTL_BASE_ENVIRONMENT_H
#define WTL_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* The value of a variable; NULL when it is not set, or not to be trusted. */
const char *wtl_environment(const char *name);

/* Has this process more rights than who started it? */
bool wtl_is_privileged(void);

#endif
