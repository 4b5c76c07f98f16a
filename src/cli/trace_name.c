/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a trace that nobody named: see trace_name.h. */
#define _GNU_SOURCE
#include "cli/trace_name.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

char *wtl_trace_default_name(void)
{
    struct utsname host;
    struct tm when;
    char stamp[32], *name;
    time_t now = time(NULL);
    if (uname(&host) < 0 || !localtime_r(&now, &when) ||
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &when) == 0 ||
        asprintf(&name, "wattle-%s-%s-%d.wtl", host.nodename, stamp, (int)getpid()) < 0)
        return NULL;
    return name;
}
