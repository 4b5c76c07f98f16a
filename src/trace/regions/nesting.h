/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nesting: which regions are open on which threads, from marks in the order of time. It counts, and
 * it tells when a name becomes open somewhere, or innermost somewhere, and when it no longer is.
 */
#ifndef WTL_TRACE_NESTING_H
#define WTL_TRACE_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/mark.h"

/* Begins beyond this depth of one thread, and when so many are open on all, are ignored, and counted. */
#define WTL_NESTING_DEPTH 65536u
#define WTL_NESTING_OPEN  (1u << 20)

struct wtl_nesting;

enum wtl_nesting_set {
    WTL_SET_OPEN = 0,      /* the name is open on some thread */
    WTL_SET_INNERMOST = 1, /* it is the innermost on some thread */
    WTL_SET_TAGGED = 2     /* any region is open on any thread; name index 0 */
};

/* A set of moments that begins (on) or ends at time_ns. Returns 0 or -ENOMEM. */
typedef int (*wtl_nesting_fn)(void *context,
                              enum wtl_nesting_set set,
                              size_t name_index,
                              uint64_t time_ns,
                              bool on);

/* One time that a region was open on a thread. */
struct wtl_nesting_instance {
    uint32_t thread, name; /* as in the marks */
    uint32_t depth;        /* of the one below it when it began, + 1; 0 = outermost */
    uint64_t begin_ns, end_ns;
};

typedef int (*wtl_nesting_instance_fn)(void *context, const struct wtl_nesting_instance *instance);

struct wtl_nesting_name {
    uint32_t name;
    uint32_t open, innermost; /* threads */
    uint32_t instances;       /* that are open */
    uint64_t count, thread_time_ns, unbalanced, crossing;
};

/* Counts and thread times are those within start_ns .. end_ns. tell may be NULL. NULL without memory. */
struct wtl_nesting *wtl_nesting_create(uint64_t start_ns,
                                       uint64_t end_ns,
                                       wtl_nesting_fn tell,
                                       void *context);
void wtl_nesting_destroy(struct wtl_nesting *nesting); /* accepts NULL */

/* Tell of each instance when it ends, with the context of tell. Returns 0 or a negative errno. */
void wtl_nesting_tell_instances(struct wtl_nesting *nesting, wtl_nesting_instance_fn tell_instance);

/* A window whose end was not known (UINT64_MAX) ends there, at or behind all marks so far. */
void wtl_nesting_window_end(struct wtl_nesting *nesting, uint64_t end_ns);

/* Returns 0, -EBADMSG when time runs backwards, -ENOMEM, or what tell returned. */
int wtl_nesting_mark(struct wtl_nesting *nesting, const struct wtl_mark *mark);

/* Close what is open, at end_ns. */
int wtl_nesting_finish(struct wtl_nesting *nesting);

/* Names by index, in the order of their first mark. */
size_t wtl_nesting_count(const struct wtl_nesting *nesting);
const struct wtl_nesting_name *wtl_nesting_name(const struct wtl_nesting *nesting, size_t index);

#endif
