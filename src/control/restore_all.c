/* SPDX-License-Identifier: BSD-3-Clause */
/* All journals of this machine: see restore.h. A journal without a lock has no living holder and no guard. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "control/restore.h"

static const char standard_folder[] = "/run/wattle-control"; /* /run/wattle is wattled's */
static const uint64_t PATIENCE_NS = 10 * UINT64_C(1000000000);

const char *wtl_control_folder(const struct wtl_control *control)
{
    const char *given = control->folder
                            ? control->folder
                            : control->world->ops->getenv(control->world, "WATTLE_CONTROL_DIR");
    return given && given[0] ? given : standard_folder;
}

/* Create the folder and the ones above it. */
static int make_folder(const char *folder)
{
    char path[PATH_MAX];
    size_t n = strlen(folder);
    if (n >= sizeof path)
        return -ENAMETOOLONG;
    memcpy(path, folder, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        char end = path[i];
        path[i] = '\0';
        if (mkdir(path, i == n ? 0700 : 0755) < 0 && errno != EEXIST)
            return -errno;
        path[i] = end;
    }
    return 0;
}

/* May others put something else into the place of what is in this folder? It is root's, which in a user namespace is whoever has "/", or
 * of this user. Files in a sticky one can only be replaced by their owner. */
static bool is_of_others(const struct stat *about, const struct stat *root)
{
    bool own = about->st_uid == geteuid() || about->st_uid == root->st_uid;
    bool group =
        about->st_mode & S_IWGRP && about->st_gid != getegid() && about->st_gid != root->st_gid;
    return !own || ((group || about->st_mode & S_IWOTH) && !(about->st_mode & S_ISVTX));
}

/* Each folder above it: 0, -EPERM or -errno. */
static int check_above(const char *folder)
{
    char path[PATH_MAX];
    struct stat about, root;
    size_t n = strlen(folder);
    if (n >= sizeof path)
        return -ENAMETOOLONG;
    if (stat("/", &root) < 0)
        return -errno;
    memcpy(path, folder, n + 1);
    for (size_t i = 1; i < n; i++) {
        if (path[i] != '/')
            continue;
        path[i] = '\0';
        int rc = lstat(path, &about) < 0 ? -errno : 0;
        if (rc == 0 && S_ISLNK(about.st_mode)) /* whose own mode means nothing */
            rc = about.st_uid != geteuid() && about.st_uid != root.st_uid ? -EPERM
                 : stat(path, &about) < 0                                 ? -errno
                                                                          : 0;
        if (rc == 0 && is_of_others(&about, &root))
            rc = -EPERM;
        if (rc < 0)
            return rc;
        path[i] = '/';
    }
    return 0;
}

/* Nobody else may write there, or replace it: journals say what root will write. */
static int check_folder(const char *folder)
{
    struct stat about;
    if (lstat(folder, &about) < 0)
        return -errno;
    if (!S_ISDIR(about.st_mode) || about.st_uid != geteuid() || about.st_mode & (S_IWGRP | S_IWOTH))
        return -EPERM;
    return check_above(folder);
}

static int lock_patiently(const struct wtl_control *control, int fd)
{
    const struct wtl_world *world = control->world;
    uint64_t end_ns = world->ops->now_ns(world, CLOCK_MONOTONIC) + PATIENCE_NS;
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        uint64_t now_ns = world->ops->now_ns(world, CLOCK_MONOTONIC);
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        if (now_ns >= end_ns)
            return -ETIMEDOUT;
        (void)world->ops->sleep_until(world, now_ns + 5000000);
    }
    return 0;
}

int wtl_control_lock(const struct wtl_control *control, struct wattle_error *err)
{
    const char *folder = wtl_control_folder(control);
    char path[PATH_MAX];
    int rc = make_folder(folder);
    rc = rc < 0 ? rc : check_folder(folder);
    if (rc == -EPERM && geteuid() != 0)
        return wtl_fail(err, -EACCES,
                        "only root may change frequency and power of this machine, or restore them "
                        "(journals are in %s); use "
                        "sudo, or an option of srun if the site offers it",
                        folder);
    if (rc == -EPERM)
        return wtl_fail(
            err, rc,
            "%s: not a folder of this user that others can neither write nor replace; remove it",
            folder);
    if (rc < 0)
        return wtl_fail(err, rc,
                        "cannot create the folder of journals %s: %s; settings are changed by root",
                        folder, wtl_strerror(rc));
    if ((size_t)snprintf(path, sizeof path, "%s/lock", folder) >= sizeof path)
        return wtl_fail(err, -ENAMETOOLONG, "%s: the name is too long", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    rc = fd < 0 ? -errno : lock_patiently(control, fd);
    if (rc == 0)
        return fd;
    if (fd >= 0)
        (void)close(fd); /* nothing was written */
    return wtl_fail(err, rc, "cannot lock %s: %s", path, wtl_strerror(rc));
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

typedef int each_fn(const struct wtl_control *control,
                    const char *path,
                    void *context,
                    struct wattle_error *err);

/* The journals, in natural order. The first failure is returned, the others are looked at, too. */
static int each_file(const struct wtl_control *control,
                     const char *suffix,
                     each_fn *take,
                     void *context,
                     struct wattle_error *err)
{
    const char *folder = wtl_control_folder(control);
    char **names, path[PATH_MAX];
    int count = wtl_world_real()->ops->list(wtl_world_real(), folder, &names), first = 0;
    if (count == -ENOENT)
        return 0;
    if (count < 0)
        return wtl_fail(err, count, "cannot read the folder of journals %s: %s", folder,
                        wtl_strerror(count));
    for (int i = 0; i < count; i++) {
        if (!ends_with(names[i], suffix) ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, names[i]) >= sizeof path)
            continue;
        int rc = take(control, path, context, first == 0 ? err : NULL);
        first = first == 0 ? rc : first;
    }
    free(names);
    return first;
}

static bool is_of_this_boot(const struct wtl_control *control, const struct wtl_journal *j)
{
    char boot[40];
    wtl_boot_id(control->world, boot);
    return !boot[0] || !j->boot[0] || strcmp(boot, j->boot) == 0;
}

static void tell_about_process(const struct wtl_control *control,
                               const char *before,
                               pid_t pid,
                               const char *after)
{
    char text[256];
    if (!control->tell)
        return;
    (void)snprintf(text, sizeof text, "%s process %d %s", before, (int)pid, after);
    control->tell(control->context, text);
}

static int finish_journal(const struct wtl_control *control,
                          struct wtl_journal *j,
                          bool force,
                          struct wtl_restored *sum,
                          struct wattle_error *err)
{
    size_t knobs = 0;
    sum->holds++;
    if (!is_of_this_boot(control, j)) {
        tell_about_process(control, "the last boot has undone the settings of", j->holder,
                           "that were held before it");
        return unlink(j->path) < 0 ? -errno : 0;
    }
    size_t open = wtl_restore_entries(control, j, force, false);
    for (size_t i = 0; i < j->count; i++) {
        knobs += j->entries[i].outcome == WTL_OUTCOME_RESTORED;
        sum->foreign += j->entries[i].state == WTL_ENTRY_FOREIGN;
    }
    sum->knobs += knobs;
    sum->open += open;
    if (knobs > 0)
        tell_about_process(control, "restored the settings of", j->holder,
                           "which was killed before it could");
    wtl_restore_tell(control, j);
    if (open > 0)
        return wtl_fail(err, -EIO,
                        "%zu settings of process %d could not be restored; \"wattle restore "
                        "--list\" shows them",
                        open, (int)j->holder);
    return unlink(j->path) < 0 ? -errno : 0;
}

struct all {
    bool force;
    struct wtl_restored *sum;
};

static int take_one(const struct wtl_control *control,
                    const char *path,
                    void *context,
                    struct wattle_error *err)
{
    struct all *all = context;
    struct wtl_journal j;
    int rc = wtl_journal_open(path, &j, err);
    if (rc == -ENOENT)
        return 0;
    if (rc == -EBADMSG && all->force && unlink(path) == 0) {
        if (control->tell)
            control->tell(control->context,
                          "a damaged journal was removed; its settings are unknown");
        return 0;
    }
    if (rc < 0 && rc != -EWOULDBLOCK)
        return rc;
    if (rc == 0)
        rc = finish_journal(control, &j, all->force, all->sum, err);
    else
        all->sum->held++, rc = 0;
    wtl_journal_fini(&j);
    return rc;
}

/* Left by a kill before anything was changed. */
static int take_unfinished(const struct wtl_control *control,
                           const char *path,
                           void *context,
                           struct wattle_error *err)
{
    (void)control, (void)context, (void)err;
    (void)unlink(path); /* the folder is locked: no other process writes it */
    return 0;
}

int wtl_restore_all(const struct wtl_control *control,
                    bool force,
                    struct wtl_restored *ret_restored,
                    struct wattle_error *err)
{
    *ret_restored = (struct wtl_restored){0};
    struct all all = {force, ret_restored};
    (void)each_file(control, ".unfinished", take_unfinished, NULL, NULL);
    return each_file(control, ".journal", take_one, &all, err);
}

struct listing {
    void (*take)(void *context, const struct wtl_journal *journal, bool is_held);
    void *context;
};

static int list_one(const struct wtl_control *control,
                    const char *path,
                    void *context,
                    struct wattle_error *err)
{
    struct listing *listing = context;
    struct wtl_journal j;
    (void)control;
    int rc = wtl_journal_open(path, &j, err);
    if (rc < 0 && rc != -EWOULDBLOCK)
        return rc == -ENOENT ? 0 : rc;
    listing->take(listing->context, &j, rc == -EWOULDBLOCK);
    wtl_journal_fini(&j);
    return 0;
}

int wtl_restore_each(const struct wtl_control *control,
                     void (*take)(void *context, const struct wtl_journal *journal, bool is_held),
                     void *context,
                     struct wattle_error *err)
{
    struct listing listing = {take, context};
    return each_file(control, ".journal", list_one, &listing, err);
}
