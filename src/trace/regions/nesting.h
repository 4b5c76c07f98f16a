/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nesting: which regions are open on which threads, from marks in time order. It counts, and reports when a
 * name becomes open or innermost on any thread, and when it no longer is.
 */
#ifndef WTL_TRACE_NESTING_H
#define WTL_TRACE_NESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/blocks/mark.h"

/* Begins beyond this depth of one thread, or beyond this number open on all threads, are ignored and counted. */
#define WTL_NESTING_DEPTH 65536u
#define WTL_NESTING_OPEN  (1u << 20)

struct wtl_nesting;

enum wtl_nesting_set {
    WTL_SET_OPEN = 0,      /* the name is open on at least one thread */
    WTL_SET_INNERMOST = 1, /* it is innermost on at least one thread */
    WTL_SET_TAGGED = 2     /* any region is open on any thread; with name index 0 */
};

/* A set begins (on) or ends at time_ns. Returns 0 or -ENOMEM. */
typedef int (*wtl_nesting_fn)(void *context,
                              enum wtl_nesting_set set,
                              size_t name_index,
                              uint64_t time_ns,
                              bool on);

/* One instance of a region that was open on a thread. */
struct wtl_nesting_instance {
    uint32_t thread, name; /* as in the marks */
    uint32_t depth;        /* that of the one below it when it began, + 1; 0 = outermost */
    uint64_t begin_ns, end_ns;
};

typedef int (*wtl_nesting_instance_fn)(void *context, const struct wtl_nesting_instance *instance);

struct wtl_nesting_name {
    uint32_t name;
    uint32_t open, innermost; /* threads */
    uint32_t instances;       /* open ones */
    uint64_t count, thread_time_ns, unbalanced, crossing;
};

/* Counts and thread times cover start_ns .. end_ns. tell may be NULL. NULL on out of memory. */
struct wtl_nesting *wtl_nesting_create(uint64_t start_ns,
                                       uint64_t end_ns,
                                       wtl_nesting_fn tell,
                                       void *context);
void wtl_nesting_destroy(struct wtl_nesting *nesting); /* accepts NULL */

/* Report each instance when it ends, with the context of tell. Returns 0 or a negative errno. */
void wtl_nesting_tell_instances(struct wtl_nesting *nesting, wtl_nesting_instance_fn tell_instance);

/* Set the end of a window that was unknown (UINT64_MAX); not before any mark so far. */
void wtl_nesting_window_end(struct wtl_nesting *nesting, uint64_t end_ns);

/* Returns 0, -EBADMSG when time decreases, -ENOMEM, or the result of tell. */
int wtl_nesting_mark(struct wtl_nesting *nesting, const struct wtl_mark *mark);

/* Close everything open, at end_ns. */
int wtl_nesting_finish(struct wtl_nesting *nesting);

/* Names by index, in order of their first mark. */
size_t wtl_nesting_count(const struct wtl_nesting *nesting);
const struct wtl_nesting_name *wtl_nesting_name(const struct wtl_nesting *nesting, size_t index);

#endif
