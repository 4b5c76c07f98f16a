/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The selection: several drivers opened together, with one answer to "which channel speaks for
 * this domain?". Per domain, index and sub the first driver in the order of the list has the
 * primary channel; the others are recorded only when their driver was asked for by name. The tree
 * of what contains what (`within`) is drawn across drivers, and the channels of the total chosen.
 */
#ifndef WTL_SOURCE_SELECT_H
#define WTL_SOURCE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/total.h"
#include "source/opening.h"

struct wtl_request {
    /* The drivers to choose from, ended by NULL: wtl_drivers but in tests. */
    const struct wtl_driver *const *drivers;
    /* NULL = all that are there (no manual ones; fallback ones only when no other energy driver
     * has a channel). Else "NAME[:key=value]...,NAME...": only these, each with all its channels;
     * "all" stands for every driver that is not manual. A value ends at a comma or at ":key=". */
    const char *which;
    const struct wtl_settings *settings; /* from the configuration, weaker than `which`; or NULL */
    const struct wtl_target *target;     /* or NULL */
    bool activity;                       /* open the drivers of activity, too */
    /* Open on the caller's thread and wait without limit: for what cannot hang, or for a world that ends before the process. */
    bool in_place;
    /* Tenths of a second to wait for drivers that do not answer, all together, and at least a second for each; 0 = WTL_PATIENCE. */
    unsigned patience;
    /* Channels of a recording that is gone on with. Those of a driver that does not answer are there all the same, and each
     * read of them fails with -ETIMEDOUT. */
    const struct wattle_channel *known;
    size_t known_count;
};

/* One driver: what it has here, or why not. */
struct wtl_offer {
    const struct wtl_driver *driver;
    /* 0 = opened; -ENODEV, -EACCES, ... as its open said; -ECANCELED = a fallback not needed, or a
     * manual one, or one of activity, not asked for; -ETIMEDOUT = it did not answer. */
    int status;
    bool is_silent; /* it did not answer; with status 0 its known channels stand in for it */
    struct wattle_error why;  /* sentence with the remedy; when opened: the first of its notes */
    struct wtl_source source; /* open when status == 0; its notes say what it could not use */
};

/* Where channel i of a selection comes from. */
struct wtl_pick {
    struct wtl_source *source;
    size_t at; /* its number in the source: source->driver->read(source, at, 1, ..) */
};

struct wtl_selection {
    struct wtl_offer *offers; /* in the order of the list */
    size_t offer_count;
    /* All channels with PRIMARY, IN_TOTAL and within filled in. The first recorded_count are those to record;
     * neighbours of one source there have ascending `at`, so runs of them can be read at once. */
    struct wattle_channel *channels;
    struct wtl_pick *picks; /* beside channels */
    size_t count, recorded_count;
    struct wtl_total total;
    struct wtl_terms *terms; /* settings: those of `which` behind those of the request */
    void *kept;              /* what the drivers need, closed by this behind them; NULL = nothing */
    void (*close_kept)(void *kept);
    /* What a thread uses that a driver does not let go: then nothing of this is ever closed or freed. Else NULL. */
    void *held;
    struct wtl_selection *next_held; /* of those that were closed so */
};

/*
 * Open drivers as requested. What the machine lacks is no failure: it stands in the offers, and a
 * selection without a channel is still a selection. So does a driver that does not answer within the request's patience; its
 * thread keeps the world, which then must last as long as the process. Else the world must outlive the
 * selection. *ret_selection is the caller's, freed by wtl_selection_close().
 * Returns 0; -EINVAL for an unknown name or setting; -ENOMEM.
 */
int wtl_selection_open(const struct wtl_request *request,
                       const struct wtl_world *world,
                       struct wtl_selection **ret_selection,
                       struct wattle_error *err);
/* Accepts NULL; does nothing with one that is held. */
void wtl_selection_close(struct wtl_selection *selection);

/* Is there an energy or power channel to record? 0, or -EACCES, -ENODEV with one sentence that
 * names the most helpful remedy. */
int wtl_selection_check(const struct wtl_selection *selection, struct wattle_error *err);

/* The next driver of energy or power, from *at on, that did not answer: its sentence, or NULL at the end. Begin with *at = 0. */
const char *wtl_selection_silent(const struct wtl_selection *selection, size_t *at);

/* The run of recorded channels that begins with channel i and can be read by one call of its
 * driver, at one time and on one thread: their number, >= 1. */
size_t wtl_selection_run(const struct wtl_selection *selection, size_t i);

#endif
