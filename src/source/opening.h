/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening drivers with a timeout. A driver that does not return is left to its own thread, which closes what
 * it opened if it ever returns; until then the same process does not wait for that driver again.
 */
#ifndef WTL_SOURCE_OPENING_H
#define WTL_SOURCE_OPENING_H

#include <stdbool.h>

#include "base/errand.h"
#include "source/driver.h"

/* Copies of what drivers use when they are opened, shared by a selection and the threads that it abandoned. */
struct wtl_terms {
    unsigned users; /* atomic */
    struct wtl_settings settings;
    struct wtl_target target;
};

/* target may be NULL. One user; 0 or -ENOMEM. */
int wtl_terms_create(const struct wtl_settings *settings,
                     const struct wtl_target *target,
                     struct wtl_terms **ret_terms);
void wtl_terms_release(struct wtl_terms *terms); /* accepts NULL */

struct wtl_opener {
    const struct wtl_world *world;
    struct wtl_terms *terms;
    bool in_place;     /* on the caller's thread, without a timeout */
    unsigned patience; /* for all drivers together: see base/errand.h */
    struct wtl_errand *errand;
    struct wtl_opening *begun; /* list of those that wtl_opener_open() has not fetched yet */
};

/* Begin to open a driver whose opening may take seconds here, on a thread of its own: wtl_opener_open() then waits for it. No
 * effect for other drivers. */
void wtl_opener_begin(struct wtl_opener *opener, const struct wtl_driver *driver);
/* Whether it was begun and not yet fetched. */
bool wtl_opener_has_begun(const struct wtl_opener *opener, const struct wtl_driver *driver);

/* wtl_source_open() with the opener's world and terms, which the source keeps. -ETIMEDOUT with a sentence
 * when the driver does not return. */
int wtl_opener_open(struct wtl_opener *opener,
                    const struct wtl_driver *driver,
                    struct wtl_source *ret_source,
                    struct wattle_error *err);
void wtl_opener_end(struct wtl_opener *opener);

#endif
