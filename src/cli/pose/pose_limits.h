/* SPDX-License-Identifier: BSD-3-Clause */
/* Pmin and Pmax of codes and machines: from options, a table row, or calibration.conf. */
#ifndef WTL_CLI_POSE_LIMITS_H
#define WTL_CLI_POSE_LIMITS_H

#include <wattle/error.h>

#include "analysis/pose/pose_bounds.h"
#include "analysis/pose/pose_study.h"
#include "cli/pose/pose_options.h"

/* The last result, since adjacent rows of a table often share a machine. */
struct wtl_pose_limits {
    const struct wtl_pose_options *options;
    char host[256];  /* this node */
    char last[256];  /* host of `bounds`; "" = none */
    unsigned wanted; /* WTL_POSE_WANT_PMIN, WTL_POSE_WANT_PMAX: which of them */
    struct wtl_pose_bounds bounds;
    bool used; /* the calibration was used */
};

void wtl_pose_limits_init(struct wtl_pose_limits *limits, const struct wtl_pose_options *options);

/*
 * Set the bounds of a subject whose code has those of its row, or NaN. Options take precedence, then the row,
 * then the calibration of its group, or of this node without a group. Returns 0, or -errno with a message.
 */
int wtl_pose_limits_set(struct wtl_pose_limits *limits,
                        struct wtl_pose_subject *subject,
                        struct wattle_error *err);

/* Add the summary of the machine for --system without codes: from the options, or for all items of this
 * node's calibration (only --channel if given). Returns 0, or -errno with a message. */
int wtl_pose_limits_machine(struct wtl_pose_limits *limits,
                            struct wtl_pose_study *study,
                            struct wattle_error *err);

/* The same for the codes of a study: for each group its lowest Pmin and highest Pmax. 0 or -ENOMEM. */
int wtl_pose_limits_groups(struct wtl_pose_study *study, struct wattle_error *err);

/* Append a machine; texts are copied, NULL = none. 0 or -ENOMEM. */
int wtl_pose_limits_add(struct wtl_pose_study *study,
                        const char *name,
                        const char *group,
                        double pmin_w,
                        double pmax_w,
                        struct wattle_error *err);

#endif
