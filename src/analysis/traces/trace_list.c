/* SPDX-License-Identifier: BSD-3-Clause */
/* Expands command line words to traces: see trace_list.h. */
#define _GNU_SOURCE
#include "analysis/traces/trace_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/natural.h"
#include "trace/run_file.h"

int wtl_trace_list_append(struct wtl_trace_list *list, char *path)
{
    if (!path || wtl_grow(&list->paths, list->count, sizeof *list->paths) < 0) {
        free(path);
        return -ENOMEM;
    }
    list->paths[list->count++] = path;
    return 0;
}

int wtl_trace_list_leave(struct wtl_trace_list *list, const char *path, const char *why)
{
    if (list->left_count++ == 0 && asprintf(&list->left, "%s: %s", path, why) < 0) {
        list->left = NULL;
        return -ENOMEM;
    }
    for (char *at = list->left; (at = strpbrk(at, "\n\r\t")) != NULL;)
        *at = '?'; /* for printing on one line */
    return 0;
}

/* ---- folders ---- */

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* "FOLDER/NAME", without a double slash for "runs/"; NULL if out of memory. */
static char *path_in(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    char *path = NULL;
    while (n > 1 && folder[n - 1] == '/')
        n--;
    return asprintf(&path, "%.*s%s%s", (int)n, folder, folder[n - 1] == '/' ? "" : "/", name) < 0
               ? NULL
               : path;
}

/* Does path, with `end` replaced by `other`, exist? */
static bool has_sibling(const char *path, const char *end, const char *other)
{
    char sibling[4096];
    int n =
        snprintf(sibling, sizeof sibling, "%.*s%s", (int)(strlen(path) - strlen(end)), path, other);
    return n > 0 && (size_t)n < sizeof sibling && access(sibling, F_OK) == 0;
}

/* Files that wattle writes next to traces: regions of processes, incomplete outputs, pages, output
 * of "reduce". */
static bool is_of_wattle(const char *path, const char *name, bool folder)
{
    if (folder)
        return ends_in(name, ".wtl.d") ||
               (strncmp(name, "ranks-", 6) == 0 && has_sibling(path, name, "run.wtl"));
    return strstr(name, ".part-") ||
           (ends_in(name, ".html") && has_sibling(path, ".html", ".wtl")) ||
           (ends_in(name, ".csv") && has_sibling(path, name, "run.wtl"));
}

/* Why an entry is not a trace; NULL: it is one; "": not worth reporting. */
static const char *why_not(const char *path, const char *name)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return wtl_strerror(errno);
    if (is_of_wattle(path, name, S_ISDIR(about.st_mode)))
        return "";
    if (S_ISDIR(about.st_mode))
        return "a folder, not searched";
    if (!S_ISREG(about.st_mode))
        return "not a regular file";
    return ends_in(name, ".wtl") || wtl_trace_file_is(path) ? NULL : "not a trace";
}

static int add_entry(struct wtl_trace_list *list, const char *folder, const char *name)
{
    char *path = path_in(folder, name);
    const char *why = path ? why_not(path, name) : NULL;
    if (!path || !why)
        return wtl_trace_list_append(list, path);
    int rc = *why ? wtl_trace_list_leave(list, path, why) : 0;
    free(path);
    return rc;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
    return wtl_natural_compare((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct wtl_trace_list *list, const char *folder, struct wattle_error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_shown, in_order), rc = 0;
    size_t before = list->count;
    if (count < 0)
        return wtl_fail(err, -errno, "cannot read %s: %s", folder, wtl_strerror(errno));
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = add_entry(list, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (rc == 0 && list->count == before)
        return wtl_fail(err, -ENOENT, "%s: no trace in this folder; subfolders are not searched",
                        folder);
    return rc < 0 ? wtl_no_memory_for(err, "the traces of %s", folder) : 0;
}

static int add_one(struct wtl_trace_list *list, const char *name, struct wattle_error *err)
{
    struct stat st;
    if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
        return add_folder(list, name, err);
    return wtl_trace_list_append(list, strdup(name)) < 0 ? wtl_no_memory(err) : 0;
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
    free(list->left);
    *list = (struct wtl_trace_list){0};
}
