/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a base: see base_runs.h. */
#define _GNU_SOURCE
#include "cli/base_runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/run_result.h"
#include "base/fail.h"
#include "base/world.h"
#include "report/json_read.h"

struct runs {
    struct wtl_result *list;
    size_t count;
};

/* Take over what was read; the array goes, the results in it stay. */
static int append(struct runs *runs,
                  struct wtl_result *more,
                  size_t count,
                  struct wattle_error *err)
{
    struct wtl_result *grown = realloc(runs->list, (runs->count + count + 1) * sizeof *grown);
    if (!grown) {
        wtl_run_results_free(more, count);
        return wtl_fail(err, -ENOMEM, "not enough memory for the base");
    }
    if (count)
        memcpy(grown + runs->count, more, count * sizeof *more);
    runs->list = grown;
    runs->count += count;
    free(more);
    return 0;
}

/* A trace begins with its own mark, a document with a brace. */
static bool is_json(const char *path)
{
    FILE *file = fopen(path, "re");
    int first = ' ';
    while (file && (first == ' ' || first == '\n' || first == '\t' || first == '\r'))
        first = fgetc(file);
    if (file)
        (void)fclose(file);
    return first == '{' || first == '[';
}

/* The texts of a result are its own, but the path of its trace is; both are copied there. */
static int read_file(struct runs *runs, const char *path, struct wattle_error *err)
{
    struct wtl_result *more = NULL;
    size_t count = 1;
    char *paths[] = {(char *)(uintptr_t)path};
    int rc = is_json(path) ? wtl_json_results_read(path, &more, &count, err)
                           : wtl_run_results_read(paths, 1, &more, err);
    return rc < 0 ? rc : append(runs, more, count, err);
}

static int read_folder(struct runs *runs, const char *folder, struct wattle_error *err)
{
    const struct wtl_world *world = wtl_world_real();
    char **names = NULL;
    size_t before = runs->count;
    int count = world->ops->list(world, folder, &names), rc = 0;
    if (count < 0)
        return wtl_fail(err, count, "%s: %s", folder, wtl_strerror(count));
    for (int i = 0; i < count && rc == 0; i++) {
        char *path = NULL;
        size_t n = strlen(names[i]);
        if (n <= 4 || strcmp(names[i] + n - 4, ".wtl") != 0)
            continue;
        if (asprintf(&path, "%s/%s", folder, names[i]) < 0)
            rc = wtl_fail(err, -ENOMEM, "not enough memory for the base");
        else
            rc = read_file(runs, path, err);
        free(path);
    }
    free(names);
    if (rc == 0 && runs->count == before)
        return wtl_fail(err, -ENOENT, "%s: there is no trace (*.wtl) in this folder", folder);
    return rc;
}

int wtl_base_runs_read(const char *const *paths,
                       size_t count,
                       struct wtl_result **ret_results,
                       size_t *ret_count,
                       struct wattle_error *err)
{
    struct runs runs = {NULL, 0};
    struct stat about;
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (stat(paths[i], &about) < 0)
            rc = wtl_fail(err, -errno, "%s: %s", paths[i], wtl_strerror(errno));
        else
            rc = S_ISDIR(about.st_mode) ? read_folder(&runs, paths[i], err)
                                        : read_file(&runs, paths[i], err);
    }
    if (rc < 0) {
        wtl_run_results_free(runs.list, runs.count);
        return rc;
    }
    *ret_results = runs.list;
    *ret_count = runs.count;
    return 0;
}
