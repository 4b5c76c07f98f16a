/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool of this node; see jobs_spool.h. */
#include "cli/jobs/jobs_spool.h"

#include <errno.h>

#include "base/fail.h"
#include "base/parse.h"

int wtl_jobs_spool_setting(const struct wtl_config *config,
                           struct wtl_jobs_spool_setting *ret_setting,
                           struct wattle_error *err)
{
    const char *limit = wtl_config_get(config, "jobs", "spool-limit");
    uint64_t mib = 0;
    if (wtl_parse_u64(limit, &mib) < 0 || mib == 0 || mib > 1 << 20)
        return wtl_fail(err, -EINVAL, "setting [jobs] spool-limit: %s is not from 1 to 1048576 MiB",
                        limit);
    *ret_setting = (struct wtl_jobs_spool_setting){
        .spool = {.folder = wtl_config_get(config, "jobs", "spool"), .limit_bytes = mib << 20},
        .cluster = wtl_config_get(config, "slurm", "cluster"),
    };
    return 0;
}
