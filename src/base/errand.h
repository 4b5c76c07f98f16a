/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errands: work that may never come back, since it asks a driver of the kernel or a device, on a thread of its own that is
 * waited for so long and no longer.
 *
 *     struct wtl_errand *errand = NULL;
 *     if (!wtl_errand_do(&errand, &work, context, &patience))
 *         the context is the thread's from now on
 *     wtl_errand_end(errand);
 *
 * Patience is counted in slices of a tenth of a second, each by itself: a process that was stopped meanwhile has not waited. What
 * several errands share is one count; each has at least WTL_PATIENCE_LEAST.
 */
#ifndef WTL_BASE_ERRAND_H
#define WTL_BASE_ERRAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WTL_PATIENCE = 100, WTL_PATIENCE_LEAST = 10 };

/* Wait while the word, a futex that is woken when it changes, says that somebody is busy. Slices that passed are taken from
 * *patience. false: patience is at its end, and it still does. */
bool wtl_patience_wait(_Atomic uint32_t *word, bool (*is_busy)(uint32_t value), unsigned *patience);

struct wtl_errand_work {
    void (*run)(void *context);
    void (*late)(void *context); /* behind it, on the same thread, when nobody waits any more */
};

struct wtl_errand;

/*
 * Run it on the thread of *errand, which is made when there is none; that thread blocks all signals. Where no thread can be
 * made the caller runs it. true: it is done. false: it was given up: *errand is NULL, and what run() and late() use, the
 * context above all, stays as it is until late() has been called, which may be never.
 */
bool wtl_errand_do(struct wtl_errand **errand,
                   const struct wtl_errand_work *work,
                   void *context,
                   unsigned *patience);

/*
 * Work that asks a driver now and then, between wtl_away_begin() and wtl_away_end() of a word that outlives it: patience is counted
 * there alone, so the rest may take its time, and nobody is woken for it. Given up, the work learns of it when wtl_away_end() says
 * false: from then on it touches nothing of its context and returns. wtl_errand_watch() is wtl_errand_do() for such work.
 */
bool wtl_errand_watch(struct wtl_errand **errand,
                      const struct wtl_errand_work *work,
                      void *context,
                      _Atomic uint32_t *away,
                      unsigned *patience);
void wtl_away_begin(_Atomic uint32_t *away); /* the word is 0 at first */
bool wtl_away_end(_Atomic uint32_t *away);

/* Ends the thread, which has nothing to do. Accepts NULL. */
void wtl_errand_end(struct wtl_errand *errand);

#endif
