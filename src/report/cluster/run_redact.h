/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes identifying data of people and machines from the profile of a run and the study of several, for figures. */
#ifndef WTL_REPORT_RUN_REDACT_H
#define WTL_REPORT_RUN_REDACT_H

#include "analysis/cluster/run_profile.h"
#include "analysis/cluster/run_study.h"
#include "report/redact.h"

/* Replace in place: names of nodes and regions; names and labels of runs and cases. The redactor owns the new texts. Returns 0 or -ENOMEM. */
int wtl_redact_profile(struct wtl_redactor *redactor, struct wtl_run_profile *profile);
void wtl_redact_study(struct wtl_redactor *redactor, struct wtl_study *study);

#endif
