/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phase watch: phases while a run goes on. It is given one row after another, says when a phase has begun, which letter
 * it has, and which one is expected next and when.
 *
 *     wtl_phase_watch_create(&options, &rows, &watch, err);
 *     for (size_t k = 0; k < rows.rows; k++)
 *         switch (wtl_phase_watch_push(watch, &rows, k, err)) ...
 *     wtl_phase_watch_close(watch);
 *
 * Letters and predictions are those of a model, or of this run alone: then a letter is known once a phase like it has
 * ended, and what comes next once the same has happened before. One thread per watch.
 */
#ifndef WTL_ANALYSIS_PHASE_WATCH_H
#define WTL_ANALYSIS_PHASE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <wattle/error.h>

#include "analysis/phases/counter_rows.h"
#include "analysis/phases/model.h"

struct wtl_phase_watch;

struct wtl_phase_watch_options {
    const struct wtl_phase_model *model; /* NULL = of this run alone; borrowed */
    double ahead_s; /* say that a phase is expected so long before it; 0 = not */
};

enum wtl_phase_event {
    WTL_PHASE_NOTHING,
    WTL_PHASE_BEGAN,   /* a phase has begun; also the first one, once its letter can be told */
    WTL_PHASE_EXPECTED /* the next one is expected soon; once for each phase */
};

/* The present phase. */
struct wtl_phase_present {
    size_t number, first;         /* from 1; its first row */
    double length_s;              /* so far */
    double mean_w;                /* so far; NaN = unknown */
    double rate[WTL_ROW_COLUMNS]; /* mean of each counter so far; NaN = unknown */
    char letter[8];               /* "" = like none before */
    char next[8];                 /* of the phase that is expected; "" = nothing is known */
    double next_s;                /* until it begins; NaN = nothing is known */
};

/* rows: those to come have its columns. Returns 0; -EINVAL if the model has other counters; -ENOMEM; with a message. */
int wtl_phase_watch_create(const struct wtl_phase_watch_options *options,
                           const struct wtl_counter_rows *rows,
                           struct wtl_phase_watch **ret_watch,
                           struct wattle_error *err);

/* Add row k, the one after the last; earlier rows must still be in `rows`. Returns an event or -ENOMEM. */
int wtl_phase_watch_push(struct wtl_phase_watch *watch,
                         const struct wtl_counter_rows *rows,
                         size_t k,
                         struct wattle_error *err);

/* The present phase, after any push. */
const struct wtl_phase_present *wtl_phase_watch_present(const struct wtl_phase_watch *watch);

void wtl_phase_watch_close(struct wtl_phase_watch *watch); /* accepts NULL */

#endif
