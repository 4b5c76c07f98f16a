/* SPDX-License-Identifier: BSD-3-Clause */
/* A POSE study without what identifies people and machines: the rule of redact.h for text, documents, figure and page. */
#ifndef WTL_REPORT_POSE_REDACT_H
#define WTL_REPORT_POSE_REDACT_H

#include "analysis/pose/pose_study.h"

/*
 * In place, before the study is computed. Hosts become "node 1", traces "run 1"; labels and other names stay, unless they
 * hold a path, an address or the name of a host; remarks that do, say what they mean in general. 0 or -ENOMEM.
 */
int wtl_pose_redact(struct wtl_pose_study *study);

#endif
