/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the fuzz programs of the import formats. */
#ifndef WATTLE_TESTS_IMPORT_FUZZ_H
#define WATTLE_TESTS_IMPORT_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exchange/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

/* The bytes as a file that can be opened by name; returns its descriptor. */
static int make_file(const uint8_t *data, size_t size, char path[64])
{
    int fd = memfd_create("import", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static void check(const struct wtl_import *import)
{
    uint64_t values = 0;
    for (size_t i = 0; i < import->column_count; i++) {
        const struct wtl_import_column *column = &import->columns[i];
        if (column->role != WTL_ROLE_CHANNEL)
            continue;
        demand(strchr(column->name, ':') != NULL);
        demand(column->unit_scale > 0);
        demand(column->stats.good > 0 && column->stats.least <= column->stats.most);
        demand(column->group < import->group_count);
        values += column->stats.good;
        for (size_t k = 0; k < i; k++)
            demand(import->columns[k].role != WTL_ROLE_CHANNEL ||
                   strcmp(import->columns[k].name, column->name) != 0);
    }
    demand(import->samples <=
           values); /* the second pass saw the same as the first, but for glitches */
    for (size_t i = 0; i < import->fault_count; i++)
        demand(import->faults[i].text[0] != '\0');
}

/* from: a reader, or one of formats; NULL = recognised. */
static int import_fuzz(const char *from,
                       const struct wtl_formats *formats,
                       const uint8_t *data,
                       size_t size)
{
    char path[64];
    const char *paths[1] = {path};
    struct wtl_import *import = NULL;
    struct wattle_error err = {""};
    if (size < 1)
        return 0;
    uint8_t choice = data[0];
    struct wtl_import_options options = {.paths = paths,
                                         .path_count = 1,
                                         .from = from,
                                         .formats = formats,
                                         .table = {.header = choice & 4 ? 0 : -1,
                                                   .lenient = choice & 1,
                                                   .assume = true,
                                                   .thousands = choice & 16,
                                                   .time = choice & 2 ? "every:1s" : NULL}};
    static const char *const shifts[] = {"*power*=-1row"};
    options.shifts = shifts;
    options.shift_count = choice & 8 ? 1 : 0;
    int fd = make_file(data + 1, size - 1, path);
    int rc = wtl_import_create(&options, &import, &err);
    if (rc == 0) {
        rc = wtl_import_survey(import, &err);
        rc = rc < 0 ? rc : wtl_import_write(import, NULL, &err);
        if (rc == 0)
            check(import);
        wtl_import_destroy(import);
    }
    demand(rc == 0 || err.text[0] != '\0');
    (void)close(fd);
    return 0;
}

#endif
