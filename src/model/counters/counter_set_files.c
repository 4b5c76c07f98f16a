/* SPDX-License-Identifier: BSD-3-Clause */
/* Where counter sets are searched for: see counter_set.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/config/ini.h"
#include "base/fail.h"
#include "base/grow.h"
#include "base/natural.h"
#include "model/counters/counter_set.h"

enum { FOLDERS = 3 };

static const char suffix[] = ".ini";

/* Folder i of the search: "" = no such folder. */
static void folder_of(const struct wtl_world *world, int i, char *buf, size_t n)
{
    buf[0] = '\0';
    if (i == 0)
        wtl_config_user_path(world, "counters", buf, n);
    if (i == 1)
        (void)snprintf(buf, n, "/etc/wattle/counters");
    if (i != 2)
        return;
    /* Beside the program: PREFIX/bin/wattle and PREFIX/share/wattle. */
    ssize_t length = world->ops->readlink(world, "/proc/self/exe", buf, n);
    for (int up = 0; up < 2 && length > 0; up++) {
        char *slash = strrchr(buf, '/');
        *(slash ? slash : buf) = '\0';
    }
    size_t used = length > 0 ? strlen(buf) : 0;
    (void)snprintf(buf + used, n - used, "%s", length > 0 ? "/share/wattle/counters" : "");
}

/* A name of a set, also as the name of its file. */
static bool is_set_name(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < WTL_COUNTER_NAME + 8 && name[0] != '-' && name[0] != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == n;
}

static int load_file(struct wtl_counter_set *ret_set,
                     const struct wtl_world *world,
                     const char *name,
                     const char *path,
                     struct wattle_error *err)
{
    char *text = NULL;
    size_t size = 0;
    int rc = wtl_ini_load(world, path, &text, &size, err);
    if (rc == 0)
        rc = wtl_counter_set_parse(ret_set, name, path, text, size, err);
    free(text);
    return rc;
}

static int say_unknown(const struct wtl_world *world, const char *name, struct wattle_error *err)
{
    char **names, list[300] = "none";
    int count = wtl_counter_set_names(world, &names);
    for (int i = 0; i < count; i++) {
        size_t used = i > 0 ? strlen(list) : 0;
        (void)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (count >= 0)
        free((void *)names);
    return wtl_fail(err, -ENOENT, "no counter set \"%.60s\"; there are: %s; a path has a slash",
                    name, list);
}

/* The file of a path, whose name without ".ini" is that of the set. */
static int load_path(struct wtl_counter_set *ret_set,
                     const struct wtl_world *world,
                     const char *path,
                     struct wattle_error *err)
{
    char name[WTL_COUNTER_NAME + 8];
    (void)snprintf(name, sizeof name, "%s", strrchr(path, '/') + 1);
    size_t n = strlen(name), end = sizeof suffix - 1;
    if (n > end && strcmp(name + n - end, suffix) == 0)
        name[n - end] = '\0';
    if (!is_set_name(name))
        return wtl_fail(err, -EBADMSG,
                        "%.200s: not a name of a counter set: use letters, digits, _ and -, at "
                        "most %d characters",
                        path, WTL_COUNTER_NAME + 7);
    int rc = load_file(ret_set, world, name, path, err);
    return rc == -ENOENT ? wtl_fail(err, rc, "%.300s: no such file", path) : rc;
}

int wtl_counter_set_load(struct wtl_counter_set *ret_set,
                         const struct wtl_world *world,
                         const char *name,
                         struct wattle_error *err)
{
    char folder[PATH_MAX - 64], path[PATH_MAX];
    *ret_set = (struct wtl_counter_set){.column_count = 0};
    if (strchr(name, '/'))
        return load_path(ret_set, world, name, err);
    for (int i = 0; i < FOLDERS && is_set_name(name); i++) {
        folder_of(world, i, folder, sizeof folder);
        if (!folder[0])
            continue;
        (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
        int rc = load_file(ret_set, world, name, path, err);
        if (rc != -ENOENT)
            return rc;
    }
    return say_unknown(world, name, err);
}

/* Names found so far, each owned. */
struct names {
    char **list;
    size_t count;
};

static int add_names(const struct wtl_world *world, const char *folder, struct names *names)
{
    char **files;
    int count = folder[0] ? world->ops->list(world, folder, &files) : 0, rc = 0;
    if (!folder[0] || count < 0)
        return 0; /* not there */
    for (int i = 0; i < count && rc == 0; i++) {
        size_t n = strlen(files[i]), end = sizeof suffix - 1;
        if (n <= end || strcmp(files[i] + n - end, suffix) != 0)
            continue;
        files[i][n - end] = '\0';
        bool known = !is_set_name(files[i]);
        for (size_t k = 0; k < names->count; k++)
            known = known || strcmp(names->list[k], files[i]) == 0;
        if (known)
            continue;
        char *copy =
            wtl_grow(&names->list, names->count, sizeof *names->list) < 0 ? NULL : strdup(files[i]);
        rc = copy ? 0 : -ENOMEM;
        if (copy)
            names->list[names->count++] = copy;
    }
    free((void *)files);
    return rc;
}

int wtl_counter_set_names(const struct wtl_world *world, char ***ret_names)
{
    char folder[PATH_MAX - 64];
    struct names names = {NULL, 0};
    int rc = 0;
    for (int i = 0; i < FOLDERS && rc == 0; i++) {
        folder_of(world, i, folder, sizeof folder);
        rc = add_names(world, folder, &names);
    }
    if (rc == 0) {
        *ret_names = wtl_natural_sorted(names.list, (int)names.count);
        rc = *ret_names ? (int)names.count : -ENOMEM;
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.list[i]);
    free(names.list);
    return rc;
}
