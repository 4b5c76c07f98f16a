/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders of wattled: see folder.h. */
#define _GNU_SOURCE
#include "daemon/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

/* It contains only what wattled makes, so its owner may be changed. */
static bool is_ours(int folder)
{
    static const char *const names[] = {".",       "..",          "ledger", "socket",
                                        "allowed", "allowed.new", "jobs"};
    bool ours = true;
    int copy = dup(folder);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    if (!list) {
        if (copy >= 0)
            (void)close(copy);
        return false;
    }
    while (ours && (entry = readdir(list))) {
        ours = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            ours |= strcmp(entry->d_name, names[i]) == 0;
    }
    (void)closedir(list);
    return ours;
}

int wtl_folder_owner(const char *user, uid_t *ret_uid, gid_t *ret_gid, struct wattle_error *err)
{
    const bool becomes = user[0] && geteuid() == 0;
    const struct passwd *owner = becomes ? getpwnam(user) : NULL;
    if (becomes && !owner)
        return wtl_fail(
            err, -ENOENT,
            "user \"%s\" does not exist; create it (systemd-sysusers, useradd -r), or set user in "
            "section [wattled]",
            user);
    *ret_uid = owner ? owner->pw_uid : geteuid();
    *ret_gid = owner ? owner->pw_gid : (gid_t)-1;
    return 0;
}

static int give(int folder, const char *path, const char *user, struct wattle_error *err)
{
    struct stat about;
    uid_t uid = 0;
    gid_t gid = 0;
    int rc = wtl_folder_owner(user, &uid, &gid, err);
    if (rc < 0)
        return rc;
    if (fstat(folder, &about) < 0)
        return wtl_fail(err, -errno, "cannot use the folder \"%s\": %s", path, strerror(errno));
    if (about.st_mode & (S_IWGRP | S_IWOTH))
        return wtl_fail(
            err, -EPERM,
            "other users can write the folder \"%s\"; use one of wattled's own, as with "
            "\"chmod 755\"",
            path);
    if (about.st_uid == uid)
        return 0;
    if (geteuid() != 0 || about.st_uid != 0 || !is_ours(folder))
        return wtl_fail(err, -EPERM,
                        "the folder \"%s\" belongs to another user and is not empty; remove it, or "
                        "give it to the user of wattled",
                        path);
    if (fchown(folder, uid, gid) < 0)
        return wtl_fail(err, -errno, "cannot give the folder \"%s\" to %s: %s", path, user,
                        strerror(errno));
    return 0;
}

int wtl_folder_prepare(const char *path, mode_t mode, const char *user, struct wattle_error *err)
{
    const bool is_new = mkdir(path, mode) == 0;
    if (!is_new && errno != EEXIST)
        return wtl_fail(err, -errno,
                        "cannot create the folder \"%s\": %s; create it, or choose another one",
                        path, strerror(errno));
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return wtl_fail(err, -errno, "cannot use the folder \"%s\": %s", path, strerror(errno));
    int rc = is_new && fchmod(folder, mode) < 0 /* whatever the umask is */
                 ? wtl_fail(err, -errno, "cannot use the folder \"%s\": %s", path, strerror(errno))
                 : give(folder, path, user, err);
    (void)close(folder);
    return rc;
}

int wtl_folder_create_file(const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    int fd = open(path, flags, 0640);
    /* Only then: while a disk is busy, each change of a folder waits for its journal, and requests with it. */
    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, 0640);
    return fd < 0 ? -errno : fd;
}
