/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node of a situation, in a world in memory whose clock stands where the sensors are opened. t of expressions is
 * 0, and its grid has a line, at window_ns, where the window is expected to start.
 */
#ifndef WORLDS_SCENE_NODE_H
#define WORLDS_SCENE_NODE_H

#include "scene.h"
#include "sim/sim_options.h"

struct scene_node {
    struct wtl_sim_options options;
    struct wtl_node *node;
    struct wtl_tree *tree;
    struct wtl_world *world;
    struct wtl_expression *powers[SCENE_STEPS]; /* of steps */
    uint64_t window_ns;                         /* CLOCK_MONOTONIC */
};

/* When the sensors are opened. */
uint64_t scene_node_opens_ns(const struct scene *scene);

/* Returns 0; -EINVAL with the remedy; -ENOMEM. Call scene_node_close() in any case. The scene outlives the node. */
int scene_node_open(const struct scene *scene,
                    uint64_t window_ns,
                    struct scene_node *node,
                    struct wattle_error *err);
void scene_node_close(struct scene_node *node);

#endif
