/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a calibration is searched for: see calibration.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/config/ini.h"
#include "base/fail.h"
#include "model/calibration/calibration.h"

/* The request, and what the search has found so far. */
struct search {
    const char *kind, *host, *item;
    char files[256]; /* existing ones, separated by ", " */
    char items[128]; /* items of that kind and host in them */
};

const char *wtl_calibration_system_path(void)
{
    return "/etc/wattle/calibration.conf";
}

void wtl_calibration_user_path(const struct wtl_world *world, char *buf, size_t n)
{
    wtl_config_user_path(world, "calibration.conf", buf, n);
}

static void append(char *list, size_t n, const char *word)
{
    size_t used = strlen(list);
    (void)snprintf(list + used, n - used, "%s%.100s", used ? ", " : "", word);
}

static void note_items(struct search *search, const struct wtl_calibration *calibration)
{
    for (size_t i = 0; i < wtl_calibration_count(calibration); i++) {
        const struct wtl_calibration_section *section = wtl_calibration_section(calibration, i);
        if (strcmp(section->kind, search->kind) == 0 && strcmp(section->host, search->host) == 0)
            append(search->items, sizeof search->items, section->item);
    }
}

/* 0 with the calibration when the file contains the section; -ENOENT when it does not, or does not exist. */
static int find_section(const struct wtl_world *world,
                        const char *path,
                        bool named, /* named by the user, so report if it does not exist */
                        struct search *search,
                        struct wtl_calibration **ret_calibration,
                        struct wattle_error *err)
{
    struct wtl_calibration *calibration = NULL;
    char *text = NULL;
    size_t size = 0;
    int rc = wtl_ini_load(world, path, &text, &size, err);
    if (rc == 0 || (rc == -ENOENT && named))
        append(search->files, sizeof search->files, path);
    if (rc == -ENOENT && named)
        append(search->files, sizeof search->files, "which does not exist");
    rc = rc < 0 ? rc : wtl_calibration_text(path, text, size, &calibration, err);
    free(text);
    if (rc < 0)
        return rc;
    if (wtl_calibration_find(calibration, search->kind, search->host, search->item)) {
        *ret_calibration = calibration;
        return 0;
    }
    note_items(search, calibration);
    wtl_calibration_destroy(calibration);
    return -ENOENT;
}

static int say_none(const struct search *search, struct wattle_error *err)
{
    return wtl_fail(
        err, -ENOENT,
        "no calibration [%s %s %s]%s%s%s%s; create one with \"wattle %s calibrate\" on that node",
        search->kind, search->host, search->item, search->files[0] ? " in " : "", search->files,
        search->items[0] ? ", only of " : "", search->items, search->kind);
}

int wtl_calibration_load(const struct wtl_world *world,
                         const char *explicit_path,
                         const char *kind,
                         const char *host,
                         const char *item,
                         struct wtl_calibration **ret_calibration,
                         char *path,
                         size_t n,
                         struct wattle_error *err)
{
    char user[4096];
    struct search search = {.kind = kind, .host = host, .item = item};
    const char *variable = world->ops->getenv(world, "WATTLE_CALIBRATION");
    wtl_calibration_user_path(world, user, sizeof user);
    const char *places[] = {explicit_path ? explicit_path : variable, user,
                            wtl_calibration_system_path()};
    for (size_t i = 0; i < (explicit_path ? 1 : sizeof places / sizeof *places); i++) {
        if (!places[i] || !*places[i])
            continue;
        int rc = find_section(world, places[i], i == 0, &search, ret_calibration, err);
        if (rc == 0)
            (void)snprintf(path, n, "%s", places[i]);
        if (rc != -ENOENT)
            return rc;
    }
    return say_none(&search, err);
}
