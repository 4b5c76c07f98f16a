/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public structures that grow: their first member is size_t size, set by the caller to the sizeof of
 * his headers. A structure only grows at its end, so a smaller size is that of an older program, and
 * a larger one that of a newer program, whose additional members are not known here.
 */
#ifndef WTL_BASE_SIZED_H
#define WTL_BASE_SIZED_H

#include <stddef.h>

#include <wattle/error.h>

/* A structure as it is here. */
struct wtl_sized {
    const char *name; /* "struct wattle_summary" */
    size_t known;     /* its sizeof */
    size_t least;     /* its sizeof in the first release that had it */
};

/*
 * 0 when *given (NULL = not given) has a size that can be served as a result. Returns -EINVAL when
 * it is NULL or its size was not set, -ENOTSUP when it is of a newer libwattle: members that nobody
 * fills would look like results.
 */
int wtl_sized_check(const struct wtl_sized *sized, const void *given, struct wattle_error *err);

/* Fill *ret_result, which was checked, up to its own size from *whole. */
void wtl_sized_give(const struct wtl_sized *sized, const void *whole, void *ret_result);

/*
 * Copy options into *ret_whole, which is zeroed first; members that the caller does not know are
 * left 0. Returns -EINVAL when options is NULL or its size was not set, -ENOTSUP when members
 * that are not known here are not 0.
 */
int wtl_sized_take(const struct wtl_sized *sized,
                   const void *options,
                   void *ret_whole,
                   struct wattle_error *err);

#endif
