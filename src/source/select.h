/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The selection: several drivers opened together, with one answer to "which channel represents this domain?".
 * Per domain, index and sub, the primary channel is that of the first driver in list order; the others are
 * recorded only if their driver was requested by name. The containment tree (`within`) is built across
 * drivers, and the channels of the total are chosen.
 */
#ifndef WTL_SOURCE_SELECT_H
#define WTL_SOURCE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/total.h"
#include "source/opening.h"
#include "source/selection.h"

struct wtl_request {
    /* The drivers to choose from, NULL-terminated: wtl_drivers except in tests. */
    const struct wtl_driver *const *drivers;
    /*
     * NULL = all available drivers (no manual ones; fallback ones only when no other energy driver has a
     * channel). Else "NAME[:key=value]...,NAME...": only these, each with all its channels; "all" stands for
     * every driver that is not manual. A value ends at a comma or at ":key=". The first setting of a driver with
     * WTL_DRIVER_ADDRESS needs no key: "pm:HOST".
     */
    const char *which;
    const struct wtl_settings *settings; /* from the configuration, overridden by `which`; or
                                            NULL */
    const struct wtl_target *target;     /* or NULL */
    bool activity;                       /* also open activity drivers */
    /* Open on the caller's thread without a timeout: for drivers that cannot hang, or for a world that
     * ends before the process. */
    bool in_place;
    /* How long to wait for drivers that do not answer, in tenths of a second for all of them together, and
     * at least one second for each; 0 = WTL_PATIENCE. */
    unsigned patience;
    /* No relay: the caller is what would be relayed. */
    bool direct;
    /* Channels of a recording that is being continued. The channels of a driver that does not answer are
     * listed all the same, and each read of them fails with -ETIMEDOUT. */
    const struct wattle_channel *known;
    size_t known_count;
};

/*
 * Open drivers as requested. Missing hardware is not a failure: the offers record it, and a selection without
 * a channel is still valid. The same holds for a driver that does not answer within the request's timeout;
 * its thread keeps the world, which must then last as long as the process. Otherwise the world must outlive
 * the selection. The caller owns *ret_selection and frees it with wtl_selection_close(). Returns 0; -EINVAL
 * for an unknown name or setting; -ENOMEM.
 */
int wtl_selection_open(const struct wtl_request *request,
                       const struct wtl_world *world,
                       struct wtl_selection **ret_selection,
                       struct wattle_error *err);
/* Accepts NULL; no effect on a selection that is held. */
void wtl_selection_close(struct wtl_selection *selection);

/* Check that there is an energy or power channel to record. 0, or -EACCES, -ENODEV with a sentence that
 * gives the most helpful remedy. */
int wtl_selection_check(const struct wtl_selection *selection, struct wattle_error *err);

/* Message of the next energy or power driver, starting at *at, that did not answer; NULL at the end. Start
 * with *at = 0. */
const char *wtl_selection_silent(const struct wtl_selection *selection, size_t *at);

/* The run of recorded channels starting at channel i that one call of its driver can read, at one time and
 * on one thread: their number, >= 1. */
size_t wtl_selection_run(const struct wtl_selection *selection, size_t i);

#endif
