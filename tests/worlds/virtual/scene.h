/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A situation as read from its file: what the node draws and shows, what goes wrong, and the window in which it is
 * measured. The directives are listed in worlds_virtual.c.
 *
 *     struct scene scene;
 *     if (scene_read("a.world", &scene, &err) == 0)
 *         ...
 *     scene_fini(&scene);
 */
#ifndef WORLDS_SCENE_H
#define WORLDS_SCENE_H

#include <stddef.h>
#include <stdint.h>

#include <wattle/error.h>

#include "scene_words.h"
#include "sim/memory_world.h"

enum { SCENE_STEPS = 256, SCENE_REGIONS = 1000, SCENE_NAMES = 64 };

/* From at_ns after the start of the window, `what` ("load", or a domain) is `value`. */
struct scene_step {
    int64_t at_ns;
    char *what, *value;
};

struct scene_region {
    uint64_t begin_ns, end_ns; /* after the start of the window */
    unsigned name;
};

struct scene {
    uint64_t seed;
    uint64_t start_ns; /* from the node's start to the opening of the sensors */
    uint64_t length_ns;
    uint64_t interval_ns; /* 0 = default */
    unsigned repeat;
    struct wtl_memory_config costs; /* without clock and seed */
    struct scene_words options;     /* of "wattle-sim run", without the command */
    struct scene_step steps[SCENE_STEPS];
    size_t step_count;
    struct scene_region regions[SCENE_REGIONS];
    size_t region_count;
    char *names[SCENE_NAMES];
    size_t name_count;
};

/* Zero of the node's own t, before the window: what happens before the window has a positive time, too. */
#define SCENE_BEFORE_S 100

/* Returns 0; -EINVAL with line and remedy; -ENOMEM; or the error of opening the file. Call scene_fini() in any
 * case. */
int scene_read(const char *path, struct scene *scene, struct wattle_error *err);
void scene_fini(struct scene *scene);

#endif
