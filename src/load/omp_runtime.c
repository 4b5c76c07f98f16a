/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "load/omp_runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"

static const char *const known[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

/* The load pins its threads; the runtime must neither do so itself nor count fewer CPUs than there
 * are. */
static void set_environment(enum wtl_load_wait wait)
{
    static const char *const ours[] = {"OMP_PROC_BIND",        "OMP_PLACES",    "GOMP_CPU_AFFINITY",
                                       "OMP_NUM_THREADS",      "OMP_DYNAMIC",   "OMP_THREAD_LIMIT",
                                       "KMP_AFFINITY",         "KMP_HW_SUBSET", "KMP_DYNAMIC_MODE",
                                       "OMP_MAX_ACTIVE_LEVELS"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        (void)unsetenv(ours[i]);
    (void)setenv("KMP_AFFINITY", "disabled", 1);
    if (wait == WTL_WAIT_DEFAULT)
        return;
    bool active = wait == WTL_WAIT_ACTIVE;
    (void)unsetenv("GOMP_SPINCOUNT");
    (void)unsetenv("KMP_LIBRARY");
    (void)setenv("OMP_WAIT_POLICY", active ? "active" : "passive", 1);
    (void)setenv("KMP_BLOCKTIME", active ? "infinite" : "0", 1);
}

/* POSIX allows a pointer from dlsym() to point to a function; ISO C has no cast for it. */
static bool find(void *handle, const char *name, void *ret_function)
{
    void *symbol = dlsym(handle, name);
    memcpy(ret_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

int wtl_omp_runtime_open(struct wtl_omp_runtime *ret_runtime,
                         const char *library,
                         enum wtl_load_wait wait,
                         struct wattle_error *err)
{
    struct wtl_omp_runtime runtime = {.library = library};
    set_environment(wait);
    if (library)
        runtime.handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; !library && !runtime.handle && i < sizeof known / sizeof *known; i++) {
        runtime.library = known[i];
        runtime.handle = dlopen(known[i], RTLD_NOW | RTLD_GLOBAL);
    }
    if (!runtime.handle && library)
        return wtl_fail(err, -ENOENT, "--openmp-library: %s", dlerror());
    if (!runtime.handle)
        return wtl_fail(err, -ENOENT,
                        "no OpenMP runtime found (libgomp, libomp, libiomp5); install libgomp1 or "
                        "libomp5, or give one with --openmp-library");
    if (!find(runtime.handle, "GOMP_parallel", &runtime.parallel) ||
        !find(runtime.handle, "omp_get_thread_num", &runtime.thread_num) ||
        !find(runtime.handle, "omp_get_num_threads", &runtime.num_threads) ||
        !find(runtime.handle, "omp_set_dynamic", &runtime.set_dynamic)) {
        (void)dlclose(runtime.handle);
        return wtl_fail(err, -ELIBBAD,
                        "%s has no GOMP_parallel, so it is not a supported OpenMP runtime; use "
                        "libgomp, libomp or libiomp5",
                        runtime.library);
    }
    runtime.set_dynamic(0);
    *ret_runtime = runtime;
    return 0;
}

const char *wtl_omp_runtime_wait(enum wtl_load_wait wait)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    if (wait != WTL_WAIT_DEFAULT)
        return wait == WTL_WAIT_ACTIVE ? "active" : "passive";
    if (policy && strcasecmp(policy, "active") == 0)
        return "active";
    return policy && strcasecmp(policy, "passive") == 0 ? "passive" : "default";
}
