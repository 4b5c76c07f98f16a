/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public structures that may grow: their first member is size_t size, set by the caller to sizeof as compiled
 * against its headers. A structure only grows at its end, so a smaller size comes from an older program, and
 * a larger one from a newer program, whose additional members are unknown here.
 */
#ifndef WTL_BASE_SIZED_H
#define WTL_BASE_SIZED_H

#include <stddef.h>

#include <wattle/error.h>

/* A structure in this version. */
struct wtl_sized {
    const char *name; /* "struct wattle_summary" */
    size_t known;     /* its sizeof */
    size_t least;     /* its sizeof in the first release that contained it */
};

/*
 * 0 when *given (NULL = not given) has a size that can be filled with a result. Returns -EINVAL when it is
 * NULL or its size is not set, -ENOTSUP when it is of a newer libwattle: members that are not filled would
 * look like results.
 */
int wtl_sized_check(const struct wtl_sized *sized, const void *given, struct wattle_error *err);

/* Copy *whole to *ret_result, which has been checked, up to the result's own size. */
void wtl_sized_give(const struct wtl_sized *sized, const void *whole, void *ret_result);

/*
 * Copy options into *ret_whole, which is zeroed first; members unknown to the caller stay 0. Returns -EINVAL
 * when options is NULL or its size is not set, -ENOTSUP when members unknown here are not 0.
 */
int wtl_sized_take(const struct wtl_sized *sized,
                   const void *options,
                   void *ret_whole,
                   struct wattle_error *err);

#endif
