/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study as one html page without network: the template is made from web/pose. Its document is
 * "wattle.pose-page/1": "wattle.pose/1" and the shapes to be drawn (docs/format/pose.md, "The page"). */
#ifndef WTL_REPORT_POSE_PAGE_H
#define WTL_REPORT_POSE_PAGE_H

#include <stdio.h>

#include <jansson.h>

#include "analysis/pose/pose_study.h"

/* Was the page built in? Where not: -ENOTSUP with a sentence that says what to do. */
int wtl_pose_page_there(struct wattle_error *err);

/* Write the page of a computed study. title NULL = made from the codes. 0; -ENOTSUP: the page was left out of this build;
 * -ENODATA: a study without a code; what the reader said; -ENOMEM. Errors of the stream stay in it. */
int wtl_pose_page_write(const struct wtl_pose_study *study,
                        const char *title,
                        FILE *out,
                        struct wattle_error *err);

/* The document alone, a new reference in *ret_document. Errors as above, without -ENOTSUP. */
int wtl_pose_page_document(const struct wtl_pose_study *study,
                           const char *title,
                           json_t **ret_document,
                           struct wattle_error *err);

#endif
