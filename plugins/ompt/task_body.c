/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "task_body.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*body)(void *);
typedef void (*copier)(void *, void *);

/* Of the call that is going on, until it runs anything. Initial-exec as the other words of a thread here: no call to reach them. */
static __thread body task __attribute__((tls_model("initial-exec")));
static __thread body loop __attribute__((tls_model("initial-exec")));

static const void *address_of(body function)
{
    const void *address;

    memcpy(&address, &function, sizeof(address));
    return address ? (const char *)address + 1 : NULL; /* as if a call at its begin returned */
}

const void *task_body(void)
{
    body function = task;

    task = NULL; /* tasks inside of it are others */
    return address_of(function);
}

const void *task_body_of_loop(void)
{
    body function = loop;

    loop = NULL;
    return address_of(function);
}

/* The next library's; a program that calls it has one. */
static void *next_of(void *_Atomic *cache, const char *name)
{
    void *next = *cache;

    if (!next)
        *cache = next = dlsym(RTLD_NEXT, name);
    return next;
}

/* A call that returns nothing, and one that returns a number. `function` is an expression. */
#define CREATES(name, which, function, parameters, arguments) \
    EXPORT void name parameters;                              \
    EXPORT void name parameters                               \
    {                                                         \
        static void *_Atomic cache;                           \
        void *symbol = next_of(&cache, #name);                \
        void(*next) parameters;                               \
                                                              \
        memcpy(&next, &symbol, sizeof(next));                 \
        if (!next)                                            \
            return; /* not the call of any runtime */         \
        which = function;                                     \
        next arguments;                                       \
        which = NULL;                                         \
    }
#define CREATES_INT(name, which, function, parameters, arguments) \
    EXPORT int name parameters;                                   \
    EXPORT int name parameters                                    \
    {                                                             \
        static void *_Atomic cache;                               \
        void *symbol = next_of(&cache, #name);                    \
        int(*next) parameters, result;                            \
                                                                  \
        memcpy(&next, &symbol, sizeof(next));                     \
        if (!next)                                                \
            return 0; /* not the call of any runtime */           \
        which = function;                                         \
        result = next arguments;                                  \
        which = NULL;                                             \
        return result;                                            \
    }

/* ---- GCC ---- */

CREATES(GOMP_task,
        task,
        function,
        (body function,
         void *data,
         copier copy,
         long size,
         long align,
         bool condition,
         unsigned flags,
         void **depend,
         int priority,
         void *detach),
        (function, data, copy, size, align, condition, flags, depend, priority, detach))
CREATES(GOMP_taskloop,
        loop,
        function,
        (body function,
         void *data,
         copier copy,
         long size,
         long align,
         unsigned flags,
         unsigned long tasks,
         int priority,
         long start,
         long end,
         long step),
        (function, data, copy, size, align, flags, tasks, priority, start, end, step))
CREATES(GOMP_taskloop_ull,
        loop,
        function,
        (body function,
         void *data,
         copier copy,
         long size,
         long align,
         unsigned flags,
         unsigned long tasks,
         int priority,
         unsigned long long start,
         unsigned long long end,
         unsigned long long step),
        (function, data, copy, size, align, flags, tasks, priority, start, end, step))

/* ---- clang, and other compilers for LLVM's runtime ---- */

/* The part of a task that compilers know (kmp_task_t). */
struct kmp_task {
    void *shared;
    body routine;
};

CREATES_INT(__kmpc_omp_task,
            task,
            of->routine,
            (void *place, int thread, struct kmp_task *of),
            (place, thread, of))
CREATES_INT(__kmpc_omp_task_with_deps,
            task,
            of->routine,
            (void *place,
             int thread,
             struct kmp_task *of,
             int count,
             void *dependences,
             int count_noalias,
             void *noalias),
            (place, thread, of, count, dependences, count_noalias, noalias))
CREATES(__kmpc_omp_task_begin_if0,
        task,
        of->routine,
        (void *place, int thread, struct kmp_task *of),
        (place, thread, of))
CREATES(__kmpc_taskloop,
        loop,
        of->routine,
        (void *place,
         int thread,
         struct kmp_task *of,
         int condition,
         uint64_t *low,
         uint64_t *high,
         int64_t step,
         int no_group,
         int schedule,
         uint64_t size,
         void *copy),
        (place, thread, of, condition, low, high, step, no_group, schedule, size, copy))
CREATES(__kmpc_taskloop_5,
        loop,
        of->routine,
        (void *place,
         int thread,
         struct kmp_task *of,
         int condition,
         uint64_t *low,
         uint64_t *high,
         int64_t step,
         int no_group,
         int schedule,
         uint64_t size,
         int modifier,
         void *copy),
        (place, thread, of, condition, low, high, step, no_group, schedule, size, modifier, copy))
