/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that are waited for with a timeout: see errand.h. */
#define _GNU_SOURCE
#include "base/errand.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct timespec slice = {.tv_nsec = 100 * 1000 * 1000}, look_every = {.tv_sec = 1};

enum state { IDLE, ASKED, DONE, GIVEN_UP, ENDING };

enum away { HERE = 0, AWAY, LEFT };

struct wtl_errand {
    _Atomic uint32_t state; /* enum state; a futex */
    const struct wtl_errand_work *work;
    void *context;
    pthread_t thread;
};

/* However it returns (woken, timeout, a signal, another value), the caller checks the word again. */
static void futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct timespec *timeout)
{
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout, NULL, 0);
}

bool wtl_patience_wait(_Atomic uint32_t *word, bool (*is_busy)(uint32_t value), unsigned *patience)
{
    unsigned left = *patience > WTL_PATIENCE_LEAST ? *patience : WTL_PATIENCE_LEAST;
    for (uint32_t value; is_busy(value = atomic_load_explicit(word, memory_order_acquire));) {
        if (left == 0)
            return false;
        futex_wait(word, value, &slice);
        bool waited = atomic_load_explicit(word, memory_order_acquire) == value;
        left -= waited;
        *patience -= waited && *patience > 0;
    }
    return true;
}

static void set_state(struct wtl_errand *errand, enum state state)
{
    atomic_store_explicit(&errand->state, state, memory_order_release);
    (void)syscall(SYS_futex, &errand->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* If both sides try to change the state, only one of them succeeds. */
static bool change(_Atomic uint32_t *word, uint32_t from, uint32_t to)
{
    return atomic_compare_exchange_strong_explicit(word, &from, to, memory_order_acq_rel,
                                                   memory_order_acquire);
}

static bool finish(struct wtl_errand *errand, uint32_t state)
{
    return change(&errand->state, ASKED, state);
}

void wtl_away_begin(_Atomic uint32_t *away)
{
    atomic_store_explicit(away, AWAY, memory_order_release);
}

bool wtl_away_end(_Atomic uint32_t *away)
{
    return change(away, AWAY, HERE);
}

static void *errand_main(void *arg)
{
    struct wtl_errand *errand = arg;
    (void)prctl(PR_SET_NAME, "wattle-errand");
    for (uint32_t state;
         (state = atomic_load_explicit(&errand->state, memory_order_acquire)) != ENDING;) {
        if (state != ASKED) {
            futex_wait(&errand->state, state, NULL);
            continue;
        }
        errand->work->run(errand->context);
        if (!finish(errand, DONE)) {
            errand->work->late(errand->context);
            free(errand); /* detached, and no longer used by anyone else */
            return NULL;
        }
        (void)syscall(SYS_futex, &errand->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static struct wtl_errand *start(void)
{
    struct wtl_errand *errand = calloc(1, sizeof *errand);
    sigset_t all, old;
    if (!errand)
        return NULL;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    int rc = pthread_create(&errand->thread, NULL, errand_main, errand);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        return errand;
    free(errand);
    return NULL;
}

static bool is_asked(uint32_t state)
{
    return state == ASKED;
}

bool wtl_errand_begin(struct wtl_errand **errand, const struct wtl_errand_work *work, void *context)
{
    if (!*errand && !(*errand = start())) {
        work->run(context);
        return false;
    }
    (*errand)->work = work;
    (*errand)->context = context;
    set_state(*errand, ASKED);
    return true;
}

/* false: it has completed after all. */
static bool give_up(struct wtl_errand **errand)
{
    struct wtl_errand *one = *errand;
    pthread_t thread = one->thread; /* saved: from here on the errand may belong to the thread */
    if (!finish(one, GIVEN_UP))
        return false;
    *errand = NULL;
    (void)pthread_detach(thread);
    return true;
}

bool wtl_errand_await(struct wtl_errand **errand, unsigned *patience)
{
    return wtl_patience_wait(&(*errand)->state, is_asked, patience) || !give_up(errand);
}

bool wtl_errand_do(struct wtl_errand **errand,
                   const struct wtl_errand_work *work,
                   void *context,
                   unsigned *patience)
{
    return !wtl_errand_begin(errand, work, context) || wtl_errand_await(errand, patience);
}

bool wtl_errand_watch(struct wtl_errand **errand,
                      const struct wtl_errand_work *work,
                      void *context,
                      _Atomic uint32_t *away,
                      unsigned *patience)
{
    if (!wtl_errand_begin(errand, work, context))
        return true;
    _Atomic uint32_t *state = &(*errand)->state;
    while (is_asked(atomic_load_explicit(state, memory_order_acquire))) {
        bool is_away = atomic_load_explicit(away, memory_order_relaxed) == AWAY;
        futex_wait(state, ASKED, is_away ? &slice : &look_every);
        bool waited = is_away && atomic_load_explicit(away, memory_order_relaxed) == AWAY &&
                      is_asked(atomic_load_explicit(state, memory_order_acquire));
        *patience -= waited && *patience > 0;
        if (waited && *patience == 0 && change(away, AWAY, LEFT)) {
            (void)give_up(errand); /* fails if the work has just completed; the thread is then
                                      still ours */
            return false;
        }
    }
    return true;
}

void wtl_errand_end(struct wtl_errand *errand)
{
    if (!errand)
        return;
    set_state(errand, ENDING);
    (void)pthread_join(errand->thread, NULL); /* joinable, ours and about to exit: cannot fail */
    free(errand);
}
