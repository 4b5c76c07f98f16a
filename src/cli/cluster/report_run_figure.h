/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle report --plot" of runs of many nodes. */
#ifndef WTL_CLI_REPORT_RUN_FIGURE_H
#define WTL_CLI_REPORT_RUN_FIGURE_H

#include "analysis/cluster/run_study.h"
#include "cli/report_figure.h"

/* Draw the requested figure and print its caption. reference_w: NaN = none. study NULL: a single run, that
 * of the profile. Returns 0, or -errno with a message. */
int wtl_report_run_figure(const struct wtl_report_figure *figure,
                          double reference_w,
                          bool force,
                          const struct wtl_run_profile *profile,
                          const struct wtl_study *study,
                          struct wattle_error *err);

#endif
