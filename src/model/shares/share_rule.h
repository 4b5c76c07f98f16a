/* SPDX-License-Identifier: BSD-3-Clause */
/* How energy was divided among jobs: the rule of account/share.h, as results and traces name it. */
#ifndef WTL_MODEL_SHARE_RULE_H
#define WTL_MODEL_SHARE_RULE_H

/* "cpu_time", "calibrated", "counters": an unset one divides by CPU time. */
enum wtl_share_rule { WTL_SHARE_CPU_TIME, WTL_SHARE_CALIBRATED, WTL_SHARE_COUNTERS };
enum { WTL_SHARE_RULES = 3 };
extern const char *const wtl_share_rule_names[WTL_SHARE_RULES];

/* An unknown name is by CPU time. */
enum wtl_share_rule wtl_share_rule_of(const char *name);

#endif
