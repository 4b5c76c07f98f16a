/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See daemon_version.h. Plugins state the exact version for which they were built, and Slurm's own plugins are those of
 * the daemon: one of them, beside the library that has slurm_info(), is asked.
 */
#define _GNU_SOURCE
#include "daemon_version.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <slurm/spank.h>

static const char *const neighbours[] = {"auth_munge.so", "auth_none.so", "cred_munge.so",
                                         "hash_k12.so",   "mpi_none.so",  "select_linear.so"};

static uint32_t version_of(const char *path)
{
    uint32_t found = 0;
    void *plugin = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const uint32_t *version = plugin ? dlsym(plugin, "plugin_version") : NULL;
    if (version)
        found = *version;
    if (plugin)
        (void)dlclose(plugin);
    return found;
}

uint32_t daemon_version(void)
{
    Dl_info info;
    char path[1024];
    uint32_t found = 0;
    if (!dladdr((void *)(uintptr_t)slurm_info, &info) || !info.dli_fname)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    for (size_t i = 0; slash && found == 0 && i < sizeof neighbours / sizeof *neighbours; i++) {
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - info.dli_fname),
                         info.dli_fname, neighbours[i]);
        if (n > 0 && (size_t)n < sizeof path)
            found = version_of(path);
    }
    return found;
}
