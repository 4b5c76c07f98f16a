/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes with messages: see fail.h. */
#define _GNU_SOURCE
#include "base/fail.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int wtl_fail(struct wattle_error *err, int code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(err->text, sizeof err->text, format, args); /* truncated when too long */
        va_end(args);
    }
    return code;
}

int wtl_fail_exists(struct wattle_error *err, const char *path)
{
    return wtl_fail(err, -EEXIST, "%s already exists; use --force to overwrite it", path);
}

int wtl_no_memory(struct wattle_error *err)
{
    return wtl_fail(err, -ENOMEM, WTL_NO_MEMORY);
}

int wtl_no_memory_for(struct wattle_error *err, const char *format, ...)
{
    char what[sizeof err->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return wtl_fail(err, -ENOMEM, WTL_NO_MEMORY " for %s", what);
}

/* A code may come from a file and be any number. */
static int magnitude(int code)
{
    return code >= 0 ? code : code == INT_MIN ? INT_MAX : -code;
}

const char *wtl_strerror(int code)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
    const char *text = strerrordesc_np(magnitude(code));
    return text ? text : "unknown error";
#else
    return strerror(magnitude(code));
#endif
}
