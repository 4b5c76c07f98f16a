/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study in its three forms: see pose_report.h. */
#include "report/pose/pose_report.h"

#include <errno.h>

#include "base/fail.h"
#include "base/flush.h"
#include "report/pose/pose_forms.h"

int wtl_report_pose(FILE *out,
                    enum wtl_format format,
                    const struct wtl_pose_study *study,
                    bool details,
                    const struct wtl_style *style,
                    struct wattle_error *err)
{
    int rc = 0;
    if (format == WTL_FORMAT_JSON)
        rc = wtl_json_pose(out, study);
    else if (format == WTL_FORMAT_CSV)
        rc = wtl_csv_pose(out, study);
    else
        rc = wtl_text_pose(out, study, details, style);
    if (rc < 0)
        return wtl_no_memory(err);
    return wtl_flush(out, err);
}
