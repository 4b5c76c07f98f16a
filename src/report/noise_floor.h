/* SPDX-License-Identifier: BSD-3-Clause */
/* The noise floor of an earlier "wattle ab", from its JSON document. */
#ifndef WTL_REPORT_NOISE_FLOOR_H
#define WTL_REPORT_NOISE_FLOOR_H

#include <wattle/error.h>

#include "analysis/ab.h"

/*
 * Read it. It must be of this node: a floor says what a machine and a command vary by. -EBADMSG when
 * the file is no "wattle.ab/1" or has no noise floor, -EXDEV when it is of another node or command,
 * or the errno of reading; with a sentence.
 */
int wtl_noise_floor_read(const char *path,
                         const char *command,
                         struct wtl_noise_floor *ret_floor,
                         struct wattle_error *err);

#endif
