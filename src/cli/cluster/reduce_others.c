/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of an earlier reduction in folders that this one does not write: other groups of ranks, or all nodes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/cluster/run.h"
#include "base/fail.h"
#include "cli/cluster/reduce.h"
#include "cli/inputs.h"
#include "trace/run_file.h"

struct others {
    const struct wtl_reduce *request;
    const struct wtl_reduction *all;
    size_t count, removed;
};

static bool is_own(const struct others *others, const char *folder)
{
    for (size_t i = 0; i < others->count; i++)
        if (strcmp(others->all[i].folder, folder) == 0)
            return true;
    return false;
}

/* Other groups of the same run may be side by side. */
static bool is_of_run(const struct others *others, const char *folder)
{
    struct wtl_run_file file;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/run.wtl", folder);
    if (n < 0 || (size_t)n >= sizeof path || wtl_run_file_read(path, &file, NULL) < 0)
        return false;
    bool same = file.run_id && strcmp(file.run_id, wtl_run_id(others->all[0].run)) == 0;
    wtl_run_file_fini(&file);
    return same;
}

static int clear_file(struct others *others, const char *path, struct wattle_error *err)
{
    if (!others->request->force)
        return wtl_fail(err, -EEXIST,
                        "%s already exists from another reduction; use --force to remove it", path);
    int rc = wtl_input_spare(path, err);
    if (rc == 0 && unlink(path) < 0)
        rc = wtl_fail(err, -errno, "cannot remove %s of an earlier reduction: %s", path,
                      wtl_strerror(errno));
    others->removed += rc == 0;
    return rc;
}

/* What a reduction made in a folder, and nothing else. */
static int clear_folder(struct others *others, const char *folder, struct wattle_error *err)
{
    bool stays = is_own(others, folder) || (!others->request->force && is_of_run(others, folder));
    DIR *entries = stays ? NULL : opendir(folder);
    int rc = 0;
    for (const struct dirent *entry; rc == 0 && entries && (entry = readdir(entries));) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) {
            path = NULL;
            rc = wtl_no_memory(err);
        } else if (strcmp(entry->d_name, "run.wtl") == 0
                       ? wtl_run_file_is(path) > 0
                       : wtl_reduce_is_rows(path, entry->d_name)) {
            rc = clear_file(others, path, err);
        }
        free(path);
    }
    if (entries)
        (void)closedir(entries); /* read only */
    return rc;
}

static int clear_groups(struct others *others, struct wattle_error *err)
{
    const char *output = others->request->output;
    DIR *entries = opendir(output);
    int rc = 0;
    for (const struct dirent *entry; rc == 0 && entries && (entry = readdir(entries));) {
        char *folder = NULL;
        if (strncmp(entry->d_name, "ranks-", 6) != 0)
            continue;
        if (asprintf(&folder, "%s/%s", output, entry->d_name) < 0) {
            rc = wtl_no_memory(err);
            break;
        }
        rc = clear_folder(others, folder, err);
        if (rc == 0 && others->request->force && !is_own(others, folder))
            (void)rmdir(folder); /* it stays if there is anything else in it */
        free(folder);
    }
    if (entries)
        (void)closedir(entries); /* read only */
    return rc;
}

int wtl_reduce_clear_others(const struct wtl_reduce *request,
                            struct wtl_reduction *all,
                            size_t count,
                            struct wattle_error *err)
{
    struct others others = {.request = request, .all = all, .count = count};
    int rc = clear_folder(&others, request->output, err);
    rc = rc < 0 ? rc : clear_groups(&others, err);
    if (rc == 0 && others.removed > 0 &&
        wtl_reduction_note(&all[0], "removed %zu file%s of an earlier reduction by other groups",
                           others.removed, others.removed == 1 ? "" : "s") < 0)
        rc = wtl_no_memory(err);
    return rc;
}
