/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One SPANK plugin for every version of Slurm: the version that it says it was built for is set while it is
 * loaded, to that of the plugins beside the library that loads it. spank.h has the same calls from 22.05 to
 * 26.05. If no plugin is found there, it stays that of the headers, and another version refuses it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <slurm/slurm_version.h>
#include <slurm/spank.h>

extern const char plugin_name[], plugin_type[];
extern unsigned int plugin_version;
extern const unsigned int spank_plugin_version;

const char plugin_name[] = "wattle";
const char plugin_type[] = "spank";
const unsigned int spank_plugin_version = 1;
unsigned int plugin_version = SLURM_VERSION_NUMBER;

static const char *const neighbours[] = {"auth_munge.so", "auth_none.so", "cred_munge.so",
                                         "hash_k12.so",   "mpi_none.so",  "select_linear.so"};

__attribute__((constructor)) static void take_version(void)
{
    Dl_info info;
    char path[1024];
    if (!dladdr((void *)(size_t)slurm_info, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    for (size_t i = 0; slash && i < sizeof neighbours / sizeof *neighbours; i++) {
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - info.dli_fname),
                         info.dli_fname, neighbours[i]);
        void *plugin = n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_LAZY) : NULL;
        const unsigned int *version = plugin ? dlsym(plugin, "plugin_version") : NULL;
        if (version)
            plugin_version = *version;
        if (plugin)
            (void)dlclose(plugin);
        if (version)
            return;
    }
}
