/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that prepares parts of a spool: see spool_ahead.h. Each change of the state is one compare-and-swap, so
 * that owner and thread agree on who has the part. */
#define _GNU_SOURCE
#include "record/spool/spool_ahead.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum state {
    IDLE = 0,
    WANTED,
    BUSY, /* the thread works on it */
    READY,
    DROPPED, /* as BUSY, but no longer wanted */
    ENDING
};

enum start { NOT_NEEDED = 0, NEEDED, STARTED, NEVER };

enum { STACK_BYTES = 256 * 1024 };

static uint32_t state_of(struct wtl_spool_ahead *ahead)
{
    return atomic_load_explicit(&ahead->state, memory_order_acquire);
}

static bool change(_Atomic uint32_t *word, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(word, &from, to, memory_order_acq_rel,
                                                   memory_order_acquire);
}

static void wake(struct wtl_spool_ahead *ahead)
{
    (void)syscall(SYS_futex, &ahead->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void unmap(struct wtl_spool_ahead *ahead)
{
    uint8_t *at = atomic_load_explicit(&ahead->at, memory_order_relaxed);

    if (at)
        (void)munmap(at, ahead->part.size); /* the file keeps it */
    atomic_store_explicit(&ahead->at, NULL, memory_order_relaxed);
}

static void *prepare(void *arg)
{
    struct wtl_spool_ahead *ahead = arg;
    int error;

    (void)prctl(PR_SET_NAME, "wattle-ahead");
    (void)sched_setaffinity(0, sizeof(ahead->cpus), &ahead->cpus); /* else those of its creator */
    for (uint32_t state; (state = state_of(ahead)) != ENDING;) {
        if (!change(&ahead->state, WANTED, BUSY)) {
            (void)syscall(SYS_futex, &ahead->state, FUTEX_WAIT_PRIVATE, state, NULL, NULL, 0);
            continue;
        }
        atomic_store_explicit(&ahead->at, ahead->make(&ahead->part, &error), memory_order_relaxed);
        if (!change(&ahead->state, BUSY, READY)) {
            unmap(ahead);
            (void)change(&ahead->state, DROPPED, IDLE);
        }
    }
    return NULL;
}

void wtl_spool_ahead_init(struct wtl_spool_ahead *ahead)
{
    if (atomic_load_explicit(&ahead->start, memory_order_relaxed) != NOT_NEEDED)
        return;
    if (sched_getaffinity(0, sizeof(ahead->cpus), &ahead->cpus) < 0 || CPU_COUNT(&ahead->cpus) < 2)
        atomic_store_explicit(&ahead->start, NEVER, memory_order_relaxed);
}

bool wtl_spool_ahead_is_free(struct wtl_spool_ahead *ahead)
{
    if (atomic_load_explicit(&ahead->start, memory_order_acquire) == STARTED)
        return state_of(ahead) == IDLE;
    (void)change(&ahead->start, NOT_NEEDED, NEEDED);
    return false;
}

void wtl_spool_ahead_ask(struct wtl_spool_ahead *ahead,
                         wtl_spool_part_fn make,
                         const struct wtl_spool_part *part)
{
    ahead->make = make;
    ahead->part = *part;
    if (change(&ahead->state, IDLE, WANTED))
        wake(ahead);
}

bool wtl_spool_ahead_take(struct wtl_spool_ahead *ahead,
                          struct wtl_spool_part *ret_part,
                          uint8_t **ret_at)
{
    bool untouched = change(&ahead->state, WANTED, IDLE);

    if (!untouched && state_of(ahead) != READY)
        return false;
    *ret_part = ahead->part;
    *ret_at = untouched ? NULL : atomic_load_explicit(&ahead->at, memory_order_relaxed);
    atomic_store_explicit(&ahead->at, NULL, memory_order_relaxed);
    (void)change(&ahead->state, READY, IDLE);
    return true;
}

void wtl_spool_ahead_start(struct wtl_spool_ahead *ahead)
{
    pthread_attr_t attr;
    sigset_t all, old;
    int error = errno;

    if (!change(&ahead->start, NEEDED, NEVER))
        return;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old); /* the thread inherits it */
    (void)pthread_attr_init(&attr);               /* cannot fail in glibc */
    (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
    if (pthread_create(&ahead->thread, &attr, prepare, ahead) == 0)
        atomic_store_explicit(&ahead->start, STARTED, memory_order_release);
    (void)pthread_attr_destroy(&attr);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
}

void wtl_spool_ahead_drop(struct wtl_spool_ahead *ahead)
{
    if (change(&ahead->state, WANTED, IDLE) || change(&ahead->state, BUSY, DROPPED))
        return;
    if (state_of(ahead) == READY) {
        unmap(ahead);
        (void)change(&ahead->state, READY, IDLE);
    }
}

/* A part that was being mapped at the fork stays mapped: its address is not known. */
void wtl_spool_ahead_forget(struct wtl_spool_ahead *ahead)
{
    if (state_of(ahead) == READY)
        unmap(ahead);
    atomic_store_explicit(&ahead->state, IDLE, memory_order_relaxed);
    atomic_store_explicit(&ahead->start, NOT_NEEDED, memory_order_relaxed);
}

void wtl_spool_ahead_end(struct wtl_spool_ahead *ahead)
{
    if (atomic_load_explicit(&ahead->start, memory_order_acquire) != STARTED)
        return;
    bool ready = atomic_exchange_explicit(&ahead->state, ENDING, memory_order_acq_rel) == READY;

    wake(ahead);
    (void)pthread_join(ahead->thread, NULL); /* joinable, ours and about to exit: cannot fail */
    if (ready)
        unmap(ahead);
    atomic_store_explicit(&ahead->start, NEVER, memory_order_relaxed);
}
