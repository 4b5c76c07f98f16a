/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "gomp.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void (*body)(void *);
typedef void (*copier)(void *, void *);

static __thread body task, loop; /* of the call that is going on, until it runs anything */

static const void *address_of(body function)
{
    const void *address;

    memcpy(&address, &function, sizeof(address));
    return address ? (const char *)address + 1 : NULL; /* as if a call at its begin returned */
}

const void *gomp_task_body(void)
{
    body function = task;

    task = NULL; /* tasks inside of it are others */
    return address_of(function);
}

const void *gomp_loop_body(void)
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

#define GOMP_CALL(name, which, parameters, arguments) \
    EXPORT void name parameters;                      \
    EXPORT void name parameters                       \
    {                                                 \
        static void *_Atomic cache;                   \
        void *symbol = next_of(&cache, #name);        \
        void(*next) parameters;                       \
                                                      \
        memcpy(&next, &symbol, sizeof(next));         \
        if (!next)                                    \
            return; /* not the call of any runtime */ \
        which = function;                             \
        next arguments;                               \
        which = NULL;                                 \
    }

GOMP_CALL(GOMP_task,
          task,
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
GOMP_CALL(GOMP_taskloop,
          loop,
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
GOMP_CALL(GOMP_taskloop_ull,
          loop,
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
