/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the functions of libcairo; see cairo_library.h. */
#include "plot/cairo_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define ROW(result, name, parameters) {"cairo_" #name, offsetof(struct wtl_cairo, name)},
    WTL_CAIRO_FUNCTIONS(ROW)
#undef ROW
};

int wtl_cairo_load(struct wtl_cairo *ret_cairo, struct wattle_error *err)
{
    void *handle = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return wtl_fail(err, -ENOTSUP,
                        "PDF and PNG require libcairo, which is not installed (Debian: libcairo2, "
                        "others: cairo); install it, or use a .svg file");
    struct wtl_cairo found;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol) {
            return wtl_fail(
                err, -ENOTSUP,
                "libcairo has no %s; PDF and PNG require version 1.16 or later; or use a .svg file",
                functions[i].name);
        }
        /* ISO C has no cast from an object to a function pointer; POSIX guarantees the same
         * representation. */
        memcpy((char *)&found + functions[i].offset, &symbol, sizeof symbol);
    }
    *ret_cairo = found;
    return 0;
}
