/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands command line words to traces: see trace_list.h. */
#define _GNU_SOURCE
#include "analysis/trace_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/natural.h"

static int append(struct wtl_trace_list *list, const char *folder, const char *name, size_t n)
{
    size_t before = folder ? strlen(folder) : 0;
    while (before > 1 && folder[before - 1] == '/') /* "runs/" */
        before--;
    before += folder ? 1 : 0;
    if (wtl_grow(&list->paths, list->count, sizeof *list->paths) < 0)
        return -ENOMEM;
    char *path = malloc(before + n + 1);
    if (!path)
        return -ENOMEM;
    if (folder) {
        memcpy(path, folder, before - 1);
        path[before - 1] = '/';
    }
    memcpy(path + before, name, n);
    path[before + n] = '\0';
    list->paths[list->count++] = path;
    return 0;
}

static int is_trace(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + n - 4, ".wtl") == 0;
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
    return wtl_natural_compare((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct wtl_trace_list *list, const char *folder, struct wattle_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_trace, in_order), rc = 0;
    if (count < 0)
        return wtl_fail(err, -errno, "%s: cannot be read: %s", folder, wtl_strerror(errno));
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = append(list, folder, entries[i]->d_name, strlen(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    if (rc == 0 && count == 0)
        return wtl_fail(err, -ENOENT, "%s: no trace (*.wtl) in this folder", folder);
    return rc < 0 ? wtl_no_memory_for(err, "the traces of %s", folder) : 0;
}

static int add_one(struct wtl_trace_list *list, const char *name, struct wattle_error *err)
{
    struct stat st;
    if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
        return add_folder(list, name, err);
    int rc = append(list, NULL, name, strlen(name));
    return rc < 0 ? wtl_no_memory(err) : 0;
}

int wtl_trace_list_add(struct wtl_trace_list *list, const char *word, struct wattle_error *err)
{
    if (!strchr(word, ',') || access(word, F_OK) == 0)
        return add_one(list, word, err);
    char *copy = strdup(word), *rest = copy;
    int rc = copy ? 0 : wtl_no_memory(err);
    for (char *name; rc == 0 && (name = strsep(&rest, ",")) != NULL;)
        rc = name[0] ? add_one(list, name, err) : 0;
    free(copy);
    return rc;
}

void wtl_trace_list_fini(struct wtl_trace_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct wtl_trace_list){0};
}
