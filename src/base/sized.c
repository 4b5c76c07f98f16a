/* SPDX-License-Identifier: BSD-3-Clause */
/* Public structures that grow: see sized.h. */
#include "base/sized.h"

#include <errno.h>
#include <string.h>

#include <wattle/version.h>

#include "base/fail.h"

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

static int check_least(const struct wtl_sized *sized, const void *given, struct wattle_error *err)
{
    if (!given)
        return wtl_fail(err, -EINVAL, "%s: is NULL; pass a pointer", sized->name);
    if (size_of(given) < sized->least)
        return wtl_fail(err, -EINVAL, "%s: size is %zu; set it to sizeof(%s) before the call",
                        sized->name, size_of(given), sized->name);
    return 0;
}

static int too_new(const struct wtl_sized *sized, struct wattle_error *err)
{
    return wtl_fail(err, -ENOTSUP,
                    "%s: the program was compiled for a newer libwattle than this one (%s); "
                    "install the newer one, or compile with the headers of this one",
                    sized->name, wattle_version_text());
}

int wtl_sized_check(const struct wtl_sized *sized, const void *given, struct wattle_error *err)
{
    int rc = check_least(sized, given, err);
    return rc == 0 && size_of(given) > sized->known ? too_new(sized, err) : rc;
}

void wtl_sized_give(const struct wtl_sized *sized, const void *whole, void *ret_result)
{
    size_t size = size_of(ret_result);
    memcpy(ret_result, whole, size < sized->known ? size : sized->known);
    memcpy(ret_result, &size, sizeof size);
}

int wtl_sized_take(const struct wtl_sized *sized,
                   const void *options,
                   void *ret_whole,
                   struct wattle_error *err)
{
    int rc = check_least(sized, options, err);
    if (rc < 0)
        return rc;
    size_t size = size_of(options);
    for (size_t i = sized->known; i < size; i++) {
        if (((const unsigned char *)options)[i] != 0)
            return too_new(sized, err);
    }
    memset(ret_whole, 0, sized->known);
    memcpy(ret_whole, options, size < sized->known ? size : sized->known);
    return 0;
}
