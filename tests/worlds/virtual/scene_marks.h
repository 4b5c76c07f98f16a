/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions of a situation, as the thread of a program marks them: in a spool, each mark when its time has come. The
 * calls of the library themselves use the clock of the machine.
 */
#ifndef WORLDS_SCENE_MARKS_H
#define WORLDS_SCENE_MARKS_H

#include <stdint.h>

#include "scene.h"

struct scene_marks;

/* A spool in this folder, of a program that begins now. The scene must outlive it. 0 or -errno. */
int scene_marks_open(const struct scene *scene,
                     const char *folder,
                     uint64_t start_ns,
                     struct scene_marks **ret_marks);
/* When the next mark is due, in ns after the start; UINT64_MAX: no further mark. */
uint64_t scene_marks_next_ns(const struct scene_marks *marks);
/* Make it. */
void scene_marks_make(struct scene_marks *marks);
void scene_marks_close(struct scene_marks *marks); /* accepts NULL */

#endif
