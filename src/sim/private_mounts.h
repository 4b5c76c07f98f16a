/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A view of the file system for one process and its children, in which the node's files appear at
 * their real paths and everything else is unchanged. /sys does not allow new folders, so it is
 * covered by an empty file system into which every old entry is bound; this works for root and, in
 * a user namespace, for everyone. It is invisible outside, and vanishes with its last process.
 */
#ifndef WTL_SIM_PRIVATE_MOUNTS_H
#define WTL_SIM_PRIVATE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <wattle/error.h>

/* Where the node's own files are inside the view. */
#define WTL_PRIVATE_ROOT "/sys/wattle-sim"

struct wtl_private {
    bool user_namespace; /* created, because the process may not mount */
    uid_t uid;
    gid_t gid;
    dev_t *covers; /* devices of the file systems mounted over folders */
    size_t count;
};

/*
 * Leave the caller's view: enter a mount namespace, and a user namespace if needed.
 * Single-threaded. Returns 0, -EPERM with the remedy if the system allows neither.
 */
int wtl_private_enter(struct wtl_private *view, struct wattle_error *err);

/* Cover /sys and mount FUSE at WTL_PRIVATE_ROOT. Returns the descriptor of /dev/fuse (>= 0), which
 * must be served before anything below is accessed; -EACCES, -ENOENT with the remedy. */
int wtl_private_mount(struct wtl_private *view, struct wattle_error *err);

/* Make `path` ("/sys/class/powercap") show the content of WTL_PRIVATE_ROOT + path. */
int wtl_private_show(struct wtl_private *view, const char *path, struct wattle_error *err);

/* The same for a link of a file system that cannot be changed (/proc/net): it leads to that folder from now on. -EINVAL
 * where the kernel refuses to mount over a link. */
int wtl_private_redirect(struct wtl_private *view, const char *path, struct wattle_error *err);

/* Remove a link of the host (absolute path) from the view, or empty a folder; does nothing if it
 * does not exist. */
int wtl_private_hide(struct wtl_private *view, const char *path, struct wattle_error *err);

/* Return to the caller's own user and group as far as possible; frees the view's memory. */
int wtl_private_finish(struct wtl_private *view, struct wattle_error *err);

#endif
