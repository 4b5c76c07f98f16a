/* SPDX-License-Identifier: BSD-3-Clause */
/* What recording tasks needs besides its libraries (tools.h): a runtime of OpenMP that reports them, and the events of
 * the counters at their borders. */
#ifndef WTL_CLI_TASK_TOOLS_H
#define WTL_CLI_TASK_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "base/world/world.h"

/* A runtime with OMPT that also has the calls of GCC's, libomp of LLVM; false: not found. */
bool wtl_task_runtime_find(const struct wtl_world *world, char *path, size_t n);

/*
 * The runtime to be preloaded for a program: GCC's does not report tasks. `asked`: "auto" (or NULL), "none", or a path.
 * Returns 0 with "" if the program needs none (it is not linked with GCC's runtime, or is no ELF program, so that this
 * is unknown); -ENOENT: it needs one, but there is none; -ENOTSUP: it has calls that the runtime lacks.
 */
int wtl_task_runtime(const struct wtl_world *world,
                     const char *asked,
                     const char *program,
                     char *path,
                     size_t n,
                     struct wattle_error *err);

/* Is the program linked with LLVM's runtime or one with its calls, Intel's? Then the tool can be preloaded, and sees what creates tasks. */
bool wtl_task_program_needs_llvm(const struct wtl_world *world, const char *program);

/* The value of WATTLE_TASKS_COUNTERS for a set of counters: of its events those that are counted for a thread. Returns
 * 0 with malloc'ed text, or -errno. */
int wtl_task_events(const struct wtl_world *world,
                    const char *set,
                    char **ret_text,
                    struct wattle_error *err);

#endif
