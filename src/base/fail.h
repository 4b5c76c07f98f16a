/* SPDX-License-Identifier: BSD-3-Clause */
/* The one way to report an error to the user: a code and one sentence. */
#ifndef WTL_BASE_FAIL_H
#define WTL_BASE_FAIL_H

#include <wattle/error.h>

/*
 * Write the sentence into err (may be NULL) and return `code`, so that the failing line is one
 * line: return wtl_fail(err, -EACCES, "powercap: %s: permission denied", path);
 * Safe from any thread.
 */
int wtl_fail(struct wattle_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Out of memory: the message, and as an error that names what did not fit: "the names of %zu nodes".
 * Returns -ENOMEM. */
#define WTL_NO_MEMORY "out of memory"
int wtl_no_memory(struct wattle_error *err);
int wtl_no_memory_for(struct wattle_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A file that exists is not overwritten: the one message for it. Returns -EEXIST. */
int wtl_fail_exists(struct wattle_error *err, const char *path);

/* Text for an errno value (positive or negative) in the C locale; static storage for known values. */
const char *wtl_strerror(int code);

#endif
