/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders of wattled: they belong to the user that it becomes. */
#ifndef WTL_DAEMON_FOLDER_H
#define WTL_DAEMON_FOLDER_H

#include <sys/types.h>

#include <wattle/error.h>

/* The user that the folders are for; *ret_gid -1: whatever group they have. -ENOENT with a sentence if it does not exist. */
int wtl_folder_owner(const char *user, uid_t *ret_uid, gid_t *ret_gid, struct wattle_error *err);

/*
 * Create a folder, or check that an existing one can be used: no other user may write it, and it is empty, or has
 * files of wattled, before it is given to `user` ("" = stays with this one). 0, or -errno with a sentence.
 */
int wtl_folder_prepare(const char *path, mode_t mode, const char *user, struct wattle_error *err);

/* A new file for writing, in the place of one that a killed wattled has left: its descriptor, or -errno. */
int wtl_folder_create_file(const char *path);

#endif
