/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise floors from documents: how much runs differ on a machine, as an earlier "wattle ab" or "wattle compare"
 * measured it. */
#ifndef WTL_REPORT_NOISE_FLOOR_H
#define WTL_REPORT_NOISE_FLOOR_H

#include <wattle/error.h>

#include "analysis/compare/ab.h"
#include "analysis/compare/comparison.h"

/*
 * The floor of an earlier "wattle ab". It must be of this node: a floor says what a machine and a command vary
 * by. -EBADMSG when the file is no "wattle.ab/1" or has no noise floor, -EXDEV when it is of another node or
 * command, or the errno of reading; with a sentence.
 */
int wtl_noise_floor_read(const char *path,
                         const char *command,
                         struct wtl_noise_floor *ret_floor,
                         struct wattle_error *err);

/*
 * The noise of time, energy, power and energy x time, of "wattle compare" (of the runs of both sides) or "wattle
 * ab" (of A against A). A quantity that the document does not know is {NAN, NAN}. *ret_host is the node it was
 * measured on, malloc'ed, NULL = unknown. 0; -EBADMSG: no such document, or one whose sides had fewer than five
 * runs; -ENOMEM; the errno of reading.
 */
int wtl_noise_read(const char *path,
                   struct wtl_noise ret_noise[4],
                   char **ret_host,
                   struct wattle_error *err);

#endif
