/* SPDX-License-Identifier: BSD-3-Clause */
/* A recorded host created file by file in a temporary folder, for cases that no folder of
 * tests/hosts covers. */
#ifndef WATTLE_TESTS_MADE_HOST_H
#define WATTLE_TESTS_MADE_HOST_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/world/world.h"
#include "tap.h"

struct made_host {
    char folder[40];
    struct wtl_world *world;
};

/* Write a file of the host ("root/proc/stat"), creating parent folders. */
static inline void made_host_put(struct made_host *host, const char *name, const char *text)
{
    char path[256];
    if (!host->folder[0]) {
        (void)snprintf(host->folder, sizeof host->folder, "/tmp/wattle-made-XXXXXX");
        if (!mkdtemp(host->folder))
            skip_all("no temporary folder");
    }
    int n = snprintf(path, sizeof path, "%s/", host->folder);
    (void)snprintf(path + n, sizeof path - (size_t)n, "%s", name);
    for (char *slash = strchr(path + n, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    if (!ok(file != NULL, "%s is made", name))
        return;
    (void)fputs(text, file);
    (void)fclose(file);
}

static inline struct wtl_world *made_host_open(struct made_host *host)
{
    struct wattle_error err = {{0}};
    if (!ok(wtl_world_recorded(host->folder, &host->world, &err) == 0, "opens %s", err.text))
        exit(done_testing());
    return host->world;
}

static inline int made_host_remove(const char *path,
                                   const struct stat *st,
                                   int type,
                                   struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static inline void made_host_close(struct made_host *host)
{
    wtl_world_close(host->world);
    (void)nftw(host->folder, made_host_remove, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
