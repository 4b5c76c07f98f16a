/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of runs: see report_run_figure.h. */
#include "cli/report_run_figure.h"

#include <errno.h>

#include "base/fail.h"

int wtl_report_run_figure(const struct wtl_report_run *request,
                          const struct wtl_run_profile *profile,
                          const struct wtl_study_run *runs,
                          const struct wtl_study *study,
                          struct wattle_error *err)
{
    (void)profile;
    (void)runs;
    (void)study;
    return wtl_fail(err, -ENOTSUP, "%s: figures of runs are not drawn", request->figure->path);
}
