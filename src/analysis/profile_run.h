/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of an open run (run.h). */
#ifndef WTL_ANALYSIS_PROFILE_RUN_H
#define WTL_ANALYSIS_PROFILE_RUN_H

#include "analysis/run.h"
#include "analysis/run_profile.h"

/* As wtl_run_profile_read(), of all nodes of the run. */
int wtl_profile_of_run(struct wtl_run *run,
                       const struct wtl_profile_options *options,
                       struct wtl_run_profile *ret_profile,
                       struct wattle_error *err);

#endif
