/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool of this node as the settings have it. */
#ifndef WTL_CLI_JOBS_SPOOL_H
#define WTL_CLI_JOBS_SPOOL_H

#include "cli/settings.h"
#include "jobs/job_spool.h"

struct wtl_jobs_spool_setting {
    struct wtl_job_spool spool; /* its folder is borrowed from the settings */
    const char *cluster;        /* "" = none */
};

/* 0; -EINVAL with a sentence. */
int wtl_jobs_spool_setting(const struct wtl_config *config,
                           struct wtl_jobs_spool_setting *ret_setting,
                           struct wattle_error *err);

#endif
