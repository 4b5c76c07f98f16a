/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of pose_report.h: the three formats, and the texts that they share. */
#ifndef WTL_REPORT_POSE_FORMS_H
#define WTL_REPORT_POSE_FORMS_H

#include <stdio.h>

#include "analysis/pose/pose_study.h"
#include "report/report.h"

enum { WTL_POSE_SENTENCE = 400 };

int wtl_text_pose(FILE *out,
                  const struct wtl_pose_study *study,
                  bool details,
                  const struct wtl_style *style);
/* Printed code by code: the document need not fit into memory. */
int wtl_json_pose(FILE *out, const struct wtl_pose_study *study);
int wtl_csv_pose(FILE *out, const struct wtl_pose_study *study); /* 0 or -ENOMEM */

/* One sentence in n bytes, which is returned: what an insight means for this code. */
char *wtl_pose_advice(const struct wtl_pose_model *model,
                      enum wtl_pose_insight insight,
                      char *text,
                      size_t n);

/* The headline: whether to optimise power or run time. */
char *wtl_pose_headline(const struct wtl_pose_model *model, char *text, size_t n);

/* Warnings of a subject under a metric: i = 0, 1, ..; false after the last. */
struct wtl_pose_warning_text {
    const char *name; /* "BELOW_FLOOR" */
    char text[WTL_POSE_SENTENCE];
};
bool wtl_pose_warning_at(const struct wtl_pose_subject *subject,
                         const struct wtl_pose_model *model,
                         size_t i,
                         struct wtl_pose_warning_text *ret_warning);

#endif
