/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "next.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

/* What is looked for in the libraries that are there. */
struct search {
    const char *name;
    const void *own; /* not to be found: this library's */
    void *found;
};

/* A library of MPI that was opened with RTLD_LOCAL is in nobody's order of search. */
static int look_into(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    if (!base || strncmp(base, "/libmpi", 7) != 0)
        return 0;
    void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);

    if (!handle)
        return 0;
    void *symbol = dlsym(handle, search->name);

    if (symbol && symbol != search->own)
        search->found = symbol;
    (void)dlclose(handle); /* gives back what RTLD_NOLOAD has counted */
    return search->found != NULL;
}

static mpi_function function_of(void *symbol)
{
    mpi_function function;

    memcpy(&function, &symbol, sizeof(function));
    return function;
}

mpi_function mpi_next(const char *name, mpi_function pmpi)
{
    struct search search = {.name = name, .own = dlsym(RTLD_DEFAULT, name)};
    void *symbol = dlsym(RTLD_NEXT, name);

    if (symbol)
        return function_of(symbol);
    (void)dl_iterate_phdr(look_into, &search);
    return search.found ? function_of(search.found) : pmpi;
}

void *mpi_symbol(const char *name)
{
    struct search search = {.name = name, .found = dlsym(RTLD_DEFAULT, name)};

    if (!search.found)
        (void)dl_iterate_phdr(look_into, &search);
    return search.found;
}
