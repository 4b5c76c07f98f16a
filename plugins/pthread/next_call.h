/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of intercepted calls share: the C library's function behind each, and the state around it. */
#ifndef NEXT_CALL_H
#define NEXT_CALL_H

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "wait_state.h"

#define EXPORT __attribute__((visibility("default")))
#define HERE   __builtin_return_address(0)

/* The C library's function. Found at its first use, which may be before our constructor; all threads find the same. */
#define NEXT(type, name, ...)                                                       \
    static type (*found_##name)(__VA_ARGS__);                                       \
    static __attribute__((constructor)) void find_##name(void)                      \
    {                                                                               \
        void *symbol = dlsym(RTLD_NEXT, #name);                                     \
        type (*function)(__VA_ARGS__);                                              \
                                                                                    \
        memcpy(&function, &symbol, sizeof(function));                               \
        __atomic_store_n(&found_##name, function, __ATOMIC_RELAXED);                \
    }                                                                               \
    static inline type (*get_##name(void))(__VA_ARGS__)                             \
    {                                                                               \
        if (__builtin_expect(!__atomic_load_n(&found_##name, __ATOMIC_RELAXED), 0)) \
            find_##name();                                                          \
        return __atomic_load_n(&found_##name, __ATOMIC_RELAXED);                    \
    }

/* The scope of a wait: ended however the call is left. */
#define WAIT(state, what, caller)                                          \
    __attribute__((cleanup(wait_state_end))) struct wait_state wait_here_; \
    wait_state_begin(&wait_here_, WATTLE_STATE_##state, CODE_##what, caller)

/* A lock: only a call that blocks is a state. busy: what `try` returns then; the lock is the parameter `lock`. */
#define LOCK(name, try, busy, parameters, ...)  \
    EXPORT int name parameters                  \
    {                                           \
        int rc;                                 \
                                                \
        if (!wait_states_on())                  \
            return get_##name()(__VA_ARGS__);   \
        if ((rc = get_##try()(lock)) != (busy)) \
            return rc;                          \
        WAIT(LOCK, LOCK, HERE);                 \
        return get_##name()(__VA_ARGS__);       \
    }

/* The address of a function as after a call: code_name() names the code before an address. */
static inline const void *wait_after_call(const void *function)
{
    uintptr_t address;

    memcpy(&address, function, sizeof(address));
    return (const void *)(address + 1); /* NOLINT: never read */
}

#endif
