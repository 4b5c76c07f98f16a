/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The environment as a library inside another program may read it. A program with more privileges than the
 * user who started it (setuid, setgid, file capabilities: AT_SECURE of getauxval(3)) would write where that
 * user's environment says. The library then ignores the environment, and wattle_init() does nothing.
 */
#ifndef WTL_BASE_ENVIRONMENT_H
#define WTL_BASE_ENVIRONMENT_H

#include <stdbool.h>

/* The value of a variable; NULL when it is not set, or not trusted. */
const char *wtl_environment(const char *name);

/* Whether this process has more privileges than the user who started it. */
bool wtl_is_privileged(void);

#endif
