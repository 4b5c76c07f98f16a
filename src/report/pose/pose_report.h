/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as text, as JSON ("wattle.pose/1") and as CSV: docs/format/pose.md. */
#ifndef WTL_REPORT_POSE_REPORT_H
#define WTL_REPORT_POSE_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/pose/pose_study.h"
#include "report/noun.h"
#include "report/report.h"
#include "report/table.h"

/* Print a computed study. details: text has each code and metric in full. 0; -ENOMEM; the errno of a failed write. */
int wtl_report_pose(FILE *out,
                    enum wtl_format format,
                    const struct wtl_pose_study *study,
                    bool details,
                    const struct wtl_style *style,
                    struct wattle_error *err);

extern const struct wtl_noun wtl_noun_pose, wtl_noun_pose_row;

/* The document, a new reference; NULL: no memory. */
json_t *wtl_pose_document(const struct wtl_pose_study *study);

#endif
