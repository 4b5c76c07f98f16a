/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node's files over FUSE: the tree of node_tree.h, and at the root the file "node", to which a
 * request (live_node.h) is written and from which its answer is read, by each opener for itself.
 */
#ifndef WTL_SIM_FUSE_SERVER_H
#define WTL_SIM_FUSE_SERVER_H

#include <wattle/error.h>

#include "sim/live_node.h"

#define WTL_FUSE_REQUEST_FILE "node"

struct wtl_fuse;

/* Serve on a descriptor of /dev/fuse that is mounted already, on a thread of its own. The
 * descriptor is taken over. With fixed_names no file vanishes, and the kernel may remember them.
 * Live and tree are borrowed. Returns 0, -EIO, -ENOMEM. */
int wtl_fuse_start(struct wtl_live *live,
                   const struct wtl_tree *tree,
                   bool fixed_names,
                   int fd,
                   struct wtl_fuse **ret_fuse,
                   struct wattle_error *err);
void wtl_fuse_stop(struct wtl_fuse *fuse); /* accepts NULL */

#endif
