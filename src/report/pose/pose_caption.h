/* SPDX-License-Identifier: BSD-3-Clause */
/* The caption of the figure of a POSE study. */
#ifndef WTL_REPORT_POSE_CAPTION_H
#define WTL_REPORT_POSE_CAPTION_H

#include "analysis/pose/pose_study.h"

struct wtl_pose_caption {
    size_t chart_count;
    bool overlaid;     /* several metrics in each chart */
    bool common_scale; /* of several charts */
    bool gain, power;  /* panels below */
};

/* Written to text (n bytes); sentences that do not fit are left out. */
void wtl_pose_caption_write(const struct wtl_pose_study *study,
                            const struct wtl_pose_caption *what,
                            char *text,
                            size_t n);

#endif
