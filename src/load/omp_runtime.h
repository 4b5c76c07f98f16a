/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An OpenMP runtime, opened when a load needs it. The entry points are those that gcc emits calls to
 * for "#pragma omp parallel" (libgomp's ABI), which the runtimes of LLVM and Intel have as well; so
 * the least power can be measured with the runtime that a code uses, and how its threads wait can be
 * set before it reads its environment.
 */
#ifndef WTL_LOAD_OMP_RUNTIME_H
#define WTL_LOAD_OMP_RUNTIME_H

#include <stdbool.h>

#include <wattle/error.h>

#include "load/load.h"

struct wtl_omp_runtime {
    const char *library; /* as it was asked for, or found: "libgomp.so.1" */
    void *handle;
    void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
    int (*thread_num)(void);
    int (*num_threads)(void);
    void (*set_dynamic)(int dynamic);
};

/*
 * Set the environment that the runtime reads when it is opened, and open it; `library` NULL: the first of libgomp.so.1,
 * libomp.so.5, libomp.so, libiomp5.so. To be called before there are threads. 0; -ENOENT, -ELIBBAD with a sentence.
 */
int wtl_omp_runtime_open(struct wtl_omp_runtime *ret_runtime,
                         const char *library,
                         enum wtl_load_wait wait,
                         struct wattle_error *err);

/* How a team waits, as far as environment and default say: "active", "passive", "default". */
const char *wtl_omp_runtime_wait(enum wtl_load_wait wait);

#endif
