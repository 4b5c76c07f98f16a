/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errands: work that may never return because it calls into a kernel driver or a device. It runs on its own
 * thread, which is waited for with a timeout (patience).
 *
 *     struct wtl_errand *errand = NULL;
 *     if (!wtl_errand_do(&errand, &work, context, &patience))
 *         the thread owns the context from now on
 *     wtl_errand_end(errand);
 *
 * Patience is counted in separate slices of a tenth of a second: time during which the process was stopped
 * does not count. Several errands may share one count; each gets at least WTL_PATIENCE_LEAST.
 */
#ifndef WTL_BASE_ERRAND_H
#define WTL_BASE_ERRAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WTL_PATIENCE = 100, WTL_PATIENCE_LEAST = 10 };

/* Wait while is_busy() is true for the word, a futex that is woken when it changes. Elapsed slices are
 * subtracted from *patience. false: patience has run out and the word is still busy. */
bool wtl_patience_wait(_Atomic uint32_t *word, bool (*is_busy)(uint32_t value), unsigned *patience);

struct wtl_errand_work {
    void (*run)(void *context);
    void (*late)(void *context); /* called afterwards on the same thread, when no caller waits any
                                    more */
};

struct wtl_errand;

/*
 * Run the work on the thread of *errand, which is created at the first call; that thread blocks all signals.
 * If no thread can be created, the caller runs it. true: the work is done. false: it was abandoned: *errand
 * is NULL, and everything that run() and late() use, especially the context, must stay valid until late() has
 * been called, which may be never.
 */
bool wtl_errand_do(struct wtl_errand **errand,
                   const struct wtl_errand_work *work,
                   void *context,
                   unsigned *patience);

/* The two halves of wtl_errand_do(), for work that continues while its caller does something else. wtl_errand_begin() false: no
 * thread could be created, and the work is done. Else wtl_errand_await() must follow. */
bool wtl_errand_begin(struct wtl_errand **errand,
                      const struct wtl_errand_work *work,
                      void *context);
bool wtl_errand_await(struct wtl_errand **errand, unsigned *patience);

/*
 * For work that calls into a driver now and then, between wtl_away_begin() and wtl_away_end() of a word that
 * outlives it: patience is counted only in between, so the rest may take any time, without extra wake-ups. If
 * the work is abandoned, wtl_away_end() returns false: from then on the work must not touch its context and
 * must return. wtl_errand_watch() is wtl_errand_do() for such work.
 */
bool wtl_errand_watch(struct wtl_errand **errand,
                      const struct wtl_errand_work *work,
                      void *context,
                      _Atomic uint32_t *away,
                      unsigned *patience);
void wtl_away_begin(_Atomic uint32_t *away); /* the word is initially 0 */
bool wtl_away_end(_Atomic uint32_t *away);

/* End the thread, which must be idle. Accepts NULL. */
void wtl_errand_end(struct wtl_errand *errand);

#endif
