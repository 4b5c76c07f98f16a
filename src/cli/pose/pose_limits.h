/* SPDX-License-Identifier: BSD-3-Clause */
/* Pmin and Pmax of codes and machines: from options, from a table's row, else from calibration.conf. */
#ifndef WTL_CLI_POSE_LIMITS_H
#define WTL_CLI_POSE_LIMITS_H

#include <wattle/error.h>

#include "analysis/pose/pose_bounds.h"
#include "analysis/pose/pose_study.h"
#include "cli/pose/pose_options.h"

/* What was found last, since neighbours in a table often share a machine. */
struct wtl_pose_limits {
    const struct wtl_pose_options *options;
    char host[256];  /* this node */
    char last[256];  /* of whom `bounds` are; "" = of none */
    unsigned wanted; /* WTL_POSE_WANT_PMIN, WTL_POSE_WANT_PMAX: which of them */
    struct wtl_pose_bounds bounds;
    bool used; /* the calibration was asked for */
};

void wtl_pose_limits_init(struct wtl_pose_limits *limits, const struct wtl_pose_options *options);

/*
 * Set the bounds of a subject, whose code has those of its row or NaN. Options come first, then the row, then the
 * calibration of its group, or of this node where it has none. 0, or -errno with a sentence.
 */
int wtl_pose_limits_set(struct wtl_pose_limits *limits,
                        struct wtl_pose_subject *subject,
                        struct wattle_error *err);

/* Add the machine's summary for --system where no code is named: from the options, else of all items of this
 * node's calibration (of --channel alone when that is given). 0, or -errno with a sentence. */
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
