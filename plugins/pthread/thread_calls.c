/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of POSIX threads in which a thread can wait for others, as states (<wattle/task.h>): join, barriers, condition
 * variables, semaphores, and locks that are taken. The thread that pthread_create starts is in the state FUNCTION of its
 * start routine. A lock that is free costs one test; without "wattle run --tasks" a call is passed on.
 *
 * No lock, no memory of its own: nothing here can wait for a thread that does not exist in the child of a fork.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "next_call.h"

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
NEXT(int, pthread_mutex_timedlock, pthread_mutex_t *, const struct timespec *)
NEXT(int, pthread_mutex_clocklock, pthread_mutex_t *, clockid_t, const struct timespec *)
NEXT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *, const struct timespec *)
NEXT(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *, clockid_t, const struct timespec *)
NEXT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *, const struct timespec *)
NEXT(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *, clockid_t, const struct timespec *)
NEXT(int, sem_wait, sem_t *)
NEXT(int, sem_timedwait, sem_t *, const struct timespec *)
NEXT(int, sem_clockwait, sem_t *, clockid_t, const struct timespec *)
NEXT(int, pthread_timedjoin_np, pthread_t, void **, const struct timespec *)
NEXT(int, pthread_clockjoin_np, pthread_t, void **, clockid_t, const struct timespec *)
NEXT(int, sem_trywait, sem_t *)

/* ---- threads ---- */

struct start {
    void *(*routine)(void *);
    void *argument;
};

static void *run_routine(void *data)
{
    struct start start = *(struct start *)data;

    free(data);
    WAIT(FUNCTION, PLAIN, wait_after_call(&start.routine));
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

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
    if (!wait_states_on())
        return get_pthread_timedjoin_np()(thread, value, until);
    WAIT(JOIN, JOIN, HERE);
    return get_pthread_timedjoin_np()(thread, value, until);
}

EXPORT int pthread_clockjoin_np(pthread_t thread,
                                void **value,
                                clockid_t clock,
                                const struct timespec *until)
{
    if (!wait_states_on())
        return get_pthread_clockjoin_np()(thread, value, clock, until);
    WAIT(JOIN, JOIN, HERE);
    return get_pthread_clockjoin_np()(thread, value, clock, until);
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

/* One that is up costs a test. */
#define SEMAPHORE(name, parameters, ...)       \
    EXPORT int name parameters                 \
    {                                          \
        int saved = errno;                     \
                                               \
        if (!wait_states_on())                 \
            return get_##name()(__VA_ARGS__);  \
        if (get_sem_trywait()(semaphore) == 0) \
            return 0;                          \
        errno = saved;                         \
        WAIT(SYNC, SEMAPHORE, HERE);           \
        return get_##name()(__VA_ARGS__);      \
    }

SEMAPHORE(sem_wait, (sem_t * semaphore), semaphore)
SEMAPHORE(sem_timedwait, (sem_t * semaphore, const struct timespec *until), semaphore, until)
SEMAPHORE(sem_clockwait,
          (sem_t * semaphore, clockid_t clock, const struct timespec *until),
          semaphore,
          clock,
          until)

/* ---- locks ---- */

LOCK(pthread_mutex_lock, pthread_mutex_trylock, EBUSY, (pthread_mutex_t * lock), lock)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, EBUSY, (pthread_rwlock_t * lock), lock)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, EBUSY, (pthread_rwlock_t * lock), lock)

#define TIMED(name, clocked, try, pointer)                                                         \
    LOCK(name, try, EBUSY, (pointer lock, const struct timespec *until), lock, until)              \
    LOCK(clocked, try, EBUSY, (pointer lock, clockid_t clock, const struct timespec *until), lock, \
         clock, until)

TIMED(pthread_mutex_timedlock, pthread_mutex_clocklock, pthread_mutex_trylock, pthread_mutex_t *)
TIMED(pthread_rwlock_timedrdlock,
      pthread_rwlock_clockrdlock,
      pthread_rwlock_tryrdlock,
      pthread_rwlock_t *)
TIMED(pthread_rwlock_timedwrlock,
      pthread_rwlock_clockwrlock,
      pthread_rwlock_trywrlock,
      pthread_rwlock_t *)
