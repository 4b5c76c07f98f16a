/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the functions of libotf2; see otf2_library.h. */
#define _GNU_SOURCE
#include "exchange/otf2/otf2_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define ROW(result, name, parameters) {"OTF2_" #name, offsetof(struct wtl_otf2, name)},
    WTL_OTF2_FUNCTIONS(ROW)
#undef ROW
};

/* Debian has another name for it. */
static void *find_library(void)
{
    static const char *const names[] = {
        "libotf2.so.10",
        "libopen-trace-format2.so.10",
        "libotf2.so",
    };
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return handle;
}

/* The caller of the library reports its errors. */
static int keep_quiet(void *data,
                      const char *file,
                      uint64_t line,
                      const char *function,
                      int code,
                      const char *format,
                      va_list arguments)
{
    (void)data;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)arguments;
    return code;
}

int wtl_otf2_load(struct wtl_otf2 *ret_otf2, struct wattle_error *err)
{
    struct wtl_otf2 found;
    void *handle = find_library();
    if (!handle)
        return wtl_fail(err, -ENOTSUP,
                        "OTF2 archives require libotf2 version 3, which is not installed (Debian: "
                        "otf2-tools, others: otf2); install it, or choose another format");
    /* Version 2 has other parameters of some functions; this one came with 3.0. */
    if (!dlsym(handle, "OTF2_EvtWriter_NonBlockingCollectiveRequest"))
        return wtl_fail(err, -ENOTSUP, "the installed libotf2 is older than version 3; update it");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol)
            return wtl_fail(err, -ENOTSUP, "the installed libotf2 has no %s; install version 3",
                            functions[i].name);
        /* ISO C has no cast from an object to a function pointer; POSIX guarantees the same
         * representation. */
        memcpy((char *)&found + functions[i].offset, &symbol, sizeof symbol);
    }
    (void)found.Error_RegisterCallback(keep_quiet, NULL);
    *ret_otf2 = found;
    return 0;
}
