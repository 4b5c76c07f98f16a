/* SPDX-License-Identifier: BSD-3-Clause */
/* The libraries that a command loads: see tools.h. */
#define _GNU_SOURCE
#include "cli/run/tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/run/task_tools.h"

const char *wtl_task_mode_word(enum wtl_task_mode mode)
{
    static const char *const words[] = {NULL, "all", "summary"};
    return words[mode];
}

/* Relative to the program, as in a build folder or under a prefix. */
bool wtl_tools_library(const struct wtl_world *world, const char *name, char *path, size_t n)
{
    static const char *const places[] = {"/../lib", WATTLE_LIBRARY_PLACE, "/../lib64"};
    char folder[4096];
    ssize_t length = world->ops->readlink(world, "/proc/self/exe", folder, sizeof folder);
    char *slash = length > 0 ? strrchr(folder, '/') : NULL;
    if (!slash)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int used = snprintf(path, n, "%s%s/%s", folder, places[i], name);
        char *real = used > 0 && (size_t)used < n ? realpath(path, NULL) : NULL;
        bool fits = real && strlen(real) < n &&
                    !strpbrk(real, " :"); /* these characters separate paths there */
        if (fits)
            memcpy(path, real, strlen(real) + 1);
        free(real);
        if (fits)
            return true;
    }
    return false;
}

/* Variables so far, and what is to be put before LD_PRELOAD. */
struct list {
    const struct wtl_world *world;
    char **ret;
    size_t count;
    char *preload; /* owned; NULL = nothing */
};

__attribute__((format(printf, 2, 3))) static int add(struct list *list, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vasprintf(&list->ret[list->count], format, args);
    va_end(args);
    if (n < 0) {
        list->ret[list->count] = NULL; /* it is undefined */
        return -ENOMEM;
    }
    list->ret[++list->count] = NULL;
    return 0;
}

static const char *value_of(const struct list *list, const char *name)
{
    const char *value = list->world->ops->getenv(list->world, name);
    return value && value[0] ? value : NULL;
}

/* 0, also if the command preloads it anyway; -ENOENT: it is not installed. */
static int preload(struct list *list, const char *library)
{
    const char *before = value_of(list, "LD_PRELOAD");
    char path[4096], *longer;
    if (before && strstr(before, library))
        return 0;
    if (!wtl_tools_library(list->world, library, path, sizeof path))
        return -ENOENT;
    if (asprintf(&longer, "%s%s%s", list->preload ? list->preload : "", list->preload ? ":" : "",
                 path) < 0)
        return -ENOMEM;
    free(list->preload);
    list->preload = longer;
    return 0;
}

static int add_mpi(struct list *list,
                   const struct wtl_tools *tools,
                   bool launched,
                   struct wattle_error *err)
{
    if (tools->mpi == WTL_JOB_MPI_OFF || (tools->mpi == WTL_JOB_MPI_AUTO && !launched))
        return 0;
    int rc = preload(list, "libwattle-mpi.so");
    if (rc != -ENOENT)
        return rc;
    return tools->mpi == WTL_JOB_MPI_AUTO
               ? 0
               : wtl_fail(err, -ENOENT,
                          "--mpi on: libwattle-mpi.so not found in ../lib "
                          "of this wattle; install it, or set LD_PRELOAD");
}

/* The tool that OpenMP runtimes load, before those of the user. */
static int add_openmp(struct list *list)
{
    const char *before = value_of(list, "OMP_TOOL_LIBRARIES");
    char path[4096];
    if ((before && strstr(before, "libwattle-ompt.so")) ||
        !wtl_tools_library(list->world, "libwattle-ompt.so", path, sizeof path))
        return 0;
    return add(list, "OMP_TOOL_LIBRARIES=%s%s%s", path, before ? ":" : "", before ? before : "");
}

/* The tools that runtimes of GPUs open, unless there is another one; a variable that is set but empty leaves them out. */
static int add_gpus(struct list *list)
{
    static const struct {
        const char *variable, *library;
    } rows[] = {{"CUDA_INJECTION64_PATH", "libwattle-cupti.so"},
                {"ROCP_TOOL_LIBRARIES", "libwattle-rocprofiler.so"}};
    char path[4096];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof rows / sizeof *rows; i++)
        if (!list->world->ops->getenv(list->world, rows[i].variable) &&
            wtl_tools_library(list->world, rows[i].library, path, sizeof path))
            rc = add(list, "%s=%s", rows[i].variable, path);
    return rc;
}

/* For programs that GCC compiled: a runtime that reports tasks. Before it, and for programs of a runtime that reports them itself,
 * the tool, which then also sees the program's own calls. Without a runtime the program runs as it is. */
static int add_runtime(struct list *list, const struct wtl_tools *tools, struct wattle_error *err)
{
    char path[4096], *longer;
    struct wattle_error why;
    if (!tools->program)
        return 0;
    int rc = wtl_task_runtime(list->world, tools->tasks_runtime, tools->program, path, sizeof path,
                              &why);
    if (rc == -ENOENT || rc == -ENOTSUP) {
        if (!tools->quiet)
            (void)fprintf(stderr, "wattle run: warning: %s\n", why.text);
        return 0;
    }
    if (rc < 0)
        return wtl_fail(err, rc, "%s", why.text);
    if (!path[0] && !wtl_task_program_needs_llvm(list->world, tools->program))
        return 0;
    rc = preload(list, "libwattle-ompt.so");
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    if (!path[0])
        return 0;
    if (asprintf(&longer, "%s%s%s", list->preload ? list->preload : "", list->preload ? ":" : "",
                 path) < 0)
        return -ENOMEM;
    free(list->preload);
    list->preload = longer;
    return 0;
}

static int add_counters(struct list *list, const struct wtl_tools *tools, struct wattle_error *err)
{
    char *events = NULL;
    if (!tools->tasks_counters)
        return 0;
    int rc = wtl_task_events(list->world, tools->tasks_counters, &events, err);
    if (rc == 0)
        rc = add(list, "WATTLE_TASKS_COUNTERS=%s", events);
    free(events);
    return rc;
}

static int add_tasks(struct list *list, const struct wtl_tools *tools, struct wattle_error *err)
{
    if (tools->tasks == WTL_TASKS_OFF) /* nor of a run around this one */
        return value_of(list, "WATTLE_TASKS") ? add(list, "WATTLE_TASKS=0") : 0;
    int rc = add(list, "WATTLE_TASKS=%s", tools->tasks == WTL_TASKS_SUMMARY ? "summary" : "1");
    if (rc == 0)
        rc = add(list, "WATTLE_TASKS_LIMIT=%" PRIu64, tools->tasks_limit);
    if (rc == 0)
        rc = add_openmp(list);
    if (rc == 0)
        rc = add_gpus(list);
    if (rc == 0)
        rc = add_runtime(list, tools, err);
    if (rc == 0 && (rc = add_counters(list, tools, err)) < 0)
        return rc;
    if (rc == 0)
        rc = preload(list, "libwattle-pthread.so");
    return rc == -ENOENT ? 0 : rc;
}

int wtl_tools_environment(const struct wtl_tools *tools,
                          const struct wtl_world *world,
                          bool launched,
                          char **ret,
                          struct wattle_error *err)
{
    struct list list = {.world = world, .ret = ret};
    int rc = add_mpi(&list, tools, launched, err);
    if (rc == 0)
        rc = add_tasks(&list, tools, err);
    const char *before = value_of(&list, "LD_PRELOAD");
    if (rc == 0 && list.preload)
        rc = add(&list, "LD_PRELOAD=%s%s%s", list.preload, before ? ":" : "", before ? before : "");
    free(list.preload);
    return rc == -ENOMEM ? wtl_no_memory(err) : rc;
}
