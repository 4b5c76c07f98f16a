/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding programs that are installed with this one: see own_program.h. */
#define _GNU_SOURCE
#include "base/own_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

bool wtl_program_in_path(const char *name, char *buf, size_t n)
{
    const char *at = secure_getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        if (length > 0 && (size_t)snprintf(buf, n, "%.*s/%s", (int)length, at, name) < n &&
            is_program(buf))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

void wtl_own_folder(char *buf, size_t n)
{
    ssize_t length = readlink("/proc/self/exe", buf, n - 1);
    buf[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(buf, '/');
    if (slash)
        *slash = '\0';
}

bool wtl_own_program_find(const char *name, char *buf, size_t n)
{
    static const char *const places[] = {"", "/../libexec/wattle"};
    char folder[PATH_MAX];
    wtl_own_folder(folder, sizeof folder);
    for (size_t i = 0; folder[0] && i < sizeof places / sizeof *places; i++) {
        if ((size_t)snprintf(buf, n, "%s%s/%s", folder, places[i], name) < n && is_program(buf))
            return true;
    }
    return wtl_program_in_path(name, buf, n);
}
