/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the functions of libhdf5; see hdf5_library.h. */
#define _GNU_SOURCE
#include "exchange/hdf5/hdf5_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static const struct {
    const char *name;
    size_t offset;
} functions[] =
    {
#define ROW(result, name, parameters) {"H5" #name, offsetof(struct wtl_hdf5, name)},
        WTL_HDF5_FUNCTIONS(ROW)
#undef ROW
},
  values[] = {
#define ROW(name, symbol) {symbol, offsetof(struct wtl_hdf5, name)},
      WTL_HDF5_VALUES(ROW)
#undef ROW
};

/* Of 1.14, 1.12 and 1.10. Debian adds a word to the name, since it also has builds for MPI. */
static void *find_library(void)
{
    static const char *const names[] = {
        "libhdf5_serial.so.310",
        "libhdf5.so.310",
        "libhdf5_serial.so.200",
        "libhdf5.so.200",
        "libhdf5.so.103",
        "libhdf5_serial.so.103",
        "libhdf5.so",
    };
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return handle;
}

static int missing(const char *name, struct wattle_error *err)
{
    return wtl_fail(err, -ENOTSUP, "the installed libhdf5 has no %s; install version 1.10 to 1.14",
                    name);
}

int wtl_hdf5_load(struct wtl_hdf5 *ret_hdf5, struct wattle_error *err)
{
    struct wtl_hdf5 found;
    unsigned major = 0, minor = 0, release = 0;
    /* Nobody else knows the file under its temporary name, and some network file systems have no locks. */
    (void)setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
    void *handle = find_library();
    if (!handle)
        return wtl_fail(err, -ENOTSUP,
                        "HDF5 files require libhdf5, which is not installed (Debian: libhdf5-103-1 "
                        "or later, others: hdf5); install it, or export as csv or json");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol)
            return missing(functions[i].name, err);
        /* ISO C has no cast from an object to a function pointer; POSIX guarantees the same
         * representation. */
        memcpy((char *)&found + functions[i].offset, &symbol, sizeof symbol);
    }
    /* At exit it would write again what could not be written, and crash (1.10.8, on a full disk). */
    (void)found.dont_atexit();
    /* The first call initialises the library, and only then do its variables have their values. */
    if (found.get_libversion(&major, &minor, &release) < 0 || major == 0 ||
        (major == 1 && minor < 10))
        return missing("interface of version 1.10", err);
    (void)found.Eset_auto2(0, NULL, NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const void *symbol = dlsym(handle, values[i].name);
        if (!symbol)
            return missing(values[i].name, err);
        memcpy((char *)&found + values[i].offset, symbol, sizeof(wtl_hid));
    }
    *ret_hdf5 = found;
    return 0;
}
