/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node's files over FUSE: the tree of node_tree.h, and at the root the file "node": each opener
 * writes a request (live_node.h) to it and reads the answer from it.
 */
#ifndef WTL_SIM_FUSE_SERVER_H
#define WTL_SIM_FUSE_SERVER_H

#include <wattle/error.h>

#include "sim/live_node.h"

#define WTL_FUSE_REQUEST_FILE "node"

struct wtl_fuse;

/* Serve an already mounted descriptor of /dev/fuse, of which it takes ownership, on a separate
 * thread. With fixed_names no file vanishes, and the kernel may cache names. Live and tree are
 * borrowed. Returns 0, -EIO, -ENOMEM. */
int wtl_fuse_start(struct wtl_live *live,
                   const struct wtl_tree *tree,
                   bool fixed_names,
                   int fd,
                   struct wtl_fuse **ret_fuse,
                   struct wattle_error *err);
void wtl_fuse_stop(struct wtl_fuse *fuse); /* accepts NULL */

#endif
