/* SPDX-License-Identifier: BSD-3-Clause */
/* The private view of the file system: see private_mounts.h. */
#define _GNU_SOURCE
#include "sim/private_mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/grow.h"

/* C libraries before glibc 2.36 do not have these. */
#ifndef OPEN_TREE_CLONE
#    define OPEN_TREE_CLONE 1
#endif
#ifndef OPEN_TREE_CLOEXEC
#    define OPEN_TREE_CLOEXEC O_CLOEXEC
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#    define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#endif

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = write(fd, text, strlen(text));
    int rc = n < 0 ? -errno : 0;
    (void)close(fd); /* proc files take effect on write */
    return rc;
}

/* Map one user and group into the new user namespace. */
static int map_ids(uid_t inside_uid, uid_t uid, gid_t inside_gid, gid_t gid)
{
    char text[64];
    int rc = write_file("/proc/self/setgroups", "deny"); /* required by the kernel for gid_map */
    (void)snprintf(text, sizeof text, "%u %u 1", (unsigned)inside_uid, (unsigned)uid);
    if (rc == 0)
        rc = write_file("/proc/self/uid_map", text);
    (void)snprintf(text, sizeof text, "%u %u 1", (unsigned)inside_gid, (unsigned)gid);
    if (rc == 0)
        rc = write_file("/proc/self/gid_map", text);
    return rc;
}

int wtl_private_enter(struct wtl_private *view, struct wattle_error *err)
{
    *view = (struct wtl_private){.uid = geteuid(), .gid = getegid()};
    if (unshare(CLONE_NEWNS) < 0) {
        if (errno != EPERM || unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
            return wtl_fail(
                err, -errno,
                "cannot create private mounts as this user (%s); run as root, or allow user "
                "namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
                "kernel.apparmor_restrict_unprivileged_userns",
                wtl_strerror(errno));
        view->user_namespace = true;
        int rc = map_ids(0, view->uid, 0, view->gid);
        if (rc < 0)
            return wtl_fail(err, rc, "user namespace: cannot map the user: %s", wtl_strerror(rc));
    }
    int code = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
    if (code == -EINVAL)
        return wtl_fail(err, code,
                        "cannot create private mounts: / is not a mount point (chroot); make its "
                        "folder one before entering it: mount --bind DIR DIR");
    if (code < 0)
        return wtl_fail(err, code, "cannot make mounts private: %s", wtl_strerror(code));
    return 0;
}

/* Bind old/name to path/name. */
static int bind_again(int old, const char *path, const char *name)
{
    char from[PATH_MAX], to[PATH_MAX], target[PATH_MAX];
    struct stat about;
    if (fstatat(old, name, &about, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -errno; /* vanished after listing */
    (void)snprintf(from, sizeof from, "/proc/self/fd/%d/%s", old, name);
    (void)snprintf(to, sizeof to, "%s/%s", path, name);
    if (S_ISLNK(about.st_mode)) {
        ssize_t n = readlinkat(old, name, target, sizeof target - 1);
        if (n < 0)
            return -errno;
        target[n] = '\0';
        return symlink(target, to) < 0 ? -errno : 0;
    }
    if (S_ISDIR(about.st_mode)) {
        if (mkdir(to, 0755) < 0)
            return -errno;
    } else {
        int fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        if (fd < 0)
            return -errno;
        (void)close(fd); /* empty: only a mount point */
    }
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0 ? -errno : 0;
}

static int remember_cover(struct wtl_private *view, const char *path)
{
    struct stat about;
    if (wtl_grow(&view->covers, view->count, sizeof *view->covers) < 0)
        return -ENOMEM;
    if (stat(path, &about) < 0)
        return -errno;
    view->covers[view->count++] = about.st_dev;
    return 0;
}

/* Mount an empty file system over a folder and bind its old entries into it. */
static int cover(struct wtl_private *view, const char *path, struct wattle_error *err)
{
    int old = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (old < 0)
        return wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    struct dirent **entries = NULL;
    int n = scandirat(old, ".", &entries, NULL, NULL), rc = n < 0 ? -errno : 0;
    if (rc == 0 && mount("wattle-sim", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0)
        rc = -errno;
    if (rc == 0)
        rc = remember_cover(view, path);
    if (rc < 0)
        (void)wtl_fail(err, rc, "cannot mount over %s: %s", path, wtl_strerror(rc));
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (rc == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            rc = bind_again(old, path, name);
            if (rc < 0)
                (void)wtl_fail(err, rc, "cannot bind %s/%s again: %s", path, name,
                               wtl_strerror(rc));
        }
        free(entries[i]);
    }
    free(entries);
    (void)close(old);
    return rc;
}

static bool is_covered(const struct wtl_private *view, const struct stat *folder)
{
    for (size_t i = 0; i < view->count; i++) {
        if (view->covers[i] == folder->st_dev)
            return true;
    }
    return false;
}

/* Make sure that a folder exists at `path`, covering a parent that does not allow creating it. */
static int make_folder(struct wtl_private *view, const char *path, struct wattle_error *err)
{
    struct stat about;
    char parent[PATH_MAX];
    if (stat(path, &about) == 0)
        return 0;
    (void)snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (!slash || slash == parent)
        return wtl_fail(err, -ENOENT, "%s: no such folder, and / cannot be changed", path);
    *slash = '\0';
    int rc = make_folder(view, parent, err);
    if (rc == 0 && stat(parent, &about) < 0)
        rc = wtl_fail(err, -errno, "%s: %s", parent, wtl_strerror(errno));
    if (rc == 0 && !is_covered(view, &about))
        rc = cover(view, parent, err);
    if (rc == 0 && mkdir(path, 0755) < 0)
        rc = wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    return rc;
}

int wtl_private_mount(struct wtl_private *view, struct wattle_error *err)
{
    char options[128];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return wtl_fail(err, -errno, "/dev/fuse: %s; %s", wtl_strerror(errno),
                        errno == EACCES ? "run as root, or allow access: chmod 666 /dev/fuse"
                                        : "load the kernel module: modprobe fuse");
    int rc = cover(view, "/sys", err);
    if (rc == 0)
        rc = make_folder(view, WTL_PRIVATE_ROOT, err);
    /* In a user namespace there are no other users; the option would only exclude wattle-sim itself, which is outside. */
    (void)snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u%s", fd,
                   (unsigned)geteuid(), (unsigned)getegid(),
                   view->user_namespace ? "" : ",allow_other");
    if (rc == 0 && mount("wattle-sim", WTL_PRIVATE_ROOT, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
        rc = wtl_fail(err, -errno, "cannot mount FUSE: %s", wtl_strerror(errno));
    if (rc < 0)
        (void)close(fd);
    return rc < 0 ? rc : fd;
}

int wtl_private_show(struct wtl_private *view, const char *path, struct wattle_error *err)
{
    char from[PATH_MAX];
    struct stat about;
    int rc = 0;
    (void)snprintf(from, sizeof from, "%s%s", WTL_PRIVATE_ROOT, path);
    if (stat(from, &about) < 0)
        return wtl_fail(err, -errno, "%s: %s", from, wtl_strerror(errno));
    if (S_ISDIR(about.st_mode))
        rc = make_folder(view, path, err);
    if (rc == 0 && mount(from, path, NULL, MS_BIND, NULL) < 0)
        rc = wtl_fail(err, -errno, "cannot mount %s: %s", path, wtl_strerror(errno));
    return rc;
}

/* Over a link only another link can be mounted. It must stay, or another node could not do the same within this one. */
int wtl_private_redirect(struct wtl_private *view, const char *path, struct wattle_error *err)
{
    const char *link = WTL_PRIVATE_ROOT ".net"; /* /sys is covered and can be changed */
    char target[PATH_MAX];
    (void)view;
    (void)snprintf(target, sizeof target, "%s%s", WTL_PRIVATE_ROOT, path);
    (void)unlink(link); /* of a node around this one, whose copy it is */
    int rc = symlink(target, link) < 0 ? -errno : 0;
    int tree = rc < 0 ? rc
                      : (int)syscall(SYS_open_tree, AT_FDCWD, link,
                                     AT_SYMLINK_NOFOLLOW | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (rc == 0 && (tree < 0 ||
                    syscall(SYS_move_mount, tree, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) < 0))
        rc = -errno;
    if (tree >= 0)
        (void)close(tree);
    return rc < 0 ? wtl_fail(err, rc, "cannot mount over the link %s: %s", path, wtl_strerror(rc))
                  : 0;
}

/* Remove a link from its folder. */
static int hide_link(struct wtl_private *view, const char *path, struct wattle_error *err)
{
    char parent[PATH_MAX];
    struct stat about;
    (void)snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = '\0';
    int rc = stat(parent, &about) < 0 ? -errno : 0;
    if (rc == 0 && !is_covered(view, &about))
        rc = cover(view, parent, err);
    return rc == 0 && unlink(path) < 0 ? -errno : rc;
}

int wtl_private_hide(struct wtl_private *view, const char *path, struct wattle_error *err)
{
    struct stat about;
    if (lstat(path, &about) < 0)
        return errno == ENOENT ? 0 : wtl_fail(err, -errno, "%s: %s", path, wtl_strerror(errno));
    int rc = 0;
    if (!S_ISDIR(about.st_mode))
        rc = hide_link(view, path, err);
    else if (mount("wattle-sim", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0)
        rc = -errno;
    return rc < 0 ? wtl_fail(err, rc, "cannot hide %s: %s", path, wtl_strerror(rc)) : 0;
}

int wtl_private_finish(struct wtl_private *view, struct wattle_error *err)
{
    free(view->covers);
    view->covers = NULL;
    view->count = 0;
    if (!view->user_namespace || view->uid == 0)
        return 0;
    int rc = unshare(CLONE_NEWUSER) < 0 ? -errno : map_ids(view->uid, 0, view->gid, 0);
    if (rc < 0)
        return wtl_fail(err, rc, "cannot restore the user of the command: %s", wtl_strerror(rc));
    return 0;
}
