/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "next.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What to look up in the loaded libraries. */
struct search {
    const char *name;
    const void *own; /* this library's own, to be skipped */
    void *found;
};

/* An MPI library opened with RTLD_LOCAL is not in the global search order. */
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
    (void)dlclose(handle); /* releases the reference taken by RTLD_NOLOAD */
    return search->found != NULL;
}

static mpi_function function_of(void *symbol)
{
    mpi_function function;

    memcpy(&function, &symbol, sizeof(function));
    return function;
}

/* ---- a program without its MPI library ---- */

/* The variables that identify launchers, and their libraries: those with the C calls, and with the
 * Fortran calls. */
static const struct {
    const char *variable;
    const char *names[6];
} libraries[] = {
    {"OMPI_COMM_WORLD_RANK", {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi.so.20"}},
    {"PMI_RANK",
     {"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12", "libmpi_gnu.so.12",
      "libmpichfort.so.12"}},
    {"PMIX_RANK", {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpich.so.12", "libmpi.so.12"}},
};

/* By its name, or else in the folders that the program itself specifies (its RUNPATH). */
static void open_by_name(const char *name)
{
    char path[4096];
    Dl_serinfo size, *folders;
    void *program = dlopen(NULL, RTLD_LAZY);

    if (dlopen(name, RTLD_LAZY | RTLD_GLOBAL) || !program ||
        dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0)
        return;
    folders = calloc(1, size.dls_size);
    if (!folders)
        return;
    folders->dls_size = size.dls_size;
    folders->dls_cnt = size.dls_cnt;
    if (dlinfo(program, RTLD_DI_SERINFO, folders) == 0) {
        for (unsigned i = 0; i < folders->dls_cnt; i++) {
            (void)snprintf(path, sizeof(path), "%s/%s", folders->dls_serpath[i].dls_name, name);
            if (dlopen(path, RTLD_LAZY | RTLD_GLOBAL))
                break;
        }
    }
    free(folders);
}

static void *look_everywhere(const char *name, const void *own)
{
    struct search search = {.name = name, .own = own};

    (void)dl_iterate_phdr(look_into, &search);
    return search.found;
}

/*
 * A linker called with --as-needed omits the MPI library from a program if this library defines all
 * calls it makes: then open the launcher's. It stays open until the process ends. NULL = none.
 */
static void *open_library(const char *name, const void *own)
{
    size_t count = sizeof(libraries) / sizeof(libraries[0]);
    bool launched = false;
    void *found = NULL;

    for (size_t i = 0; i < count; i++)
        launched = launched || secure_getenv(libraries[i].variable);
    for (size_t i = 0; i < count; i++) {
        if (launched && !secure_getenv(libraries[i].variable))
            continue; /* belongs to another launcher */
        for (const char *const *library = libraries[i].names; *library && !found; library++) {
            open_by_name(*library);
            found = look_everywhere(name, own);
        }
    }
    return found;
}

mpi_function mpi_next(const char *name, mpi_function pmpi)
{
    void *own = dlsym(RTLD_DEFAULT, name), *symbol = dlsym(RTLD_NEXT, name);

    if (!symbol)
        symbol = look_everywhere(name, own);
    if (!symbol && !pmpi)
        symbol = open_library(name, own);
    return symbol ? function_of(symbol) : pmpi;
}

void *mpi_symbol(const char *name)
{
    struct search search = {.name = name, .found = dlsym(RTLD_DEFAULT, name)};

    if (!search.found)
        (void)dl_iterate_phdr(look_into, &search);
    return search.found;
}
