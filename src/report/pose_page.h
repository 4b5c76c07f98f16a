/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as one html page without network: the template is made from web/pose. Its document is
 * "wattle.pose/1" with the shapes to be drawn added (docs/format/pose.md, "The page"). */
#ifndef WTL_REPORT_POSE_PAGE_H
#define WTL_REPORT_POSE_PAGE_H

#include <stdio.h>

#include "analysis/pose_study.h"

/* Write the page of a computed study. title NULL = made from the codes. 0; -ENOTSUP: the page was left out of this build;
 * -ENODATA: a study without a code; what the reader said; -ENOMEM. */
int wtl_pose_page_write(const struct wtl_pose_study *study,
                        const char *title,
                        FILE *out,
                        struct wattle_error *err);

#endif
