/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An OpenMP runtime, opened when a load needs it. The entry points are those to which gcc emits
 * calls for "#pragma omp parallel" (libgomp's ABI), which the runtimes of LLVM and Intel have as
 * well; so the minimum power can be measured with the runtime that a code uses, and its wait policy
 * can be set before it reads its environment.
 */
#ifndef WTL_LOAD_OMP_RUNTIME_H
#define WTL_LOAD_OMP_RUNTIME_H

#include <stdbool.h>

#include <wattle/error.h>

#include "load/load.h"

struct wtl_omp_runtime {
    const char *library; /* as requested, or found: "libgomp.so.1" */
    void *handle;
    void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    int (*thread_num)(void);
    int (*num_threads)(void);
    void (*set_dynamic)(int dynamic);
};

/*
 * Set the environment that the runtime reads when it is opened, and open it; `library` NULL: the
 * first of libgomp.so.1, libomp.so.5, libomp.so, libiomp5.so. Call it before creating threads. 0;
 * -ENOENT, -ELIBBAD with a message.
 */
int wtl_omp_runtime_open(struct wtl_omp_runtime *ret_runtime,
                         const char *library,
                         enum wtl_load_wait wait,
                         struct wattle_error *err);

/* How a team waits, according to environment and default: "active", "passive", "default". */
const char *wtl_omp_runtime_wait(enum wtl_load_wait wait);

#endif
