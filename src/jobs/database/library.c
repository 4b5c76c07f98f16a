/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries that are loaded when they are needed; see library.h. */
#include "jobs/database/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"

int wtl_job_library_load(const char *file,
                         const char *missing,
                         const struct wtl_job_function *functions,
                         size_t count,
                         void *ret_functions,
                         struct wattle_error *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return wtl_fail(err, -ENOTSUP, "%s", missing);
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol)
            return wtl_fail(err, -ENOTSUP, "%s on this machine is too old: it has no %s", file,
                            functions[i].name);
        /* ISO C has no cast from an object to a function pointer; POSIX guarantees the same representation. */
        memcpy((char *)ret_functions + functions[i].offset, &symbol, sizeof symbol);
    }
    return 0;
}
