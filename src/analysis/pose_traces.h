/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE subject from traces: run time and energy of a run, or their means over repeats. */
#ifndef WTL_ANALYSIS_POSE_TRACES_H
#define WTL_ANALYSIS_POSE_TRACES_H

#include "analysis/pose_study.h"

/*
 * Read the traces of one code, repeats of each other. channel: the energy of this channel or domain; NULL = the
 * total. region: only the time and energy within the region of that name; NULL = the whole run.
 * Fills all of *ret_subject but the bounds; freed by wtl_pose_subject_fini(). Returns 0; -ENODATA:
 * no energy channel (the sentence lists what there is), energy unknown because of gaps, no such region;
 * -EXDEV: traces that are no repeats of each other (hosts, or what the total contains); -ENOMEM; what the reader said.
 */
int wtl_pose_subject_of_traces(char *const *paths,
                               size_t count,
                               const char *channel,
                               const char *region,
                               struct wtl_pose_subject *ret_subject,
                               struct wattle_error *err);

#endif
