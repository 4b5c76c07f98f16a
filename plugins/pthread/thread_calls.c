/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of POSIX threads in which a thread can wait for others, as states (<wattle/task.h>): join, barriers, condition
 * variables, semaphores, and locks that are taken. The thread that pthread_create starts is in the state FUNCTION of its
 * start routine. A lock that is free costs one test; without "wattle run --tasks" a call is passed on.
 *
 * No lock, no memory of its own: nothing here can wait for a thread that does not exist in the child of a fork.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

NEXT(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
NEXT(int, pthread_join, pthread_t, void **)
NEXT(int, pthread_barrier_wait, pthread_barrier_t *)
NEXT(int, pthread_cond_wait, pthread_cond_t *, pthread_mutex_t *)
NEXT(int, pthread_cond_timedwait, pthread_cond_t *, pthread_mutex_t *, const struct timespec *)
NEXT(int,
     pthread_cond_clockwait,
     pthread_cond_t *,
     pthread_mutex_t *,
     clockid_t,
     const struct timespec *)
NEXT(int, pthread_mutex_lock, pthread_mutex_t *)
NEXT(int, pthread_mutex_trylock, pthread_mutex_t *)
NEXT(int, pthread_rwlock_rdlock, pthread_rwlock_t *)
NEXT(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *)
NEXT(int, pthread_rwlock_wrlock, pthread_rwlock_t *)
NEXT(int, pthread_rwlock_trywrlock, pthread_rwlock_t *)
NEXT(int, sem_wait, sem_t *)
NEXT(int, sem_trywait, sem_t *)

/* The scope of a wait: ended however the call is left. */
#define WAIT(state, what, caller)                                          \
    __attribute__((cleanup(wait_state_end))) struct wait_state wait_here_; \
    wait_state_begin(&wait_here_, WATTLE_STATE_##state, CODE_##what, caller)

/* ---- threads ---- */

struct start {
    void *(*routine)(void *);
    void *argument;
};

/* As after a call: code_name() names the code before an address. */
static const void *after(void *(*routine)(void *))
{
    uintptr_t address;

    memcpy(&address, &routine, sizeof(address));
    return (const void *)(address + 1); /* NOLINT: never read */
}

static void *run_routine(void *data)
{
    struct start start = *(struct start *)data;

    free(data);
    WAIT(FUNCTION, PLAIN, after(start.routine));
    return start.routine(start.argument);
}

EXPORT int pthread_create(pthread_t *thread,
                          const pthread_attr_t *attributes,
                          void *(*routine)(void *),
                          void *argument)
{
    struct start *start;

    if (!wait_states_on() || wait_is_of_runtime(HERE) || !(start = malloc(sizeof(*start))))
        return get_pthread_create()(thread, attributes, routine, argument);
    *start = (struct start){routine, argument};
    int rc = get_pthread_create()(thread, attributes, run_routine, start);

    if (rc != 0)
        free(start);
    return rc;
}

EXPORT int pthread_join(pthread_t thread, void **value)
{
    if (!wait_states_on())
        return get_pthread_join()(thread, value);
    WAIT(JOIN, JOIN, HERE);
    return get_pthread_join()(thread, value);
}

/* ---- waiting for others ---- */

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    if (!wait_states_on())
        return get_pthread_barrier_wait()(barrier);
    WAIT(SYNC, BARRIER, HERE);
    return get_pthread_barrier_wait()(barrier);
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!wait_states_on())
        return get_pthread_cond_wait()(condition, mutex);
    WAIT(SYNC, CONDITION, HERE);
    return get_pthread_cond_wait()(condition, mutex);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition,
                                  pthread_mutex_t *mutex,
                                  const struct timespec *until)
{
    if (!wait_states_on())
        return get_pthread_cond_timedwait()(condition, mutex, until);
    WAIT(SYNC, CONDITION, HERE);
    return get_pthread_cond_timedwait()(condition, mutex, until);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition,
                                  pthread_mutex_t *mutex,
                                  clockid_t clock,
                                  const struct timespec *until)
{
    if (!wait_states_on())
        return get_pthread_cond_clockwait()(condition, mutex, clock, until);
    WAIT(SYNC, CONDITION, HERE);
    return get_pthread_cond_clockwait()(condition, mutex, clock, until);
}

EXPORT int sem_wait(sem_t *semaphore)
{
    int saved = errno;

    if (!wait_states_on())
        return get_sem_wait()(semaphore);
    if (get_sem_trywait()(semaphore) == 0)
        return 0;
    errno = saved;
    WAIT(SYNC, SEMAPHORE, HERE);
    return get_sem_wait()(semaphore);
}

/* ---- locks: only a call that blocks is a state ---- */

#define LOCK(name, try, type)                  \
    EXPORT int name(type *lock)                \
    {                                          \
        int rc;                                \
                                               \
        if (!wait_states_on())                 \
            return get_##name()(lock);         \
        if ((rc = get_##try()(lock)) != EBUSY) \
            return rc;                         \
        WAIT(LOCK, LOCK, HERE);                \
        return get_##name()(lock);             \
    }

LOCK(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
