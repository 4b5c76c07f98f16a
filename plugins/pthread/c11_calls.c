/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of C11 (<threads.h>), as those of POSIX in thread_calls.c: the C library implements them without its public
 * calls. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "next_call.h"

NEXT(int, thrd_create, thrd_t *, thrd_start_t, void *)
NEXT(int, thrd_join, thrd_t, int *)
NEXT(int, cnd_wait, cnd_t *, mtx_t *)
NEXT(int, cnd_timedwait, cnd_t *, mtx_t *, const struct timespec *)
NEXT(int, mtx_lock, mtx_t *)
NEXT(int, mtx_timedlock, mtx_t *, const struct timespec *)
NEXT(int, mtx_trylock, mtx_t *)

struct start {
    thrd_start_t routine;
    void *argument;
};

static int run_routine(void *data)
{
    struct start start = *(struct start *)data;

    free(data);
    WAIT(FUNCTION, PLAIN, wait_after_call(&start.routine));
    return start.routine(start.argument);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct start *start;

    if (!wait_states_on() || wait_is_of_runtime(HERE) || !(start = malloc(sizeof(*start))))
        return get_thrd_create()(thread, routine, argument);
    *start = (struct start){routine, argument};
    int rc = get_thrd_create()(thread, run_routine, start);

    if (rc != thrd_success)
        free(start);
    return rc;
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    if (!wait_states_on())
        return get_thrd_join()(thread, result);
    WAIT(JOIN, JOIN, HERE);
    return get_thrd_join()(thread, result);
}

EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    if (!wait_states_on())
        return get_cnd_wait()(condition, mutex);
    WAIT(SYNC, CONDITION, HERE);
    return get_cnd_wait()(condition, mutex);
}

EXPORT int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    if (!wait_states_on())
        return get_cnd_timedwait()(condition, mutex, until);
    WAIT(SYNC, CONDITION, HERE);
    return get_cnd_timedwait()(condition, mutex, until);
}

LOCK(mtx_lock, mtx_trylock, thrd_busy, (mtx_t * lock), lock)
LOCK(mtx_timedlock,
     mtx_trylock,
     thrd_busy,
     (mtx_t * lock, const struct timespec *until),
     lock,
     until)
