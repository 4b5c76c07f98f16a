/* SPDX-License-Identifier: BSD-3-Clause */
/* The drivers that are open together, and their channels: see select.h, which fills this in. */
#ifndef WTL_SOURCE_SELECTION_H
#define WTL_SOURCE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "model/total.h"
#include "source/opening.h"

/* One driver: what it provides here, or why nothing. */
struct wtl_offer {
    const struct wtl_driver *driver;
    /* 0 = opened; -ENODEV, -EACCES, ... from its open; -ECANCELED = a fallback that is not needed, or a
     * manual or activity driver that was not requested; -ETIMEDOUT = it did not answer. */
    int status;
    bool is_silent; /* it did not answer; with status 0 its known channels are used instead */
    struct wattle_error why;  /* message with the remedy; when opened: the first of its notes */
    struct wtl_source source; /* open when status == 0; its notes list what could not be used */
};

/* Origin of channel i of a selection. */
struct wtl_pick {
    struct wtl_source *source;
    size_t at; /* its number in the source: source->driver->read(source, at, 1, ..) */
};

struct wtl_selection {
    struct wtl_offer *offers; /* in list order */
    size_t offer_count;
    /*
     * All channels, with PRIMARY, IN_TOTAL and within filled in. The first recorded_count are to be recorded;
     * among them, adjacent channels of the same source have ascending `at`, so runs of them can be read in
     * one call.
     */
    struct wattle_channel *channels;
    struct wtl_pick *picks; /* parallel to channels */
    size_t count, recorded_count;
    struct wtl_total total;
    char lacks
        [128]; /* parts of the machine that the total should contain but cannot: "package-1"; "" = none known */
    struct wtl_terms *terms; /* settings: those of `which` after those of the request */
    void *kept; /* resources the drivers need, closed by this function after them; NULL = nothing */
    void (*close_kept)(void *kept);
    /* Set while a thread is stuck in a driver and uses this selection: then nothing of it is ever closed
     * or freed. Else NULL. */
    void *held;
    struct wtl_selection *next_held; /* list of selections closed in this state */
};

#endif
