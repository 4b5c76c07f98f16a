/* SPDX-License-Identifier: BSD-3-Clause */
/* Plays a situation: measures it as "wattle run" does, and leaves the outputs in the current folder. */
#ifndef WORLDS_SCENE_PLAY_H
#define WORLDS_SCENE_PLAY_H

#include "scene.h"

/* Returns 0, or a negative errno with one sentence. */
int scene_play(const struct scene *scene, struct wattle_error *err);

#endif
