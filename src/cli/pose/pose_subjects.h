/* SPDX-License-Identifier: BSD-3-Clause */
/* The codes of "wattle pose": from options, a table or traces. */
#ifndef WTL_CLI_POSE_SUBJECTS_H
#define WTL_CLI_POSE_SUBJECTS_H

#include <wattle/error.h>

#include "analysis/pose/pose_study.h"
#include "cli/pose/pose_options.h"

/* Fill the study from the options: codes with their bounds, machines, candidates. The metrics move from the
 * options to the study. Returns 0, or -errno with a message; the caller frees the study in any case. */
int wtl_pose_subjects_build(struct wtl_pose_study *study,
                            struct wtl_pose_options *options,
                            struct wattle_error *err);

#endif
