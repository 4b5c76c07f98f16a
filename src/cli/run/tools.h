/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tools: the libraries of wattle that the command loads so that its MPI calls, its tasks and its threads are
 * recorded, as environment variables. A library that is not installed is left out, unless it was asked for
 * by name.
 */
#ifndef WTL_CLI_TOOLS_H
#define WTL_CLI_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "base/world/world.h"

enum wtl_job_mpi { WTL_JOB_MPI_AUTO, WTL_JOB_MPI_ON, WTL_JOB_MPI_OFF };
enum wtl_task_mode { WTL_TASKS_OFF, WTL_TASKS_ALL, WTL_TASKS_SUMMARY };

/* "all", "summary", or NULL. */
const char *wtl_task_mode_word(enum wtl_task_mode mode);

struct wtl_tools {
    enum wtl_job_mpi mpi;
    enum wtl_task_mode tasks;
    uint64_t tasks_limit;       /* bytes; 0 = no limit */
    const char *tasks_runtime;  /* as wtl_task_runtime() takes it; NULL = auto */
    const char *tasks_counters; /* set, NULL = none */
    const char *program;        /* of the command; NULL = unknown */
    bool quiet;
};

enum { WTL_TOOLS_ENVIRONMENT = 10 };

/*
 * The variables, "K=V", malloc'ed, into ret[0 .. WTL_TOOLS_ENVIRONMENT - 1], ended by NULL. launched: by a
 * launcher of MPI programs. Returns 0, -ENOENT for a library that was asked for, -ENOMEM.
 */
int wtl_tools_environment(const struct wtl_tools *tools,
                          const struct wtl_world *world,
                          bool launched,
                          char **ret,
                          struct wattle_error *err);

/* The path of a library of this installation, "libwattle-mpi.so"; false if it is not there. */
bool wtl_tools_library(const struct wtl_world *world, const char *name, char *path, size_t n);

#endif
