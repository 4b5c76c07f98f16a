/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cli/run/task_tools.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/code/elf_file.h"
#include "base/fail.h"
#include "counters/columns/perf_name.h"
#include "model/counters/counter_set.h"

/* ---- the runtime ---- */

static bool is_runtime(const char *path)
{
    struct wtl_elf_file elf;
    if (wtl_elf_open(path, &elf) < 0)
        return false;
    bool good = wtl_elf_offers(&elf, "GOMP_parallel") && wtl_elf_offers(&elf, "__kmpc_fork_call");
    wtl_elf_close(&elf);
    return good;
}

/* In the order of preference; of several versions the last. */
bool wtl_task_runtime_find(const struct wtl_world *world, char *path, size_t n)
{
    static const char *const places[] = {"/usr/lib/llvm-*/lib/libomp.so.5",
                                         "/usr/lib/*-linux-gnu*/libomp.so.5",
                                         "/usr/lib64/libomp.so*",
                                         "/usr/lib/libomp.so*",
                                         "/usr/lib64/llvm*/lib*/libomp.so*",
                                         "/opt/intel/oneapi/compiler/latest/lib/libiomp5.so"};
    bool found = false;
    if (world->virtual_time)
        return false; /* a recorded host has no libraries */
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        glob_t list;
        if (glob(places[i], 0, NULL, &list) == 0) {
            for (size_t at = list.gl_pathc; at-- > 0 && !found;) {
                found = strlen(list.gl_pathv[at]) < n && is_runtime(list.gl_pathv[at]);
                if (found)
                    (void)snprintf(path, n, "%s", list.gl_pathv[at]);
            }
        }
        globfree(&list);
    }
    return found;
}

/* The file that execvp(3) would run. */
static bool find_program(const struct wtl_world *world, const char *program, char *path, size_t n)
{
    const char *folders = world->ops->getenv(world, "PATH");
    if (strchr(program, '/'))
        return snprintf(path, n, "%s", program) < (int)n;
    for (folders = folders ? folders : "/bin:/usr/bin"; *folders;) {
        int length = (int)strcspn(folders, ":");
        int used = snprintf(path, n, "%.*s/%s", length > 0 ? length : 1, length > 0 ? folders : ".",
                            program);
        if (used > 0 && (size_t)used < n && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* Does the program run GCC's runtime, and no other? */
static bool needs_gcc(const char *path, struct wtl_elf_file *elf)
{
    if (wtl_elf_open(path, elf) < 0)
        return false;
    if (wtl_elf_needs(elf, "libgomp.so") && !wtl_elf_needs(elf, "libomp.so") &&
        !wtl_elf_needs(elf, "libiomp5.so"))
        return true;
    wtl_elf_close(elf);
    return false;
}

bool wtl_task_program_needs_llvm(const struct wtl_world *world, const char *program)
{
    char path[4096];
    struct wtl_elf_file elf;
    if (!find_program(world, program, path, sizeof path) || wtl_elf_open(path, &elf) < 0)
        return false;
    bool needs = wtl_elf_needs(&elf, "libomp.so") || wtl_elf_needs(&elf, "libiomp5.so");
    wtl_elf_close(&elf);
    return needs;
}

/* The first call that the program expects and the runtime does not have; false = it has all. */
static bool lacks(struct wtl_elf_file *program, const char *runtime, char *name, size_t n)
{
    struct wtl_elf_file elf;
    const char *call;
    bool lacking = false;
    if (wtl_elf_open(runtime, &elf) < 0)
        return false;
    /* LLVM's GOMP_task ignores the event of a detached task, whose handle is then no valid address. */
    if (wtl_elf_wants(program, "omp_fulfill_event", 0)) {
        lacking = true;
        (void)snprintf(name, n, "detached tasks");
    }
    for (size_t i = 0; !lacking && (call = wtl_elf_wants(program, "GOMP_", i)); i++) {
        lacking = !wtl_elf_offers(&elf, call);
        (void)snprintf(name, n, "%s", call);
    }
    wtl_elf_close(&elf);
    return lacking;
}

int wtl_task_runtime(const struct wtl_world *world,
                     const char *asked,
                     const char *program,
                     char *path,
                     size_t n,
                     struct wattle_error *err)
{
    char file[4096], call[64];
    struct wtl_elf_file elf;
    path[0] = '\0';
    if (asked && strcmp(asked, "none") == 0)
        return 0;
    if (asked && strcmp(asked, "auto") != 0) {
        if (!is_runtime(asked))
            return wtl_fail(err, -EINVAL,
                            "--tasks-runtime=%s: not a runtime of OpenMP with GCC's and LLVM's "
                            "calls; give the path of libomp.so, "
                            "or auto or none",
                            asked);
        return snprintf(path, n, "%s", asked) < (int)n ? 0 : -ENAMETOOLONG;
    }
    if (!find_program(world, program, file, sizeof file) || !needs_gcc(file, &elf))
        return 0;
    int rc = 0;
    if (!wtl_task_runtime_find(world, path, n))
        rc = wtl_fail(err, -ENOENT,
                      "%s uses GCC's OpenMP runtime, which does not report tasks, and libomp is "
                      "not installed (Debian: "
                      "libomp5, others: libomp); no tasks are recorded",
                      program);
    else if (lacks(&elf, path, call, sizeof call))
        rc =
            wtl_fail(err, -ENOTSUP,
                     "%s uses GCC's OpenMP runtime, which does not report tasks, and %s, which %s "
                     "lacks; no tasks are "
                     "recorded; compile it with clang, or give another libomp with --tasks-runtime",
                     program, call, path);
    wtl_elf_close(&elf);
    if (rc < 0)
        path[0] = '\0';
    return rc;
}

/* ---- counters ---- */

/* What the kernel counts of a thread, of the sources that are not those of perf. */
static const char *event_of(const char *source)
{
    static const struct {
        const char *source, *event;
    } same[] = {{"cpu:task_clock", "task-clock"},
                {"cpu:context_switches", "context-switches"},
                {"cpu:migrations", "cpu-migrations"},
                {"cpu:page_faults", "page-faults"},
                {"cpu:major_faults", "major-faults"}};
    if (strncmp(source, "perf:", 5) == 0)
        return source + 5;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(source, same[i].source) == 0)
            return same[i].event;
    return NULL;
}

int wtl_task_events(const struct wtl_world *world,
                    const char *name,
                    char **ret_text,
                    struct wattle_error *err)
{
    struct wtl_counter_set set;
    size_t size = 0;
    *ret_text = NULL;
    int rc = wtl_counter_set_load(&set, world, name, err);
    if (rc < 0)
        return rc;
    FILE *out = open_memstream(ret_text, &size);
    for (size_t i = 0; out && i < set.column_count; i++) {
        const char *event = event_of(set.columns[i].source);
        struct wtl_perf_code code;
        if (event && wtl_perf_code(world, event, &code, NULL) == 0)
            (void)fprintf(out, "%s%s=%" PRIu32 ":0x%" PRIx64 ":0x%" PRIx64 ":0x%" PRIx64,
                          ftell(out) > 0 ? "," : "", set.columns[i].name, code.type, code.config,
                          code.config1, code.config2);
    }
    wtl_counter_set_fini(&set);
    if (!out || fclose(out) != 0) {
        free(*ret_text);
        *ret_text = NULL;
        return wtl_no_memory(err);
    }
    if (*ret_text[0])
        return 0;
    free(*ret_text);
    *ret_text = NULL;
    return wtl_fail(
        err, -ENOENT,
        "--tasks-counters=%s: nothing in this set is counted for a thread; \"wattle counters\" "
        "lists the others",
        name);
}
