/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a library that is loaded when it is needed, into a struct of pointers with the types of its headers. */
#ifndef WTL_JOBS_DATABASE_LIBRARY_H
#define WTL_JOBS_DATABASE_LIBRARY_H

#include <stddef.h>

#include <wattle/error.h>

struct wtl_job_function {
    const char *name;
    size_t offset; /* of its pointer */
};

/* 0; -ENOTSUP, and `missing` says what to install. The library stays loaded. */
int wtl_job_library_load(const char *file,
                         const char *missing,
                         const struct wtl_job_function *functions,
                         size_t count,
                         void *ret_functions,
                         struct wattle_error *err);

#endif
