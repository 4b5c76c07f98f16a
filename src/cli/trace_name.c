/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a trace that nobody named: see trace_name.h. */
#define _GNU_SOURCE
#include "cli/trace_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "profiler/profiler_settings.h"

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

static bool is_folder(const char *path)
{
    struct stat about;
    size_t n = strlen(path);
    return (n > 0 && path[n - 1] == '/') || (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

static char *name_in_folder(const char *folder, const char *node)
{
    char path[4096];
    if (wtl_profiler_trace_path(folder, node, path, sizeof path) == 0)
        return strdup(path);
    char *name = wtl_trace_default_name(), *all = NULL;
    if (name && asprintf(&all, "%s/%s", folder, name) < 0)
        all = NULL;
    free(name);
    return all;
}

char *wtl_trace_name(const char *output, const char *node, bool many)
{
    if (output && is_folder(output))
        return name_in_folder(output, node);
    if (!output && many)
        return name_in_folder(".", node);
    return output ? strdup(output) : wtl_trace_default_name();
}
