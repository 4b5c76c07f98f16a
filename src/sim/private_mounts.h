/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A view of the file system for one process and its children, in which the node's files stand at
 * their real paths and all else is as before. /sys refuses new folders, so it is covered by an
 * empty file system into which every old entry is bound again; this works for root and, in a user
 * namespace, for everyone. Nothing of it is visible outside, and it is gone with its last process.
 */
#ifndef WTL_SIM_PRIVATE_MOUNTS_H
#define WTL_SIM_PRIVATE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <wattle/error.h>

/* Where the node's own files stand inside. */
#define WTL_PRIVATE_ROOT "/sys/wattle-sim"

struct wtl_private {
    bool user_namespace; /* made, because the process may not mount */
    uid_t uid;
    gid_t gid;
    dev_t *covers; /* devices of the file systems put over folders */
    size_t count;
};

/*
 * Leave the caller's view: a mount namespace, and a user namespace when needed. One thread.
 * Returns 0, -EPERM with the remedy when the system allows neither.
 */
int wtl_private_enter(struct wtl_private *view, struct wattle_error *err);

/* Cover /sys and mount FUSE at WTL_PRIVATE_ROOT. Returns the descriptor of /dev/fuse (>= 0), which
 * has to be served before anything below is looked at; -EACCES, -ENOENT with the remedy. */
int wtl_private_mount(struct wtl_private *view, struct wattle_error *err);

/* Let `path` ("/sys/class/powercap") show what stands at WTL_PRIVATE_ROOT + path. */
int wtl_private_show(struct wtl_private *view, const char *path, struct wattle_error *err);

/* Take a link of the host (its absolute path) out of the view, or empty a folder of it; nothing to
 * do where there is none. */
int wtl_private_hide(struct wtl_private *view, const char *path, struct wattle_error *err);

/* Back to the caller's own user and group, as far as that is possible; frees what view holds. */
int wtl_private_finish(struct wtl_private *view, struct wattle_error *err);

#endif
