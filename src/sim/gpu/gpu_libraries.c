/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/gpu/gpu_libraries.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wtl_sim_gpu_libraries(char *folder, size_t n)
{
    static const char *const places[] = {"/../lib", WATTLE_LIBRARY_PLACE};
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return -ENOENT;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        (void)snprintf(path, sizeof path, "%s%s/wattle-sim", self, places[i]);
        char *real = realpath(path, NULL);
        bool fits = real && (size_t)snprintf(folder, n, "%s", real) < n;
        free(real);
        if (fits)
            return 0;
    }
    return -ENOENT;
}
