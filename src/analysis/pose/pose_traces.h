/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE subject from traces: run time and energy of a run, or their means over repeats. */
#ifndef WTL_ANALYSIS_POSE_TRACES_H
#define WTL_ANALYSIS_POSE_TRACES_H

#include "analysis/pose/pose_study.h"

/*
 * Read the traces of one code, which are repeats of each other. channel: the energy of this
 * channel, or of a domain ("package") over all its indices; NULL or "total" = the total. region:
 * only the time and energy within the region of that name, inclusive, over the time in which any
 * thread is in it; NULL = the whole run. The channels of that energy have WATTLE_CHANNEL_IN_TOTAL
 * set in the results, so that plots show the same.
 *
 * Fills all of *ret_subject except the bounds, with flags for remarks: GAPS (a counter kept
 * counting across them, or less than a thousandth of the run is missing, which the resolution then
 * includes), FAILED (the exit status), UNFINISHED, DAMAGED and others of the runs, COMMANDS and
 * CONDITIONS that differ, UNRESOLVED and UNBALANCED regions, FEW_RUNS. Freed by
 * wtl_pose_subject_fini().
 *
 * Returns 0; -ENODATA: no energy channel or none of that name (the message lists the available
 * ones), energy unknown because of gaps, no such region, no length; -EXDEV: traces that are not
 * repeats of each other (nodes, what the energy contains, simulated or not, the same file);
 * -EINVAL: no trace; -ENOMEM; or the reader's error. Estimated energy is accepted: `quality` says
 * so.
 */
int wtl_pose_subject_of_traces(char *const *paths,
                               size_t count,
                               const char *channel,
                               const char *region,
                               struct wtl_pose_subject *ret_subject,
                               struct wattle_error *err);

#endif
