/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment as seen by the library: see environment.h. */
#define _GNU_SOURCE
#include "base/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

const char *wtl_environment(const char *name)
{
    return secure_getenv(name);
}

bool wtl_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}
